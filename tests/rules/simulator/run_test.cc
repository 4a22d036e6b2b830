// Whole simulations: whose arithmetic, inputs that are made, files of tests/data under every profile, and broken ones.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/import.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/numpy_type.h"
#include "rules/simulator/run/choose.h"
#include "rules/simulator/run/report.h"
#include "rules/simulator/run/work.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::simulator {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr char kData[] = QUANTGATE_TEST_DATA "/../data/";

v1::Graph Imported(const std::string& path) {
  ImportOptions options;
  options.max_weight_bytes = 1 << 24;
  absl::StatusOr<ImportedModel> model = ImportModel(path, options);
  return model.ok() ? std::move(model->graph) : v1::Graph();
}

struct Outcome {
  absl::Status status;
  v1::Report report;
  std::map<std::string, Tensor> values;
};

Outcome Simulated(const v1::Graph& graph, const Request& request, int64_t max_bytes = 1 << 28, bool real_space = true) {
  Outcome run;
  SimulateOptions options;
  options.real_space = real_space;
  options.max_bytes = max_bytes;
  options.on_value = [&](const std::string& name, const Tensor& tensor) { run.values[name] = tensor; };
  run.status = SimulateReport(graph, request, nullptr, options, run.report);
  return run;
}

TEST(Encodings, AreNotLeftOutInSilence) {
  v1::Graph graph = Imported(std::string(kData) + "onnx/tiny.qdq_u8s8.onnx");
  EXPECT_TRUE(Simulated(graph, Request()).status.ok());
  graph.mutable_encodings_file();
  const absl::Status status = Simulated(graph, Request()).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("encodings file"));
}

Outcome WithSeed(const v1::Graph& graph, uint64_t seed) {
  Request request;
  request.seed = seed;
  return Simulated(graph, request);
}

TEST(Choose, WhoseArithmetic) {
  struct Case {
    std::string name, backend, soc;
    v1::Graph::Origin origin;
    std::string profile;
  };
  for (const Case& c : std::vector<Case>{{"tosa", "", "", v1::Graph::ONNX, "tosa"},
                                         {"", "", "", v1::Graph::ONNX, "onnxruntime"},
                                         {"", "", "", v1::Graph::TFLITE, "litert/reference"},
                                         {"", "", "", v1::Graph::PT2E, "torch"},
                                         {"", "litert", "xnnpack", v1::Graph::ONNX, "litert/xnnpack"},
                                         {"", "litert", "reference", v1::Graph::ONNX, "litert/reference"},
                                         {"", "onnxruntime", "cpu", v1::Graph::TFLITE, "onnxruntime"},
                                         {"", "qnn_htp", "SM8650", v1::Graph::ONNX, "qnn_htp"},
                                         {"", "qnn_lpai", "SM8750", v1::Graph::ONNX, "qnn_htp"},
                                         {"", "x86_inductor", "", v1::Graph::PT2E, "torch/x86"},
                                         {"", "ethos_u", "", v1::Graph::TFLITE, "tosa"},
                                         {"", "neutron", "", v1::Graph::TFLITE, "litert/reference"}}) {
    const absl::StatusOr<ProfileChoice> choice = ChooseProfile(c.name, c.backend, c.soc, c.origin);
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->profile->name, c.profile) << c.backend;
    // Whose arithmetic stands in for another's is said.
    EXPECT_EQ(choice->reason.empty(),
              !c.name.empty() || c.backend == "litert" || c.backend == "onnxruntime" || c.backend == "x86_inductor")
        << c.backend;
  }
  EXPECT_TRUE(absl::IsNotFound(ChooseProfile("nobody", "", "", v1::Graph::ONNX).status()));
}

TEST(NumpyType, ThereAndBack) {
  // As numpy.dtype(name).str says.
  const std::map<std::string, v1::DataType> names = {
      {"|b1", v1::DATA_TYPE_BOOL},    {"|i1", v1::DATA_TYPE_INT8},    {"|u1", v1::DATA_TYPE_UINT8},
      {"<i2", v1::DATA_TYPE_INT16},   {"<u2", v1::DATA_TYPE_UINT16},  {"<i4", v1::DATA_TYPE_INT32},
      {"<u4", v1::DATA_TYPE_UINT32},  {"<i8", v1::DATA_TYPE_INT64},   {"<u8", v1::DATA_TYPE_UINT64},
      {"<f2", v1::DATA_TYPE_FLOAT16}, {"<f4", v1::DATA_TYPE_FLOAT32}, {"<f8", v1::DATA_TYPE_FLOAT64}};
  for (const auto& [name, type] : names) {
    EXPECT_EQ(FromNumpyType(name), type) << name;
    EXPECT_EQ(NumpyType(type), name);
  }
  EXPECT_EQ(FromNumpyType("<c8"), std::nullopt);
  EXPECT_EQ(FromNumpyType(">f4"), std::nullopt);
  EXPECT_EQ(NumpyType(v1::DATA_TYPE_INT4), "|i1");
  EXPECT_EQ(NumpyType(v1::DATA_TYPE_FLOAT8_E5M2), "");
}

