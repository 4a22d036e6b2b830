// What of a LiteRT file ends where in the graph.
#include <cstring>

#include "absl/strings/match.h"
#include "client/error.h"
#include "client/tflite/tflite_importer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/files.h"
#include "tests/client/onnx/model.h"
#include "tests/client/tflite/model.h"

namespace quantgate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int32_t kAdd = 0, kConv2d = 3, kFullyConnected = 9, kReshape = 22, kCustom = 32, kWhile = 119;
constexpr uint8_t kConv2dOptions = 1, kPool2dOptions = 5, kWhileOptions = 93;

v1::Graph Import(const TfliteModel& model, const std::string& folder = "") {
  absl::StatusOr<v1::Graph> graph = ImportTflite(WriteTflite(model), folder, {});
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : v1::Graph();
}

template <typename T>
std::string Bytes(const std::vector<T>& numbers) {
  std::string bytes(numbers.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// x and weight w, in buffer 1, through FULLY_CONNECTED to y.
TfliteModel Dense(const TfliteTensor& weight, const std::vector<TfliteTensor>& more = {}) {
  TfliteModel model;
  TfliteSubgraph subgraph;
  subgraph.tensors = {{.name = "x", .shape = {1, 4}}, weight, {.name = "y", .shape = {1, 2}}};
  subgraph.tensors.insert(subgraph.tensors.end(), more.begin(), more.end());
  subgraph.inputs = {0};
  subgraph.outputs = {2};
  subgraph.operators = {{.code = kFullyConnected, .inputs = {0, 1, -1}, .outputs = {2}}};
  model.subgraphs = {subgraph};
  return model;
}

const v1::Spec& SpecOf(const v1::Graph& graph, const std::string& name) {
  const int id = ValueNamed(graph, name).spec();
  return id > 0 ? graph.specs(id - 1) : v1::Spec::default_instance();
}

TEST(TfliteImporter, TensorsOperatorsAndOrder) {
  TfliteModel model =
      Dense({.name = "w", .type = kTfliteInt8, .shape = {2, 4}, .buffer = 1, .scales = {0.5}, .zero_points = {0}});
  model.buffers = {Bytes<int8_t>({1, -2, 3, 4, 5, 6, 7, 127})};
  const v1::Graph graph = Import(model);
  EXPECT_EQ(graph.origin(), v1::Graph::TFLITE);
  EXPECT_EQ(graph.stage(), v1::STAGE_CONVERTED);
  EXPECT_EQ(graph.format_version(), 3);
  EXPECT_EQ(graph.producer(), "test");
  ASSERT_EQ(graph.values_size(), 3);
  ASSERT_EQ(graph.nodes_size(), 1);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).op()), "FULLY_CONNECTED");
  EXPECT_THAT(graph.nodes(0).inputs(), ElementsAre(1, 2, 0));
  EXPECT_THAT(graph.nodes(0).outputs(), ElementsAre(3));
  EXPECT_THAT(graph.inputs(), ElementsAre(1));
  EXPECT_THAT(graph.outputs(), ElementsAre(3));
  const v1::Value& weight = ValueNamed(graph, "w");
  EXPECT_EQ(weight.dtype(), v1::DATA_TYPE_INT8);
  EXPECT_THAT(weight.dims(), ElementsAre(2, 4));
  EXPECT_EQ(weight.constant().stored_bytes(), 8);
  EXPECT_EQ(weight.constant().statistics().min(), -2);
  EXPECT_EQ(weight.constant().statistics().max(), 127);
  EXPECT_FALSE(ValueNamed(graph, "x").has_constant());
  EXPECT_THAT(SpecOf(graph, "w").qparams().scales(), ElementsAre(0.5));
  EXPECT_THAT(SpecOf(graph, "w").qparams().axes(), IsEmpty());
  EXPECT_EQ(SpecOf(graph, "w").qscheme(), v1::Spec::PER_TENSOR_SYMMETRIC);
  EXPECT_EQ(ValueNamed(graph, "x").spec(), 0);
}

