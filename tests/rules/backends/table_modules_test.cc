// The modules that are a table and a lowering: qnn_lpai, xnnpack, x86_inductor. Each rule with an annotation that fires
// it and its neighbor that does not, judged by the shipped tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/check.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using testing::Ask;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using testing::RealTables;

// Specs by number: 1 the activation's, 2 the weight's.
int AddSpec(GraphBuilder& b, v1::DataType type, v1::Spec::QScheme scheme) {
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(type);
  spec.set_qscheme(scheme);
  spec.set_is_dynamic(false);
  return b.graph.specs_size();
}

// `op`(x, w, b) with activations of `type`, int8 weights per channel and a float bias; its output goes into a relu.
GraphBuilder Weighted(const std::string& op, v1::DataType type, std::vector<int64_t> x, std::vector<int64_t> w,
                      std::vector<int64_t> y) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, x);
  b.Weight("w", v1::DATA_TYPE_FLOAT32, w, -1);
  b.Weight("b", v1::DATA_TYPE_FLOAT32, {y[1]}, -1);
  v1::Node& node = b.Node(op, "op", {"x", "w", "b"}, {"op"});
  b.Shape("op", v1::DATA_TYPE_FLOAT32, y);
  b.Node("aten.relu.default", "relu", {"op"}, {"relu"});
  b.Shape("relu", v1::DATA_TYPE_FLOAT32, y);
  b.Output("relu");
  node.add_input_specs(AddSpec(b, type, v1::Spec::PER_TENSOR_AFFINE));
  node.add_input_specs(AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_CHANNEL_SYMMETRIC));
  b.graph.mutable_specs(1)->set_axis(0);
  b.graph.mutable_specs(1)->set_quant_min(-127);
  b.graph.mutable_specs(1)->set_quant_max(127);
  return b;
}

GraphBuilder Conv(v1::DataType type) {
  return Weighted("aten.conv2d.default", type, {1, 3, 8, 8}, {4, 3, 1, 1}, {1, 4, 8, 8});
}
GraphBuilder Linear(v1::DataType type) { return Weighted("aten.linear.default", type, {2, 8}, {4, 8}, {2, 4}); }

// One operator of one input, quantized around.
GraphBuilder Around(const std::string& op, v1::DataType type) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
  b.Node(op, "op", {"x"}, {"op"}).add_input_specs(AddSpec(b, type, v1::Spec::PER_TENSOR_AFFINE));
  b.Shape("op", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8}).set_spec(1);
  b.Output("op");
  return b;
}

// The same with other types in front and behind, symmetric.
GraphBuilder Moved(v1::DataType from, v1::DataType to, const std::string& op = "aten.flatten.using_ints") {
  GraphBuilder b = Around(op, from);
  b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
  b.Value("op").set_spec(AddSpec(b, to, v1::Spec::PER_TENSOR_SYMMETRIC));
  return b;
}

// A quantized tensor and another of that type, which is not annotated, added up.
GraphBuilder SumWith(v1::DataType type) {
  GraphBuilder b = Around("aten.relu.default", v1::DATA_TYPE_INT8);
  b.Find("op").set_name("relu");
  b.Input("n", type, {8});
  b.Node("aten.add.Tensor", "op", {"op", "n"}, {"sum"}).add_input_specs(1);
  b.Shape("sum", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
  b.Output("sum");
  return b;
}

void Quantize(GraphBuilder& b, const std::string& value) { b.Value(value).set_spec(1); }

// Scale 0.1 in front, `scale` behind.
void Calibrate(GraphBuilder& b, double scale) {
  b.graph.set_stage(v1::STAGE_CALIBRATED);
  v1::Spec behind = b.graph.specs(0);
  behind.mutable_qparams()->add_scales(scale);
  behind.mutable_qparams()->add_zero_points(0);
  *b.graph.add_specs() = behind;
  b.Value("op").set_spec(b.graph.specs_size());
  b.graph.mutable_specs(0)->mutable_qparams()->add_scales(0.1);
  b.graph.mutable_specs(0)->mutable_qparams()->add_zero_points(0);
}

// The node reads as floats what another one reads quantized.
void ReadBesideQuantized(GraphBuilder& b) {
  b.Find("op").clear_input_specs();
  b.Node("aten.relu.default", "other", {"x"}, {"other"}).add_input_specs(1);
  b.Shape("other", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
  b.Output("other");
}

// A conv with known scales on all sides: 0.1, 0.01 per channel of the weight, and `scale` behind its relu.
void CalibrateConv(GraphBuilder& b, double scale) {
  Calibrate(b, scale);
  b.Value("relu").set_spec(b.Value("op").spec());
  b.Value("op").set_spec(0);
  for (int channel = 0; channel < 4; ++channel) {
    b.graph.mutable_specs(1)->mutable_qparams()->add_scales(0.01);
    b.graph.mutable_specs(1)->mutable_qparams()->add_zero_points(0);
  }
  b.graph.mutable_specs(1)->mutable_qparams()->add_axes(0);
}

// A second layer of the same parameters, whose input has `scale` where that of the first has 0.1.
void SecondLayer(GraphBuilder& b, double scale) {
  CalibrateConv(b, scale);
  b.Find("op").set_name("first");
  v1::Node& node = b.Node("aten.linear.default", "op", {"relu", "w", "b"}, {"op2"});
  node.add_input_specs(b.Value("relu").spec());
  node.add_input_specs(2);
  b.graph.mutable_values(b.Id("w") - 1)->mutable_dims()->Set(1, 4);
  b.Shape("x", v1::DATA_TYPE_FLOAT32, {2, 4});
  b.Shape("op2", v1::DATA_TYPE_FLOAT32, {2, 4}).set_spec(b.Value("relu").spec());
  b.Output("op2");
}

// A reader of the bias (and of the weight, if it is a layer) in float, behind `between` if that is given.
void ReadInFloat(GraphBuilder& b, const std::string& op, const std::string& between = "") {
  Quantize(b, "relu");
  if (!between.empty()) {
    b.Node(between, "between", {"relu"}, {"between"});
    b.Shape("between", v1::DATA_TYPE_FLOAT32, {2, 4});
  }
  const std::string x = between.empty() ? "relu" : "between";
  const bool is_layer = op == "aten.linear.default";
  if (is_layer) b.Weight("w2", v1::DATA_TYPE_FLOAT32, {4, 4}, -1);
  b.Node(op, "reader", is_layer ? std::vector<std::string>{x, "w2", "b"} : std::vector<std::string>{x, "b"},
         {"reader"});
  b.Shape("reader", v1::DATA_TYPE_FLOAT32, {2, 4});
  b.Output("reader");
}

// The bias becomes a part of a longer parameter.
void ComputeBias(GraphBuilder& b) {
  b.Weight("parameter", v1::DATA_TYPE_FLOAT32, {8}, -1);
  b.Node("aten.slice.Tensor", "slice", {"parameter"}, {"slice"});
  b.Shape("slice", v1::DATA_TYPE_FLOAT32, {4});
  for (int i = b.graph.nodes_size() - 1; i > 0; --i) b.graph.mutable_nodes()->SwapElements(i, i - 1);
  b.Find("op").set_inputs(2, b.Id("slice"));
}

// A second convolution of the same filter, of `rank` - 2 dimensions.
GraphBuilder TwoConvolutions(int rank, bool same_filter, const std::string& between = "aten.relu.default") {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  const std::string op = absl::StrCat("aten.conv", rank - 2, "d.default");
  std::vector<int64_t> image = {1, 4, 8, 8}, filter = {4, 4, 1, 1};
  image.resize(rank, 8);
  filter.resize(rank, 1);
  b.Input("x", v1::DATA_TYPE_FLOAT32, image);
  b.Weight("w", v1::DATA_TYPE_FLOAT32, filter, -1);
  b.Weight("v", v1::DATA_TYPE_FLOAT32, filter, -1);
  b.Node(op, "first", {"x", "w"}, {"first"});
  b.Node(between, "between", {"first"}, {"between"});
  b.Node(op, "op", {"between", same_filter ? "w" : "v"}, {"op"});
  for (const char* value : {"first", "between", "op"}) b.Shape(value, v1::DATA_TYPE_FLOAT32, image);
  b.Output("op");
  return b;
}

// softmax(`between`(`op`(x, w))) along `axis`, of floats.
GraphBuilder Softmax(int axis, const std::string& between, const std::string& op = "aten.conv2d.default") {
  const std::vector<int64_t> image = {1, 4, 8, 8};
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, image);
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {4, 4, 1, 1}, -1);
  b.Node(op, "first", {"x", "w"}, {"first"});
  b.Node(between, "between", {"first"}, {"between"});
  b.Int(b.Node("aten.softmax.int", "op", {"between"}, {"op"}), "dim", axis);
  for (const char* value : {"first", "between", "op"}) b.Shape(value, v1::DATA_TYPE_FLOAT32, image);
  b.Output("op");
  return b;
}