// x -> int8 -> Softmax -> int8, which ONNX Runtime fuses where nothing else reads what is dequantized.
v1::Graph SignedSoftmax(bool read_twice) {
  testing::GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {64, 8});
  b.Pair("x", 0.05, 0, v1::DATA_TYPE_INT8);
  b.Node("Softmax", "softmax", {"x_dq"}, {"y"});
  b.Pair("y", 1.0 / 255, -128, v1::DATA_TYPE_INT8);
  b.Output("y_dq");
  if (read_twice) {
    b.Node("Neg", "other", {"x_dq"}, {"z"});
    b.Output("z");
  }
  return b.graph;
}

TEST(Profiles, WhatOnnxRuntimeLeavesInFloatIsComputedInFloat) {
  for (const bool read_twice : {false, true}) {
    const v1::Graph graph = SignedSoftmax(read_twice);
    std::map<std::string, std::vector<int8_t>> stored;
    for (const char* profile : {"onnxruntime", "onnxruntime/no-fusion"}) {
      Request request;
      request.profile = profile;
      const Outcome run = Simulated(graph, request);
      ASSERT_TRUE(run.status.ok()) << run.status;
      const auto integers = run.values.at("y_q").as<int8_t>();
      stored[profile].assign(integers.begin(), integers.end());
    }
    EXPECT_EQ(stored["onnxruntime"] == stored["onnxruntime/no-fusion"], read_twice);
  }
}

// x -> type -> QLinearSoftmax along the last axis of `size`, as it is written in a file.
v1::Graph WrittenSoftmax(v1::DataType type, int64_t size, double scale, int64_t zero_point) {
  testing::GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {64, size});
  b.Pair("x", 0.05, 0, type);
  b.Reals("y_scale", {scale});
  b.Ints("y_zp", type, {zero_point});
  v1::Node& node =
      b.Node("com.microsoft::QLinearSoftmax", "softmax", {"x_q", "x_scale", "x_zp", "y_scale", "y_zp"}, {"y_q"});
  b.Int(node, "opset", 13);
  b.Value("y_q").set_dtype(type);
  b.Node("DequantizeLinear", "y_DQ", {"y_q", "y_scale", "y_zp"}, {"y_dq"});
  b.Output("y_dq");
  return b.graph;
}

template <typename Integer>
std::vector<Integer> StoredUnder(const char* profile, const v1::Graph& graph) {
  Request request;
  request.profile = profile;
  const Outcome run = Simulated(graph, request);
  EXPECT_TRUE(run.status.ok()) << run.status;
  const auto integers = run.values.at("y_q").as<Integer>();
  return std::vector<Integer>(integers.begin(), integers.end());
}

TEST(Profiles, WhatIsWrittenAsAKernelIsOneWithoutFusion) {
  const v1::Graph written = WrittenSoftmax(v1::DATA_TYPE_INT8, 8, 1.0 / 255, -128);
  const v1::Graph fused = SignedSoftmax(false);
  EXPECT_EQ(StoredUnder<int8_t>("onnxruntime", written), StoredUnder<int8_t>("onnxruntime/no-fusion", written));
  EXPECT_EQ(StoredUnder<int8_t>("onnxruntime", written), StoredUnder<int8_t>("onnxruntime", fused));
  EXPECT_NE(StoredUnder<int8_t>("onnxruntime", fused), StoredUnder<int8_t>("onnxruntime/no-fusion", fused));
}

