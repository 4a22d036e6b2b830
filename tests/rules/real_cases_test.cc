// Failures that users of quantization toolchains reported, as graphs: each with the fault must give the finding that
// real_cases.md names, and the same graph without it must not.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/check.h"
#include "tests/rules/annotated_builder.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using ::quantgate::testing::AnnotatedBuilder;
using ::quantgate::testing::GraphBuilder;
using ::quantgate::testing::RealModules;
using ::quantgate::testing::SoundConv;

constexpr v1::DataType kU8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kS8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kS16 = v1::DATA_TYPE_INT16;
constexpr v1::DataType kU16 = v1::DATA_TYPE_UINT16;
constexpr v1::DataType kS32 = v1::DATA_TYPE_INT32;
constexpr v1::DataType kF32 = v1::DATA_TYPE_FLOAT32;

// ---- Graphs that a quantizer annotated (PT2E) ----

// LayerNorm with 16-bit activations, and 16-bit weights, which V68 lacks.
GraphBuilder LayerNormWeights(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8, 64});
  b.Weight("w", kF32, {64}, 256);
  b.Weight("b", kF32, {64}, 256);
  const int act = b.Act(kU16);
  const int weight = b.Act(broken ? kU16 : kU8);
  const int bias = b.Act(kS32);
  v1::Node& node = b.Op("aten.layer_norm.default", "norm", {"x", "w", "b"}, {act, weight, bias}, act, {1, 8, 64});
  for (int argument : {0, 2, 3}) node.add_input_args(argument);
  b.IntsAttribute(node, "normalized_shape", {64});
  return b;
}

// A weight in blocks for an operator that takes none.
GraphBuilder BlocksInMatMul(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {2, 64});
  b.Weight("w", kF32, {64, 32}, 8192);
  const int act = b.Act(kU16);
  const int weight = b.Spec(v1::Spec::PLAIN, v1::DATA_TYPE_INT4, v1::Spec::PER_TENSOR_SYMMETRIC);
  if (broken) {
    b.At(weight).set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
    b.At(weight).add_block_size(16);
    b.At(weight).add_block_size(1);
  } else {
    b.At(weight).set_dtype(kS8);
  }
  b.Op("aten.matmul.default", "matmul", {"x", "w"}, {act, weight}, act, {2, 32});
  return b;
}

// select_copy of a quantized tensor whose result nobody annotated.
GraphBuilder SelectIntoFloat(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8, 64});
  const int act = b.Act();
  v1::Node& node = b.Op("aten.select.int", "select", {"x"}, {act}, broken ? 0 : act, {1, 64});
  b.Int(node, "dim", 1);
  b.Int(node, "index", 0);
  return b;
}

// index.Tensor, which became no QNN operator.
GraphBuilder IndexTensor(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {8, 64});
  b.Input("i", v1::DATA_TYPE_INT32, {3});
  b.Input("j", broken ? v1::DATA_TYPE_BOOL : v1::DATA_TYPE_INT32, {64});
  const int act = b.Act();
  v1::Node& node = broken ? b.Op("aten.index.Tensor", "index", {"x", "j"}, {act}, act, {8, 3})
                          : b.Op("aten.index.Tensor", "index", {"x", "i"}, {act}, act, {3, 64});
  for (int argument : {0, 1}) node.add_input_args(argument);
  return b;
}

// ---- ONNX ----

// BatchNormalization whose scale is computed at run time.
GraphBuilder BatchNorm(bool broken) {
  GraphBuilder b;
  b.Input("x", kF32, {1, 8, 4, 4});
  b.Pair("x", 0.02, 128);
  if (broken) {
    b.Input("scale", kF32, {8});
    b.Pair("scale", 0.02, 128);
  } else {
    b.Weight("scale_q", kU8, {8}, 8);
    b.Reals("scale_scale", {0.02});
    b.Ints("scale_zp", kU8, {128});
    b.Node("DequantizeLinear", "scale_DQ", {"scale_q", "scale_scale", "scale_zp"}, {"scale_dq"});
  }
  b.Ints("b", kS32, {1, 2, 3, 4, 5, 6, 7, 8});
  b.Reals("b_scale", {4e-4});
  b.Ints("b_zp", kS32, {0});
  b.Node("DequantizeLinear", "b_DQ", {"b", "b_scale", "b_zp"}, {"b_dq"});
  b.Reals("mean", {0, 0, 0, 0, 0, 0, 0, 0});
  b.Reals("variance", {1, 1, 1, 1, 1, 1, 1, 1});
  b.Node("BatchNormalization", "norm", {"x_dq", "scale_dq", "b_dq", "mean", "variance"}, {"y"});
  b.Shape("y", kF32, {1, 8, 4, 4});
  b.Pair("y", 0.05, 0);
  b.Output("y_dq");
  return b;
}