TEST(TfliteImporter, ScalesPerChannel) {
  TfliteModel model = Dense({.name = "w",
                             .type = kTfliteInt8,
                             .shape = {2, 4},
                             .buffer = 1,
                             .scales = {0.5, 0.25},
                             .zero_points = {0, 1},
                             .axis = 0});
  model.buffers = {Bytes<int8_t>({1, -2, 3, 4, 5, 6, 7, 127})};
  const v1::Graph graph = Import(model);
  const v1::QParams& qparams = SpecOf(graph, "w").qparams();
  EXPECT_THAT(qparams.scales(), ElementsAre(0.5, 0.25));
  EXPECT_THAT(qparams.zero_points(), ElementsAre(0, 1));
  EXPECT_THAT(qparams.axes(), ElementsAre(0));
  EXPECT_EQ(SpecOf(graph, "w").qscheme(), v1::Spec::PER_CHANNEL_AFFINE);
  EXPECT_THAT(ValueNamed(graph, "w").constant().statistics().axis_max(), ElementsAre(4, 127));
}

// Details override what the table itself says.
TEST(TfliteImporter, ScalesPerBlock) {
  TfliteModel model = Dense({.name = "w",
                             .type = kTfliteInt4,
                             .shape = {2, 4},
                             .buffer = 1,
                             .scales = {9},
                             .zero_points = {9},
                             .scales_tensor = 3,
                             .zero_points_tensor = 4,
                             .block_size = 2},
                            {{.name = "s", .type = kTfliteFloat16, .shape = {2, 2}, .buffer = 2},
                             {.name = "z", .type = kTfliteInt8, .shape = {2, 2}, .buffer = 3}});
  model.buffers = {Bytes<int8_t>({0x21, 0x43, 0x65, 0x07}), Bytes<uint16_t>({0x3c00, 0x4000, 0x4400, 0x4800}),
                   Bytes<int8_t>({1, 2, 3, 4})};
  const v1::Graph graph = Import(model);
  const v1::QParams& qparams = SpecOf(graph, "w").qparams();
  EXPECT_THAT(qparams.scales(), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(qparams.zero_points(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(qparams.axes(), ElementsAre(0, 1));
  EXPECT_THAT(qparams.block_sizes(), ElementsAre(1, 2));
  EXPECT_EQ(qparams.scale_type(), v1::DATA_TYPE_FLOAT16);
  EXPECT_EQ(SpecOf(graph, "w").qscheme(), v1::Spec::PER_BLOCK_AFFINE);
  EXPECT_EQ(ValueNamed(graph, "w").constant().statistics().max(), 7);
}

TEST(TfliteImporter, BlockShapeAndMultipleAxes) {
  TfliteTensor weight = {.name = "w", .type = kTfliteInt8, .shape = {2, 4}, .buffer = 1, .scales_tensor = 3};
  weight.block_shape = {2, 2};
  const TfliteTensor scales = {.name = "s", .shape = {2}, .buffer = 2};
  TfliteModel model = Dense(weight, {scales});
  model.buffers = {std::string(8, '\1'), Bytes<float>({1, 2})};
  EXPECT_THAT(SpecOf(Import(model), "w").qparams().block_sizes(), ElementsAre(2, 2));
  weight.block_shape.clear();
  weight.dimensions = {1, 0};
  model.subgraphs = Dense(weight, {scales}).subgraphs;
  const v1::Graph graph = Import(model);
  EXPECT_THAT(SpecOf(graph, "w").qparams().axes(), ElementsAre(1, 0));
  EXPECT_THAT(SpecOf(graph, "w").qparams().block_sizes(), IsEmpty());
  EXPECT_THAT(SpecOf(graph, "w").qparams().scales(), ElementsAre(1, 2));
  // A tensor of scales that is not there leaves the spec without any.
  weight.scales_tensor = 77;
  model.subgraphs = Dense(weight, {scales}).subgraphs;
  EXPECT_THAT(SpecOf(Import(model), "w").qparams().scales(), IsEmpty());
  EXPECT_GT(ValueNamed(Import(model), "w").spec(), 0);
}

TEST(TfliteImporter, TypesOfTheNewestSchema) {
  const std::pair<int8_t, v1::DataType> types[] = {{19, v1::DATA_TYPE_INT2},          {20, v1::DATA_TYPE_UINT4},
                                                   {21, v1::DATA_TYPE_FLOAT8_E4M3FN}, {22, v1::DATA_TYPE_FLOAT8_E5M2},
                                                   {13, v1::DATA_TYPE_UNSPECIFIED},   {99, v1::DATA_TYPE_UNSPECIFIED},
                                                   {-1, v1::DATA_TYPE_UNSPECIFIED}};
  for (const auto& [number, type] : types) {
    TfliteModel model = Dense({.name = "w", .type = number, .shape = {2, 4}, .buffer = 1});
    model.buffers = {std::string(8, '\1')};
    EXPECT_EQ(ValueNamed(Import(model), "w").dtype(), type) << int{number};
  }
}

TEST(TfliteImporter, OptionsWithDefaults) {
  TfliteModel model = Dense({.name = "w", .shape = {2, 4}, .buffer = 1});
  model.buffers = {std::string(32, '\0')};
  TfliteOperator& op = model.subgraphs[0].operators[0];
  op.code = kConv2d;
  op.options_type = kConv2dOptions;
  op.options = {{1, 2}, {2, 3}};
  const v1::Graph graph = Import(model);
  const v1::Node& node = graph.nodes(0);
  EXPECT_EQ(AttributeNamed(graph, node, "stride_w")->i(), 2);
  EXPECT_EQ(AttributeNamed(graph, node, "stride_h")->i(), 3);
  EXPECT_EQ(AttributeNamed(graph, node, "dilation_w_factor")->i(), 1);
  EXPECT_EQ(AttributeNamed(graph, node, "padding")->s(), "SAME");
  EXPECT_EQ(AttributeNamed(graph, node, "fused_activation_function")->s(), "NONE");
  EXPECT_EQ(AttributeNamed(graph, node, "builtin_options"), nullptr);
  op.options_type = kPool2dOptions;
  const v1::Graph wrong = Import(model);
  EXPECT_EQ(AttributeNamed(wrong, wrong.nodes(0), "builtin_options")->s(), "Pool2DOptions");
  EXPECT_EQ(AttributeNamed(wrong, wrong.nodes(0), "stride_w"), nullptr);
}

TEST(TfliteImporter, OperatorsThatNoSchemaNames) {
  TfliteModel model = Dense({.name = "w", .shape = {2, 4}, .buffer = 1});
  model.buffers = {std::string(32, '\0')};
  TfliteOperator& op = model.subgraphs[0].operators[0];
  op.code = 5000;
  v1::Graph graph = Import(model);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).op()), "BUILTIN_5000");
  op.code = kCustom;
  op.custom = "AcmeMagic";
  graph = Import(model);
  EXPECT_EQ(SymbolOf(graph, graph.nodes(0).op()), "CUSTOM::AcmeMagic");
}