// Measured with ONNX Runtime 1.31.1. A row of one bears 148 steps, one of two twice as many.
TEST(QLinearSoftmax, OverflowsWhereOnnxRuntimeDoes) {
  constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8, kInt8 = v1::DATA_TYPE_INT8;
  const auto unsigned_of = [](const v1::Graph& graph) { return StoredUnder<uint8_t>("onnxruntime", graph); };
  const auto signed_of = [](const v1::Graph& graph) { return StoredUnder<int8_t>("onnxruntime", graph); };
  EXPECT_THAT(unsigned_of(WrittenSoftmax(kUint8, 1, 1.0 / 148, 0)), Each(148));
  EXPECT_THAT(unsigned_of(WrittenSoftmax(kUint8, 1, 1.0 / 256, 0)), Each(0));
  EXPECT_THAT(unsigned_of(WrittenSoftmax(kUint8, 1, 1.0 / 256, 7)), Each(7));
  EXPECT_THAT(signed_of(WrittenSoftmax(kInt8, 1, 1.0 / 148, -128)), Each(20));
  EXPECT_THAT(signed_of(WrittenSoftmax(kInt8, 1, 1.0 / 256, 0)), Each(-128));
  EXPECT_THAT(signed_of(WrittenSoftmax(kInt8, 1, 1.0 / 256, -1)), Each(127));
  EXPECT_THAT(unsigned_of(WrittenSoftmax(kUint8, 8, 1.0 / 256, 0)), Contains(Ge(32)));
}

TEST(MadeInputs, TheSameForOneSeed) {
  const v1::Graph graph = Imported(absl::StrCat(kData, "onnx/tiny.qdq_u8s8.onnx"));
  const Outcome run = WithSeed(graph, 7), again = WithSeed(graph, 7), other = WithSeed(graph, 8);
  ASSERT_TRUE(run.status.ok()) << run.status;
  const std::string input = graph.values(graph.inputs(0) - 1).name();
  EXPECT_EQ(run.values.at(input).data, again.values.at(input).data);
  EXPECT_NE(run.values.at(input).data, other.values.at(input).data);
  EXPECT_EQ(run.report.simulation().SerializeAsString(), again.report.simulation().SerializeAsString());
  EXPECT_EQ(run.report.simulation().inputs(), "seed 7, from recorded ranges");
}

// One input of a type, read by one operator.
v1::Graph OfOneInput(v1::DataType type, const std::vector<int64_t>& dims, const std::string& op) {
  v1::Graph graph;
  graph.set_origin(v1::Graph::ONNX);
  graph.add_symbols(op);
  v1::Value& x = *graph.add_values();
  x.set_name("x");
  x.set_dtype(type);
  for (int64_t dim : dims) x.add_dims(dim);
  x.set_has_shape(true);
  graph.add_values()->set_name("y");
  graph.add_inputs(1);
  graph.add_outputs(2);
  v1::Node& node = *graph.add_nodes();
  node.set_name("n");
  node.set_op(1);
  node.add_inputs(1);
  node.add_outputs(2);
  return graph;
}

TEST(MadeInputs, AsTheGraphReadsThem) {
  const Outcome reals = WithSeed(OfOneInput(v1::DATA_TYPE_FLOAT32, {100}, "Relu"), 1);
  ASSERT_TRUE(reals.status.ok()) << reals.status;
  EXPECT_THAT(reals.values.at("x").as<float>(), Each(AllOf(Ge(-1), Le(1))));
  EXPECT_EQ(reals.report.simulation().inputs(), "seed 1, from recorded ranges, -1..1 for 1 input without one");
  // A size that is not stated is 1.
  EXPECT_EQ(WithSeed(OfOneInput(v1::DATA_TYPE_FLOAT32, {-1, 3}, "Relu"), 1).values.at("x").dims,
            (std::vector<int64_t>{1, 3}));
  const Outcome conditions = WithSeed(OfOneInput(v1::DATA_TYPE_BOOL, {100}, "Not"), 1);
  EXPECT_THAT(*ToInt64(conditions.values.at("x")), Each(AllOf(Ge(0), Le(1))));
  // Integers that look nothing up are masks: all is there.
  EXPECT_THAT(*ToInt64(WithSeed(OfOneInput(v1::DATA_TYPE_INT64, {100}, "Abs"), 1).values.at("x")), Each(1));
  // Those that look rows up stay within the table.
  v1::Graph lookup = OfOneInput(v1::DATA_TYPE_INT64, {200}, "Gather");
  v1::Value& table = *lookup.add_values();
  table.set_name("table");
  table.set_dtype(v1::DATA_TYPE_FLOAT32);
  for (int64_t dim : {5, 2}) table.add_dims(dim);
  table.set_has_shape(true);
  lookup.add_inputs(3);
  lookup.mutable_nodes(0)->clear_inputs();
  lookup.mutable_nodes(0)->add_inputs(3);
  lookup.mutable_nodes(0)->add_inputs(1);
  const Outcome rows = WithSeed(lookup, 1);
  ASSERT_TRUE(rows.status.ok()) << rows.status;
  const std::vector<int64_t> indices = *ToInt64(rows.values.at("x"));
  EXPECT_THAT(indices, Each(AllOf(Ge(0), Le(4))));
  EXPECT_THAT(indices, ::testing::Contains(4));
}

