// How the facts of an ONNX file are kept in a v1::Graph.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/onnx/onnx_importer.h"
#include "gtest/gtest.h"
#include "tests/client/onnx/model.h"

namespace quantgate {
namespace {

using onnx::TensorProto;

v1::Graph Import(const onnx::ModelProto& model) {
  const absl::StatusOr<v1::Graph> graph = ImportOnnx(model.SerializeAsString(), "");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.value_or(v1::Graph());
}

TEST(OnnxImporter, KeepsVersionsAndStage) {
  onnx::ModelProto model = EmptyModel();
  model.set_ir_version(99);
  model.set_producer_version("2.0");
  onnx::OperatorSetIdProto* opset = model.add_opset_import();
  opset->set_domain("com.microsoft");
  opset->set_version(1);
  AddNode(model.mutable_graph(), "Relu", "r", {"x"}, {"y"});
  v1::Graph graph = Import(model);
  EXPECT_EQ(graph.origin(), v1::Graph::ONNX);
  EXPECT_EQ(graph.format_version(), 99);
  EXPECT_EQ(graph.producer(), "test 2.0");
  ASSERT_EQ(graph.opset_imports_size(), 2);
  EXPECT_EQ(graph.opset_imports(1).domain(), "com.microsoft");
  EXPECT_EQ(graph.stage(), v1::STAGE_ANNOTATED);

  AddNode(model.mutable_graph(), "QGemm", "q", {"y"}, {"z"})->set_domain("com.microsoft");
  graph = Import(model);
  EXPECT_EQ(graph.stage(), v1::STAGE_CONVERTED);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(1).op()), "com.microsoft::QGemm");
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).op()), "Relu");
}

TEST(OnnxImporter, AiOnnxIsTheDefaultDomain) {
  onnx::ModelProto model = EmptyModel();
  model.mutable_opset_import(0)->set_domain("ai.onnx");
  AddNode(model.mutable_graph(), "Relu", "r", {"x"}, {"y"})->set_domain("ai.onnx");
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.opset_imports(0).domain(), "");
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).op()), "Relu");
}

TEST(OnnxImporter, NameThatNobodyMakesIsAValueWithoutOrigin) {
  onnx::ModelProto model = EmptyModel();
  AddNode(model.mutable_graph(), "Add", "a", {"ghost", ""}, {"y"});
  model.mutable_graph()->add_output()->set_name("never");
  const v1::Graph graph = Import(model);
  EXPECT_EQ(CountNamed(graph, "ghost"), 1);
  EXPECT_FALSE(ValueNamed(graph, "ghost").has_constant());
  EXPECT_EQ(graph.inputs_size(), 0);
  EXPECT_EQ(graph.nodes(0).inputs(1), 0);
  ASSERT_EQ(graph.outputs_size(), 1);
  EXPECT_EQ(graph.values(graph.outputs(0) - 1).name(), "never");
}

TEST(OnnxImporter, DuplicateNamesStayVisible) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  SetTensorType(source->add_input(), "x", TensorProto::FLOAT, {1});
  SetTensorType(source->add_input(), "x", TensorProto::FLOAT, {2});
  AddTensor(source, "w", TensorProto::FLOAT, {1})->add_float_data(1);
  AddTensor(source, "w", TensorProto::FLOAT, {1})->add_float_data(2);
  AddNode(source, "Add", "a", {"x", "w"}, {"y"});
  AddNode(source, "Mul", "b", {"x", "w"}, {"y"});
  const v1::Graph graph = Import(model);
  EXPECT_EQ(CountNamed(graph, "x"), 2);
  EXPECT_EQ(CountNamed(graph, "w"), 2);
  ASSERT_EQ(graph.inputs_size(), 2);
  EXPECT_NE(graph.inputs(0), graph.inputs(1));
  EXPECT_EQ(graph.values(graph.nodes(0).inputs(0) - 1).dims(0), 1);
  EXPECT_EQ(graph.values(graph.nodes(0).inputs(1) - 1).constant().reals(0), 1);
  EXPECT_EQ(graph.nodes(0).outputs(0), graph.nodes(1).outputs(0));
}