// A quantized tensor less what the CPU computes of it.
GraphBuilder LessItsMean(const std::string& mean, const std::vector<int64_t>& shape) {
  GraphBuilder b = Around("aten.sub.Tensor", v1::DATA_TYPE_INT8);
  b.graph.clear_nodes();
  b.Node(mean, "mean", {"x"}, {"mean"});
  b.Shape("mean", v1::DATA_TYPE_FLOAT32, shape);
  v1::Node& sub = b.Node("aten.sub.Tensor", "op", {"x", "mean"}, {"op"});
  for (int i = 0; i < 2; ++i) sub.add_input_specs(1);
  return b;
}

// Two readers of what a layer puts out, quantized, that the quantizer left alone.
void ReadTwice(GraphBuilder& b, const std::string& one, const std::string& other) {
  Quantize(b, "relu");
  b.Find("op").set_name("layer");
  b.graph.clear_outputs();
  const v1::Value relu = b.Value("relu");
  for (const auto& [op, name] : {std::pair(one, "op"), std::pair(other, "other")}) {
    b.Node(op, name, {"relu"}, {std::string("read_by_") + name});
    b.Shape(std::string("read_by_") + name, v1::DATA_TYPE_FLOAT32, {relu.dims().begin(), relu.dims().end()});
    b.Output(std::string("read_by_") + name);
  }
}

// The weight has another reader, beside a layer or not.
void ReadWeightToo(GraphBuilder& b, const std::string& op, bool quantized) {
  v1::Node& node = quantized ? b.Node(op, "other", {"x", "w"}, {"other"}) : b.Node(op, "other", {"w"}, {"other"});
  b.Shape("other", v1::DATA_TYPE_FLOAT32, quantized ? std::vector<int64_t>{2, 4} : std::vector<int64_t>{4, 8});
  b.Output("other");
  for (int spec = 1; quantized && spec <= 2; ++spec) node.add_input_specs(spec);
}

// The layer once more, of x, which TorchInductor computes once, or of another input.
void CallAgain(GraphBuilder& b, const std::string& input) {
  if (input != "x") b.Input(input, v1::DATA_TYPE_FLOAT32, {2, 8});
  v1::Node& node = b.Node("aten.linear.default", "again", {input, "w", "b"}, {"again"});
  b.Shape("again", v1::DATA_TYPE_FLOAT32, {2, 4});
  b.Output("again");
  for (int spec : b.Find("op").input_specs()) node.add_input_specs(spec);
}

// `op`, of which the quantizer says nothing, from what is written quantized to what a layer reads quantized.
void ReadBehind(GraphBuilder& b, const std::string& op) {
  Quantize(b, "relu");
  b.Find("op").set_name("layer");
  b.Node(op, "op", {"relu"}, {"between"});
  b.Shape("between", v1::DATA_TYPE_FLOAT32, {2, 4});
  b.Weight("w2", v1::DATA_TYPE_FLOAT32, {4, 4}, -1);
  v1::Node& node = b.Node("aten.linear.default", "last", {"between", "w2"}, {"last"});
  for (int spec = 1; spec <= 2; ++spec) node.add_input_specs(spec);
  b.Shape("last", v1::DATA_TYPE_FLOAT32, {2, 4});
  b.Output("last");
}

// The layer states its weight alone; what is in front is written quantized, and read so what is behind.
void PutBetweenOthers(GraphBuilder& b) {
  b.Node("aten.relu.default", "front", {"x"}, {"front"});
  b.Shape("front", v1::DATA_TYPE_FLOAT32, {1, 3, 8, 8}).set_spec(1);
  for (int i = b.graph.nodes_size() - 1; i > 0; --i) b.graph.mutable_nodes()->SwapElements(i, i - 1);
  b.Find("op").set_inputs(0, b.Id("front"));
  b.Find("op").set_input_specs(0, 0);
  b.Node("aten.sigmoid.default", "behind", {"relu"}, {"behind"}).add_input_specs(1);
  b.Shape("behind", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8}).set_spec(1);
  b.graph.clear_outputs();
  b.Output("behind");
}