TEST(MadeInputs, NoMoreThanIsAllowed) {
  const v1::Graph large = OfOneInput(v1::DATA_TYPE_FLOAT32, {1 << 20}, "Relu");
  const Outcome run = Simulated(large, {}, 1 << 20);
  EXPECT_TRUE(absl::IsResourceExhausted(run.status)) << run.status;
  EXPECT_THAT(std::string(run.status.message()), HasSubstr("input 'x' would make 4194304 bytes"));
  EXPECT_FALSE(
      WithSeed(OfOneInput(v1::DATA_TYPE_FLOAT32, {int64_t{1} << 40, int64_t{1} << 40}, "Relu"), 1).status.ok());
}

TEST(MadeInputs, EveryIntegerOfAQuantizedInput) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_INT8, {4000}, "Identity");
  v1::Spec& spec = *graph.add_specs();
  spec.set_kind(v1::Spec::FIXED);
  spec.mutable_qparams()->add_scales(0.5);
  graph.mutable_values(0)->set_spec(1);
  for (const v1::DataType type : {v1::DATA_TYPE_INT8, v1::DATA_TYPE_INT32, v1::DATA_TYPE_INT64}) {
    graph.mutable_values(0)->set_dtype(type);
    graph.mutable_specs(0)->set_dtype(type);
    const Outcome run = WithSeed(graph, 3);
    ASSERT_TRUE(run.values.contains("x")) << run.status;
    const std::vector<int64_t> integers = *ToInt64(run.values.at("x"));
    const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
    EXPECT_LT(static_cast<double>(*least), 0.9 * static_cast<double>(MinOf(type)));
    EXPECT_GT(static_cast<double>(*most), 0.9 * static_cast<double>(MaxOf(type)));
  }
}

Outcome WithReals(const v1::Graph& graph, const std::vector<float>& reals) {
  absl::flat_hash_map<std::string, Tensor> given;
  Tensor& x = given["x"];
  x.type = v1::DATA_TYPE_FLOAT32;
  EXPECT_TRUE(Allocate({static_cast<int64_t>(reals.size())}, x).ok());
  std::copy(reals.begin(), reals.end(), x.as<float>().begin());
  Request request;
  request.given = &given;
  return Simulated(graph, request);
}

TEST(GivenInputs, MayBeInfiniteWhereNoGridIs) {
  const v1::Graph mask = OfOneInput(v1::DATA_TYPE_FLOAT32, {2}, "Exp");
  const Outcome run = WithReals(mask, {0, -INFINITY});
  ASSERT_TRUE(run.status.ok()) << run.status;
  EXPECT_THAT(run.values.at("y").as<float>(), ElementsAre(1, 0));
  EXPECT_THAT(std::string(WithReals(mask, {0, NAN}).status.message()), HasSubstr("'x' holds nan at element 1"));
  v1::Graph stored = OfOneInput(v1::DATA_TYPE_INT8, {2}, "Identity");
  v1::Spec& spec = *stored.add_specs();
  spec.set_kind(v1::Spec::FIXED);
  spec.set_dtype(v1::DATA_TYPE_INT8);
  spec.mutable_qparams()->add_scales(0.5);
  stored.mutable_values(0)->set_spec(1);
  EXPECT_TRUE(WithReals(stored, {0, 1}).status.ok());
  EXPECT_THAT(std::string(WithReals(stored, {0, INFINITY}).status.message()), HasSubstr("'x' holds inf at element 1"));
}

TEST(Models, AConstantThatIsAResultIsShown) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_FLOAT32, {2}, "Relu");
  v1::Value& constant = *graph.add_values();
  constant.set_name("c");
  constant.set_dtype(v1::DATA_TYPE_FLOAT32);
  constant.set_has_shape(true);
  constant.mutable_constant()->add_reals(3);
  EXPECT_FALSE(WithSeed(graph, 1).values.contains("c"));
  graph.add_outputs(3);
  EXPECT_THAT(WithSeed(graph, 1).values.at("c").as<float>(), ElementsAre(3));
}