// Before IR version 4 they all had to be, and nobody could give another one.
TEST(OnnxImporter, InitializersOfOldFilesAreNoInputs) {
  onnx::ModelProto model = EmptyModel();
  for (const char* name : {"x", "w"})
    SetTensorType(model.mutable_graph()->add_input(), name, onnx::TensorProto::FLOAT, {1});
  AddTensor(model.mutable_graph(), "w", onnx::TensorProto::FLOAT, {1})->add_float_data(1);
  AddNode(model.mutable_graph(), "Add", "a", {"x", "w"}, {"y"});
  EXPECT_EQ(Import(model).inputs_size(), 2);
  model.set_ir_version(4);
  EXPECT_EQ(Import(model).inputs_size(), 2);
  model.set_ir_version(3);
  const v1::Graph graph = Import(model);
  ASSERT_EQ(graph.inputs_size(), 1);
  EXPECT_EQ(graph.values(graph.inputs(0) - 1).name(), "x");
  EXPECT_TRUE(ValueNamed(graph, "w").has_constant());
}

TEST(OnnxImporter, InitializerThatIsAnInputIsOneValue) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  SetTensorType(source->add_input(), "w", TensorProto::FLOAT, {1});
  AddTensor(source, "w", TensorProto::FLOAT, {1})->add_float_data(3);
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.values_size(), 1);
  EXPECT_EQ(graph.inputs(0), 1);
  EXPECT_EQ(graph.values(0).constant().reals(0), 3);
}

TEST(OnnxImporter, InitializerOfAnotherTypeThanTheInputOfItsNameIsAnotherValue) {
  for (const bool of_type : {false, true}) {
    onnx::ModelProto model = EmptyModel();
    onnx::GraphProto* graph = model.mutable_graph();
    SetTensorType(graph->add_input(), "w", of_type ? TensorProto::INT8 : TensorProto::UINT8, {of_type ? 3 : 2});
    AddTensor(graph, "w", TensorProto::UINT8, {3})->set_raw_data("abc");
    EXPECT_EQ(CountNamed(Import(model), "w"), 2);
  }
}

TEST(OnnxImporter, UnsortedNodesBindToTheirProducers) {
  onnx::ModelProto model = EmptyModel();
  AddNode(model.mutable_graph(), "Relu", "late", {"m"}, {"y"});
  AddNode(model.mutable_graph(), "Relu", "early", {"x"}, {"m"});
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.nodes(0).name(), "late");
  EXPECT_EQ(graph.nodes(0).inputs(0), graph.nodes(1).outputs(0));
}

TEST(OnnxImporter, ShapesKeepSymbolsAndOddSizes) {
  onnx::ModelProto model = EmptyModel();
  onnx::ValueInfoProto* input = SetTensorType(model.mutable_graph()->add_input(), "x", TensorProto::FLOAT, {-7});
  auto* shape = input->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->add_dim()->set_dim_param("batch");
  shape->add_dim();
  model.mutable_graph()->add_input()->set_name("untyped");
  const v1::Graph graph = Import(model);
  const v1::Value& value = ValueNamed(graph, "x");
  EXPECT_EQ(std::vector<int64_t>(value.dims().begin(), value.dims().end()), (std::vector<int64_t>{-7, -1, -1}));
  ASSERT_EQ(value.dim_symbols_size(), 3);
  EXPECT_EQ(SymbolOf(graph, value.dim_symbols(1)), "batch");
  EXPECT_EQ(value.dim_symbols(2), 0);
  EXPECT_FALSE(ValueNamed(graph, "untyped").has_shape());
}

TEST(OnnxImporter, DeclaredSizesAreNotTrusted) {
  onnx::ModelProto model = EmptyModel();
  AddTensor(model.mutable_graph(), "big", TensorProto::INT8, {int64_t{1} << 40, int64_t{1} << 40})->set_raw_data("ab");
  AddTensor(model.mutable_graph(), "negative", TensorProto::FLOAT, {-3})->set_raw_data("abcd");
  const v1::Graph graph = Import(model);
  EXPECT_EQ(ValueNamed(graph, "big").dims(0), int64_t{1} << 40);
  EXPECT_EQ(ValueNamed(graph, "big").constant().stored_bytes(), 2);
  EXPECT_EQ(ValueNamed(graph, "big").constant().statistics().count(), 2);
  EXPECT_EQ(ValueNamed(graph, "negative").constant().stored_bytes(), 4);
}