struct Case {
  const char* name;
  const char* target;
  std::function<GraphBuilder()> graph;
  std::function<void(GraphBuilder&)> change;
  const char* code;  // that must be there; with "-", that must not; "": no finding but remarks
  v1::Finding::Effect effect = v1::Finding::FALLBACK;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kInt32 = v1::DATA_TYPE_INT32;

std::vector<Case> Cases() {
  const auto int8_conv = [] { return Conv(kInt8); };
  const auto uint8_conv = [] { return Conv(kUint8); };
  const auto int8_linear = [] { return Linear(kInt8); };
  const auto uint8_linear = [] { return Linear(kUint8); };
  const auto nothing = [](GraphBuilder&) {};
  const auto relu = [](GraphBuilder& b) { Quantize(b, "relu"); };
  const auto dynamic = [](GraphBuilder& b) { b.graph.mutable_specs(0)->set_is_dynamic(true); };
  const v1::Finding::Effect refused = v1::Finding::REFUSED;
  const v1::Finding::Effect wrong = v1::Finding::WRONG_NUMBERS;
  return {
      // qnn_lpai: no row has a 32-bit bias, whatever else is right.
      {"LpaiWideBias", "qnn_lpai/SM8850", uint8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "op");
         b.Find("op").add_input_specs(AddSpec(b, v1::DATA_TYPE_INT32, v1::Spec::PER_TENSOR_SYMMETRIC));
       },
       "DT101", refused},
      {"LpaiByteBias", "qnn_lpai/SM8850", uint8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "op");
         b.Find("op").add_input_specs(AddSpec(b, kInt8, v1::Spec::PER_TENSOR_SYMMETRIC));
       },
       "-DT101"},
      {"LpaiRank", "qnn_lpai/SM8850", [] { return Around("aten.relu.default", kUint8); },
       [](GraphBuilder& b) {
         b.Shape("x", v1::DATA_TYPE_FLOAT32, {1, 1, 4, 8, 8});
         b.Shape("op", v1::DATA_TYPE_FLOAT32, {1, 1, 4, 8, 8});
       },
       "GS103"},
      {"LpaiRankOfFour", "qnn_lpai/SM8850", [] { return Around("aten.relu.default", kUint8); }, nothing, ""},
      {"LpaiHasNoFloor", "qnn_lpai/SM8850", [] { return Around("aten.floor.default", kUint8); }, nothing, "CV101"},

      // xnnpack.
      {"XnnStaticConv", "xnnpack", int8_conv, relu, ""},
      {"XnnStaticConvWithoutOutput", "xnnpack", int8_conv, nothing, "QS105"},
      {"XnnConvIntoFarSmallerScale", "xnnpack", int8_conv, [](GraphBuilder& b) { CalibrateConv(b, 3.9e-6); }, "NR105",
       v1::Finding::REFUSED},
      {"XnnConvIntoSmallerScale", "xnnpack", int8_conv, [](GraphBuilder& b) { CalibrateConv(b, 4e-6); }, ""},
      {"XnnDynamicConv", "xnnpack", int8_conv, dynamic, ""},
      // What convert_pt2e puts in front and behind, whatever the layer itself states.
      {"XnnConvBetweenOthers", "xnnpack", int8_conv, PutBetweenOthers, "-QS105"},
      {"XnnConvBehindFloats", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         PutBetweenOthers(b);
         b.Value("front").clear_spec();
       },
       "DT101"},
      {"XnnDynamicPerTensorWeight", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_is_dynamic(true);
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(1)->clear_axis();
       },
       "QS103"},
      {"XnnDynamicLinear", "xnnpack", int8_linear, dynamic, ""},
      {"XnnUnsignedActivation", "xnnpack", uint8_conv, relu, "DT104", wrong},
      {"XnnWeightAxis", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.graph.mutable_specs(1)->set_axis(1);
       },
       "AX101", refused},
      {"XnnAffineWeight", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_CHANNEL_AFFINE);
       },
       "QS101", refused},
      {"XnnQuantizedBias", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Find("op").add_input_specs(AddSpec(b, v1::DATA_TYPE_INT32, v1::Spec::PER_TENSOR_SYMMETRIC));
       },
       "DT101"},
      {"XnnWeightFromAnInput", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Value("w").clear_constant();
         b.graph.add_inputs(b.Id("w"));
       },
       "GS106"},
      {"XnnTransposedAxis", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Find("op").set_op(b.Symbol("aten.conv_transpose2d.input"));
       },
       "AX101"},
      {"XnnTransposedGroups", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Find("op").set_op(b.Symbol("aten.conv_transpose2d.input"));
         b.graph.mutable_specs(1)->set_axis(1);
         b.Int(b.Find("op"), "groups", 2);
       },
       "GS107"},
      {"XnnSigmoidInFloat", "xnnpack", [] { return Around("aten.sigmoid.default", kInt8); }, nothing, "CV205"},
      {"XnnSigmoidOfFloat", "xnnpack", [] { return Around("aten.sigmoid.default", kInt8); },
       [](GraphBuilder& b) { b.Value("op").clear_spec(); }, ""},
      {"XnnFlattenShares", "xnnpack", [] { return Around("aten.flatten.using_ints", kInt8); },
       [](GraphBuilder& b) { Calibrate(b, 0.1); }, ""},
      {"XnnFlattenDoesNotShare", "xnnpack", [] { return Around("aten.flatten.using_ints", kInt8); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, "SH102", refused},
      {"XnnFlattenOfFloats", "xnnpack", [] { return Around("aten.flatten.using_ints", kInt8); },
       [](GraphBuilder& b) {
         Calibrate(b, 0.05);
         ReadBesideQuantized(b);
       },
       ""},
      {"XnnReluNeedNotShare", "xnnpack", [] { return Around("aten.relu.default", kInt8); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, ""},
      {"XnnWideIntoWide", "xnnpack", [] { return Moved(kInt32, kInt32); }, [](GraphBuilder& b) { Calibrate(b, 0.1); },
       ""},
      {"XnnWideIntoOtherScale", "xnnpack", [] { return Moved(kInt32, kInt32); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, "SH102", wrong},
      {"XnnNarrowIntoWide", "xnnpack", [] { return Moved(kInt8, kInt32); }, nothing, "DT601", refused},
      {"XnnWideIntoNarrow", "xnnpack", [] { return Moved(kInt32, kInt8); }, nothing, "DT601", refused},
      {"XnnNarrowIntoNarrow", "xnnpack", [] { return Moved(kInt8, kInt8); }, nothing, "-DT601"},
      {"XnnWideIntoFloats", "xnnpack", [] { return Moved(kInt32, kInt32); },
       [](GraphBuilder& b) { b.Value("op").clear_spec(); }, ""},
      {"XnnAffineWide", "xnnpack", [] { return Around("aten.flatten.using_ints", kInt32); }, nothing, "NR601", refused},
      {"XnnSymmetricWide", "xnnpack", [] { return Moved(kInt32, kInt32); }, nothing, "-NR601"},
      {"XnnWideSliceOfOtherType", "xnnpack", [] { return Moved(kInt8, kInt32, "aten.slice.Tensor"); }, nothing,
       "DT601"},
      {"XnnWideSliceOfOtherScale", "xnnpack", [] { return Moved(kInt32, kInt32, "aten.slice.Tensor"); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, "SH102"},
      {"XnnWideRelu", "xnnpack", [] { return Moved(kInt32, kInt32, "aten.relu.default"); }, nothing, "DT601", refused},
      {"XnnWideSigmoid", "xnnpack", [] { return Moved(kInt32, kInt32, "aten.sigmoid.default"); }, nothing, "-DT601"},
      {"XnnOneBiasForTwoLayers", "xnnpack", int8_linear, [](GraphBuilder& b) { SecondLayer(b, 0.2); }, "FX601", wrong},
      {"XnnOneBiasForTwoLayersAlike", "xnnpack", int8_linear, [](GraphBuilder& b) { SecondLayer(b, 0.1); }, "-FX601"},
      {"XnnBiasForALayerInFloatToo", "xnnpack", int8_linear,
       [](GraphBuilder& b) { ReadInFloat(b, "aten.linear.default"); }, "FX602", refused},
      {"XnnBiasForASumBehind", "xnnpack", int8_linear, [](GraphBuilder& b) { ReadInFloat(b, "aten.add.Tensor"); },
       "FX602", refused},
      {"XnnBiasForADynamicLayer", "xnnpack", int8_linear,
       [&](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_is_dynamic(true);
         ReadInFloat(b, "aten.linear.default");
         b.Value("relu").clear_spec();
       },
       "-FX602"},
      {"XnnBiasForWhatIsInAnotherDelegate", "xnnpack", int8_linear,
       [](GraphBuilder& b) { ReadInFloat(b, "aten.linear.default", "aten.atan.default"); }, "-FX602"},
      {"XnnBiasForWhatIsNotDelegated", "xnnpack", int8_linear,
       [](GraphBuilder& b) { ReadInFloat(b, "aten.atan2.default"); }, "-FX602"},
      {"XnnBiasFromAnInput", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Value("b").clear_constant();
         b.graph.add_inputs(b.Id("b"));
       },
       "CV204"},
      {"XnnBiasThatIsComputed", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         ComputeBias(b);
       },
       "CV204"},
      {"XnnBiasThatIsComputedInFloat", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         b.Find("op").clear_input_specs();
         ComputeBias(b);
       },
       "CV204"},
      {"XnnBiasThatIsAParameter", "xnnpack", int8_linear, relu, "-CV204"},
      // Not delegated, and computed in float: no fault of the annotation, as it is without a target.
      {"XnnScalesAlongASummedAxis", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.graph.mutable_specs(1)->set_axis(1);
       },
       "-AX011"},
      {"XnnIntegersAddedInPlace", "xnnpack", [] { return SumWith(v1::DATA_TYPE_INT64); },
       [](GraphBuilder& b) { b.Find("op").set_op(b.Symbol("aten.add_.Tensor")); }, "CV204"},
      {"XnnIntegersBesideFloats", "xnnpack", [] { return SumWith(v1::DATA_TYPE_INT64); }, [](GraphBuilder&) {},
       "CV204"},
      {"XnnIntegersBesideFloatsAreNotRefused", "xnnpack", [] { return SumWith(v1::DATA_TYPE_INT64); },
       [](GraphBuilder&) {}, "-DT104"},
      {"XnnBooleansBesideFloats", "xnnpack", [] { return SumWith(v1::DATA_TYPE_BOOL); }, [](GraphBuilder&) {}, "CV204"},
      {"XnnFloatsBesideFloats", "xnnpack", [] { return SumWith(v1::DATA_TYPE_FLOAT32); }, [](GraphBuilder&) {}, ""},
      {"XnnHardtanhWithoutMaximum", "xnnpack", [] { return Around("aten.hardtanh.default", kInt8); },
       [](GraphBuilder& b) { b.Int(b.Find("op"), "min_val", 0); }, "CV604", refused},
      {"XnnHardtanhBehindALayer", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Find("op").set_name("layer");
         b.Find("relu").set_name("op");
         b.Find("op").set_op(b.Symbol("aten.hardtanh.default"));
         b.Int(b.Find("op"), "min_val", 0);
       },
       "CV604", refused},
      {"XnnHardtanh", "xnnpack", [] { return Around("aten.hardtanh.default", kInt8); }, nothing, "-CV604"},
      {"XnnHardtanhWithMaximum", "xnnpack", [] { return Around("aten.hardtanh.default", kInt8); },
       [](GraphBuilder& b) {
         b.Int(b.Find("op"), "min_val", 0);
         b.Int(b.Find("op"), "max_val", 6);
       },
       "-CV604"},
      {"XnnOneFilterForTwoConv1d", "xnnpack", [] { return TwoConvolutions(3, true); }, nothing, "GS604", refused},
      {"XnnConvolutionsOverVolumes", "xnnpack", [] { return TwoConvolutions(5, false); }, nothing, "CV605", refused},
      {"XnnConvolutionsOverPlanes", "xnnpack", [] { return TwoConvolutions(4, false); }, nothing, "-CV605"},
      {"XnnTwoFiltersForTwoConv1d", "xnnpack", [] { return TwoConvolutions(3, false); }, nothing, "-GS604"},
      {"XnnOneFilterForTwoConv2d", "xnnpack", [] { return TwoConvolutions(4, true); }, nothing, "-GS604"},
      {"XnnOneFilterInTwoDelegates", "xnnpack", [] { return TwoConvolutions(3, true, "aten.atan.default"); }, nothing,
       "-GS604"},
      {"XnnSoftmaxOfChannelsLast", "xnnpack", [] { return Softmax(-1, "aten.sigmoid.default"); }, nothing, "GS605",
       wrong},
      {"XnnSoftmaxOfAPool", "xnnpack", [] { return Softmax(3, "aten.max_pool2d.default", "aten.add.Tensor"); }, nothing,
       "GS605", wrong},
      {"XnnSoftmaxOfWhatIsViewed", "xnnpack", [] { return Softmax(-1, "aten.view.default"); }, nothing, "-GS605"},
      {"XnnSoftmaxBehindTheCpu", "xnnpack", [] { return Softmax(-1, "aten.atan.default"); }, nothing, "-GS605"},
      {"XnnSoftmaxOfTheModelsInput", "xnnpack", [] { return Softmax(-1, "aten.sigmoid.default", "aten.add.Tensor"); },
       nothing, "-GS605"},
      {"XnnSoftmaxOnTheCpu", "xnnpack", [] { return Softmax(1, "aten.sigmoid.default"); }, nothing, "-GS605"},
      {"XnnMeanWithoutDimensions", "xnnpack", [] { return LessItsMean("aten.mean.default", {}); }, nothing, "GS607",
       refused},
      {"XnnMeanWithDimensions", "xnnpack",
       [] {
         return LessItsMean("aten.mean.default", {1, 1, 1, 1});
       },
       nothing, "-GS607"},
      {"XnnMeanInFloat", "xnnpack", [] { return LessItsMean("aten.mean.default", {}); },
       [](GraphBuilder& b) { b.Find("op").set_input_specs(1, 0); }, "-GS607"},
      {"XnnDequantizeForTheCpuToo", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.sigmoid.default", "aten.atan.default"); }, "GS606", refused},
      {"XnnDequantizeForTheCpuTooOfACube", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         for (const char* value : {"op", "relu"}) b.Shape(value, v1::DATA_TYPE_FLOAT32, {1, 4, 4, 4});
         ReadTwice(b, "aten.sigmoid.default", "aten.atan.default");
       },
       "GS606", wrong},
      {"XnnDequantizeForAViewToo", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.sigmoid.default", "aten.view.default"); }, "GS606", refused},
      {"XnnDequantizeForAViewAndTheCpu", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.view.default", "aten.atan.default"); }, "GS606", refused},
      {"XnnDequantizeForPartsOfOne", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.mish.default", "aten.atan.default"); }, "GS606", refused},
      {"XnnDequantizeForAViewFirst", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.view.default", "aten.sigmoid.default"); }, "-GS606"},
      {"XnnDequantizeInTheDelegate", "xnnpack", int8_conv,
       [](GraphBuilder& b) { ReadTwice(b, "aten.sigmoid.default", "aten.tanh.default"); }, "-GS606"},
      {"XnnDequantizeForEach", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         ReadTwice(b, "aten.sigmoid.default", "aten.atan.default");
         b.Find("other").add_input_specs(1);
       },
       "-GS606"},
      {"XnnDequantizeOfALinearLayer", "xnnpack", int8_linear,
       [](GraphBuilder& b) { ReadTwice(b, "aten.sigmoid.default", "aten.atan.default"); }, "-GS606"},
      {"XnnBatchNormIsFolded", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.Node("aten.batch_norm.default", "norm", {"op"}, {"norm"});
         b.Shape("norm", v1::DATA_TYPE_FLOAT32, {1, 4, 8, 8});
         b.Find("relu").set_inputs(0, b.Id("norm"));
       },
       ""},
      {"XnnFourBitConv", "xnnpack", int8_conv,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.graph.mutable_specs(1)->set_quant_min(-8);
         b.graph.mutable_specs(1)->set_quant_max(7);
       },
       "QS103", refused},
      {"XnnFourBitLinear", "xnnpack", int8_linear,
       [](GraphBuilder& b) {
         Quantize(b, "relu");
         b.graph.mutable_specs(1)->set_quant_min(-8);
         b.graph.mutable_specs(1)->set_quant_max(7);
       },
       ""},
      {"XnnTopK", "xnnpack", [] { return Around("aten.topk.default", kInt8); },
       [](GraphBuilder& b) { b.Value("op").clear_spec(); }, "CV204"},

      // x86_inductor.
      {"X86Conv", "x86_inductor/avx512_vnni", uint8_conv, nothing, ""},
      {"X86EightBitsWithoutVnni", "x86_inductor/avx2", uint8_conv, nothing, "NR201", wrong},
      {"X86SevenBitsWithoutVnni", "x86_inductor/avx2", uint8_conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_quant_min(0);
         b.graph.mutable_specs(0)->set_quant_max(127);
       },
       ""},
      {"X86EightBitsInFloat", "x86_inductor/avx2", uint8_conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(1)->clear_axis();
       },
       "-NR201"},
      {"X86PerTensorWeight", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(1)->clear_axis();
       },
       "QS103"},
      {"X86DynamicLinear", "x86_inductor/avx512_vnni", uint8_linear, dynamic, ""},
      {"X86DynamicConv", "x86_inductor/avx512_vnni", uint8_conv, dynamic, "QS105"},
      {"X86WeightOnly", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) { b.Find("op").set_input_specs(0, 0); }, "DT101"},
      {"X86Bf16", "x86_inductor/amx", uint8_linear,
       [](GraphBuilder& b) {
         b.Value("op").set_dtype(v1::DATA_TYPE_BFLOAT16);
         b.Value("b").set_dtype(v1::DATA_TYPE_BFLOAT16);
       },
       ""},
      {"X86WeightOfTwoLayers", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) { ReadWeightToo(b, "aten.linear.default", true); }, "CV204"},
      {"X86LayerCalledTwice", "x86_inductor/avx512_vnni", uint8_linear, [](GraphBuilder& b) { CallAgain(b, "x"); },
       "-CV204"},
      {"X86LayerCalledOnTwoTensors", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) { CallAgain(b, "y"); }, "CV204"},
      {"X86LayerCalledTwiceAndReadInAnotherType", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) {
         CallAgain(b, "x");
         b.Find("again").set_input_specs(0, 2);
       },
       "CV204"},
      {"X86WeightOfALayerAndInFloat", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) { ReadWeightToo(b, "aten.relu.default", false); }, "-CV204"},
      {"X86SigmoidBetween", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) { ReadBehind(b, "aten.sigmoid.default"); }, "CV204"},
      {"X86SigmoidOfFloats", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) {
         ReadBehind(b, "aten.sigmoid.default");
         b.Value("relu").clear_spec();
       },
       "-CV204"},
      {"X86MaxPoolShares", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); },
       [](GraphBuilder& b) { Calibrate(b, 0.1); }, ""},
      {"X86MaxPoolDoesNotShare", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, "SH102", wrong},
      {"X86MaxPoolOfFloats", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); },
       [](GraphBuilder& b) {
         Calibrate(b, 0.05);
         ReadBesideQuantized(b);
       },
       ""},
      {"X86DynamicMaxPool", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); }, dynamic,
       "CV204"},
      {"X86MaxPoolOfSigned", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kInt8); }, nothing,
       "DT101", refused},
      {"X86LargeMaxPool", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); },
       [](GraphBuilder& b) { b.Int(b.Find("op"), "kernel_size", 6); }, "CV204"},
      {"X86MaxPoolWithoutSizes", "x86_inductor/amx", [] { return Around("aten.max_pool2d.default", kUint8); },
       [](GraphBuilder& b) {
         v1::Attribute& window = *b.Find("op").add_attributes();
         window.set_name(b.Symbol("kernel_size"));
         window.mutable_ints();
       },
       ""},
      {"X86SignedConv", "x86_inductor/avx512_vnni", int8_conv, nothing, "DT101", refused},
      {"X86SignedLinear", "x86_inductor/avx512_vnni", int8_linear, nothing, ""},
      {"X86SignedConvOfFloatWeight", "x86_inductor/avx512_vnni", int8_conv,
       [](GraphBuilder& b) { b.Find("op").set_input_specs(1, 0); }, "DT101"},
      {"X86FourBitConv", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(1)->set_quant_min(-8);
         b.graph.mutable_specs(1)->set_quant_max(7);
       },
       ""},
      {"X86AsymmetricWeight", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) {
         CalibrateConv(b, 0.1);
         b.graph.mutable_specs(1)->mutable_qparams()->set_zero_points(0, 3);
       },
       "QS101", wrong},
      {"X86SymmetricWeight", "x86_inductor/avx512_vnni", uint8_conv, [](GraphBuilder& b) { CalibrateConv(b, 0.1); },
       ""},
      {"X86WeightAlongInputs", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) { b.graph.mutable_specs(1)->set_axis(1); }, "AX101", wrong},
      {"X86Transposed", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) { b.Find("op").set_op(b.Symbol("aten.conv_transpose2d.input")); }, "GS107", refused},
      {"X86TransposedInFloat", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) {
         b.Find("op").set_op(b.Symbol("aten.conv_transpose2d.input"));
         b.graph.mutable_specs(1)->set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
         b.graph.mutable_specs(1)->clear_axis();
       },
       "QS103"},
      {"X86ConvWithoutABatch", "x86_inductor/avx512_vnni", uint8_conv,
       [](GraphBuilder& b) {
         for (const char* image : {"x", "op", "relu"})
           b.Value(image).mutable_dims()->erase(b.Value(image).dims().begin());
       },
       "CV204"},
      {"X86SharedWeight", "x86_inductor/avx512_vnni", uint8_linear, [](GraphBuilder& b) { SecondLayer(b, 0.1); },
       "CV204"},
      {"X86OneRow", "x86_inductor/avx512_vnni", uint8_linear,
       [](GraphBuilder& b) {
         b.Shape("x", v1::DATA_TYPE_FLOAT32, {1, 8});
       },
       "CV204"},
      {"X86Relu", "x86_inductor/amx", [] { return Around("aten.relu.default", kUint8); }, nothing, "CV204"},
      {"X86ReluIntoFloat", "x86_inductor/amx", [] { return Around("aten.relu.default", kUint8); },
       [](GraphBuilder& b) { b.Value("op").clear_spec(); }, ""},
      {"X86AveragePool", "x86_inductor/amx", [] { return Around("aten.avg_pool2d.default", kUint8); }, nothing,
       "CV204"},
      {"X86ViewOfOthers", "x86_inductor/amx", [] { return Around("aten.view.default", kUint8); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, ""},
      {"X86FlattenDoesNotShare", "x86_inductor/amx", [] { return Around("aten.flatten.using_ints", kUint8); },
       [](GraphBuilder& b) { Calibrate(b, 0.05); }, "SH102"},
  };
}

