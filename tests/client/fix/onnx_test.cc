// What the ONNX writer changes of a file, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/fix/writer.h"
#include "client/onnx/onnx_importer.h"
#include "onnx/onnx.pb.h"
#include "tests/client/onnx/model.h"
#include "tests/client/plain_spec.h"

namespace quantgate {
namespace {

constexpr int kFloat = onnx::TensorProto::FLOAT;
constexpr int kInt8 = onnx::TensorProto::INT8;
constexpr int kUint8 = onnx::TensorProto::UINT8;

void SetFloat(onnx::TensorProto* tensor, std::vector<float> values) {
  tensor->set_raw_data(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

std::vector<float> Floats(const onnx::TensorProto& tensor) {
  std::vector<float> values(tensor.raw_data().size() / sizeof(float));
  std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return values;
}

// x -> Q -> DQ -> MatMul with a dequantized weight -> y. All scales are one tensor, as are all zero points.
onnx::ModelProto Shared() {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto& graph = *model.mutable_graph();
  SetTensorType(graph.add_input(), "x", kFloat, {1, 2});
  SetTensorType(graph.add_output(), "y", kFloat, {1, 2});
  SetFloat(AddTensor(&graph, "s", kFloat, {}), {0.5F});
  AddTensor(&graph, "z", kInt8, {})->set_raw_data(std::string(1, '\0'));
  AddTensor(&graph, "w", kInt8, {2, 2})->set_raw_data(std::string("\x02\x04\x06\x7f", 4));
  AddNode(&graph, "QuantizeLinear", "q", {"x", "s", "z"}, {"xq"});
  AddNode(&graph, "DequantizeLinear", "d", {"xq", "s", "z"}, {"xd"});
  AddNode(&graph, "DequantizeLinear", "dw", {"w", "s", "z"}, {"wd"});
  AddNode(&graph, "MatMul", "m", {"xd", "wd"}, {"y"});
  graph.mutable_node(3)->set_doc_string("untouched");
  return model;
}

struct Written {
  onnx::ModelProto model;
  std::vector<UnwrittenChange> left;
};

int NodeIndex(const v1::Graph& graph, const std::string& name) {
  for (int i = 0; i < graph.nodes_size(); ++i) {
    if (graph.nodes(i).name() == name) return i;
  }
  return -1;
}

int ValueIndex(const v1::Graph& graph, const std::string& name) {
  for (int i = 0; i < graph.values_size(); ++i) {
    if (graph.values(i).name() == name) return i;
  }
  return -1;
}

struct Wanted {
  std::string value;
  std::vector<std::string> nodes;
  v1::Spec before;
  v1::Spec after;
  int correction = 0;
  std::string reader;
};

Written Write(const onnx::ModelProto& model, const std::vector<Wanted>& wanted) {
  const std::string bytes = model.SerializeAsString();
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(bytes, "");
  EXPECT_TRUE(graph.ok()) << graph.status();
  std::vector<TensorChange> changes;
  for (const Wanted& one : wanted) {
    TensorChange& change = changes.emplace_back();
    change.value = ValueIndex(*graph, one.value);
    for (const std::string& node : one.nodes) change.quantizers.push_back(NodeIndex(*graph, node));
    change.before = one.before;
    change.after = one.after;
    change.correction = one.correction;
    change.reader = one.reader.empty() ? -1 : NodeIndex(*graph, one.reader);
  }
  const std::string folder;
  const absl::StatusOr<WrittenModel> written = WriteOnnx({bytes, folder, *graph, changes});
  EXPECT_TRUE(written.ok()) << written.status();
  Written out;
  out.left = written->left;
  EXPECT_TRUE(out.model.ParseFromString(written->bytes));
  return out;
}

const onnx::TensorProto& Initializer(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == name) return tensor;
  }
  return onnx::TensorProto::default_instance();
}

const onnx::NodeProto& Node(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.name() == name) return node;
  }
  return onnx::NodeProto::default_instance();
}

