// Model-local functions: what a call becomes.
#include "client/onnx/functions.h"

#include "client/error.h"
#include "client/onnx/onnx_importer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

onnx::FunctionProto* AddFunction(onnx::ModelProto* model, const std::string& name,
                                 std::initializer_list<std::string> inputs,
                                 std::initializer_list<std::string> outputs) {
  if (model->functions().empty()) {
    onnx::OperatorSetIdProto* import = model->add_opset_import();
    import->set_domain("local");
    import->set_version(1);
  }
  onnx::FunctionProto* function = model->add_functions();
  function->set_domain("local");
  function->set_name(name);
  for (const std::string& input : inputs) function->add_input(input);
  for (const std::string& output : outputs) function->add_output(output);
  return function;
}

onnx::NodeProto* AddInner(onnx::FunctionProto* function, const std::string& op, const std::string& name,
                          std::initializer_list<std::string> inputs, std::initializer_list<std::string> outputs) {
  onnx::NodeProto* node = function->add_node();
  node->set_op_type(op);
  node->set_name(name);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  return node;
}

onnx::NodeProto* AddCall(onnx::GraphProto* graph, const std::string& function, const std::string& name,
                         std::initializer_list<std::string> inputs, std::initializer_list<std::string> outputs) {
  onnx::NodeProto* node = AddNode(graph, function, name, inputs, outputs);
  node->set_domain("local");
  return node;
}

v1::Graph Import(const onnx::ModelProto& model) {
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(model.SerializeAsString(), "");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.value_or(v1::Graph());
}

absl::Status ImportStatus(const onnx::ModelProto& model, const ImportOptions& options = {}) {
  return ImportOnnx(model.SerializeAsString(), "", options).status();
}

// "name: op(inputs) -> outputs" of each node.
std::vector<std::string> Lines(const v1::Graph& graph) {
  std::vector<std::string> lines;
  const auto names = [&](const auto& ids) {
    std::string text;
    for (int id : ids) absl::StrAppend(&text, text.empty() ? "" : ", ", id == 0 ? "-" : graph.values(id - 1).name());
    return text;
  };
  for (const v1::Node& node : graph.nodes()) {
    lines.push_back(absl::StrCat(node.name(), ": ", SymbolOf(graph, node.op()), "(", names(node.inputs()), ") -> ",
                                 names(node.outputs())));
  }
  return lines;
}

TEST(OnnxFunctions, BodiesTakeThePlaceOfCalls) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* twice = AddFunction(&model, "Twice", {"a"}, {"b"});
  AddInner(twice, "Relu", "first", {"a"}, {"t"});
  AddInner(twice, "Relu", "", {"t"}, {"b"});
  AddCall(model.mutable_graph(), "Twice", "one", {"x"}, {"y"});
  AddCall(model.mutable_graph(), "Twice", "two", {"y"}, {"z"});
  EXPECT_THAT(Lines(Import(model)), ElementsAre("one/first: Relu(x) -> one/t", "one/Relu: Relu(one/t) -> y",
                                                "two/first: Relu(y) -> two/t", "two/Relu: Relu(two/t) -> z"));
}

TEST(OnnxFunctions, NamesOfTheFileStayWhatTheyAre) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* function = AddFunction(&model, "F", {"a"}, {"b"});
  AddInner(function, "Relu", "n", {"a"}, {"t"});
  AddInner(function, "Relu", "n", {"t"}, {"b"});
  AddNode(model.mutable_graph(), "Relu", "call/n", {"x"}, {"call/t"});
  AddCall(model.mutable_graph(), "F", "call", {"call/t"}, {"y"});
  AddCall(model.mutable_graph(), "F", "call", {"y"}, {"z"});
  EXPECT_THAT(Lines(Import(model)), ElementsAre("call/n: Relu(x) -> call/t", "call/n_1: Relu(call/t) -> call/t_1",
                                                "call/n_2: Relu(call/t_1) -> y", "call_1/n: Relu(y) -> call_1/t",
                                                "call_1/n_1: Relu(call_1/t) -> z"));
}