class TableModules : public ::testing::TestWithParam<Case> {};

// Nothing is accepted that was not looked at.
TEST(GraphsWithoutNodes, AreUnknownOnAnyTarget) {
  testing::GraphBuilder b(v1::Graph::ONNX, v1::STAGE_CONVERTED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 4});
  b.Output("x");
  for (const char* target : {"qnn_htp/SM8650", "onnxruntime/cpu"}) {
    const v1::Result result = testing::Ask(b.graph, target).value();
    EXPECT_EQ(result.verdict(), v1::Result::UNKNOWN) << target;
    EXPECT_EQ(result.outcome().kind(), v1::Outcome::UNKNOWN) << target;
  }
}

TEST_P(TableModules, SaysWhatItMust) {
  const Case& c = GetParam();
  GraphBuilder b = c.graph();
  c.change(b);
  const absl::StatusOr<v1::Result> result = Ask(b.graph, c.target);
  ASSERT_TRUE(result.ok()) << result.status();
  const v1::Finding* found = nullptr;
  const std::string wanted = c.code[0] == '-' ? c.code + 1 : c.code;
  std::string all;
  for (const v1::Finding& finding : result->findings()) {
    all += finding.code() + " " + finding.message() + "\n";
    if (finding.severity() == v1::Finding::INFO || finding.code().substr(0, 4) == "SH00") continue;
    if (finding.location().node() != "op") continue;
    if (wanted.empty() || finding.code() == wanted) found = found == nullptr ? &finding : found;
  }
  if (wanted.empty() || c.code[0] == '-') {
    EXPECT_EQ(found, nullptr) << all;
    return;
  }
  ASSERT_NE(found, nullptr) << all;
  EXPECT_EQ(found->effect(), c.effect) << all;
  EXPECT_FALSE(found->source().row().empty() && found->code().substr(0, 2) != "CV") << all;
}