TEST(WriteOnnx, SharedParametersStayWithTheirOtherReaders) {
  const onnx::ModelProto model = Shared();
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1.0})}});
  EXPECT_TRUE(out.left.empty());
  for (const char* name : {"q", "d", "m"}) {
    EXPECT_EQ(Node(out.model, name).SerializeAsString(), Node(model, name).SerializeAsString()) << name;
  }
  EXPECT_EQ(Initializer(out.model, "s").SerializeAsString(), Initializer(model, "s").SerializeAsString());
  const onnx::NodeProto& dequantize = Node(out.model, "dw");
  EXPECT_EQ(dequantize.input(0), "w");  // nobody else reads it: rewritten in place
  EXPECT_THAT(Floats(Initializer(out.model, dequantize.input(1))), ::testing::ElementsAre(1.0F));
  EXPECT_EQ(Initializer(out.model, "w").raw_data(), std::string("\x01\x02\x03\x40", 4));
}

TEST(WriteOnnx, ParametersOfOnePairAreRewrittenWhereTheyAre) {
  onnx::ModelProto model = Shared();
  onnx::GraphProto& graph = *model.mutable_graph();
  SetFloat(AddTensor(&graph, "ws", kFloat, {1}), {0.5F});
  graph.mutable_node(2)->set_input(1, "ws");
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1.0})}});
  EXPECT_EQ(Node(out.model, "dw").input(1), "ws");
  EXPECT_THAT(Floats(Initializer(out.model, "ws")), ::testing::ElementsAre(1.0F));
  EXPECT_EQ(Initializer(out.model, "ws").dims_size(), 0);  // as in the graph that was checked
}

// Kernels tell a list of one from a scalar, also where the number stays.
TEST(WriteOnnx, AListOfOneBecomesAScalar) {
  onnx::ModelProto model = Shared();
  onnx::GraphProto& graph = *model.mutable_graph();
  SetFloat(AddTensor(&graph, "ws", kFloat, {1}), {0.5F});
  graph.mutable_node(2)->set_input(1, "ws");
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {0.5})}});
  EXPECT_EQ(Initializer(out.model, Node(out.model, "dw").input(1)).dims_size(), 0);
  EXPECT_THAT(Floats(Initializer(out.model, Node(out.model, "dw").input(1))), ::testing::ElementsAre(0.5F));
}

TEST(WriteOnnx, TheTypeOfAPairChangesWithItsZeroPoint) {
  onnx::ModelProto model = Shared();
  SetTensorType(model.mutable_graph()->add_value_info(), "xq", kInt8, {1, 2});
  const Written out =
      Write(model, {{"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_UINT8, {0.5}, 128)}});
  EXPECT_TRUE(out.left.empty());
  for (const char* name : {"q", "d"}) {
    const onnx::TensorProto& zero_point = Initializer(out.model, Node(out.model, name).input(2));
    EXPECT_EQ(zero_point.data_type(), kUint8) << name;
    EXPECT_EQ(zero_point.raw_data(), "\x80") << name;
  }
  EXPECT_EQ(out.model.graph().value_info(0).type().tensor_type().elem_type(), kUint8);
  EXPECT_EQ(Node(out.model, "dw").input(2), "z");
}

TEST(WriteOnnx, OneScaleBecomesOnePerChannel) {
  const Written out =
      Write(Shared(), {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {0.5, 1.0}, 0, 0)}});
  const onnx::NodeProto& dequantize = Node(out.model, "dw");
  ASSERT_EQ(dequantize.attribute_size(), 1);
  EXPECT_EQ(dequantize.attribute(0).name(), "axis");
  EXPECT_EQ(dequantize.attribute(0).i(), 0);
  EXPECT_EQ(Initializer(out.model, dequantize.input(1)).dims(0), 2);
  EXPECT_EQ(Initializer(out.model, "w").raw_data(), std::string("\x02\x04\x03\x40", 4));
}

TEST(WriteOnnx, AConstantWithAnotherReaderIsCopied) {
  onnx::ModelProto model = Shared();
  AddNode(model.mutable_graph(), "Identity", "other", {"w"}, {"w_again"});
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1.0})}});
  EXPECT_EQ(Initializer(out.model, "w").SerializeAsString(), Initializer(model, "w").SerializeAsString());
  EXPECT_EQ(Initializer(out.model, Node(out.model, "dw").input(0)).raw_data(), std::string("\x01\x02\x03\x40", 4));
}