TEST(TfliteImporter, OperatorsThatNoNodeIsOf) {
  TfliteModel model = Dense({.name = "w", .shape = {2, 4}, .buffer = 1});
  model.buffers = {std::string(32, '\0')};
  EXPECT_THAT(Import(model).unused_operators(), IsEmpty());
  model.unused = {{.code = kAdd, .version = 7}, {.code = kCustom}, {.code = kCustom, .custom = "AcmeMagic"}};
  const v1::Graph graph = Import(model);
  ASSERT_EQ(graph.unused_operators_size(), 3);
  EXPECT_EQ(graph.unused_operators(0).op(), "ADD");
  EXPECT_EQ(graph.unused_operators(0).version(), 7);
  EXPECT_EQ(graph.unused_operators(1).op(), "CUSTOM");
  EXPECT_EQ(graph.unused_operators(2).op(), "CUSTOM::AcmeMagic");
}

TEST(TfliteImporter, SparseTensors) {
  TfliteTensor weight = {.name = "w", .shape = {2, 4}, .buffer = 1, .segments = {0, 2, 3}, .indices = {0, 3, 1}};
  TfliteModel model = Dense(weight);
  model.buffers = {Bytes<float>({1, 2, 3})};
  const v1::Graph graph = Import(model);
  const v1::Constant& constant = ValueNamed(graph, "w").constant();
  EXPECT_EQ(constant.stored_bytes(), -1);
  EXPECT_FALSE(constant.has_statistics());
  EXPECT_THAT(constant.sparsity().traversal_order(), ElementsAre(0, 1));
  EXPECT_THAT(constant.sparsity().sizes(), ElementsAre(2, -1));

  const auto refused = [&](const std::vector<int32_t>& segments, const std::vector<int32_t>& indices) {
    model.subgraphs[0].tensors[1].segments = segments;
    model.subgraphs[0].tensors[1].indices = indices;
    return ErrorCode(ImportTflite(WriteTflite(model), "", {}).status()) == "FI001";
  };
  EXPECT_FALSE(refused({0, 2, 3, 9}, {3, 0, 1, 99}));
  EXPECT_TRUE(refused({0, 2}, {0, 3, 1}));
  EXPECT_TRUE(refused({1, 2, 3}, {0, 3, 1}));
  EXPECT_TRUE(refused({0, 2, 1}, {0, 3, 1}));
  EXPECT_TRUE(refused({0, 2, 4}, {0, 3, 1}));
  EXPECT_TRUE(refused({0, 2, 3}, {0, 4, 1}));
  EXPECT_TRUE(refused({0, 2, 3}, {0, -1, 1}));
  EXPECT_TRUE(refused({0, 2, 3}, {3, 3, 1}));
  EXPECT_TRUE(refused({0, 2, 4}, {0, 3, 1, 2}));  // four elements where three are stored
}