// LayerNormalization of unsigned activations with signed weights.
GraphBuilder LayerNormSigns(bool broken) {
  GraphBuilder b;
  const v1::DataType type = broken ? kS8 : kU8;
  b.Input("x", kF32, {1, 8, 64});
  b.Pair("x", 0.02, 128);
  b.Weight("w", type, {64}, 64);
  b.Reals("w_scale", {0.01});
  b.Ints("w_zp", type, {broken ? 0 : 128});
  b.Node("DequantizeLinear", "w_DQ", {"w", "w_scale", "w_zp"}, {"w_dq"});
  b.Weight("b", type, {64}, 64);
  b.Reals("b_scale", {0.01});
  b.Ints("b_zp", type, {broken ? 0 : 128});
  b.Node("DequantizeLinear", "b_DQ", {"b", "b_scale", "b_zp"}, {"b_dq"});
  b.Int(b.Node("LayerNormalization", "norm", {"x_dq", "w_dq", "b_dq"}, {"y"}), "axis", -1);
  b.Shape("y", kF32, {1, 8, 64});
  b.Pair("y", 0.05, 128);
  b.Output("y_dq");
  return b;
}

// MatMul of a half-precision tensor and an 8-bit one, as QNN sees it.
GraphBuilder HalfMatMul(bool broken) {
  GraphBuilder b(v1::Graph::QNN);
  b.Input("x", v1::DATA_TYPE_FLOAT16, {1, 64});
  const v1::DataType type = broken ? kU8 : v1::DATA_TYPE_FLOAT16;
  b.Weight("w", type, {64, 32}, broken ? 2048 : 4096);
  if (broken) {
    v1::Spec& spec = *b.graph.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(type);
    spec.mutable_qparams()->add_scales(0.01);
    spec.mutable_qparams()->add_zero_points(128);
    b.Value("w").set_spec(1);
  }
  b.Node("MatMul", "matmul", {"x", "w"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT16, {1, 32});
  b.Output("y");
  return b;
}

// Three parts, each with its own scale, side by side.
GraphBuilder Concat(bool broken) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  std::vector<int> specs;
  for (const char* name : {"a", "b", "c"}) {
    b.Input(name, kF32, {1, 8});
    specs.push_back(b.Act(kS8, 0.1, 0));
  }
  if (broken) b.At(specs[1]).mutable_qparams()->set_scales(0, 0.2);
  v1::Node& node = b.Op("aten.concat.default", "concat", {"a", "b", "c"}, specs, specs[0], {1, 24});
  for (int i = 0; i < 3; ++i) node.add_input_args(0);
  b.Int(node, "dim", 1);
  return b;
}

// The same, and it is the first part that differs.
GraphBuilder FirstOfConcat(bool broken) {
  GraphBuilder b = Concat(false);
  if (broken) b.graph.mutable_specs(0)->mutable_qparams()->set_scales(0, 0.3);
  return b;
}

// Input scale x weight scale / output scale beyond what the backend keeps the factor in (there 1, here 256).
GraphBuilder OverallScale(bool broken) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  b.Input("x", kF32, {1, 8});
  b.Weight("w", kF32, {4, 8}, 128);
  const int act = b.Act(kS8, 0.1, 0);
  const int weight = b.Filter();
  for (int channel = 0; channel < 4; ++channel) {
    b.At(weight).mutable_qparams()->add_scales(0.01);
    b.At(weight).mutable_qparams()->add_zero_points(0);
  }
  b.At(weight).mutable_qparams()->add_axes(0);
  b.Op("aten.linear.default", "linear", {"x", "w"}, {act, weight}, b.Act(kS8, broken ? 3.9e-6 : 4e-6, 0), {1, 4});
  return b;
}