TEST(OnnxImporter, ValueBeyondItsTypeIsKept) {
  onnx::ModelProto model = EmptyModel();
  AddTensor(model.mutable_graph(), "zp", TensorProto::UINT8, {})->add_int32_data(300);
  const v1::Graph graph = Import(model);
  EXPECT_EQ(ValueNamed(graph, "zp").constant().ints(0), 300);
  EXPECT_EQ(ValueNamed(graph, "zp").constant().stored_bytes(), 1);
}

TEST(OnnxImporter, TypedFieldsOfSmallTypes) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  // Two int4 values in one entry, the low bits first; 0x0f pads the last one.
  onnx::TensorProto* int4 = AddTensor(source, "int4", 22, {3});
  int4->add_int32_data(0x7f);
  int4->add_int32_data(0x08);
  AddTensor(source, "uint2", 25, {4})->add_int32_data(0b11100100);
  AddTensor(source, "half", TensorProto::FLOAT16, {1})->add_int32_data(0x3c00);
  AddTensor(source, "bfloat", TensorProto::BFLOAT16, {1})->add_int32_data(0xbf80);
  AddTensor(source, "fp8", 17, {1})->add_int32_data(0x38);
  AddTensor(source, "fp4", 23, {2})->add_int32_data(0x72);
  AddTensor(source, "u32", TensorProto::UINT32, {1})->add_uint64_data(4294967295u);
  AddTensor(source, "f64", TensorProto::DOUBLE, {1})->add_double_data(0.5);
  const v1::Graph graph = Import(model);
  const auto ints = [&](const std::string& name) {
    const auto& list = ValueNamed(graph, name).constant().ints();
    return std::vector<int64_t>(list.begin(), list.end());
  };
  EXPECT_EQ(ints("int4"), (std::vector<int64_t>{-1, 7, -8}));
  EXPECT_EQ(ValueNamed(graph, "int4").constant().stored_bytes(), 2);
  EXPECT_EQ(ints("uint2"), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(ints("u32"), (std::vector<int64_t>{4294967295}));
  EXPECT_EQ(ValueNamed(graph, "u32").constant().stored_bytes(), 4);
  EXPECT_EQ(ValueNamed(graph, "half").constant().reals(0), 1);
  EXPECT_EQ(ValueNamed(graph, "bfloat").constant().reals(0), -1);
  EXPECT_EQ(ValueNamed(graph, "fp8").constant().reals(0), 1);
  EXPECT_EQ(ValueNamed(graph, "fp4").constant().reals(0), 1);
  EXPECT_EQ(ValueNamed(graph, "fp4").constant().reals(1), 6);
  EXPECT_EQ(ValueNamed(graph, "f64").constant().reals(0), 0.5);
}

TEST(OnnxImporter, OnlySmallConstantsAndParametersAreListed) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  AddTensor(source, "w", TensorProto::INT8, {2, 2})->set_raw_data("\x01\x02\x03\x80", 4);
  AddTensor(source, "blocks", TensorProto::FLOAT, {2, 1})->set_raw_data(std::string(8, '\0'));
  AddTensor(source, "matrix", TensorProto::FLOAT, {2, 1})->set_raw_data(std::string(8, '\0'));
  AddTensor(source, "bias", TensorProto::INT32, {65537})->set_raw_data(std::string(4 * 65537, '\0'));
  AddNode(source, "DequantizeLinear", "dq", {"w", "blocks"}, {"y"});
  AddNode(source, "MatMul", "m", {"y", "matrix"}, {"z"});
  const v1::Graph graph = Import(model);
  const v1::Constant& weight = ValueNamed(graph, "w").constant();
  EXPECT_EQ(weight.ints_size(), 0);
  EXPECT_EQ(weight.statistics().min(), -128);
  EXPECT_EQ(weight.statistics().min_index(), 3);
  EXPECT_EQ(weight.statistics().max(), 3);
  EXPECT_EQ(ValueNamed(graph, "blocks").constant().reals_size(), 2);
  EXPECT_EQ(ValueNamed(graph, "matrix").constant().reals_size(), 0);
  EXPECT_EQ(ValueNamed(graph, "bias").constant().ints_size(), 0);
  EXPECT_EQ(ValueNamed(graph, "bias").constant().statistics().count(), 65537);
}