TEST(TfliteImporter, VersionsOfOperatorsBesideTheFirst) {
  TfliteModel model = Dense({.name = "w", .shape = {2, 4}, .buffer = 1});
  model.buffers = {std::string(32, '\0')};
  v1::Graph graph = Import(model);
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "operator_version"), nullptr);
  for (const int version : {4, 0, -1}) {
    model.subgraphs[0].operators[0].version = version;
    graph = Import(model);
    ASSERT_NE(AttributeNamed(graph, graph.nodes(0), "operator_version"), nullptr);
    EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "operator_version")->i(), version);
  }
}

TEST(TfliteImporter, IndicesThatCountNothing) {
  TfliteModel model = Dense({.name = "w", .shape = {2, 4}, .buffer = 9});
  model.subgraphs[0].operators[0].inputs = {0, 1, 76, -7, 76};
  v1::Graph graph = Import(model);
  EXPECT_THAT(graph.nodes(0).inputs(), ElementsAre(1, 2, 4, 5, 4));
  EXPECT_EQ(graph.values(3).name(), "tensor 76");
  EXPECT_EQ(graph.values(4).name(), "tensor -7");
  EXPECT_EQ(ValueNamed(graph, "w").constant().external().status(), v1::ExternalData::MISSING);
  model.subgraphs[0].outputs = {39};
  graph = Import(model);
  EXPECT_EQ(graph.values(graph.outputs(0) - 1).name(), "tensor 39");

  model.subgraphs[0].operators[0].outputs = {99};
  graph = Import(model);
  EXPECT_EQ(graph.values(graph.nodes(0).outputs(0) - 1).name(), "tensor 99");
  model.subgraphs[0].inputs = {-1};
  graph = Import(model);
  EXPECT_EQ(graph.values(graph.inputs(0) - 1).name(), "tensor -1");
}