// slice.Tensor under a name that the quantizer did not know: its result has parameters of its own.
GraphBuilder Slice(bool broken) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  b.Input("x", kF32, {1, 8, 64});
  const int act = b.Act(kS8, 0.1, 0);
  const int other = broken ? b.Act(kS8, 0.2, 0) : act;
  v1::Node& node = b.Op("aten.slice.Tensor", "slice", {"x"}, {act}, other, {1, 8, 32});
  b.Int(node, "dim", 2);
  b.Int(node, "start", 0);
  b.Int(node, "end", 32);
  return b;
}

// A residual connection that the addition reads with parameters of its own.
GraphBuilder Residual(bool broken) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  b.Input("x", kF32, {1, 8});
  const int act = b.Act(kS8, 0.1, -128);
  const int other = broken ? b.Act(kS8, 0.1, -5) : act;
  b.Op("aten.relu.default", "relu", {"x"}, {act}, act, {1, 8});
  b.Op("aten.add.Tensor", "add", {"relu", "x"}, {other, act}, act, {1, 8});
  return b;
}

GraphBuilder SharingCircle(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  b.Op("aten.relu.default", "first", {"x"}, {0}, 0, {1, 8});
  b.Op("aten.relu.default", "second", {"first"}, {0}, 0, {1, 8});
  b.Value("second").set_spec(b.Shared("first"));
  b.Value("first").set_spec(broken ? b.Shared("second") : b.Act());
  return b;
}

// An anchor that no place has a spec at.
GraphBuilder SharingNowhere(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8});
  b.Op("aten.relu.default", "first", {"x"}, {0}, broken ? 0 : b.Act(), {1, 8});
  b.Op("aten.relu.default", "second", {"first"}, {0}, 0, {1, 8});
  b.Value("second").set_spec(b.Shared("first"));
  return b;
}

// ---- LiteRT ----

void Quantize(GraphBuilder& b, const std::string& name, double scale, double zero_point) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(b.Value(name).dtype());
  spec.set_is_dynamic(false);
  spec.mutable_qparams()->add_scales(scale);
  spec.mutable_qparams()->add_zero_points(zero_point);
  b.Value(name).set_spec(b.graph.specs_size());
}

GraphBuilder Tflite(v1::DataType type, const std::string& op, const std::vector<int64_t>& in,
                    const std::vector<int64_t>& out, double scale, double zero_point, double out_scale,
                    double out_zero_point) {
  GraphBuilder b(v1::Graph::TFLITE);
  b.graph.set_format_version(3);
  b.Input("x", type, in);
  Quantize(b, "x", scale, zero_point);
  b.Node(op, "node", {"x"}, {"y"});
  b.Shape("y", type, out);
  Quantize(b, "y", out_scale, out_zero_point);
  b.Output("y");
  return b;
}

GraphBuilder TfliteConcatenation(bool broken) {
  GraphBuilder b = Tflite(kS8, "CONCATENATION", {1, 4}, {1, 8}, 0.046824861040302354, -1, 0.046824861040302354, -1);
  b.Input("z", kS8, {1, 4});
  Quantize(b, "z", broken ? 0.0039213619980157594 : 0.046824861040302354, broken ? -128 : -1);
  b.Find("node").add_inputs(b.Id("z"));
  return b;
}

GraphBuilder TflitePad(bool broken) {
  GraphBuilder b = Tflite(kS8, "PAD", {1, 4}, {1, 6}, 0.1, 3, broken ? 0.2 : 0.1, 3);
  b.Ints("paddings", kS32, {0, 0, 1, 1});
  b.Shape("paddings", kS32, {2, 2});
  b.Find("node").add_inputs(b.Id("paddings"));
  return b;
}

// The output keeps the scale of the input, where the kernel has 1/256.
GraphBuilder Logistic(bool broken) {
  return Tflite(kS8, "LOGISTIC", {1, 4}, {1, 4}, 0.05, 3, broken ? 0.05 : 1.0 / 256, broken ? 3 : -128);
}