TEST(OnnxImporter, PerChannelWeightHasStatisticsPerChannel) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  AddTensor(source, "w", TensorProto::INT8, {2, 2})->set_raw_data("\x01\x02\x03\x04");
  onnx::TensorProto* scale = AddTensor(source, "s", TensorProto::FLOAT, {2});
  scale->add_float_data(1);
  scale->add_float_data(2);
  onnx::NodeProto* dq = AddNode(source, "DequantizeLinear", "dq", {"w", "s"}, {"y"});
  v1::Statistics statistics = ValueNamed(Import(model), "w").constant().statistics();
  EXPECT_EQ(statistics.axis(), 1);
  EXPECT_EQ(statistics.axis_min(1), 2);
  onnx::AttributeProto* axis = dq->add_attribute();
  axis->set_name("axis");
  axis->set_type(onnx::AttributeProto::INT);
  axis->set_i(-2);
  statistics = ValueNamed(Import(model), "w").constant().statistics();
  EXPECT_EQ(statistics.axis(), 0);
  EXPECT_EQ(statistics.axis_min(1), 3);
  // An axis that the tensor has not: no statistics along it, and no harm.
  axis->set_i(7);
  EXPECT_FALSE(ValueNamed(Import(model), "w").constant().statistics().has_axis());
}

TEST(OnnxImporter, TypesThatFollowFromQuantizers) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  SetTensorType(source->add_input(), "x", TensorProto::FLOAT, {1, 3});
  AddTensor(source, "s", TensorProto::FLOAT16, {})->add_int32_data(0x3c00);
  AddTensor(source, "zp", 21, {})->add_int32_data(8);
  AddNode(source, "QuantizeLinear", "q", {"x", "s", "zp"}, {"xq"});
  AddNode(source, "Transpose", "t", {"xq"}, {"xt"});
  AddNode(source, "DequantizeLinear", "dq", {"xt", "s", "zp"}, {"xd"});
  AddNode(source, "QuantizeLinear", "plain", {"xd", "s"}, {"plain_q"});
  onnx::AttributeProto* stated =
      AddNode(source, "QuantizeLinear", "stated", {"xd", "s"}, {"stated_q"})->add_attribute();
  stated->set_name("output_dtype");
  stated->set_type(onnx::AttributeProto::INT);
  stated->set_i(TensorProto::INT16);
  const v1::Graph graph = Import(model);
  EXPECT_EQ(ValueNamed(graph, "xq").dtype(), v1::DATA_TYPE_UINT4);
  EXPECT_EQ(ValueNamed(graph, "xq").dims_size(), 2);
  EXPECT_EQ(ValueNamed(graph, "xt").dtype(), v1::DATA_TYPE_UINT4);
  EXPECT_EQ(ValueNamed(graph, "xt").dims(0), 3);
  EXPECT_EQ(ValueNamed(graph, "xd").dtype(), v1::DATA_TYPE_FLOAT16);
  EXPECT_EQ(ValueNamed(graph, "plain_q").dtype(), v1::DATA_TYPE_UINT8);
  EXPECT_EQ(ValueNamed(graph, "stated_q").dtype(), v1::DATA_TYPE_INT16);
}

TEST(OnnxImporter, ShapeGoesBackThroughAQuantizer) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* source = model.mutable_graph();
  AddNode(source, "Relu", "r", {"x"}, {"y_input"});
  AddNode(source, "QuantizeLinear", "q", {"y_input", "s"}, {"yq"});
  AddNode(source, "DequantizeLinear", "dq", {"yq", "s"}, {"y"});
  SetTensorType(source->add_value_info(), "y", TensorProto::FLOAT, {4, 5});
  const v1::Graph graph = Import(model);
  EXPECT_EQ(ValueNamed(graph, "y_input").dims(1), 5);
  EXPECT_EQ(ValueNamed(graph, "yq").dims(0), 4);
}