INSTANTIATE_TEST_SUITE_P(All, TableModules, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST(TableModules, AreLoadedByName) {
  ModuleRegistry modules(RealTables());
  RegisterBuiltinModules(modules);
  ASSERT_TRUE(Ask(Conv(kInt8).graph, "xnnpack", modules).ok());
  EXPECT_TRUE(modules.IsLoaded("xnnpack"));
  for (const char* other : {"qnn_htp", "qnn_lpai", "x86_inductor"}) EXPECT_FALSE(modules.IsLoaded(other)) << other;
}

TEST(TableModules, TargetNames) {
  const v1::Graph graph = Conv(kUint8).graph;
  EXPECT_EQ(Ask(graph, "xnnpack")->target(), "xnnpack@1.5.1");
  EXPECT_EQ(Ask(graph, "x86_inductor/AVX512_VNNI")->target(), "x86_inductor/avx512_vnni@2.13.0");
  EXPECT_EQ(Ask(graph, "qnn_lpai/sm8850")->target(), "qnn_lpai/SM8850@2.25.0");
  EXPECT_EQ(Ask(graph, "qnn_lpai/V6@2.30")->target(), "qnn_lpai/V6@2.30");
  for (const char* unknown : {"xnnpack/SM8650", "x86_inductor/neon", "qnn_lpai/SM8650", "qnn_lpai/V7"}) {
    EXPECT_TRUE(absl::IsNotFound(Ask(graph, unknown).status())) << unknown;
  }
  EXPECT_THAT(Ask(graph, "qnn_lpai/SM8650").status().message(), HasSubstr("SM8850"));
  for (const char* incomplete : {"qnn_lpai", "x86_inductor"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Ask(graph, incomplete).status())) << incomplete;
  }
}