GraphBuilder Int16Tanh(bool broken) {
  return Tflite(kS16, "TANH", {1, 4}, {1, 4}, 1.0 / 4096, 0, broken ? 1.0 / 30000 : 1.0 / 32768, 0);
}

GraphBuilder SaturatedBias(bool broken) {
  GraphBuilder b = SoundConv();
  if (broken) b.Value("b").mutable_constant()->set_ints(3, -2147483647);
  return b;
}

// The same inside of an integer operator.
GraphBuilder SaturatedIntegerBias(bool broken) {
  GraphBuilder b = testing::SoundIntegerConv();
  v1::Statistics& statistics = *b.Value("b").mutable_constant()->mutable_statistics();
  statistics.set_count(8);
  statistics.set_max(broken ? 2147483647 : 1000);
  statistics.set_max_index(3);
  return b;
}

// A channel of the weight that is nearly zero: its bias does not fit its scale.
GraphBuilder TinyChannel(bool broken) {
  AnnotatedBuilder b(v1::STAGE_CALIBRATED);
  b.Input("x", kF32, {1, 8, 16, 16});
  b.Weight("w", kF32, {2, 8, 3, 3}, 576);
  b.Reals("b", {0.5, 0.5});
  const int act = b.Act(kU8, 0.02, 128);
  const int filter = b.Filter();
  for (double scale : {0.01, broken ? 1e-10 : 0.02}) {
    b.At(filter).mutable_qparams()->add_scales(scale);
    b.At(filter).mutable_qparams()->add_zero_points(0);
  }
  b.At(filter).mutable_qparams()->add_axes(0);
  const int bias = b.Spec(v1::Spec::DERIVED, kS32, v1::Spec::PER_CHANNEL_SYMMETRIC);
  b.At(bias).set_axis(0);
  for (const char* from : {"x", "w"}) {
    v1::EdgeRef& edge = *b.At(bias).add_derived_from();
    edge.set_value(b.Id(from));
    edge.set_consumer(1);
  }
  b.Op("aten.conv2d.default", "conv", {"x", "w", "b"}, {act, filter, bias}, b.Act(kU8, 0.05, 0), {1, 2, 14, 14});
  return b;
}

GraphBuilder NegativeScale(bool broken) {
  GraphBuilder b = SoundConv();
  if (broken) b.Value("w_scale").mutable_constant()->set_reals(2, -0.01);
  return b;
}

GraphBuilder ZeroScale(bool broken) {
  GraphBuilder b = SoundConv();
  if (broken) b.Value("w_scale").mutable_constant()->set_reals(2, 0);
  return b;
}

// Two convolutions that the target takes in no such type: both must be named.
GraphBuilder TwoConflicts(bool broken) {
  AnnotatedBuilder b;
  b.Input("x", kF32, {1, 8, 16, 16});
  const int act = b.Act(kU8);
  const int filter = b.Filter(broken ? v1::DATA_TYPE_UINT16 : kS8);
  std::string from = "x";
  for (const char* name : {"first", "second"}) {
    const std::string weight = absl::StrCat(name, "_w");
    b.Weight(weight, kF32, {8, 8, 1, 1}, 256);
    b.Op("aten.conv2d.default", name, {from, weight}, {act, filter}, act, {1, 8, 16, 16});
    from = name;
  }
  return b;
}

// The channel axis was moved and that of the quantizer was not.
GraphBuilder MovedAxis(bool broken) {
  GraphBuilder b = SoundConv();
  if (broken) b.Find("w_DQ").mutable_attributes(0)->set_i(1);
  return b;
}

// Scales along the input channels, as many as there are of them.
GraphBuilder InputChannels(bool broken) {
  GraphBuilder b = SoundConv();
  if (!broken) return b;
  b.Find("w_DQ").mutable_attributes(0)->set_i(1);
  b.Reals("w2_scale", {0.01, 0.01, 0.01});
  b.Ints("w2_zp", kS8, {0, 0, 0});
  b.Find("w_DQ").set_inputs(1, b.Id("w2_scale"));
  b.Find("w_DQ").set_inputs(2, b.Id("w2_zp"));
  return b;
}