// Statistics of good models are numbers within their limits, under every profile; integers stay near the real numbers
// of their grids, and nothing is left out.
TEST(Models, UnderEveryProfile) {
  for (const std::string name : {"onnx/tiny.qdq_u8s8.onnx", "onnx/tiny.qdq_a16w4.onnx", "tflite/dscnn.int8.tflite",
                                 "tflite/conv1d.int16x8.tflite", "pt2/tinycnn.xnnpack_pc.pt2"}) {
    const v1::Graph graph = Imported(kData + name);
    ASSERT_GT(graph.nodes_size(), 0) << name;
    for (const Profile& profile : Profiles()) {
      SCOPED_TRACE(absl::StrCat(name, " under ", profile.name));
      Request request;
      request.profile = std::string(profile.name);
      request.seed = 5;
      const Outcome run = Simulated(graph, request);
      ASSERT_TRUE(run.status.ok()) << run.status;
      EXPECT_GT(run.report.simulation().nodes_size(), 3);
      for (const v1::SimulatedNode& node : run.report.simulation().nodes()) {
        EXPECT_FALSE(absl::StartsWith(node.float_reason(), kNotComputed)) << node.node() << ": " << node.float_reason();
        for (const double share : {node.saturated_fraction(), node.zero_fraction()}) {
          EXPECT_THAT(share, AllOf(Ge(0), Le(1))) << node.node();
        }
        EXPECT_LE(node.mean_abs_error_lsb(), node.max_abs_error_lsb()) << node.node();
        EXPECT_TRUE(std::isfinite(node.max_space_difference_lsb())) << node.node();
        if (node.has_sqnr_db()) {
          EXPECT_TRUE(std::isfinite(node.sqnr_db())) << node.node();
        }
        EXPECT_LE(node.accumulator_bits(), node.accumulator_bits_worst_case()) << node.node();
      }
    }
  }
}

// All that is not about real space is the same without it, and what is about it is said not to be checked.
TEST(Models, WithoutRealSpace) {
  for (const std::string name : {"onnx/tiny.qdq_u8s8.onnx", "onnx/tiny.qdq_a16w4.onnx", "tflite/dscnn.int8.tflite",
                                 "pt2/tinycnn.xnnpack_pc.pt2"}) {
    SCOPED_TRACE(name);
    const v1::Graph graph = Imported(kData + name);
    Request request;
    request.seed = 5;
    const Outcome all = Simulated(graph, request), some = Simulated(graph, request, 1 << 28, /*real_space=*/false);
    ASSERT_TRUE(all.status.ok()) << all.status;
    ASSERT_TRUE(some.status.ok()) << some.status;
    v1::Simulation expected = all.report.simulation();
    for (v1::SimulatedNode& node : *expected.mutable_nodes()) node.clear_max_space_difference_lsb();
    EXPECT_EQ(some.report.simulation().SerializeAsString(), expected.SerializeAsString());
    EXPECT_EQ(all.report.results(0).not_checked_size(), 0);
    ASSERT_EQ(some.report.results(0).not_checked_size(), 1);
    EXPECT_EQ(some.report.results(0).not_checked(0).rule(), "SM005");
    EXPECT_EQ(some.report.results(0).not_checked(0).reason(), "real space was left out");
  }
}

// A node's own error is one number, whether it comes with the products of bytes or from the float kernel.
TEST(Models, OwnErrorsByBothWays) {
  const v1::Graph graph = Imported(absl::StrCat(kData, "onnx/tiny.qdq_u8s8.onnx"));
  std::map<std::string, double> own[2];
  int in_float[2] = {};
  for (const int i : {0, 1}) {
    Request request;
    request.profile = i == 0 ? "onnxruntime" : "onnxruntime/no-fusion";
    request.seed = 5;
    const Outcome run = Simulated(graph, request);
    ASSERT_TRUE(run.status.ok()) << run.status;
    for (const v1::SimulatedNode& node : run.report.simulation().nodes()) {
      if (node.op() != "Conv" && node.op() != "Gemm" && node.op() != "MatMul") continue;
      in_float[i] += node.float_reason().empty() ? 0 : 1;
      ASSERT_TRUE(node.has_own_sqnr_db()) << node.node();
      own[i][node.node()] = node.own_sqnr_db();
    }
  }
  ASSERT_GT(own[0].size(), 1);
  EXPECT_EQ(in_float[0], 0);
  EXPECT_EQ(in_float[1], static_cast<int>(own[1].size()));
  for (const auto& [node, sqnr] : own[0]) EXPECT_NEAR(sqnr, own[1].at(node), 0.02) << node;
}

// The reason why the only node has no numbers.
std::string Reason(const Outcome& run) {
  EXPECT_TRUE(run.status.ok()) << run.status;
  EXPECT_EQ(run.report.simulation().nodes_size(), 1);
  return run.report.simulation().nodes_size() == 0 ? "" : run.report.simulation().nodes(0).float_reason();
}