// Found by tests/mutations: a graph that nothing could check.
TEST(OnnxImporter, AnOutputWithoutANameIsOneThatNothingDefines) {
  onnx::ModelProto model = EmptyModel();
  AddNode(model.mutable_graph(), "Relu", "r", {"x"}, {"y"});
  model.mutable_graph()->add_output()->set_name("y");
  model.mutable_graph()->add_output();
  const v1::Graph graph = Import(model);
  ASSERT_GE(graph.outputs_size(), 2);
  const int id = graph.outputs(graph.outputs_size() - 1);
  ASSERT_GT(id, 0);
  EXPECT_EQ(graph.values(id - 1).name(), "");
}

TEST(OnnxImporter, ConstantNodeStaysAndItsOutputIsConstant) {
  onnx::ModelProto model = EmptyModel();
  onnx::NodeProto* node = AddNode(model.mutable_graph(), "Constant", "c", {}, {"k"});
  onnx::AttributeProto* value = node->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(TensorProto::INT64);
  value->mutable_t()->add_dims(1);
  value->mutable_t()->add_int64_data(42);
  node = AddNode(model.mutable_graph(), "Constant", "f", {}, {"kf"});
  onnx::AttributeProto* plain = node->add_attribute();
  plain->set_name("value_floats");
  plain->set_type(onnx::AttributeProto::FLOATS);
  plain->add_floats(0.25);
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.nodes_size(), 2);
  EXPECT_EQ(ValueNamed(graph, "k").constant().ints(0), 42);
  EXPECT_EQ(graph.nodes(0).attributes(0).tensor(), graph.nodes(0).outputs(0));
  EXPECT_EQ(ValueNamed(graph, "kf").dtype(), v1::DATA_TYPE_FLOAT32);
  EXPECT_EQ(ValueNamed(graph, "kf").constant().reals(0), 0.25);
}

onnx::SparseTensorProto* AddSparse(onnx::ModelProto* model, const std::string& name, std::vector<int64_t> dims,
                                   const std::vector<float>& values, const std::vector<int64_t>& indices,
                                   std::vector<int64_t> indices_dims) {
  onnx::SparseTensorProto* sparse = model->mutable_graph()->add_sparse_initializer();
  sparse->mutable_dims()->Assign(dims.begin(), dims.end());
  sparse->mutable_values()->set_name(name);
  sparse->mutable_values()->set_data_type(TensorProto::FLOAT);
  sparse->mutable_values()->add_dims(static_cast<int64_t>(values.size()));
  sparse->mutable_values()->mutable_float_data()->Assign(values.begin(), values.end());
  sparse->mutable_indices()->set_data_type(TensorProto::INT64);
  sparse->mutable_indices()->mutable_dims()->Assign(indices_dims.begin(), indices_dims.end());
  sparse->mutable_indices()->mutable_int64_data()->Assign(indices.begin(), indices.end());
  return sparse;
}

// What is left out is 0: a scale that a runtime makes 0 is one here.
TEST(OnnxImporter, SparseTensorsAreTheDenseOnesThatRuntimesMakeOfThem) {
  onnx::ModelProto model = EmptyModel();
  AddSparse(&model, "s", {4}, {0.5, 0.25, 0.125}, {0, 1, 2}, {3});
  AddSparse(&model, "grid", {2, 3}, {1, 2}, {0, 2, 1, 0}, {2, 2});
  AddSparse(&model, "none", {2}, {}, {}, {0});
  onnx::AttributeProto* value = AddNode(model.mutable_graph(), "Constant", "c", {}, {"k"})->add_attribute();
  value->set_name("sparse_value");
  value->set_type(onnx::AttributeProto::SPARSE_TENSOR);
  *value->mutable_sparse_tensor() = model.graph().sparse_initializer(0);
  AddNode(model.mutable_graph(), "DequantizeLinear", "d", {"x", "grid"}, {"y"});  // scales are listed in any shape
  const v1::Graph graph = Import(model);
  const auto reals = [&](const std::string& name) {
    const auto& list = ValueNamed(graph, name).constant().reals();
    return std::vector<double>(list.begin(), list.end());
  };
  EXPECT_EQ(reals("s"), (std::vector<double>{0.5, 0.25, 0.125, 0}));
  EXPECT_EQ(reals("k"), reals("s"));
  EXPECT_EQ(reals("grid"), (std::vector<double>{0, 0, 1, 2, 0, 0}));
  EXPECT_EQ(reals("none"), (std::vector<double>{0, 0}));
  EXPECT_EQ(ValueNamed(graph, "s").constant().stored_bytes(), 16);
  EXPECT_EQ(ValueNamed(graph, "grid").dims_size(), 2);
}