// Whatever is refused stays with the portable kernels, which nobody needs an accelerator for.
TEST(TableModules, RefusedNodesRunElsewhere) {
  const absl::StatusOr<v1::Result> result = Ask(Conv(kInt8).graph, "xnnpack");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->verdict(), v1::Result::ACCEPTED_WITH_WARNINGS);
  EXPECT_EQ(result->outcome().kind(), v1::Outcome::PARTIAL);
}

// What is left of the quantized layer was seen to load and to be right, or not.
TEST(Xnnpack, WhatComesOfAComputedBiasIsNotKnown) {
  const auto is_noted = [](bool computed, bool quantized) {
    GraphBuilder b = Linear(kInt8);
    if (quantized) {
      Quantize(b, "relu");
    } else {
      b.Find("op").clear_input_specs();
    }
    if (computed) ComputeBias(b);
    const v1::Result result = Ask(b.graph, "xnnpack").value();
    return absl::c_any_of(result.not_checked(), [](const v1::NotChecked& left) {
      return left.node() == "op" && absl::StrContains(left.reason(), "bias");
    });
  };
  EXPECT_TRUE(is_noted(true, true));
  EXPECT_FALSE(is_noted(true, false));
  EXPECT_FALSE(is_noted(false, true));
}

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

// One operator of floats. Its inputs have one shape, and so has its output, where it has no other.
struct Single {
  const char* op;
  std::vector<int64_t> shape;
  std::vector<std::string> inputs = {"x"};
  std::vector<int64_t> weight = {};  // empty: none
  std::function<void(GraphBuilder&)> change = [](GraphBuilder&) {};
};

v1::Outcome::Kind OnXnnpack(const Single& single) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  std::vector<std::string> inputs = single.inputs;
  for (const std::string& input : std::set<std::string>(inputs.begin(), inputs.end())) {
    b.Input(input, kFloat, single.shape);
  }
  if (!single.weight.empty()) {
    b.Weight("w", kFloat, single.weight, -1);
    inputs.push_back("w");
  }
  b.Node(single.op, "op", inputs, {"op"});
  b.Shape("op", kFloat, single.shape);
  b.Output("op");
  single.change(b);
  const absl::StatusOr<v1::Result> result = Ask(b.graph, "xnnpack");
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->outcome().kind() : v1::Outcome::KIND_UNSPECIFIED;
}