// torch's `op` on one input, with an argument besides.
v1::Graph OfTorch(const std::string& op, const std::string& argument, const v1::Attribute& value) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_FLOAT32, {2, 3}, op);
  graph.set_origin(v1::Graph::PT2E);
  graph.add_symbols(argument);
  v1::Attribute& attribute = *graph.mutable_nodes(0)->add_attributes();
  attribute = value;
  attribute.set_name(2);
  return graph;
}

TEST(Models, AnArgumentThatIsNotReadLeavesTheNodeOut) {
  v1::Attribute one, none;
  one.set_i(1);
  EXPECT_EQ(Reason(WithSeed(OfTorch("aten.relu.default", "slope", one), 1)),
            "not computed: the simulator has no kernel for aten.relu.default with its argument 'slope'");
  EXPECT_EQ(Reason(WithSeed(OfTorch("aten.elu.default", "beta", one), 1)),
            "not computed: the simulator has no kernel for aten.elu.default with its argument 'beta'");
  // Those that are read, that are null and that change no number.
  for (const auto& [op, argument, value] :
       {std::tuple("aten.elu.default", "input_scale", one), std::tuple("aten.relu.default", "slope", none),
        std::tuple("aten.clone.default", "memory_format", one), std::tuple("aten.dropout.default", "train", none)}) {
    EXPECT_TRUE(WithSeed(OfTorch(op, argument, value), 1).values.contains("y")) << op << " " << argument;
  }
  EXPECT_EQ(Reason(WithSeed(OfTorch("aten.dropout.default", "train", one), 1)), "not computed: training");
}

// A zero point that is computed by what has no kernel is not 0.
TEST(Models, AZeroPointThatIsNotKnownLeavesTheNodeOut) {
  for (const std::string op : {"Identity", "Unheard"}) {
    testing::GraphBuilder b;
    b.Input("x", v1::DATA_TYPE_FLOAT32, {2});
    b.Ints("zero", v1::DATA_TYPE_UINT8, {3});
    b.Node("Exp", "positive", {"x"}, {"e"});
    b.Shape("e", v1::DATA_TYPE_FLOAT32, {2});
    b.Int(b.Node("ReduceMax", "of_scale", {"e"}, {"s"}), "keepdims", 0);
    b.Shape("s", v1::DATA_TYPE_FLOAT32, {});
    b.Node(op, "of_zero", {"zero"}, {"z"});
    b.Shape("z", v1::DATA_TYPE_UINT8, {});
    b.Node("QuantizeLinear", "q", {"x", "s", "z"}, {"y"});
    b.Shape("y", v1::DATA_TYPE_UINT8, {2});
    b.Output("y");
    const Outcome run = WithSeed(b.graph, 1);
    ASSERT_TRUE(run.status.ok()) << run.status;
    EXPECT_EQ(run.values.contains("y"), op == "Identity") << run.report.simulation().ShortDebugString();
    const bool said = absl::StrContains(run.report.simulation().ShortDebugString(), "a zero point that is not known");
    EXPECT_EQ(said, op != "Identity");
  }
}

TEST(Models, AResultThatIsNotMadeIsSaid) {
  v1::Attribute one;
  one.set_i(1);
  v1::Graph graph = OfTorch("aten.native_group_norm.default", "group", one);
  graph.add_values()->set_name("mean");
  graph.mutable_nodes(0)->add_outputs(3);
  const Outcome unread = WithSeed(graph, 1);
  EXPECT_TRUE(unread.values.contains("y")) << unread.status;
  EXPECT_EQ(unread.report.results(0).verdict(), v1::Result::ACCEPTED);
  graph.add_outputs(3);
  const Outcome read = WithSeed(graph, 1);
  EXPECT_TRUE(read.values.contains("y")) << read.status;
  EXPECT_NE(read.report.results(0).verdict(), v1::Result::ACCEPTED);
  ASSERT_EQ(read.report.simulation().nodes_size(), 2);
  EXPECT_EQ(read.report.simulation().nodes(1).value(), "mean");
  EXPECT_EQ(read.report.simulation().nodes(1).float_reason(), "not computed: the simulator has no kernel for result 1");
}

TEST(Models, ADropoutThatTrainsIsNotComputed) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_FLOAT32, {2, 3}, "Dropout");
  v1::Value& mode = *graph.add_values();
  mode.set_name("training");
  mode.set_dtype(v1::DATA_TYPE_BOOL);
  mode.set_has_shape(true);
  mode.mutable_constant()->add_ints(1);
  for (const int32_t input : {0, 3}) graph.mutable_nodes(0)->add_inputs(input);
  EXPECT_EQ(Reason(WithSeed(graph, 1)), "not computed: training");
  graph.mutable_values(2)->mutable_constant()->set_ints(0, 0);
  EXPECT_TRUE(WithSeed(graph, 1).values.contains("y"));
}