TEST(OnnxImporter, SparseTensorsThatCannotBeMadeDenseClaimNothing) {
  onnx::ModelProto model = EmptyModel();
  AddSparse(&model, "beyond", {4}, {1}, {4}, {1});
  AddSparse(&model, "negative", {4}, {1}, {-1}, {1});
  AddSparse(&model, "twice", {4}, {1, 2}, {1, 1}, {2});
  AddSparse(&model, "fewer", {4}, {1, 2}, {1}, {1});
  AddSparse(&model, "flat", {2, 2}, {1}, {1, 1}, {1, 1});
  AddSparse(&model, "scalar", {}, {1}, {0}, {1});
  AddSparse(&model, "huge", {int64_t{1} << 40, 4}, {1}, {3}, {1});
  AddSparse(&model, "overflow", {int64_t{1} << 62, 1 << 20}, {1}, {3}, {1});
  AddSparse(&model, "size", {-4}, {1}, {0}, {1});
  AddSparse(&model, "text", {4}, {1}, {0}, {1})->mutable_values()->set_data_type(TensorProto::STRING);
  AddSparse(&model, "beside", {4}, {1}, {0}, {1})->mutable_values()->set_data_location(TensorProto::EXTERNAL);
  const v1::Graph graph = Import(model);
  for (const v1::Value& value : graph.values()) {
    EXPECT_TRUE(value.has_constant()) << value.name();
    EXPECT_EQ(value.constant().stored_bytes(), -1) << value.name();
    EXPECT_FALSE(value.constant().has_statistics()) << value.name();
    EXPECT_TRUE(value.constant().has_sparsity()) << value.name();
    EXPECT_EQ(value.constant().reals_size(), 0) << value.name();
  }
  EXPECT_EQ(graph.values_size(), 11);
}

// A few bytes of a file stand for megabytes: in all there is a bound.
TEST(OnnxImporter, SparseTensorsAreBounded) {
  onnx::ModelProto model = EmptyModel();
  for (int i = 0; i < 6; ++i) AddSparse(&model, absl::StrCat("s", i), {1 << 20}, {1}, {7}, {1});
  const v1::Graph graph = Import(model);
  EXPECT_EQ(ValueNamed(graph, "s3").constant().stored_bytes(), 4 << 20);
  EXPECT_EQ(ValueNamed(graph, "s4").constant().stored_bytes(), -1);
}