TEST(WriteOnnx, TheInterfaceOfTheModelStays) {
  onnx::ModelProto model = Shared();
  SetTensorType(model.mutable_graph()->add_output(), "xq", kInt8, {1, 2});
  const Written out =
      Write(model, {{"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1})}});
  ASSERT_EQ(out.left.size(), 1);
  EXPECT_EQ(out.left[0].tensor, "xq");
  EXPECT_EQ(out.model.SerializeAsString(), model.SerializeAsString());
}

TEST(WriteOnnx, ACorrectionIsWrittenWholeOrNotAtAll) {
  const onnx::ModelProto model = Shared();
  v1::Spec uncalibrated = Plain(v1::DATA_TYPE_INT8, {});
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1}), 0},
                                    {"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), uncalibrated, 0}});
  EXPECT_EQ(out.left.size(), 2);
  EXPECT_EQ(out.model.SerializeAsString(), model.SerializeAsString());
  const Written apart =
      Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1}), 0},
                    {"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), uncalibrated, 1}});
  EXPECT_EQ(apart.left.size(), 1);
}

TEST(WriteOnnx, OldFilesDeclareInitializersAsInputs) {
  onnx::ModelProto model = Shared();
  model.set_ir_version(3);
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    SetTensorType(model.mutable_graph()->add_input(), tensor.name(), tensor.data_type(), {});
  }
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1.0})}});
  const std::string scale = Node(out.model, "dw").input(1);
  EXPECT_EQ(out.model.graph().input(out.model.graph().input_size() - 1).name(), scale);
}

TEST(WriteOnnx, NodesOfFunctionsAreListed) {
  onnx::ModelProto model = Shared();
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::FunctionProto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name("Pair");
  function.add_input("a");
  function.add_input("fs");
  function.add_input("fz");
  function.add_output("c");
  onnx::OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_version(21);
  onnx::NodeProto& quantize = *function.add_node();
  quantize.set_op_type("QuantizeLinear");
  for (const char* name : {"a", "fs", "fz"}) quantize.add_input(name);
  quantize.add_output("b");
  onnx::NodeProto& dequantize = *function.add_node();
  dequantize.set_op_type("DequantizeLinear");
  for (const char* name : {"b", "fs", "fz"}) dequantize.add_input(name);
  dequantize.add_output("c");
  graph.mutable_node()->DeleteSubrange(0, 2);
  onnx::NodeProto call;
  call.set_op_type("Pair");
  call.set_domain("local");
  call.set_name("call");
  for (const char* name : {"x", "s", "z"}) call.add_input(name);
  call.add_output("xd");
  *graph.add_node() = call;
  graph.mutable_node()->SwapElements(0, graph.node_size() - 1);
  model.add_opset_import()->set_domain("local");
  model.mutable_opset_import(1)->set_version(1);

  const std::string bytes = model.SerializeAsString();
  const absl::StatusOr<v1::Graph> imported = ImportOnnx(bytes, "");
  ASSERT_TRUE(imported.ok()) << imported.status();
  TensorChange change;
  for (int i = 0; i < imported->nodes_size(); ++i) {
    const v1::Node& node = imported->nodes(i);
    if (imported->symbols(node.op() - 1) == "QuantizeLinear") {
      change.quantizers.push_back(i);
      change.value = node.outputs(0) - 1;
    }
  }
  ASSERT_GE(change.value, 0);
  change.before = Plain(v1::DATA_TYPE_INT8, {0.5});
  change.after = Plain(v1::DATA_TYPE_INT8, {1});
  const std::string folder;
  const absl::StatusOr<WrittenModel> written = WriteOnnx({bytes, folder, *imported, {&change, 1}});
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->left.size(), 1);
  EXPECT_EQ(written->bytes, bytes);
}

// Two operators read what one Dequantize makes of x.
onnx::ModelProto TwoReaders(int opset) {
  onnx::ModelProto model = Shared();
  model.mutable_opset_import(0)->set_version(opset);
  onnx::GraphProto& graph = *model.mutable_graph();
  SetTensorType(graph.add_output(), "r", kFloat, {1, 2});
  SetTensorType(graph.add_value_info(), "xd", kFloat, {1, 2});
  AddNode(&graph, "Relu", "relu", {"xd"}, {"r"});
  return model;
}