TEST(OnnxFunctions, AttributesComeFromTheCallOrTheFunction) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* function = AddFunction(&model, "F", {"a"}, {"b"});
  onnx::NodeProto* node = AddInner(function, "LeakyRelu", "n", {"a"}, {"b"});
  for (const char* name : {"alpha", "beta", "gamma"}) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_ref_attr_name(std::string("the_") + name);
    attribute->set_type(onnx::AttributeProto::FLOAT);
  }
  onnx::AttributeProto fallback;
  fallback.set_name("the_beta");
  fallback.set_type(onnx::AttributeProto::FLOAT);
  fallback.set_f(7);
  function->GetReflection()->MutableUnknownFields(function)->AddLengthDelimited(11, fallback.SerializeAsString());
  onnx::AttributeProto* given = AddCall(model.mutable_graph(), "F", "c", {"x"}, {"y"})->add_attribute();
  given->set_name("the_alpha");
  given->set_type(onnx::AttributeProto::FLOAT);
  given->set_f(0.5);
  const v1::Graph graph = Import(model);
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "alpha")->f(), 0.5);
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "beta")->f(), 7);
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "gamma"), nullptr);
}

TEST(OnnxFunctions, OptionalArgumentsAndThoseHandedOn) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* function = AddFunction(&model, "F", {"a", "b"}, {"c", "a"});
  AddInner(function, "Clip", "clip", {"a", "b", "limit"}, {"c"});
  AddCall(model.mutable_graph(), "F", "f", {"x"}, {"y", "z"});
  EXPECT_THAT(Lines(Import(model)), ElementsAre("f/a: Identity(x) -> z", "f/clip: Clip(x, -, f/limit) -> y"));
}

// Which of the two runs is the runtime's to say, and ONNX Runtime runs the operator.
TEST(OnnxFunctions, AnOperatorOfThatNameGoesFirst) {
  onnx::ModelProto model = EmptyModel();
  for (const auto& [domain, name] : {std::pair{"", "Relu"}, {"com.microsoft", "Gelu"}, {"com.microsoft", "NoSuch"}}) {
    onnx::FunctionProto* function = AddFunction(&model, name, {"a"}, {"b"});
    function->set_domain(domain);
    AddInner(function, "Neg", "n", {"a"}, {"b"});
    AddCall(model.mutable_graph(), name, name, {"x"}, {name})->set_domain(domain);
  }
  model.add_opset_import()->set_domain("com.microsoft");
  EXPECT_THAT(Lines(Import(model)), ElementsAre("Relu: Relu(x) -> Relu", "Gelu: com.microsoft::Gelu(x) -> Gelu",
                                                "NoSuch/n: Neg(x) -> NoSuch"));
}

TEST(OnnxFunctions, CallsThatDoNotFitAreRefused) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* function = AddFunction(&model, "F", {"a"}, {"b"});
  AddInner(function, "Relu", "n", {"a"}, {"b"});
  onnx::NodeProto* call = AddCall(model.mutable_graph(), "F", "f", {"x"}, {"y"});
  EXPECT_TRUE(ImportStatus(model).ok());

  call->add_input("x");
  EXPECT_EQ(ErrorCode(ImportStatus(model)), "FI001");
  call->mutable_input()->RemoveLast();
  call->add_output("z");
  EXPECT_THAT(std::string(ImportStatus(model).message()), HasSubstr("node 'f' has 2 outputs; function local::F has 1"));
  call->mutable_output()->RemoveLast();
  call->clear_output();
  EXPECT_THAT(std::string(ImportStatus(model).message()), HasSubstr("node 'f' has 0 outputs; function local::F has 1"));
  call->add_output("y");

  onnx::ModelProto twice = model;
  *twice.add_functions() = *function;
  EXPECT_EQ(ErrorCode(ImportStatus(twice)), "FI001");
  onnx::ModelProto unknown = model;
  unknown.mutable_opset_import()->RemoveLast();
  EXPECT_EQ(ErrorCode(ImportStatus(unknown)), "FI003");
}