TEST(OnnxImporter, SubgraphsCaptureFromEveryEnclosingGraph) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* outer = model.mutable_graph();
  SetTensorType(outer->add_input(), "x", TensorProto::FLOAT, {2});
  AddTensor(outer, "s", TensorProto::FLOAT, {1, 1})->set_raw_data(std::string(4, '\0'));
  const auto body = [](onnx::NodeProto* node) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name("then_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    return attribute->mutable_g();
  };
  onnx::GraphProto* middle = body(AddNode(outer, "If", "i", {"c"}, {"y"}));
  onnx::GraphProto* inner = body(AddNode(middle, "If", "j", {"c"}, {"z"}));
  AddNode(inner, "QuantizeLinear", "q", {"x", "s"}, {"q"});
  AddNode(inner, "Relu", "r", {"nowhere"}, {"n"});
  const v1::Graph graph = Import(model);
  ASSERT_EQ(graph.subgraphs_size(), 1);
  const v1::Graph& second = graph.subgraphs(0);
  ASSERT_EQ(second.subgraphs_size(), 1);
  const v1::Graph& third = second.subgraphs(0);
  const int through = ValueNamed(third, "x").captured();
  ASSERT_GT(through, 0);
  EXPECT_EQ(second.values(through - 1).name(), "x");
  EXPECT_EQ(second.values(through - 1).captured(), graph.inputs(0));
  EXPECT_EQ(ValueNamed(third, "x").dims(0), 2);
  EXPECT_EQ(ValueNamed(third, "nowhere").captured(), 0);
  // Used as a scale three levels down: listed although it is no vector.
  EXPECT_EQ(ValueNamed(graph, "s").constant().reals_size(), 1);
  EXPECT_EQ(graph.nodes(0).attributes(0).graph(), 1);
  EXPECT_EQ(graph.stage(), v1::STAGE_CONVERTED);
}

TEST(OnnxImporter, NamesThatAreNotUtf8AreSpelledOut) {
  onnx::ModelProto model = EmptyModel();
  AddNode(model.mutable_graph(), "Relu", "r\xff", {"x\xc0"}, {"y"});
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.nodes(0).name(), "r\\xff");
  EXPECT_EQ(CountNamed(graph, "x\\xc0"), 1);
}

TEST(OnnxImporter, SourceLineFromMetadata) {
  onnx::ModelProto model = EmptyModel();
  onnx::NodeProto* node = AddNode(model.mutable_graph(), "Relu", "r", {"x"}, {"y"});
  const auto add = [node](const std::string& key, const std::string& text) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(text);
    node->GetReflection()->MutableUnknownFields(node)->AddLengthDelimited(9, entry.SerializeAsString());
  };
  add("pkg.torch.onnx.stack_trace", "File \"a.py\", line 3, in f\n    g()\nFile \"b/net.py\", line 17, in forward\n");
  add("pkg.torch.onnx.name_scopes", "['', 'layer1', 'layer1.0', 'relu']");
  onnx::NodeProto* old = AddNode(model.mutable_graph(), "Relu", "o", {"y"}, {"z"});
  old->set_doc_string("/src/old.py(12): forward\n/lib/module.py(1190): call\n");
  const v1::Graph graph = Import(model);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).source_line().file()), "b/net.py");
  EXPECT_EQ(graph.nodes(0).source_line().line(), 17);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).source_line().scope()), "layer1.0");
  EXPECT_EQ(SymbolOf(graph, graph.nodes(1).source_line().file()), "/src/old.py");
  EXPECT_EQ(graph.nodes(1).source_line().line(), 12);
}

TEST(OnnxImporter, ElementsWrittenTwiceAreCountedTwice) {
  onnx::ModelProto model = EmptyModel();
  onnx::TensorProto* tensor = AddTensor(model.mutable_graph(), "t", TensorProto::INT8, {2});
  tensor->set_raw_data("ab");
  tensor->add_int32_data(1);
  tensor->add_int32_data(2);
  const v1::Constant constant = ValueNamed(Import(model), "t").constant();
  EXPECT_EQ(constant.stored_bytes(), 4);
  EXPECT_EQ(constant.statistics().count(), 2);
}

TEST(OnnxImporter, TypesAndShapesThatFollow) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  SetTensorType(graph->add_input(), "x", TensorProto::INT8, {2, 3});
  onnx::AttributeProto* to = AddNode(graph, "Cast", "c", {"x"}, {"c"})->add_attribute();
  to->set_name("to");
  to->set_type(onnx::AttributeProto::INT);
  to->set_i(TensorProto::FLOAT);
  AddTensor(graph, "w", TensorProto::FLOAT, {3, 4})->set_raw_data(std::string(48, '\0'));
  AddNode(graph, "MatMul", "m", {"c", "w"}, {"y"});
  graph->add_output()->set_name("y");
  const v1::Graph imported = Import(model);
  EXPECT_EQ(ValueNamed(imported, "c").dtype(), v1::DATA_TYPE_FLOAT32);
  EXPECT_EQ(ValueNamed(imported, "c").dims_size(), 2);
  ASSERT_EQ(ValueNamed(imported, "y").dims_size(), 2);
  EXPECT_EQ(ValueNamed(imported, "y").dims(1), 4);
}