// 64 scales where the tensor has 3 channels along the axis.
GraphBuilder TooManyScales(bool broken) {
  GraphBuilder b;
  b.Input("x", kF32, {1, 3, 8, 8});
  b.Reals("s", std::vector<double>(broken ? 64 : 3, 0.02));
  b.Ints("z", kS8, std::vector<int64_t>(broken ? 64 : 3, 0));
  b.Int(b.Node("QuantizeLinear", "x_Q", {"x", "s", "z"}, {"q"}), "axis", 1);
  b.Int(b.Node("DequantizeLinear", "x_DQ", {"q", "s", "z"}, {"y"}), "axis", 1);
  b.Value("q").set_dtype(kS8);
  b.Output("y");
  return b;
}

// A weight that is quantized and never dequantized.
GraphBuilder WeightWithoutPair(bool broken) {
  GraphBuilder b;
  b.Input("x", kF32, {1, 3, 16, 16});
  b.Pair("x", 0.02, 128);
  b.Input("w", kF32, {8, 3, 3, 3});
  b.Pair("w", 0.01, 0, kS8);
  b.Node("Conv", "conv", {"x_dq", broken ? "w_q" : "w_dq"}, {"y"});
  b.Shape("y", kF32, {1, 8, 14, 14});
  b.Pair("y", 0.05, 0);
  b.Output("y_dq");
  return b;
}

// A comparison's result, quantized.
GraphBuilder QuantizedComparison(bool broken) {
  GraphBuilder b;
  b.Input("x", kF32, {1, 8});
  b.Input("z", kF32, {1, 8});
  b.Pair("x", 0.02, 128);
  b.Pair("z", 0.02, 128);
  b.Node("Greater", "greater", {"x_dq", "z_dq"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_BOOL, {1, 8});
  if (broken) b.Pair("y", 1, 0);
  b.Output(broken ? "y_dq" : "y");
  return b;
}

// ---- The cases ----

struct RealCase {
  std::string id;
  std::string target;  // "": on any
  std::string code;
  std::set<std::string> nodes;  // where, all of them; empty: anywhere
  GraphBuilder (*graph)(bool broken);
};

void PrintTo(const RealCase& c, std::ostream* os) { *os << c.id; }

std::vector<RealCase> Cases() {
  return {
      {"RC-01", "qnn_htp/SA8295", "DT105", {"norm"}, LayerNormWeights},
      {"RC-05", "qnn_htp/SM8650", "DT105", {"matmul"}, BlocksInMatMul},
      {"RC-07", "qnn_htp/SM8650", "DT101", {"select"}, SelectIntoFloat},
      {"RC-09", "qnn_htp/SM8650", "DT101", {"index"}, IndexTensor},
      {"RC-11", "qnn_htp/SM8650", "CV201", {"norm"}, BatchNorm},
      {"RC-13", "qnn_htp/SM8650", "DT101", {"norm"}, LayerNormSigns},
      {"RC-15", "qnn_htp/SM8650", "DT101", {"matmul"}, HalfMatMul},
      {"RC-19", "xnnpack", "SH102", {"slice"}, Slice},
      {"RC-21", "xnnpack", "SH102", {"concat"}, Concat},
      {"RC-23", "", "SH004", {"add"}, Residual},
      {"RC-25", "", "SH007", {"node"}, TfliteConcatenation},
      {"RC-27", "", "SH007", {"node"}, TflitePad},
      {"RC-29", "xnnpack", "SH102", {"concat"}, FirstOfConcat},
      {"RC-31", "", "SH002", {}, SharingCircle},
      {"RC-33", "", "SH001", {}, SharingNowhere},
      {"RC-35", "", "FX007", {"node"}, Logistic},
      {"RC-37", "", "FX007", {"node"}, Int16Tanh},
      {"RC-39", "", "FX003", {"conv"}, SaturatedBias},
      {"RC-41", "", "FX003", {"q"}, SaturatedIntegerBias},
      {"RC-47", "", "NR001", {"w_DQ"}, NegativeScale},
      {"RC-49", "qnn_htp/SM8650", "DT101", {"first", "second"}, TwoConflicts},
      {"RC-51", "", "AX001", {"w_DQ"}, MovedAxis},
      {"RC-53", "qnn_htp/SM8650", "AX101", {"conv"}, InputChannels},
      {"RC-61", "", "AX001", {"x_Q"}, TooManyScales},
      {"RC-63", "", "GS006", {}, WeightWithoutPair},
      {"RC-69", "xnnpack", "NR105", {"linear"}, OverallScale},
      {"RC-71", "", "NR001", {"w_DQ"}, ZeroScale},
      {"RC-77", "", "FI008", {"y_Q"}, QuantizedComparison},
      {"RC-85", "", "NR004", {"conv"}, TinyChannel},
  };
}

v1::Report CheckOn(const v1::Graph& graph, const std::string& target) {
  CheckOptions options;
  options.corrections = false;
  return testing::CheckOn(graph, target, options);
}

// Nodes at which a rule speaks.
std::set<std::string> NodesOf(const v1::Report& report, const std::string& code) {
  std::set<std::string> nodes;
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.code() == code) nodes.insert(finding.location().node());
  }
  return nodes;
}