TEST(TfliteImporter, BuffersBehindTheTables) {
  TfliteModel model = Dense({.name = "w", .type = kTfliteInt8, .shape = {2, 4}, .buffer = 1});
  model.appended = {{1, 0}};
  const size_t size = (WriteTflite(model).size() + 15) / 16 * 16;
  model.appended = {{size, 8}};
  std::string bytes = WriteTflite(model);
  bytes.resize(size, '\0');
  bytes += Bytes<int8_t>({1, -2, 3, 4, 5, 6, 7, 127});
  absl::StatusOr<v1::Graph> graph = ImportTflite(bytes, "", {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValueNamed(*graph, "w").constant().stored_bytes(), 8);
  EXPECT_EQ(ValueNamed(*graph, "w").constant().statistics().max(), 127);
  bytes.pop_back();
  graph = ImportTflite(bytes, "", {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(ValueNamed(*graph, "w").constant().external().status(), v1::ExternalData::BAD_RANGE);
}

TEST(TfliteImporter, ExternalBuffersInsideTheFolderOnly) {
  const TempFolder folder;
  folder.Write("w.bin", "\xff" + Bytes<int8_t>({1, -2, 3, 4, 5, 6, 7, 127}));
  const auto external = [&](const std::string& file, uint64_t length) {
    TfliteModel model = Dense({.name = "w", .type = kTfliteInt8, .shape = {2, 4}, .external_buffer = 1});
    model.externals = {{file, 1, length}};
    return ValueNamed(Import(model, folder.path().string()), "w").constant();
  };
  const v1::Constant read = external("w.bin", 8);
  EXPECT_EQ(read.external().location(), "w.bin");
  EXPECT_EQ(read.external().status(), v1::ExternalData::READ);
  EXPECT_EQ(read.stored_bytes(), 8);
  EXPECT_EQ(read.statistics().max(), 127);
  EXPECT_EQ(external("w.bin", 9).external().status(), v1::ExternalData::BAD_RANGE);
  EXPECT_EQ(external("w.bin", ~uint64_t{0}).external().status(), v1::ExternalData::BAD_RANGE);
  EXPECT_EQ(external("none.bin", 8).external().status(), v1::ExternalData::MISSING);
  EXPECT_EQ(external("../w.bin", 8).external().status(), v1::ExternalData::OUTSIDE_MODEL_FOLDER);
  EXPECT_EQ(external("/etc/passwd", 8).external().status(), v1::ExternalData::ABSOLUTE_PATH);
}

TEST(TfliteImporter, EmptyTensorsVariablesAndWhatIsMissing) {
  TfliteModel model;
  TfliteSubgraph subgraph;
  subgraph.tensors = {{.name = "x", .shape = {1, 4}},
                      {.name = "empty", .type = kTfliteInt32, .shape = {0}},
                      {.name = "y", .shape = {}},
                      {.name = "state", .shape = {1}, .variable = true},
                      {.name = "lost", .shape = {4}}};
  subgraph.inputs = {0};
  subgraph.outputs = {2};
  subgraph.operators = {{.code = kReshape, .inputs = {0, 1}, .outputs = {2}},
                        {.code = kAdd, .inputs = {3, 4}, .outputs = {}}};
  model.subgraphs = {subgraph};
  const v1::Graph graph = Import(model);
  EXPECT_TRUE(ValueNamed(graph, "empty").has_constant());
  EXPECT_FALSE(ValueNamed(graph, "state").has_constant());
  EXPECT_TRUE(ValueNamed(graph, "state").foreign());
  EXPECT_FALSE(ValueNamed(graph, "lost").has_constant());
  EXPECT_TRUE(ValueNamed(graph, "y").has_shape());
}

TEST(TfliteImporter, BodiesOfLoops) {
  TfliteSubgraph body;
  body.tensors = {{.name = "i", .shape = {1}}};
  body.inputs = body.outputs = {0};
  TfliteSubgraph subgraph = body;
  subgraph.tensors.push_back({.name = "y", .shape = {1}});
  subgraph.outputs = {1};
  subgraph.operators = {
      {.code = kWhile, .inputs = {0}, .outputs = {1}, .options_type = kWhileOptions, .options = {{0, 1}, {1, 7}}}};
  TfliteModel model;
  model.subgraphs = {subgraph, body, body};
  const v1::Graph graph = Import(model);
  ASSERT_EQ(graph.subgraphs_size(), 2);
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "cond_subgraph_index")->graph(), 1);
  // Not there: the number stays.
  EXPECT_EQ(AttributeNamed(graph, graph.nodes(0), "body_subgraph_index")->i(), 7);
  EXPECT_EQ(graph.subgraphs(0).origin(), v1::Graph::TFLITE);
}

}  // namespace
}  // namespace quantgate