TEST(Models, AnInputWithoutKernelsLeavesOutWhatReadsIt) {
  EXPECT_EQ(Reason(WithSeed(OfOneInput(v1::DATA_TYPE_STRING, {2}, "Identity"), 1)),
            "not computed: 'x': no numbers were made for it (its type is string)");
  EXPECT_EQ(Reason(WithSeed(OfOneInput(v1::DATA_TYPE_COMPLEX128, {2}, "Relu"), 1)),
            "not computed: 'x': no numbers were made for it (its type is complex128)");
}

// x is quantized with scale and zero point, and dequantized again; `scale` is an id.
v1::Graph Quantized(int32_t scale) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_FLOAT32, {2}, "QuantizeLinear");
  graph.add_symbols("DequantizeLinear");
  v1::Value& one = *graph.add_values();
  one.set_name("one");
  one.set_dtype(v1::DATA_TYPE_FLOAT32);
  one.set_has_shape(true);
  one.mutable_constant()->add_reals(1);
  v1::Value& zero = *graph.add_values();
  zero.set_name("zero");
  zero.set_dtype(v1::DATA_TYPE_INT8);
  zero.set_has_shape(true);
  zero.mutable_constant()->add_ints(0);
  graph.add_values()->set_name("z");
  graph.mutable_nodes(0)->add_inputs(scale);
  graph.mutable_nodes(0)->add_inputs(4);
  v1::Node& node = *graph.add_nodes();
  node.set_name("reader");
  node.set_op(2);
  for (const int32_t input : {2, scale, 4}) node.add_inputs(input);
  node.add_outputs(5);
  graph.set_outputs(0, 5);
  return graph;
}

TEST(Models, AScaleThatIsItsOwnResultEnds) {
  EXPECT_TRUE(WithSeed(Quantized(3), 1).status.ok());
  for (const int32_t scale : {2, 5}) {
    const Outcome run = WithSeed(Quantized(scale), 1);
    EXPECT_TRUE(run.status.ok() || absl::IsInvalidArgument(run.status)) << run.status;
    EXPECT_FALSE(run.values.contains("z"));
  }
}

// A loop whose every round gives the input once more, however often it is asked to.
v1::Graph Loop(int64_t rounds) {
  v1::Graph graph = OfOneInput(v1::DATA_TYPE_FLOAT32, {1 << 18}, "Loop");
  graph.add_symbols("body");
  v1::Value& count = *graph.add_values();
  count.set_name("rounds");
  count.set_dtype(v1::DATA_TYPE_INT64);
  count.set_has_shape(true);
  count.mutable_constant()->add_ints(rounds);
  v1::Node& node = *graph.mutable_nodes(0);
  node.clear_inputs();
  node.add_inputs(3);
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(2);
  attribute.set_graph(1);
  v1::Graph& body = *graph.add_subgraphs();
  body.set_origin(v1::Graph::ONNX);
  body.add_symbols("Identity");
  for (const char* name : {"round", "goes_on", "outer", "still", "copy"}) body.add_values()->set_name(name);
  body.mutable_values(0)->set_dtype(v1::DATA_TYPE_INT64);
  body.mutable_values(1)->set_dtype(v1::DATA_TYPE_BOOL);
  body.mutable_values(2)->set_captured(1);
  for (const auto& [from, to] : {std::pair(2, 4), std::pair(3, 5)}) {
    v1::Node& identity = *body.add_nodes();
    identity.set_op(1);
    identity.add_inputs(from);
    identity.add_outputs(to);
    body.add_outputs(to);
  }
  for (const int32_t input : {1, 2}) body.add_inputs(input);
  return graph;
}

TEST(Models, WhatRoundsGiveIsBounded) {
  const Outcome few = Simulated(Loop(4), {}, 16 << 20);
  ASSERT_TRUE(few.status.ok()) << few.status;
  EXPECT_EQ(few.values.at("y").dims, (std::vector<int64_t>{4, 1 << 18}));
  // The input and the number of rounds take 1 MiB and 8 bytes of it, and each of the three results has a third of the
  // rest: the 5th MiB is too many.
  const Outcome many = Simulated(Loop(10000), {}, 16 << 20);
  EXPECT_TRUE(absl::IsResourceExhausted(many.status)) << many.status;
  EXPECT_THAT(std::string(many.status.message()), HasSubstr("the results of 5 rounds take 5242880 bytes, where"));
}