// Lowered with ExecuTorch 1.5.1, as all that follows: its partitioner goes by the operators of the edge dialect.
TEST(Xnnpack, AnOverloadIsWhatItBecomesAtTheEdge) {
  const std::vector<int64_t> image = {1, 4, 8, 8}, volume = {1, 4, 8, 8, 8};
  const std::vector<std::string> three = {"x", "y", "z"}, two = {"x", "y"};
  for (const Single& taken : std::vector<Single>{{"aten.max_pool2d.default", image},
                                                 {"aten.avg_pool2d.default", image},
                                                 {"aten.clamp.default", image},
                                                 {"aten.clamp_min.default", image},
                                                 {"aten.div.Tensor", image, two}}) {
    EXPECT_EQ(OnXnnpack(taken), v1::Outcome::FULL) << taken.op;
  }
  for (const Single& left : std::vector<Single>{{"aten.max_pool2d_with_indices.default", image},
                                                {"aten.max_pool3d.default", volume},
                                                {"aten.avg_pool3d.default", volume},
                                                {"aten.clamp.Tensor", image, three},
                                                {"aten.clamp_min.Tensor", image, two},
                                                {"aten.div.Tensor_mode", image, two}}) {
    EXPECT_EQ(OnXnnpack(left), v1::Outcome::PARTIAL) << left.op;
  }
}

TEST(Xnnpack, WhatRunsChannelsLastEndsTheExportWithoutFourDimensions) {
  for (const char* op : {"aten.max_pool2d.default", "aten.avg_pool2d.default", "aten.prelu.default"}) {
    const std::vector<int64_t> weight =
        absl::StrContains(op, "prelu") ? std::vector<int64_t>{4} : std::vector<int64_t>{};
    EXPECT_EQ(OnXnnpack({op, {1, 4, 8, 8}, {"x"}, weight}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, {4, 8, 8}, {"x"}, weight}), v1::Outcome::FAILS) << op;
  }
  EXPECT_EQ(OnXnnpack({"aten.relu.default", {4, 8, 8}}), v1::Outcome::FULL);
  // Slopes that are computed are taken apart.
  EXPECT_EQ(OnXnnpack({"aten.prelu.default", {1, 4, 8, 8}, {"x", "slopes"}}), v1::Outcome::PARTIAL);
}

TEST(Xnnpack, AConvolutionWithoutABatchStaysOutsideInPart) {
  for (const char* op : {"aten.conv2d.default", "aten.conv_transpose2d.input"}) {
    EXPECT_EQ(OnXnnpack({op, {1, 4, 8, 8}, {"x"}, {4, 4, 1, 1}}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, {4, 8, 8}, {"x"}, {4, 4, 1, 1}}), v1::Outcome::PARTIAL) << op;
  }
  EXPECT_EQ(OnXnnpack({"aten.conv1d.default", {1, 4, 8}, {"x"}, {4, 4, 1}}), v1::Outcome::FULL);
}

// y = relu(x); y[:rows] = z; return y + x, or what was written.
v1::Outcome::Kind Assigned(int64_t rows, bool is_read_later, bool is_lost = false) {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
  b.Input("x", kFloat, {4, 8});
  b.Input("z", kFloat, {rows, 8});
  b.Node("aten.relu.default", "y", {"x"}, {"y"});
  b.Shape("y", kFloat, {4, 8});
  v1::Node& view = b.Node("aten.slice.Tensor", "view", {"y"}, {"view"});
  b.Int(view, "dim", 0);
  b.Int(view, "start", 0);
  b.Int(view, "end", rows);
  if (is_lost) view.add_input_specs(AddSpec(b, v1::DATA_TYPE_INT8, v1::Spec::PER_TENSOR_AFFINE));
  b.Shape("view", kFloat, {rows, 8});
  b.Node("aten.copy_.default", "copy_", {"view", "z"}, {"copy_"});
  b.Shape("copy_", kFloat, {rows, 8});
  if (is_read_later) {
    b.Node("aten.add.Tensor", "sum", {"y", "x"}, {"sum"});
    b.Shape("sum", kFloat, {4, 8});
  }
  b.Output(is_read_later ? "sum" : "copy_");
  const absl::StatusOr<v1::Result> result = Ask(b.graph, "xnnpack");
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->outcome().kind() : v1::Outcome::KIND_UNSPECIFIED;
}

TEST(Xnnpack, AnAssignmentToAPartIsAScatter) {
  EXPECT_EQ(Assigned(/*rows=*/2, /*is_read_later=*/true), v1::Outcome::PARTIAL);
  EXPECT_EQ(Assigned(/*rows=*/2, /*is_read_later=*/false), v1::Outcome::FULL);
  EXPECT_EQ(Assigned(/*rows=*/4, /*is_read_later=*/true), v1::Outcome::FULL);
  EXPECT_EQ(Assigned(/*rows=*/2, /*is_read_later=*/true, /*is_lost=*/true), v1::Outcome::FULL);
}

TEST(Xnnpack, JoinsTwoTensorsOrMore) {
  for (const char* op : {"aten.cat.default", "aten.stack.default"}) {
    EXPECT_EQ(OnXnnpack({op, {4, 8}, {"x", "y"}}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, {4, 8}, {"x"}}), v1::Outcome::PARTIAL) << op;
  }
  // One tensor twice is one, but for what a stack at the end makes of it.
  const auto at = [](int64_t dim) {
    return [dim](GraphBuilder& b) {
      b.Int(b.Find("op"), "dim", dim);
      b.Shape("op", kFloat, {4, 8, 2});
    };
  };
  EXPECT_EQ(OnXnnpack({"aten.cat.default", {4, 8}, {"x", "x"}}), v1::Outcome::PARTIAL);
  EXPECT_EQ(OnXnnpack({"aten.stack.default", {4, 8}, {"x", "x"}, {}, at(-1)}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.stack.default", {4, 8}, {"x", "x"}, {}, at(2)}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.stack.default", {4, 8}, {"x", "x"}, {}, at(1)}), v1::Outcome::PARTIAL);
}

// What is joined for a stack has the reshape between it and the Quantize.
TEST(Xnnpack, AStackJoinsRealNumbers) {
  for (const char* op : {"aten.stack.default", "aten.cat.default"}) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_CALIBRATED);
    b.Input("x", kFloat, {4, 8});
    b.Input("y", kFloat, {4, 8});
    v1::Node& node = b.Node(op, "op", {"x", "y"}, {"op"});
    b.Shape("op", kFloat, {4, 2, 8});
    b.Output("op");
    for (const double scale : {0.1, 0.2}) {
      node.add_input_specs(AddSpec(b, kInt8, v1::Spec::PER_TENSOR_AFFINE));
      v1::QParams& params = *b.graph.mutable_specs(b.graph.specs_size() - 1)->mutable_qparams();
      params.add_scales(scale);
      params.add_zero_points(0);
    }
    b.Value("op").set_spec(1);
    const absl::StatusOr<v1::Result> result = Ask(b.graph, "xnnpack");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->outcome().kind(), absl::StrContains(op, "stack") ? v1::Outcome::FULL : v1::Outcome::FAILS) << op;
  }
}