std::string Described(const v1::Report& report) {
  std::string text;
  for (const v1::Finding& finding : report.results(0).findings()) {
    absl::StrAppend(&text, finding.code(), " ", finding.message(), "\n");
  }
  return text;
}

class RealCases : public ::testing::TestWithParam<RealCase> {};

TEST_P(RealCases, IsFoundAndOnlyThere) {
  const RealCase& c = GetParam();
  const v1::Report broken = CheckOn(c.graph(true).graph, c.target);
  const std::set<std::string> nodes = NodesOf(broken, c.code);
  EXPECT_FALSE(nodes.empty()) << c.code << " is not among:\n" << Described(broken);
  for (const std::string& node : c.nodes) EXPECT_TRUE(nodes.contains(node)) << node << "\n" << Described(broken);
  const v1::Report good = CheckOn(c.graph(false).graph, c.target);
  EXPECT_TRUE(NodesOf(good, c.code).empty()) << Described(good);
}

INSTANTIATE_TEST_SUITE_P(All, RealCases, ::testing::ValuesIn(Cases()), [](const auto& info) {
  return absl::StrCat("RC", info.param.id.substr(3), "_", info.param.code);
});

// RC-03: a chip that no table has is an error, never architecture 0.
TEST(RealCase, RC03_UnknownChip) {
  CheckOptions options;
  options.targets = {"qnn_htp/SA8397"};
  v1::Report report;
  const absl::Status status = Check(SoundConv().graph, options, RealModules(), report);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
}

// RC-59, RC-65, RC-67: vectors of zero points, and one scale in a vector of length one, are what they are.
TEST(RealCase, RC59_RC65_RC67_LegalForms) {
  EXPECT_EQ(CheckOn(SoundConv().graph, "").results(0).findings_size(), 0);
  GraphBuilder b;
  b.Input("x", kF32, {1, 8});
  b.Pair("x", 0.02, 128);
  b.Shape("x_scale", kF32, {1});
  b.Shape("x_zp", kU8, {1});
  b.Output("x_dq");
  EXPECT_EQ(CheckOn(b.graph, "").results(0).findings_size(), 0) << Described(CheckOn(b.graph, ""));
}

// The table beside this file: every known case, with the rule that the tests above find it by.
TEST(RealCase, TableSaysWhatTheTestsDo) {
  std::map<std::string, std::string> rules;
  std::ifstream in(std::string(QUANTGATE_TEST_DATA) + "/real_cases.md");
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 6 || !absl::StartsWith(line, "| RC-")) continue;
    const std::string id(absl::StripAsciiWhitespace(cells[1]));
    EXPECT_TRUE(rules.emplace(id, std::string(absl::StripAsciiWhitespace(cells[4]))).second) << id;
    EXPECT_FALSE(absl::StripAsciiWhitespace(cells[5]).empty()) << id << " does not say where or why";
  }
  EXPECT_EQ(rules.size(), 43U);
  for (int number = 1; number <= 85; number += 2) {
    EXPECT_TRUE(rules.contains(absl::StrCat("RC-", number < 10 ? "0" : "", number))) << number;
  }
  for (const RealCase& c : Cases()) EXPECT_EQ(rules[c.id], c.code) << c.id;
}

}  // namespace
}  // namespace quantgate