QTensor OfDims(std::vector<int64_t> dims) {
  QTensor tensor;
  tensor.tensor.dims = std::move(dims);
  return tensor;
}

int64_t Work(OpId op, const std::vector<QTensor>& inputs, const Attributes& attributes = {}) {
  std::vector<const QTensor*> pointers;
  for (const QTensor& input : inputs) pointers.push_back(&input);
  return WorkOf(op, Layout::kChannelsFirst, attributes, pointers);
}

TEST(Work, IsWhatAnOperatorMultiplies) {
  EXPECT_EQ(Work(OpId::kMatMul, {OfDims({2, 3, 4}), OfDims({4, 5})}), 2 * 3 * 4 * 5);
  EXPECT_EQ(Work(OpId::kMatMul, {OfDims({3, 4}), OfDims({2, 4, 5})}), 2 * 3 * 4 * 5);
  EXPECT_EQ(Work(OpId::kLinear, {OfDims({3, 4}), OfDims({5, 4})}), 3 * 4 * 5);
  EXPECT_EQ(Work(OpId::kConv, {OfDims({1, 3, 8, 8}), OfDims({4, 3, 3, 3})}), 6 * 6 * 4 * 3 * 3 * 3);
  EXPECT_EQ(Work(OpId::kConvTranspose, {OfDims({1, 3, 8, 8}), OfDims({3, 4, 3, 3})}), 8 * 8 * 3 * 4 * 3 * 3);
  EXPECT_EQ(Work(OpId::kAdd, {OfDims({1 << 20}), OfDims({1 << 20})}), 0);
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(Work(OpId::kMatMul, {OfDims({large, large}), OfDims({large, large})}), INT64_MAX);
  Attributes scales;
  scales.SetFloats("scales", {1e300, 1e300});
  EXPECT_EQ(Work(OpId::kResize, {OfDims({1, 1})}, scales), INT64_MAX);
  scales.SetFloats("scales", {2, 2});
  EXPECT_LT(Work(OpId::kResize, {OfDims({8, 8})}, scales), 1 << 20);
  EXPECT_GE(Work(OpId::kResize, {OfDims({8, 8})}, scales), 256);
}

TEST(Work, HasAnEnd) {
  WorkBudget budget;
  EXPECT_TRUE(absl::IsResourceExhausted(budget.SpendOnNode(INT64_MAX, 4)));
  EXPECT_TRUE(absl::IsResourceExhausted(budget.SpendOnNode((int64_t{1} << 37) + 1, 1)));
  int nodes = 0;
  while (nodes < 100 && budget.SpendOnNode(int64_t{1} << 37, 1).ok()) ++nodes;
  EXPECT_EQ(nodes, 16);
  EXPECT_TRUE(absl::IsResourceExhausted(budget.SpendOnBytes(1)));
  int rounds = 0;
  while (rounds < 2'000'000 && budget.NextRound()) ++rounds;
  EXPECT_EQ(rounds, 1'000'000);
}

TEST(MadeInputs, BehindAResultWithoutAName) {
  for (const char* op : {"Identity", "Reshape"}) {
    v1::Graph graph = OfOneInput(v1::DATA_TYPE_INT64, {2}, op);
    graph.mutable_nodes(0)->set_outputs(0, 0);
    graph.clear_outputs();
    EXPECT_TRUE(WithSeed(graph, 1).values.contains("x"));
    graph.mutable_values(0)->set_dtype(v1::DATA_TYPE_FLOAT32);
    EXPECT_TRUE(WithSeed(graph, 1).values.contains("x"));
  }
}

// What is wrong with a file is for the rules to say; a simulation ends, with numbers or with a reason.
TEST(Models, BrokenOnesEnd) {
  int imported = 0, refused = 0;
  for (const std::string folder : {"onnx", "tflite", "pt2"}) {
    for (const auto& file : std::filesystem::directory_iterator(kData + folder)) {
      if (!absl::StartsWith(file.path().filename().string(), "bad.")) continue;
      const v1::Graph graph = Imported(file.path());
      if (graph.nodes_size() == 0) continue;
      ++imported;
      const Outcome run = Simulated(graph, {});
      if (run.status.ok()) continue;
      ++refused;
      EXPECT_NE(run.status.message(), "") << file.path();
      EXPECT_TRUE(absl::IsInvalidArgument(run.status) || absl::IsResourceExhausted(run.status))
          << file.path() << ": " << run.status;
    }
  }
  EXPECT_GT(imported, 50);
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace quantgate::simulator