// The body's own names are new, whatever they are called outside; those it captures follow the call.
TEST(OnnxFunctions, BodiesOfControlFlow) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* inner = AddFunction(&model, "Inner", {"a"}, {"b"});
  AddInner(inner, "Tanh", "t", {"a"}, {"b"});
  onnx::FunctionProto* function = AddFunction(&model, "F", {"c", "a"}, {"y"});
  onnx::AttributeProto* branch = AddInner(function, "If", "if", {"c"}, {"y"})->add_attribute();
  branch->set_name("then_branch");
  branch->set_type(onnx::AttributeProto::GRAPH);
  AddNode(branch->mutable_g(), "Relu", "r", {"a"}, {"y"});
  AddCall(branch->mutable_g(), "Inner", "call", {"y"}, {"o"});
  branch->mutable_g()->add_output()->set_name("o");
  AddCall(model.mutable_graph(), "F", "f", {"cond", "x"}, {"out"});
  const v1::Graph graph = Import(model);
  EXPECT_THAT(Lines(graph), ElementsAre("f/if: If(cond) -> out"));
  ASSERT_EQ(graph.subgraphs_size(), 1);
  EXPECT_THAT(Lines(graph.subgraphs(0)), ElementsAre("r: Relu(x) -> f/y", "call/t: Tanh(f/y) -> f/o"));
  EXPECT_EQ(graph.subgraphs(0).values(graph.subgraphs(0).outputs(0) - 1).name(), "f/o");
}

TEST(OnnxFunctions, OperatorSetsOfFunctionsAreImported) {
  onnx::ModelProto model = EmptyModel();
  onnx::FunctionProto* function = AddFunction(&model, "F", {"a"}, {"b"});
  AddInner(function, "QGemm", "n", {"a"}, {"b"})->set_domain("com.microsoft");
  onnx::OperatorSetIdProto* import = function->add_opset_import();
  import->set_domain("com.microsoft");
  import->set_version(1);
  function->add_opset_import()->set_version(9);  // the model has its own
  AddCall(model.mutable_graph(), "F", "f", {"x"}, {"y"});
  const v1::Graph graph = Import(model);
  ASSERT_EQ(graph.opset_imports_size(), 3);
  EXPECT_EQ(graph.opset_imports(0).version(), 21);
  EXPECT_EQ(graph.opset_imports(2).domain(), "com.microsoft");
  EXPECT_EQ(graph.stage(), v1::STAGE_CONVERTED);
}

TEST(OnnxFunctions, RecursionIsAnError) {
  onnx::ModelProto model = EmptyModel();
  AddInner(AddFunction(&model, "A", {"a"}, {"b"}), "B", "", {"a"}, {"b"})->set_domain("local");
  AddInner(AddFunction(&model, "B", {"a"}, {"b"}), "A", "", {"a"}, {"b"})->set_domain("local");
  EXPECT_TRUE(ImportStatus(model).ok());  // nobody calls them
  AddCall(model.mutable_graph(), "A", "call", {"x"}, {"y"});
  const absl::Status status = ImportStatus(model);
  EXPECT_EQ(ErrorCode(status), "FI001");
  EXPECT_THAT(std::string(status.message()), HasSubstr("function local::A calls itself"));
}

TEST(OnnxFunctions, SizeAndDepthAreLimited) {
  const auto chain = [](int length) {
    onnx::ModelProto model = EmptyModel();
    for (int i = 0; i < length; ++i) {
      onnx::FunctionProto* function = AddFunction(&model, absl::StrCat("F", i), {"a"}, {"b"});
      const std::string next = absl::StrCat("F", i + 1);
      AddInner(function, i + 1 < length ? next : "Relu", "", {"a"}, {"t"})->set_domain(i + 1 < length ? "local" : "");
      AddInner(function, i + 1 < length ? next : "Relu", "", {"t"}, {"b"})->set_domain(i + 1 < length ? "local" : "");
    }
    AddCall(model.mutable_graph(), "F0", "call", {"x"}, {"y"});
    return model;
  };
  EXPECT_EQ(Import(chain(4)).nodes_size(), 16);
  ImportOptions options;
  options.max_nodes = 1000;
  EXPECT_EQ(ErrorCode(ImportStatus(chain(20), options)), "FI002");
  EXPECT_EQ(ErrorCode(ImportStatus(chain(18))), "FI002");  // 262,144 nodes of a file of two kilobytes
  EXPECT_THAT(std::string(ImportStatus(chain(40)).message()), HasSubstr("more than 32 deep"));
}

}  // namespace
}  // namespace quantgate