Wanted ForOneReader(v1::DataType type) {
  return {"xd", {"d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(type, {0.25}), 0, "m"};
}

TEST(WriteOnnx, OneReaderGetsAConversionOfItsOwn) {
  const onnx::ModelProto model = TwoReaders(21);
  const Written out = Write(model, {ForOneReader(v1::DATA_TYPE_INT16)});
  EXPECT_TRUE(out.left.empty());
  std::vector<std::string> names;
  for (const onnx::NodeProto& node : out.model.graph().node()) names.push_back(node.name());
  EXPECT_THAT(names, testing::ElementsAre("q", "d", "dw", "xd_requantized_QuantizeLinear",
                                          "xd_requantized_DequantizeLinear", "m", "relu"));
  for (const char* name : {"q", "d", "dw", "relu"}) {
    EXPECT_EQ(Node(out.model, name).SerializeAsString(), Node(model, name).SerializeAsString()) << name;
  }
  const onnx::NodeProto& quantize = out.model.graph().node(3);
  const onnx::NodeProto& dequantize = out.model.graph().node(4);
  EXPECT_EQ(quantize.op_type(), "QuantizeLinear");
  EXPECT_EQ(quantize.input(0), "xd");
  EXPECT_EQ(dequantize.input(0), quantize.output(0));
  EXPECT_EQ(Node(out.model, "m").input(0), dequantize.output(0));
  EXPECT_EQ(Node(out.model, "m").input(1), "wd");
  EXPECT_THAT(Floats(Initializer(out.model, quantize.input(1))), testing::ElementsAre(0.25F));
  EXPECT_EQ(Initializer(out.model, dequantize.input(2)).data_type(), onnx::TensorProto::INT16);
  for (const char* name : {"s", "z", "w"}) {
    EXPECT_EQ(Initializer(out.model, name).SerializeAsString(), Initializer(model, name).SerializeAsString());
  }
  EXPECT_EQ(out.model.graph().value_info_size(), 3);  // xd, and the two that were made
}

TEST(WriteOnnx, ConversionsTakeNoNameThatIsThere) {
  onnx::ModelProto model = TwoReaders(21);
  AddTensor(model.mutable_graph(), "xd_requantized", kInt8, {})->set_raw_data(std::string(1, '\0'));
  const Written out = Write(model, {ForOneReader(v1::DATA_TYPE_UINT8)});
  EXPECT_TRUE(out.left.empty());
  EXPECT_EQ(Node(out.model, "m").input(0), "xd_requantized_1");
  EXPECT_EQ(Initializer(out.model, "xd_requantized").SerializeAsString(),
            Initializer(model, "xd_requantized").SerializeAsString());
}

TEST(WriteOnnx, BothArgumentsOfAReaderAreOneEdge) {
  onnx::ModelProto model = TwoReaders(21);
  onnx::NodeProto& node = *model.mutable_graph()->mutable_node(4);
  node.set_op_type("Mul");
  node.add_input("xd");
  Wanted wanted = ForOneReader(v1::DATA_TYPE_UINT8);
  wanted.reader = "relu";
  const Written out = Write(model, {wanted});
  EXPECT_THAT(Node(out.model, "relu").input(), testing::ElementsAre("xd_requantized", "xd_requantized"));
  EXPECT_EQ(Node(out.model, "m").input(0), "xd");
}

TEST(WriteOnnx, SixteenBitsAreNotInsertedWhereTheOperatorSetHasNone) {
  const onnx::ModelProto model = TwoReaders(19);
  const Written out = Write(model, {ForOneReader(v1::DATA_TYPE_INT16)});
  ASSERT_EQ(out.left.size(), 1);
  EXPECT_THAT(out.left[0].reason, testing::HasSubstr("21"));
  EXPECT_EQ(out.model.SerializeAsString(), model.SerializeAsString());
  EXPECT_TRUE(Write(model, {ForOneReader(v1::DATA_TYPE_UINT8)}).left.empty());
}

// x -> Q -> DQ -> Q2 -> DQ2 -> y, in steps of 0.5 and then of `second`.
onnx::ModelProto Converted(float second) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto& graph = *model.mutable_graph();
  SetTensorType(graph.add_input(), "x", kFloat, {1, 2});
  SetTensorType(graph.add_output(), "y", kFloat, {1, 2});
  SetFloat(AddTensor(&graph, "s", kFloat, {}), {0.5F});
  SetFloat(AddTensor(&graph, "s2", kFloat, {}), {second});
  AddTensor(&graph, "z", kInt8, {})->set_raw_data(std::string(1, '\0'));
  AddNode(&graph, "QuantizeLinear", "q", {"x", "s", "z"}, {"xq"});
  AddNode(&graph, "DequantizeLinear", "d", {"xq", "s", "z"}, {"xd"});
  AddNode(&graph, "QuantizeLinear", "q2", {"xd", "s2", "z"}, {"xq2"});
  AddNode(&graph, "DequantizeLinear", "d2", {"xq2", "s2", "z"}, {"xd2"});
  AddNode(&graph, "Relu", "relu", {"xd2"}, {"y"});
  return model;
}

TEST(WriteOnnx, AConversionThatBecameNoneIsTakenOut) {
  const auto to = [](double scale) {
    return Wanted{"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {scale})};
  };
  const Written out = Write(Converted(0.25F), {to(0.25)});
  EXPECT_TRUE(out.left.empty());
  ASSERT_EQ(out.model.graph().node_size(), 3);
  EXPECT_EQ(Node(out.model, "d2").input(0), "xq");
  EXPECT_THAT(Floats(Initializer(out.model, Node(out.model, "q").input(1))), testing::ElementsAre(0.25F));
  EXPECT_EQ(Write(Converted(0.25F), {to(0.125)}).model.graph().node_size(), 5);  // still a conversion

  onnx::ModelProto read_between = Converted(0.25F);
  SetTensorType(read_between.mutable_graph()->add_output(), "r", kFloat, {1, 2});
  AddNode(read_between.mutable_graph(), "Relu", "between", {"xd"}, {"r"});
  const Written kept = Write(read_between, {to(0.25)});
  EXPECT_EQ(Node(kept.model, "d").output(0), "xd");
  EXPECT_EQ(Node(kept.model, "q2").name(), "");
}

// Nobody reads the Dequantize in front of them any more.
TEST(WriteOnnx, ConversionsOfOneTensorThatBecameNoneAreTakenOutTogether) {
  const auto with = [](double scale, float other) {
    onnx::ModelProto model = Converted(0.25F);
    onnx::GraphProto& graph = *model.mutable_graph();
    SetTensorType(graph.add_output(), "y3", kFloat, {1, 2});
    SetFloat(AddTensor(&graph, "s3", kFloat, {}), {other});
    AddNode(&graph, "QuantizeLinear", "q3", {"xd", "s3", "z"}, {"xq3"});
    AddNode(&graph, "DequantizeLinear", "d3", {"xq3", "s3", "z"}, {"y3"});
    const Wanted wanted{"xq", {"q", "d"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {scale})};
    return Write(model, {wanted}).model;
  };
  const onnx::ModelProto both = with(0.25, 0.25F);
  ASSERT_EQ(both.graph().node_size(), 4);
  EXPECT_EQ(Node(both, "d2").input(0), "xq");
  EXPECT_EQ(Node(both, "d3").input(0), "xq");
  const onnx::ModelProto one = with(0.25, 0.125F);
  EXPECT_EQ(one.graph().node_size(), 6);
  EXPECT_EQ(Node(one, "q3").input(0), "xd");
}

TEST(WriteOnnx, ConversionsThatNoCorrectionTouchesStay) {
  onnx::ModelProto model = Converted(0.5F);  // one that never was one
  onnx::GraphProto& graph = *model.mutable_graph();
  AddTensor(&graph, "w", kInt8, {2})->set_raw_data("ab");
  AddNode(&graph, "DequantizeLinear", "dw", {"w", "s", "z"}, {"wd"});
  const Written out = Write(model, {{"w", {"dw"}, Plain(v1::DATA_TYPE_INT8, {0.5}), Plain(v1::DATA_TYPE_INT8, {1.0})}});
  EXPECT_EQ(out.model.graph().node_size(), model.graph().node_size());
  EXPECT_EQ(Node(out.model, "d2").input(0), "xq2");
}

}  // namespace
}  // namespace quantgate