TEST(OnnxImporter, TypesThatAttributesAndBodiesState) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  SetTensorType(graph->add_input(), "c", TensorProto::BOOL, {});
  SetTensorType(graph->add_input(), "sizes", TensorProto::INT64, {1});
  AddNode(graph, "ConstantOfShape", "zeros", {"sizes"}, {"zeros"});
  onnx::AttributeProto* value = AddNode(graph, "ConstantOfShape", "ones", {"sizes"}, {"ones"})->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(TensorProto::INT8);
  value->mutable_t()->add_dims(1);
  value->mutable_t()->add_int32_data(1);
  onnx::NodeProto* branch = AddNode(graph, "If", "if", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto* body = branch->add_attribute();
    body->set_name(name);
    body->set_type(onnx::AttributeProto::GRAPH);
    AddNode(body->mutable_g(), "Identity", name, {"ones"}, {"inner"});
    body->mutable_g()->add_output()->set_name("inner");
  }
  const v1::Graph imported = Import(model);
  EXPECT_EQ(ValueNamed(imported, "zeros").dtype(), v1::DATA_TYPE_FLOAT32);
  EXPECT_EQ(ValueNamed(imported, "ones").dtype(), v1::DATA_TYPE_INT8);
  EXPECT_EQ(ValueNamed(imported, "y").dtype(), v1::DATA_TYPE_INT8);
}

// What a file declares of one tensor is not written down for another that an operator makes.
TEST(OnnxImporter, DeclarationsStayWhereTheyAre) {
  onnx::ModelProto model = EmptyModel();
  onnx::GraphProto* graph = model.mutable_graph();
  SetTensorType(graph->add_input(), "x", TensorProto::FLOAT, {2, 3});
  AddTensor(graph, "w", TensorProto::FLOAT, {3, 4})->set_raw_data(std::string(48, '\0'));
  AddTensor(graph, "s", TensorProto::FLOAT, {})->add_float_data(1);
  AddNode(graph, "MatMul", "m", {"x", "w"}, {"m"});
  AddNode(graph, "QuantizeLinear", "q", {"m", "s"}, {"mq"});
  AddNode(graph, "DequantizeLinear", "d", {"mq", "s"}, {"y"});
  AddNode(graph, "NoSuchOperator", "n", {"x"}, {"u"});
  AddNode(graph, "QuantizeLinear", "uq", {"u", "s"}, {"uq"});
  SetTensorType(graph->add_value_info(), "uq", TensorProto::UINT8, {7});
  SetTensorType(graph->add_output(), "y", TensorProto::FLOAT, {9, 9});
  const v1::Graph imported = Import(model);
  EXPECT_EQ(ValueNamed(imported, "m").dims(0), 2);
  EXPECT_EQ(ValueNamed(imported, "mq").dims(0), 2);
  EXPECT_EQ(ValueNamed(imported, "y").dims(0), 9);
  EXPECT_EQ(ValueNamed(imported, "u").dims(0), 7);  // nobody else knows
}

TEST(OnnxImporter, NanAndInfinityAreCounted) {
  onnx::ModelProto model = EmptyModel();
  onnx::TensorProto* tensor = AddTensor(model.mutable_graph(), "t", TensorProto::FLOAT, {4});
  for (float value : {0.0f, NAN, INFINITY, -1.0f}) tensor->add_float_data(value);
  const v1::Graph graph = Import(model);
  const v1::Statistics& statistics = ValueNamed(graph, "t").constant().statistics();
  EXPECT_EQ(statistics.nan_count(), 1);
  EXPECT_EQ(statistics.inf_count(), 1);
  EXPECT_EQ(statistics.zero_count(), 1);
  EXPECT_EQ(statistics.min(), -1);
  EXPECT_TRUE(std::isinf(statistics.max()));
}

}  // namespace
}  // namespace quantgate