TEST(Xnnpack, CopiesThatAreTaken) {
  const auto typed = [](v1::DataType type) {
    return [type](GraphBuilder& b) {
      b.Value("x").set_dtype(type);
      b.Value("op").set_dtype(type);
    };
  };
  const auto formatted = [](const char* format) {
    return [format](GraphBuilder& b) {
      v1::Attribute& attribute = *b.Find("op").add_attributes();
      attribute.set_name(b.Symbol("memory_format"));
      attribute.set_s(format);
    };
  };
  const std::vector<int64_t> image = {1, 4, 8, 8};
  for (const char* op : {"aten.clone.default", "aten.contiguous.default"}) {
    EXPECT_EQ(OnXnnpack({op, image}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, image, {"x"}, {}, typed(v1::DATA_TYPE_FLOAT16)}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, image, {"x"}, {}, typed(v1::DATA_TYPE_INT64)}), v1::Outcome::PARTIAL) << op;
    EXPECT_EQ(OnXnnpack({op, image, {"x"}, {}, formatted("torch.contiguous_format")}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, image, {"x"}, {}, formatted("torch.channels_last")}), v1::Outcome::PARTIAL) << op;
  }
  EXPECT_EQ(OnXnnpack({"aten.alias.default", image}), v1::Outcome::PARTIAL);
  EXPECT_EQ(OnXnnpack({"aten.view_as.default", image, {"x", "y"}}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.view_as.default", {-1, 8}, {"x", "y"}}), v1::Outcome::PARTIAL);
}

TEST(Xnnpack, AMaximumAlongOneOfFourDimensionsKeepsIt) {
  const auto maximum = [](const std::vector<int64_t>& shape, int axis, bool keeps, bool indices = false) {
    GraphBuilder b(v1::Graph::PT2E, v1::STAGE_ANNOTATED);
    b.Input("x", kFloat, shape);
    v1::Node& node = b.Node("aten.max.dim", "op", {"x"}, {"op"});
    b.Int(node, "dim", axis);
    b.Int(node, "keepdim", keeps);
    for (const bool second : {false, true}) {
      const std::string name = second ? "indices" : "maxima";
      b.Int(b.Node("operator.getitem", name, {"op"}, {name}), "index", second);
      b.Shape(name, second ? v1::DATA_TYPE_INT64 : kFloat, shape);
      if (!second || indices) b.Output(name);
    }
    return Ask(b.graph, "xnnpack")->outcome().kind();
  };
  EXPECT_EQ(maximum({1, 4, 8, 8}, 2, true), v1::Outcome::FULL);
  EXPECT_EQ(maximum({1, 4, 8, 8}, 2, false), v1::Outcome::FAILS);
  EXPECT_EQ(maximum({1, 4, 8, 8}, 1, true), v1::Outcome::FAILS);
  EXPECT_EQ(maximum({1, 4, 8, 8}, -1, true), v1::Outcome::FAILS);
  // These are not taken, and nothing ends.
  EXPECT_EQ(maximum({1, 4, 8, 8}, 2, false, true), v1::Outcome::PARTIAL);
  EXPECT_EQ(maximum({4, 8, 8}, 2, false), v1::Outcome::PARTIAL);
}

TEST(Xnnpack, ACastToTheTypeThatItHasIsNone) {
  const auto to = [](v1::DataType type) { return [type](GraphBuilder& b) { b.Value("op").set_dtype(type); }; };
  for (const char* op : {"aten.to.dtype", "aten.type_as.default"}) {
    EXPECT_EQ(OnXnnpack({op, {4, 8}, {"x"}, {}, to(kFloat)}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, {4, 8}, {"x"}, {}, to(v1::DATA_TYPE_FLOAT16)}), v1::Outcome::PARTIAL) << op;
  }
}

TEST(Xnnpack, WhatIsTakenApartIsJudgedByItsParts) {
  for (const char* op :
       {"aten.pixel_shuffle.default", "aten.pixel_unshuffle.default", "aten.channel_shuffle.default"}) {
    EXPECT_EQ(OnXnnpack({op, {1, 4, 8, 8}}), v1::Outcome::FULL) << op;
    EXPECT_EQ(OnXnnpack({op, {-1, 4, 8, 8}}), v1::Outcome::PARTIAL) << op;
  }
  const auto with = [](const char* name, int64_t integer, double real = 0) {
    return [=](GraphBuilder& b) {
      v1::Attribute& factor = *b.Find("op").add_attributes();
      factor.set_name(b.Symbol(name));
      real == 0 ? factor.set_i(integer) : factor.set_f(real);
    };
  };
  const std::vector<std::string> three = {"x", "y", "z"};
  EXPECT_EQ(OnXnnpack({"aten.baddbmm.default", {2, 8, 8}, three}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.baddbmm.default", {2, 8, 8}, three, {}, with("alpha", 0, 0.5)}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.baddbmm.default", {2, 8, 8}, three, {}, with("alpha", 2)}), v1::Outcome::PARTIAL);
  // beta = 0, as attention writes it: nothing is added, nor multiplied by an integer.
  EXPECT_EQ(OnXnnpack({"aten.baddbmm.default", {2, 8, 8}, three, {}, with("beta", 0)}), v1::Outcome::FULL);
  EXPECT_EQ(OnXnnpack({"aten.baddbmm.default", {2, 8, 8}, three, {}, with("beta", 2)}), v1::Outcome::PARTIAL);
}

// A real number is a tensor of float32.
TEST(Xnnpack, AScalarAmongHalvesIsConverted) {
  for (const v1::DataType type : {kFloat, v1::DATA_TYPE_FLOAT16}) {
    const v1::Outcome::Kind kind = OnXnnpack({"aten.mul.Tensor", {4, 8}, {"x"}, {}, [type](GraphBuilder& b) {
                                                b.Value("x").set_dtype(type);
                                                b.Value("op").set_dtype(type);
                                                v1::Attribute& other = *b.Find("op").add_attributes();
                                                other.set_name(b.Symbol("other"));
                                                other.set_f(2.5);
                                              }});
    EXPECT_EQ(kind, type == kFloat ? v1::Outcome::FULL : v1::Outcome::PARTIAL);
  }
}

// Whether two readers of a constant come to one delegate is known where nothing is in its way.
TEST(Xnnpack, ConstantsOfWhatMayBeInOneDelegateAreNotChecked) {
  const auto unclear = [](const GraphBuilder& b) {
    const absl::StatusOr<v1::Result> result = Ask(b.graph, "xnnpack");
    return result.ok() && result->outcome().kind() != v1::Outcome::FAILS &&
           std::any_of(result->not_checked().begin(), result->not_checked().end(), [](const v1::NotChecked& missing) {
             return absl::StrContains(missing.reason(), "same bias") ||
                    absl::StrContains(missing.reason(), "same filter");
           });
  };
  for (const char* between : {"aten.relu.default", "aten.atan.default"}) {
    GraphBuilder b = Linear(kInt8);
    ReadInFloat(b, "aten.linear.default", between);
    EXPECT_EQ(unclear(b), std::string(between) == "aten.atan.default") << between;
    EXPECT_EQ(unclear(TwoConvolutions(3, true, between)), std::string(between) == "aten.atan.default") << between;
  }
}

// What is not judged is said.
TEST(TableModules, WhatIsTakenApartIsNotChecked) {
  GraphBuilder b = Around("aten.einsum.default", kInt8);
  const absl::StatusOr<v1::Result> result = Ask(b.graph, "xnnpack");
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->not_checked_size() > 0, true);
  EXPECT_NE(result->verdict(), v1::Result::ACCEPTED);
}

}  // namespace
}  // namespace quantgate
