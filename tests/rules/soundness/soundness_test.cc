// Every target-independent rule: an input that fires it, at the right place, and neighbors that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "rules/check.h"
#include "rules/soundness/rules.h"
#include "tests/rules/effects.h"
#include "tests/rules/empty_tables.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/soundness/case.h"

namespace quantgate {
namespace {

using testing::GraphBuilder;
using testing::SoundConv;
using testing::SoundIntegerConv;
using testing::SoundPackedMatMul;
using Case = testing::SoundnessCase;

v1::Report CheckGraph(const v1::Graph& graph) {
  const testing::EmptyTables tables;
  ModuleRegistry registry(tables);
  v1::Report report;
  const absl::Status status = Check(graph, {}, registry, report);
  EXPECT_TRUE(status.ok()) << status;
  return report;
}

std::string Describe(const v1::Report& report) {
  std::string text;
  for (const v1::Result& result : report.results()) {
    for (const v1::Finding& finding : result.findings()) text += finding.code() + ": " + finding.message() + "\n";
  }
  return text;
}

// QNN's FullyConnected with per-channel weights "w" and a bias "b" whose scales are 0, as QNN's documents ask for.
GraphBuilder QnnDense() {
  GraphBuilder b(v1::Graph::QNN);
  const auto spec = [&b](const std::string& value, v1::DataType type, int64_t min, int64_t max,
                         std::vector<double> scales) {
    v1::Spec& made = *b.graph.add_specs();
    made.set_kind(v1::Spec::PLAIN);
    made.set_dtype(type);
    made.set_quant_min(min);
    made.set_quant_max(max);
    for (double scale : scales) {
      made.mutable_qparams()->add_scales(scale);
      made.mutable_qparams()->add_zero_points(0);
    }
    if (scales.size() > 1) made.mutable_qparams()->add_axes(0);
    b.Value(value).set_spec(b.graph.specs_size());
  };
  b.Input("x", v1::DATA_TYPE_UINT8, {1, 4});
  spec("x", v1::DATA_TYPE_UINT8, 0, 255, {0.1});
  b.Weight("w", v1::DATA_TYPE_INT8, {2, 4}, 8);
  spec("w", v1::DATA_TYPE_INT8, -128, 127, {0.1, 0.2});
  b.Weight("b", v1::DATA_TYPE_INT32, {2}, 8);
  spec("b", v1::DATA_TYPE_INT32, INT32_MIN, INT32_MAX, {0, 0});
  b.Node("FullyConnected", "fc", {"x", "w", "b"}, {"y"});
  b.Shape("y", v1::DATA_TYPE_UINT8, {1, 2});
  spec("y", v1::DATA_TYPE_UINT8, 0, 255, {0.1});
  b.Output("y");
  return b;
}

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

void SetReal(GraphBuilder& b, const std::string& name, int i, double number) {
  b.Value(name).mutable_constant()->set_reals(i, number);
}
void SetInt(GraphBuilder& b, const std::string& name, int i, int64_t number) {
  b.Value(name).mutable_constant()->set_ints(i, number);
}

// An If whose branches read a value of the graph.
void BranchesThatRead(GraphBuilder& b, const std::string& name) {
  GraphBuilder body;
  body.Value("outer").set_captured(b.Id(name));
  body.Node("Relu", "inner", {"outer"}, {"within"});
  body.Output("within");
  b.Branch("if", "c", body.graph, "z");
  b.Output("z");
}

// An If whose branches have one output and no node: a value of the graph, or without a name a constant of their own.
void BranchesThatGiveBack(GraphBuilder& b, const std::string& name) {
  GraphBuilder body(b.graph.origin(), b.graph.stage());
  if (name.empty()) {
    body.Reals("outer", {1});
  } else {
    body.Value("outer").set_captured(b.Id(name));
  }
  body.Output("outer");
  b.Branch("if", "c", body.graph, "z");
  b.Output("z");
}

// An If whose branches read y_q with this scale of the graph.
void BranchesThatDequantize(GraphBuilder& b, const std::string& scale) {
  GraphBuilder body;
  body.Shape("q", v1::DATA_TYPE_UINT8, {1, 8, 14, 14}).set_captured(b.Id("y_q"));
  body.Shape("step", v1::DATA_TYPE_FLOAT32, {}).set_captured(b.Id(scale));
  body.Shape("zero", v1::DATA_TYPE_UINT8, {}).set_captured(b.Id("y_zp"));
  body.Node("DequantizeLinear", "inner", {"q", "step", "zero"}, {"within"});
  body.Output("within");
  b.Branch("if", "c", body.graph, "z");
  b.Output("z");
}

// A Quantize/Dequantize pair with tensors of its own behind `from`.
void SecondPair(GraphBuilder& b, const std::string& from, v1::DataType type) {
  b.Reals("p_scale", {0.05});
  b.Ints("p_zp", type, {0});
  b.Node("QuantizeLinear", "second_Q", {from, "p_scale", "p_zp"}, {"p_q"});
  b.Value("p_q").set_dtype(type);
  b.Node("DequantizeLinear", "second_DQ", {"p_q", "p_scale", "p_zp"}, {"p_dq"});
  b.Output("p_dq");
}

void Cast(GraphBuilder& b, const std::string& name, const std::string& from, const std::string& to, v1::DataType type) {
  const int onnx = type == v1::DATA_TYPE_UINT8 ? 2 : type == v1::DATA_TYPE_INT32 ? 6 : 1;
  b.Int(b.Node("Cast", name, {from}, {to}), "to", onnx);
  b.Value(to).set_dtype(type);
}

// The last nodes become the first.
void MoveToFront(GraphBuilder& b, int count) {
  auto* nodes = b.graph.mutable_nodes();
  std::rotate(nodes->pointer_begin(), nodes->pointer_end() - count, nodes->pointer_end());
}

// An operator between the convolution and y_Q.
void PutBehindConv(GraphBuilder& b, const std::string& op, const std::vector<std::string>& inputs = {"made"}) {
  b.Shape("made", v1::DATA_TYPE_FLOAT32, {1, 8, 14, 14});
  b.Find("conv").set_outputs(0, b.Id("made"));
  b.Node(op, "act", inputs, {"y"});
  auto* nodes = b.graph.mutable_nodes();
  const auto begin = std::find_if(nodes->pointer_begin(), nodes->pointer_end(),
                                  [](const v1::Node* node) { return node->name() == "y_Q"; });
  std::rotate(begin, nodes->pointer_end() - 1, nodes->pointer_end());
}

// y is quantized in blocks of 7 along its last axis, by one scale that all have, and dequantized in blocks of another.
void QuantizeInBlocks(GraphBuilder& b, int64_t written, int64_t read) {
  b.Shape("y_q", v1::DATA_TYPE_UINT8, {1, 8, 14, 14});
  b.Reals("scales", std::vector<double>(224, 0.05));
  b.Ints("zeros", v1::DATA_TYPE_UINT8, std::vector<int64_t>(224, 0));
  b.Shape("scales", v1::DATA_TYPE_FLOAT32, {1, 8, 14, 2});
  b.Shape("zeros", v1::DATA_TYPE_UINT8, {1, 8, 14, 2});
  for (const auto& [node, size] : {std::make_pair("y_Q", written), std::make_pair("y_DQ", read)}) {
    b.Find(node).set_inputs(1, b.Id("scales"));
    b.Find(node).set_inputs(2, b.Id("zeros"));
    b.Int(b.Find(node), "axis", 3);
    b.Int(b.Find(node), "block_size", size);
  }
}

// y is quantized and dequantized by 14 scales, along these axes.
void QuantizeByChannels(GraphBuilder& b, int64_t written, int64_t read) {
  std::vector<double> scales;
  for (int i = 1; i <= 14; ++i) scales.push_back(0.01 * i);
  b.Reals("scales", scales);
  b.Ints("zeros", v1::DATA_TYPE_UINT8, std::vector<int64_t>(14, 0));
  for (const char* node : {"y_Q", "y_DQ"}) {
    b.Find(node).set_inputs(1, b.Id("scales"));
    b.Find(node).set_inputs(2, b.Id("zeros"));
  }
  b.Int(b.Find("y_Q"), "axis", written);
  b.Int(b.Find("y_DQ"), "axis", read);
}

// What the integer convolution reads is a Cast to this type.
void CastIntoConv(GraphBuilder& b, v1::DataType type) {
  Cast(b, "cast", "xq", "cast_q", type);
  b.Find("q").set_inputs(0, b.Id("cast_q"));
  MoveToFront(b, 1);
}

// y_DQ takes its zero point from a Cast of a filled tensor.
void FillZeroPoint(GraphBuilder& b, int64_t number) {
  b.Ints("no_sizes", v1::DATA_TYPE_INT64, {}, false);
  b.Ints("number", v1::DATA_TYPE_INT64, {number}, false);
  b.Shape("filled", v1::DATA_TYPE_INT64, {});
  v1::Attribute& value = *b.Node("ConstantOfShape", "fill", {"no_sizes"}, {"filled"}).add_attributes();
  value.set_name(b.Symbol("value"));
  value.set_tensor(b.Id("number"));
  Cast(b, "cast", "filled", "cast_zp", v1::DATA_TYPE_UINT8);
  b.Find("y_DQ").set_inputs(2, b.Id("cast_zp"));
  MoveToFront(b, 2);
}

// What y_Q stores is interpolated, and read by `reader`.
void ResizeStored(GraphBuilder& b, const std::string& reader) {
  b.Reals("sizes", {1, 1, 2, 2});
  b.Node("Resize", "resize", {"y_q", "", "sizes"}, {"r"});
  b.Node(reader, "reader", {"r", "y_scale", "y_zp"}, {"s"});
  b.Output("s");
}

GraphBuilder Blocked() {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 64});
  b.Weight("w", v1::DATA_TYPE_INT4, {64, 32}, 1024);
  b.Reals("w_scale", std::vector<double>(128, 0.01));
  b.Shape("w_scale", v1::DATA_TYPE_FLOAT32, {4, 32});
  v1::Node& dq = b.Node("DequantizeLinear", "w_DQ", {"w", "w_scale"}, {"w_dq"});
  b.Int(dq, "axis", 0);
  b.Int(dq, "block_size", 16);
  b.Node("MatMul", "mm", {"x", "w_dq"}, {"y"});
  b.Output("y");
  return b;
}

GraphBuilder Annotated() {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_CALIBRATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  v1::Spec& spec = *b.graph.add_specs();
  spec.set_kind(v1::Spec::PLAIN);
  spec.set_dtype(v1::DATA_TYPE_INT8);
  spec.set_qscheme(v1::Spec::PER_TENSOR_AFFINE);
  spec.mutable_qparams()->add_scales(0.1);
  spec.mutable_qparams()->add_zero_points(3);
  v1::Node& relu = b.Node("aten.relu.default", "relu", {"x"}, {"relu"});
  relu.add_input_specs(1);
  b.Value("relu").set_spec(1);
  b.Output("relu");
  return b;
}

// Of Annotated: edge (x, relu) is explicitly not quantized, and the output of relu shares with it.
void ShareWithNone(GraphBuilder& b) {
  b.graph.add_specs()->set_kind(v1::Spec::EXPLICIT_NONE);
  b.Find("relu").set_input_specs(0, b.graph.specs_size());
  v1::Spec& shared = *b.graph.add_specs();
  shared.set_kind(v1::Spec::SHARED);
  shared.mutable_shared_with()->set_value(b.Id("x"));
  shared.mutable_shared_with()->set_consumer(1);
  b.Value("relu").set_spec(b.graph.specs_size());
  b.Shape("relu", v1::DATA_TYPE_FLOAT32, {1, 8});
}

// linear(x, w) as convert_pt2e leaves dynamic quantization: x's parameters from choose_qparams, w per channel.
GraphBuilder DynamicLinear() {
  const std::string quantized = "quantized_decomposed.";
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_CONVERTED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Weight("w", v1::DATA_TYPE_INT8, {4, 8}, 32);
  b.Reals("w_scale", {0.01, 0.01, 0.01, 0.01});
  b.Ints("w_zp", v1::DATA_TYPE_INT64, {0, 0, 0, 0});
  b.Int(b.Node(quantized + "dequantize_per_channel.default", "w_DQ", {"w", "w_scale", "w_zp"}, {"w_dq"}), "axis", 0);
  b.Node(quantized + "choose_qparams.tensor", "choose", {"x"}, {"pair"});
  b.Int(b.Node("operator.getitem", "first", {"pair"}, {"x_scale"}), "index", 0);
  b.Int(b.Node("operator.getitem", "second", {"pair"}, {"x_zp"}), "index", 1);
  b.Node(quantized + "quantize_per_tensor.tensor", "x_Q", {"x", "x_scale", "x_zp"}, {"x_q"});
  b.Node(quantized + "dequantize_per_tensor.tensor", "x_DQ", {"x_q", "x_scale", "x_zp"}, {"x_dq"});
  b.Node("aten.linear.default", "linear", {"x_dq", "w_dq"}, {"y"});
  b.Output("y");
  return b;
}

// y_Q and y_DQ with the scale that the range of a tensor asks for, as quantizers write it where the operator set has no
// DynamicQuantizeLinear.
void QuantizeByRangeOf(GraphBuilder& b, const std::string& tensor) {
  b.Node("ReduceMax", "max", {tensor}, {"y_max"});
  b.Node("ReduceMin", "min", {tensor}, {"y_min"});
  b.Node("Sub", "range", {"y_max", "y_min"}, {"y_range"});
  b.Reals("steps", {255});
  b.Node("Div", "step", {"y_range", "steps"}, {"y_step"});
  for (const char* node : {"y_Q", "y_DQ"}) b.Find(node).set_inputs(1, b.Id("y_step"));
}

v1::Attribute& SetAttribute(GraphBuilder& b, const std::string& node, const std::string& name) {
  v1::Attribute& attribute = *b.Find(node).add_attributes();
  attribute.set_name(b.Symbol(name));
  return attribute;
}

// The same in an exported program, where operators that quantize state all of their arguments.
GraphBuilder ExportedLinear() {
  GraphBuilder b = DynamicLinear();
  b.graph.set_format_version(8);
  for (const char* node : {"w_DQ", "choose", "x_Q", "x_DQ"}) {
    b.Int(b.Find(node), "quant_min", -128);
    b.Int(b.Find(node), "quant_max", 127);
    SetAttribute(b, node, "dtype").set_dtype(v1::DATA_TYPE_INT8);
  }
  SetAttribute(b, "choose", "eps").set_f(1e-7);
  b.Shape("x_q", v1::DATA_TYPE_INT8, {1, 8});
  return b;
}

// Its quant_max.
void SetLargest(GraphBuilder& b, const std::string& node, int64_t stored) {
  for (v1::Attribute& attribute : *b.Find(node).mutable_attributes()) {
    if (attribute.name() == b.Symbol("quant_max")) attribute.set_i(stored);
  }
}

// A sigmoid of its result, in int8.
void AddSigmoid(GraphBuilder& b, double scale, int64_t zero_point) {
  b.Node("aten.sigmoid.default", "sigmoid", {"y"}, {"s"});
  b.Shape("s", v1::DATA_TYPE_FLOAT32, {1, 4});
  b.Node("quantized_decomposed.quantize_per_tensor.default", "s_Q", {"s"}, {"s_q"});
  b.Node("quantized_decomposed.dequantize_per_tensor.default", "s_DQ", {"s_q"}, {"s_dq"});
  for (const char* node : {"s_Q", "s_DQ"}) {
    SetAttribute(b, node, "scale").set_f(scale);
    b.Int(b.Find(node), "zero_point", zero_point);
    b.Int(b.Find(node), "quant_min", -128);
    b.Int(b.Find(node), "quant_max", 127);
    SetAttribute(b, node, "dtype").set_dtype(v1::DATA_TYPE_INT8);
  }
  b.Shape("s_q", v1::DATA_TYPE_INT8, {1, 4});
  b.Shape("s_dq", v1::DATA_TYPE_FLOAT32, {1, 4});
  b.Output("s_dq");
}

// An attribute that is there already.
v1::Attribute& AttributeOf(GraphBuilder& b, const std::string& node, const std::string& name) {
  for (v1::Attribute& attribute : *b.Find(node).mutable_attributes()) {
    if (attribute.name() == b.Symbol(name)) return attribute;
  }
  return SetAttribute(b, node, name);
}

// A layer of a vector or an image by a weight of so many axes, all of size 4.
v1::Node& AddWeighted(GraphBuilder& b, const std::string& op, int rank) {
  const bool linear = op == "aten.linear.default";
  b.Input("input", v1::DATA_TYPE_FLOAT32, std::vector<int64_t>(linear ? 2 : 4, 4));
  const std::vector<int64_t> sizes(static_cast<size_t>(rank), 4);
  b.Weight("weight", v1::DATA_TYPE_FLOAT32, sizes, int64_t{4} << (2 * rank));
  b.Weight("bias", v1::DATA_TYPE_FLOAT32, {4}, 16);
  return b.Node(op, "weighted", {"input", "weight", "bias"}, {"weighted"});
}

// A convolution or a pool in two axes, and its strides of 1.
v1::Attribute& AddWindow(GraphBuilder& b, const std::string& op) {
  b.Input("image", v1::DATA_TYPE_FLOAT32, {1, 2, 8, 8});
  b.Input("kernel", v1::DATA_TYPE_FLOAT32, {2, 2, 3, 3});
  b.Node(op, "window", {"image", "kernel"}, {"windows"});
  v1::Attribute& stride = SetAttribute(b, "window", "stride");
  stride.mutable_ints()->add_values(1);
  stride.mutable_ints()->add_values(1);
  return stride;
}

// A member of the archive that a model came in, under a name that leads out of it.
void AddMember(GraphBuilder& b, const std::string& name) {
  v1::Value& value = b.Value(name);
  value.set_foreign(true);
  value.mutable_constant()->set_stored_bytes(-1);
  value.mutable_constant()->mutable_external()->set_location(name);
  value.mutable_constant()->mutable_external()->set_status(v1::ExternalData::OUTSIDE_MODEL_FOLDER);
}

// Gemm(x_dq, w_dq, b_dq), the bias at input scale x weight scale.
GraphBuilder SoundGemm() {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Pair("x", 0.02, 128);
  b.Weight("w", v1::DATA_TYPE_INT8, {8, 4}, 32);
  b.Reals("w_scale", {0.01});
  b.Ints("w_zp", v1::DATA_TYPE_INT8, {0});
  b.Node("DequantizeLinear", "w_DQ", {"w", "w_scale", "w_zp"}, {"w_dq"});
  b.Ints("b", v1::DATA_TYPE_INT32, {1, 2, 3, 4});
  b.Reals("b_scale", {2e-4});
  b.Ints("b_zp", v1::DATA_TYPE_INT32, {0});
  b.Node("DequantizeLinear", "b_DQ", {"b", "b_scale", "b_zp"}, {"b_dq"});
  b.Node("Gemm", "gemm", {"x_dq", "w_dq", "b_dq"}, {"y"});
  b.Pair("y", 0.05, 0);
  b.Output("y_dq");
  return b;
}

void SetGemm(GraphBuilder& b, const std::string& name, double number) {
  v1::Attribute& attribute = *b.Find("gemm").add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.set_f(number);
}

void Stored(v1::Value& value, double min, double max) {
  v1::Statistics& statistics = *value.mutable_constant()->mutable_statistics();
  statistics.set_count(8);
  statistics.set_min(min);
  statistics.set_min_index(3);
  statistics.set_max(max);
  statistics.set_max_index(7);
}

// A LayerNormalization "norm" of what SoundConv makes, with an int32 bias "shift" whose second element is `element`.
void AddNormalization(GraphBuilder& b, int64_t element) {
  std::vector<int64_t> shift(14, 0);
  shift[1] = element;
  b.Ints("gain", v1::DATA_TYPE_INT8, std::vector<int64_t>(14, 1));
  b.Reals("gain_scale", {0.5});
  b.Node("DequantizeLinear", "gain_DQ", {"gain", "gain_scale"}, {"gain_dq"});
  b.Ints("shift", v1::DATA_TYPE_INT32, shift);
  b.Reals("shift_scale", {1e-9});
  b.Node("DequantizeLinear", "shift_DQ", {"shift", "shift_scale"}, {"shift_dq"});
  b.Node("LayerNormalization", "norm", {"y_dq", "gain_dq", "shift_dq"}, {"n"});
  b.Pair("n", 0.05, 0);
  b.Output("n_dq");
}

// An If that writes "behind"; a node of its body writes `name`.
void AddBody(GraphBuilder& b, const std::string& name) {
  GraphBuilder body;
  body.Shape("x", v1::DATA_TYPE_FLOAT32, {1, 3, 16, 16}).set_captured(b.Id("x"));
  body.Node("Relu", "inner", {"x"}, {name});
  body.Output(name);
  b.Branch("branch", "c", body.graph, "behind");
  b.Output("behind");
}

// linear(x, w, b) with int8 x and w, the bias derived from both; specs 0, 1 and 2.
GraphBuilder AnnotatedLinear() {
  GraphBuilder b(v1::Graph::PT2E, v1::STAGE_CALIBRATED);
  b.Input("x", v1::DATA_TYPE_FLOAT32, {1, 8});
  b.Weight("w", v1::DATA_TYPE_FLOAT32, {4, 8}, -1);
  b.Weight("b", v1::DATA_TYPE_FLOAT32, {4}, -1);
  v1::Node& linear = b.Node("aten.linear.default", "linear", {"x", "w", "b"}, {"linear"});
  const std::pair<v1::DataType, double> forms[] = {
      {v1::DATA_TYPE_INT8, 0.1}, {v1::DATA_TYPE_INT8, 0.01}, {v1::DATA_TYPE_INT32, 0.001}};
  for (const auto& [type, scale] : forms) {
    v1::Spec& spec = *b.graph.add_specs();
    spec.set_kind(v1::Spec::PLAIN);
    spec.set_dtype(type);
    spec.set_qscheme(v1::Spec::PER_TENSOR_SYMMETRIC);
    spec.mutable_qparams()->add_scales(scale);
    linear.add_input_specs(b.graph.specs_size());
  }
  v1::Spec& bias = *b.graph.mutable_specs(2);
  bias.set_kind(v1::Spec::DERIVED);
  bias.set_quant_min(std::numeric_limits<int32_t>::min());
  bias.set_quant_max(std::numeric_limits<int32_t>::max());
  for (const char* source : {"x", "w"}) {
    v1::EdgeRef& edge = *bias.add_derived_from();
    edge.set_value(b.Id(source));
    edge.set_consumer(1);
  }
  b.Value("linear").set_spec(1);
  b.Output("linear");
  return b;
}

std::vector<Case> Cases() {
  const v1::Finding::Severity warning = v1::Finding::WARNING;
  std::vector<Case> cases = {
      {"SoundConv", SoundConv, [](GraphBuilder&) {}, ""},
      {"SoundIntegerConv", SoundIntegerConv, [](GraphBuilder&) {}, ""},
      {"SoundPackedMatMul", SoundPackedMatMul, [](GraphBuilder&) {}, ""},
      {"SoundBlocked", Blocked, [](GraphBuilder&) {}, ""},
      {"SoundAnnotated", Annotated, [](GraphBuilder&) {}, ""},

      // FI003
      {"IrTooNew", SoundConv, [](GraphBuilder& b) { b.graph.set_format_version(99); }, "FI003"},
      {"IrNewest", SoundConv, [](GraphBuilder& b) { b.graph.set_format_version(14); }, ""},
      {"IrMissing", SoundConv, [](GraphBuilder& b) { b.graph.set_format_version(0); }, "FI003"},
      {"OpsetTooNew", SoundConv, [](GraphBuilder& b) { b.graph.mutable_opset_imports(0)->set_version(999); }, "FI003"},
      {"OpsetNegative", SoundConv, [](GraphBuilder& b) { b.graph.mutable_opset_imports(0)->set_version(-1); }, "FI003"},
      {"OpsetNewest", SoundConv, [](GraphBuilder& b) { b.graph.mutable_opset_imports(0)->set_version(28); }, ""},
      {"OpsetNamed", SoundConv, [](GraphBuilder& b) { b.graph.mutable_opset_imports(0)->set_domain("ai.onnx"); }, ""},
      {"OpsetMissing", SoundConv, [](GraphBuilder& b) { b.graph.mutable_opset_imports()->DeleteSubrange(0, 1); },
       "FI003"},
      {"NoVersionsOutsideOnnx", Annotated, [](GraphBuilder& b) { b.graph.set_format_version(99); }, ""},

      // FI004
      {"BytesTooFew", SoundConv, [](GraphBuilder& b) { b.Value("w").mutable_constant()->set_stored_bytes(211); },
       "FI004", "", "w"},
      {"BytesTooMany", SoundConv, [](GraphBuilder& b) { b.Value("w").mutable_constant()->set_stored_bytes(217); },
       "FI004", "", "w"},
      {"BytesNotCounted", SoundConv, [](GraphBuilder& b) { b.Value("w").mutable_constant()->set_stored_bytes(-1); },
       ""},
      {"DimNegative", SoundConv, [](GraphBuilder& b) { b.Value("w").set_dims(1, -3); }, "FI004", "", "w"},
      {"DimHuge", SoundConv, [](GraphBuilder& b) { b.Value("w").set_dims(1, int64_t{1} << 40); }, "FI004", "", "w"},
      {"DimsOverflow", SoundConv,
       [](GraphBuilder& b) {
         for (int i = 1; i < 4; ++i) b.Value("w").set_dims(i, int64_t{1} << 40);
       },
       "FI004", "", "w"},
      {"BitsOverflow", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").set_dims(1, int64_t{1} << 58);
         b.Value("w").set_dims(2, 1);
         b.Value("w").set_dims(3, 1);
       },
       "FI004", "", "w"},
      {"Int4Unpacked", Blocked, [](GraphBuilder& b) { b.Value("w").mutable_constant()->set_stored_bytes(2048); },
       "FI004", "", "w"},
      {"PackedTooShort", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Value("w").set_dims(2, 15);
         b.Value("w").mutable_constant()->set_stored_bytes(960);
       },
       "FI004", "mm", "w"},
      {"PackedFlat", SoundPackedMatMul,  // ONNX Runtime: "does not match attribute-derived shape"
       [](GraphBuilder& b) {
         v1::Value& weight = b.Value("w");
         const int64_t count = weight.dims(0) * weight.dims(1) * weight.dims(2);
         weight.clear_dims();
         weight.add_dims(count);
       },
       "FI004", "mm", "w"},
      {"PackedNegative", SoundPackedMatMul, [](GraphBuilder& b) { b.Value("w").set_dims(2, -15); }, "FI004", "", "w"},

      // FI005
      {"ExternalMissing", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::MISSING);
       },
       "FI005", "", "w"},
      {"ExternalOutside", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::OUTSIDE_MODEL_FOLDER);
       },
       "FI005", "", "w"},
      {"ExternalAbsolute", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::ABSOLUTE_PATH);
       },
       "FI005", "", "w"},
      {"ExternalNoLocation", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::NO_LOCATION);
         b.Value("w").mutable_constant()->set_stored_bytes(0);
       },
       "FI005", "", "w"},
      {"ExternalBadRange", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::BAD_RANGE);
       },
       "FI005", "", "w"},
      {"ExternalByNoNumber", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::BAD_RANGE);
         b.Value("w").mutable_constant()->mutable_external()->set_length(-1);
       },
       "FI005", "", "w"},
      {"ExternalUnreadable", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::UNREADABLE);
       },
       "FI005", "", "w"},
      {"ExternalRead", SoundConv,
       [](GraphBuilder& b) { b.Value("w").mutable_constant()->mutable_external()->set_status(v1::ExternalData::READ); },
       ""},

      // FI006, FI007
      {"TwoConstants", SoundConv, [](GraphBuilder& b) { *b.graph.add_values() = b.graph.values(b.Id("w_scale") - 1); },
       "FI006", "", "w_scale"},
      {"InputTwice", SoundConv,
       [](GraphBuilder& b) {
         *b.graph.add_values() = b.graph.values(b.Id("x") - 1);
         b.graph.add_inputs(b.graph.values_size());
       },
       "FI006", "", "x"},
      {"InputListedTwice", SoundConv, [](GraphBuilder& b) { b.graph.add_inputs(b.Id("x")); }, "FI006", "", "x"},
      {"TwoProducers", SoundConv, [](GraphBuilder& b) { b.Node("Relu", "again", {"x"}, {"y"}); }, "FI006", "again",
       "y"},
      {"BodyWritesAnOuterName", SoundConv, [](GraphBuilder& b) { AddBody(b, "y_dq"); }, "FI006", "branch", "y_dq"},
      {"BodyWritesANameOfItsOwn", SoundConv, [](GraphBuilder& b) { AddBody(b, "own"); }, ""},
      {"BodyWritesWhatComesLater", SoundConv, [](GraphBuilder& b) { AddBody(b, "behind"); }, ""},
      {"SameOutputTwice", SoundConv, [](GraphBuilder& b) { b.Find("conv").add_outputs(b.Id("y")); }, "FI006", "conv",
       "y"},
      {"ProducesAnInput", SoundConv, [](GraphBuilder& b) { b.Node("Relu", "again", {"y_dq"}, {"x"}); }, "FI006",
       "again", "x"},
      {"FxPlaceholderAsNode", Annotated, [](GraphBuilder& b) { b.Node("placeholder", "x", {}, {"x"}); }, ""},
      {"FxNodeThatWritesAPlaceholder", Annotated,
       [](GraphBuilder& b) { b.Node("aten.relu.default", "again", {"relu"}, {"x"}); }, "FI006", "again", "x"},
      {"OnnxPlaceholderAsNode", SoundConv, [](GraphBuilder& b) { b.Node("placeholder", "again", {}, {"x"}); }, "FI006",
       "again", "x"},
      {"UnnamedTensors", SoundConv,
       [](GraphBuilder& b) {
         b.AddValue("");
         b.AddValue("");
       },
       ""},
      {"TwoNodes", SoundConv, [](GraphBuilder& b) { b.Find("y_Q").set_name("conv"); }, "FI007", "conv", "", -1,
       warning},
      {"UnnamedNodes", SoundConv,
       [](GraphBuilder& b) {
         b.Find("y_Q").clear_name();
         b.Find("x_Q").clear_name();
       },
       ""},

      // FI008
      {"QuantizesIntegers", SoundConv,
       [](GraphBuilder& b) {
         b.Node("QuantizeLinear", "q_of_q", {"y_q", "y_scale", "y_zp"}, {"z_q"});
         b.Output("z_q");
       },
       "FI008", "q_of_q"},
      {"QuantizesInt32", SoundConv, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_INT32); }, ""},
      {"QuantizesFloat8", SoundConv, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_FLOAT8_E4M3FN); },
       "FI008", "x_Q"},
      {"DequantizesFloats", SoundConv,
       [](GraphBuilder& b) {
         b.Node("DequantizeLinear", "dq_of_float", {"x", "y_scale"}, {"z"});
         b.Output("z");
       },
       "FI008", "dq_of_float", "x"},
      {"DequantizesInt32", SoundConv,
       [](GraphBuilder& b) {
         b.Input("sum", v1::DATA_TYPE_INT32, {1});
         b.Node("DequantizeLinear", "dq_of_sum", {"sum", "y_scale"}, {"z"});
         b.Output("z");
       },
       ""},
      {"ZeroPointIsFloat", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("float_zp", {0});
         b.Find("y_Q").set_inputs(2, b.Id("float_zp"));
       },
       "FI008", "y_Q", "float_zp"},
      {"PackedWeightsOfInt8", SoundPackedMatMul, [](GraphBuilder& b) { b.Value("w").set_dtype(v1::DATA_TYPE_INT8); },
       "FI008", "mm", "w"},
      {"PackedScalesOfAnotherFloat", SoundPackedMatMul,
       [](GraphBuilder& b) { b.Value("w_scale").set_dtype(v1::DATA_TYPE_FLOAT16); }, "FI008", "mm", "w_scale"},
      {"ConvOfIntegers", SoundConv,
       [](GraphBuilder& b) {
         b.Input("stored", v1::DATA_TYPE_UINT8, {1, 3, 16, 16});
         b.Find("conv").set_inputs(0, b.Id("stored"));
       },
       "FI008", "conv", "stored"},
      {"ReluOfIntegers", SoundConv,
       [](GraphBuilder& b) {
         b.Input("stored", v1::DATA_TYPE_INT8, {1, 3});
         b.Node("Relu", "relu", {"stored"}, {"r"});
         b.Output("r");
       },
       "-FI008"},
      {"ZeroPointTypeOfPytorch", DynamicLinear, [](GraphBuilder&) {}, "-FI008"},
      {"ScaleIsInteger", SoundConv, [](GraphBuilder& b) { b.Value("x_scale").set_dtype(v1::DATA_TYPE_INT32); }, "FI008",
       "x_Q", "x_scale"},
      {"ScaleIsHalf", SoundConv,
       [](GraphBuilder& b) {
         b.Value("x_scale").set_dtype(v1::DATA_TYPE_FLOAT16);
         b.Value("x_scale").mutable_constant()->set_stored_bytes(2);
       },
       "-FI008"},
      {"ZeroPointType", SoundConv,
       [](GraphBuilder& b) {
         b.Ints("other_zp", v1::DATA_TYPE_INT8, {0});
         b.Find("y_DQ").set_inputs(2, b.Id("other_zp"));
       },
       "FI008", "y_DQ", "y_q"},
      {"ZeroPointTypeBehindAnIntegerOperator", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Value("yq").set_dtype(v1::DATA_TYPE_UINT8);
         b.Ints("other_zp", v1::DATA_TYPE_INT8, {0});
         b.Find("y_DQ").set_inputs(2, b.Id("other_zp"));
       },
       "FI008", "y_DQ", "yq"},
      {"ZeroPointTypeBehindACast", SoundIntegerConv, [](GraphBuilder& b) { CastIntoConv(b, v1::DATA_TYPE_INT32); },
       "FI008", "q", "cast_q"},
      {"ZeroPointTypeAsACastMakesIt", SoundIntegerConv, [](GraphBuilder& b) { CastIntoConv(b, v1::DATA_TYPE_UINT8); },
       "-FI008"},
      {"WeightZeroPointType", SoundIntegerConv, [](GraphBuilder& b) { b.Value("w_zp").set_dtype(v1::DATA_TYPE_UINT8); },
       "FI008", "q", "w"},
      {"IntegerBiasIsFloat", SoundIntegerConv, [](GraphBuilder& b) { b.Value("b").set_dtype(v1::DATA_TYPE_FLOAT32); },
       "FI008", "q", "b"},
      {"IntegerScaleIsInteger", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Value("w_scale").set_dtype(v1::DATA_TYPE_INT64);
         b.Value("w_scale").mutable_constant()->set_stored_bytes(8);
       },
       "FI008", "q", "w_scale"},

      // FI009
      {"SpecOfHalf", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->clear_qparams();
         b.graph.mutable_specs(0)->set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       "-FI009"},
      {"SpecWithoutScale", Annotated, [](GraphBuilder& b) { b.graph.mutable_specs(0)->clear_qparams(); }, "FI009",
       "relu", "x"},
      {"DynamicWithoutScale", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->clear_qparams();
         b.graph.mutable_specs(0)->set_is_dynamic(true);
       },
       ""},
      {"DerivedWithoutScale", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->clear_qparams();
         b.graph.mutable_specs(0)->set_kind(v1::Spec::DERIVED);
         b.graph.mutable_specs(0)->set_quant_min(-128);
         b.graph.mutable_specs(0)->set_quant_max(127);
       },
       ""},
      {"DerivedConverted", Annotated,
       [](GraphBuilder& b) {
         b.graph.set_stage(v1::STAGE_CONVERTED);
         b.graph.mutable_specs(0)->clear_qparams();
         b.graph.mutable_specs(0)->set_kind(v1::Spec::DERIVED);
       },
       "FI009", "relu", "x"},

      {"QuantizeWithoutScale", SoundConv, [](GraphBuilder& b) { b.Find("x_Q").mutable_inputs()->Truncate(1); }, "FI009",
       "x_Q", "x"},
      {"QuantizeWithEmptyScale", SoundConv, [](GraphBuilder& b) { b.Find("x_Q").set_inputs(1, 0); }, "FI009", "x_Q",
       "x"},
      {"DequantizeWithoutScale", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_inputs()->Truncate(1); },
       "FI009", "w_DQ", "w"},
      {"IntegerInputWithoutScale", SoundIntegerConv, [](GraphBuilder& b) { b.Find("q").set_inputs(1, 0); }, "FI009",
       "q", ""},
      {"IntegerOutputWithoutScale", SoundIntegerConv, [](GraphBuilder& b) { b.Find("q").set_inputs(6, 0); }, "FI009",
       "q", "yq"},
      {"QuantizeWithoutZeroPoint", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_inputs()->Truncate(2); },
       ""},

      {"OutputTypeOtherThanZeroPoint", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_Q"), "output_dtype", 3); },
       "FI008", "y_Q", "y_zp"},
      {"OutputTypeAsZeroPoint", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_Q"), "output_dtype", 2); }, ""},

      // FI017
      {"StoredElementTooLarge", SoundConv, [](GraphBuilder& b) { Stored(b.Value("w"), -128, 300); }, "FI017", "", "w",
       7},
      {"StoredElementTooSmall", SoundConv, [](GraphBuilder& b) { Stored(b.Value("w"), -129, 127); }, "FI017", "", "w",
       3},
      {"StoredElementsFit", SoundConv, [](GraphBuilder& b) { Stored(b.Value("w"), -128, 127); }, ""},

      // FI011
      {"ConstantWithoutType", SoundConv, [](GraphBuilder& b) { b.Value("w").set_dtype(v1::DATA_TYPE_UNSPECIFIED); },
       "FI011", "", "w"},
      {"CastToNoType", SoundConv, [](GraphBuilder& b) { b.Int(b.Node("Cast", "cast", {"y_dq"}, {"z"}), "to", 99); },
       "FI011", "cast"},
      {"CastToAType", SoundConv,
       [](GraphBuilder& b) {
         b.Int(b.Node("Cast", "cast", {"y_dq"}, {"z"}), "to", 10);
         b.Output("z");
       },
       ""},
      {"OutputTypeThatFollows", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_Q"), "output_dtype", 0); }, ""},
      // ONNX Runtime: "Invalid tensor data type 0".
      {"OutputWhoseTypeFollowsFromItsNode", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Size", "size", {"x"}, {"size"});
         b.Shape("size", v1::DATA_TYPE_UNSPECIFIED, {});
         b.Output("size");
       },
       "-FI011"},
      {"InputOfNoType", SoundConv, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_UNSPECIFIED); }, "FI011",
       "", "x"},
      {"InputOfNoTypeAndShape", SoundConv,  // no sequence: a QuantizeLinear reads it
       [](GraphBuilder& b) {
         b.Value("x").set_dtype(v1::DATA_TYPE_UNSPECIFIED);
         b.Value("x").clear_dims();
         b.Value("x").set_has_shape(false);
       },
       "FI011", "", "x"},
      {"TensorInsideOfNoType", SoundConv, [](GraphBuilder& b) { b.Value("y").set_dtype(v1::DATA_TYPE_UNSPECIFIED); },
       ""},
      {"OutputTypeIsNone", SoundConv, [](GraphBuilder& b) { b.Int(b.Find("y_Q"), "output_dtype", 27); }, "FI011",
       "y_Q"},
      {"ActivationWithoutType", SoundConv, [](GraphBuilder& b) { b.Value("y").set_dtype(v1::DATA_TYPE_UNSPECIFIED); },
       ""},

      // FI010
      {"OutputTypeOfIntegerOperator", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Ints("own_zp", v1::DATA_TYPE_INT8, {0});
         b.Find("q").set_inputs(7, b.Id("own_zp"));
       },
       "FI010", "q", "yq", -1, warning},

      // Nor is the zero point out of range, or another than the writer's, when it is of another type: 128 and 0 may mean
      // the same.
      {"OutputTypeBehindATranspose", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Ints("own_zp", v1::DATA_TYPE_INT8, {0});
         b.Find("q").set_inputs(7, b.Id("own_zp"));
         b.Node("Transpose", "t", {"yq"}, {"tq"});
         b.Ints("read_zp", v1::DATA_TYPE_UINT8, {200});
         b.Find("y_DQ").set_inputs(0, b.Id("tq"));
         b.Find("y_DQ").set_inputs(2, b.Id("read_zp"));
         b.graph.mutable_nodes()->SwapElements(1, 2);
       },
       "FI010", "q", "yq", -1, warning},
      {"OutputTypeLostInAnOperator", SoundIntegerConv,  // whose output says nothing of its integers
       [](GraphBuilder& b) {
         b.Node("Relu", "r", {"yq"}, {"rq"});
         b.Output("rq");
       },
       "-FI010"},

      // GS001
      {"Empty", SoundConv,
       [](GraphBuilder& b) {
         b.graph.clear_nodes();
         b.graph.clear_outputs();
       },
       "GS001"},
      {"OnlyConstants", SoundConv,
       [](GraphBuilder& b) {
         b.graph.clear_nodes();
         b.graph.clear_outputs();
         b.Output("w");
       },
       ""},

      // GS002
      {"InitializerMissing", SoundConv, [](GraphBuilder& b) { b.Value("w_scale").clear_constant(); }, "GS002", "w_DQ",
       "w_scale"},
      {"OutputMissing", SoundConv, [](GraphBuilder& b) { b.Output("nobody"); }, "GS002", "", "nobody"},
      {"BranchGivesBackWhatIsAround", SoundConv, [](GraphBuilder& b) { BranchesThatGiveBack(b, "x_dq"); }, "GS002", "",
       "outer"},
      {"BranchGivesBackAConstantFromAround", SoundConv, [](GraphBuilder& b) { BranchesThatGiveBack(b, "w_scale"); },
       "GS002", "", "outer"},
      {"BranchGivesBackACopyOfWhatIsAround", SoundConv, [](GraphBuilder& b) { BranchesThatRead(b, "x_dq"); }, "-GS002"},
      {"BranchGivesBackItsConstant", SoundConv, [](GraphBuilder& b) { BranchesThatGiveBack(b, ""); }, "-GS002"},
      {"BranchOfPyTorchGivesBackWhatIsAround", [] { return GraphBuilder(v1::Graph::PT2E, v1::STAGE_ANNOTATED); },
       [](GraphBuilder& b) {
         b.Input("x", v1::DATA_TYPE_FLOAT32, {4});
         BranchesThatGiveBack(b, "x");
       },
       "-GS002"},

      // GS003, GS004
      {"LateProducer", SoundConv,
       [](GraphBuilder& b) {
         b.graph.mutable_nodes()->SwapElements(3, 6);  // b_DQ behind conv
       },
       "GS003", "b_DQ"},
      {"OrderOutsideOnnx", SoundConv,
       [](GraphBuilder& b) {
         b.graph.mutable_nodes()->SwapElements(3, 6);
         b.graph.set_origin(v1::Graph::PT2E);
         b.graph.set_format_version(0);
         for (std::string& symbol : *b.graph.mutable_symbols()) {
           if (symbol == "Conv") symbol = "aten.conv2d.default";
         }
       },
       "-GS003"},
      {"OrderOfAProgram", DynamicLinear,
       [](GraphBuilder& b) {
         b.graph.set_format_version(8);
         b.graph.mutable_nodes()->SwapElements(0, 6);  // w_DQ behind linear
       },
       "GS003", "w_DQ"},
      {"OrderOfALiveGraph", DynamicLinear, [](GraphBuilder& b) { b.graph.mutable_nodes()->SwapElements(0, 6); },
       "-GS003"},
      {"Cycle", SoundConv, [](GraphBuilder& b) { b.Find("x_Q").set_inputs(0, b.Id("y_dq")); }, "GS004", "x_Q", "y_dq"},
      {"SelfLoop", SoundConv, [](GraphBuilder& b) { b.Find("conv").set_inputs(0, b.Id("y")); }, "GS004", "conv", "y"},
      {"LongCycle", SoundConv,
       [](GraphBuilder& b) {
         b.Find("x_Q").set_inputs(0, b.Id("r12"));
         for (int i = 0; i < 13; ++i) {
           b.Node("Relu", "relu" + std::to_string(i), {i == 0 ? "y_dq" : "r" + std::to_string(i - 1)},
                  {"r" + std::to_string(i)});
         }
       },
       "GS004", "x_Q", "r12"},
      {"TwoCyclesAndATail", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Add", "a1", {"x", "t2"}, {"t1"});
         b.Node("Relu", "a2", {"t1"}, {"t2"});
         b.Node("Relu", "tail", {"t2"}, {"t3"});
         b.Node("Add", "b1", {"t3", "u2"}, {"u1"});
         b.Node("Relu", "b2", {"u1"}, {"u2"});
         b.Output("u2");
       },
       "GS004", "a1", "t2"},

      // GS005
      {"ScaleIsAnInput", SoundConv,
       [](GraphBuilder& b) {
         b.Value("y_scale").clear_constant();
         b.graph.add_inputs(b.Id("y_scale"));
       },
       "GS005", "y_Q", "y_scale"},
      {"ScaleIsComputed", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Mul", "mul", {"x_scale", "x_scale"}, {"computed"});
         b.Find("y_DQ").set_inputs(1, b.Id("computed"));
         b.graph.mutable_nodes()->SwapElements(0, b.graph.nodes_size() - 1);
       },
       "GS005", "y_DQ", "computed"},
      {"ScaleIsChosenAtRunTime", DynamicLinear, [](GraphBuilder&) {}, "-GS005"},
      {"ScaleIsOfAnotherTuple", DynamicLinear,
       [](GraphBuilder& b) { b.Find("choose").set_op(b.Symbol("aten.topk.default")); }, "GS005", "x_Q", "x_scale"},
      {"ScaleIsCopied", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Identity", "copy", {"y_scale"}, {"copied"});
         b.Find("y_DQ").set_inputs(1, b.Id("copied"));
         MoveToFront(b, 1);
       },
       ""},
      {"ZeroPointIsCastAndFilled", SoundConv, [](GraphBuilder& b) { FillZeroPoint(b, b.Value("y_zp").constant().ints(0)); },
       ""},
      {"ZeroPointIsCastAndFilledOtherwise", SoundConv,
       [](GraphBuilder& b) { FillZeroPoint(b, b.Value("y_zp").constant().ints(0) + 1); }, "GS009", "y_DQ", "y_q"},
      {"ScaleIsOfTheRangeOfTheData", SoundConv, [](GraphBuilder& b) { QuantizeByRangeOf(b, "y"); }, "-GS005"},
      {"ScaleIsOfAnotherRange", SoundConv, [](GraphBuilder& b) { QuantizeByRangeOf(b, "x"); }, "GS005", "y_Q", "y_step"},
      {"ScaleIsACastOfAProduct", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Mul", "mul", {"x_scale", "x_scale"}, {"product"});
         Cast(b, "cast", "product", "computed", v1::DATA_TYPE_FLOAT32);
         b.Find("y_DQ").set_inputs(1, b.Id("computed"));
         MoveToFront(b, 2);
       },
       "GS005", "y_DQ", "computed"},
      {"ScaleHasADefault", SoundConv, [](GraphBuilder& b) { b.graph.add_inputs(b.Id("y_scale")); }, ""},
      {"ScaleInABodyIsAConstantAroundIt", SoundConv, [](GraphBuilder& b) { BranchesThatDequantize(b, "y_scale"); }, ""},
      {"ScaleInABodyIsAnInputAroundIt", SoundConv,
       [](GraphBuilder& b) {
         b.Input("s", v1::DATA_TYPE_FLOAT32, {});
         BranchesThatDequantize(b, "s");
       },
       "GS005", "inner", "step"},
      {"IntegerScaleIsAnInput", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Value("w_scale").clear_constant();
         b.graph.add_inputs(b.Id("w_scale"));
       },
       "GS005", "q", "w_scale"},

      // GS006
      {"QuantizeIntoSigmoid", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Sigmoid", "sigmoid", {"y_q"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeIntoReshape", SoundConv,
       [](GraphBuilder& b) {
         b.Ints("shape", v1::DATA_TYPE_INT64, {1, -1}, false);
         b.Node("Reshape", "reshape", {"y_q", "shape"}, {"s"});
         b.Output("s");
       },
       ""},
      {"QuantizeThroughReshapeIntoMatMul", SoundConv,
       [](GraphBuilder& b) {
         b.Ints("shape", v1::DATA_TYPE_INT64, {1, -1}, false);
         b.Node("Reshape", "reshape", {"y_q", "shape"}, {"r"});
         b.Node("Sigmoid", "sigmoid", {"r"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeThroughReshapeIntoDequantize", SoundConv,
       [](GraphBuilder& b) {
         b.Ints("shape", v1::DATA_TYPE_INT64, {1, -1}, false);
         b.Node("Reshape", "reshape", {"y_q", "shape"}, {"r"});
         b.Node("DequantizeLinear", "r_DQ", {"r", "y_scale", "y_zp"}, {"s"});
         b.Output("s");
       },
       ""},
      {"QuantizeThroughTransposeIntoQuantize", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Transpose", "transpose", {"y_q"}, {"t"});
         b.Node("QuantizeLinear", "again", {"t", "y_scale", "y_zp"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeThroughCastIntoDequantize", SoundConv,
       [](GraphBuilder& b) {
         Cast(b, "cast", "y_q", "c", v1::DATA_TYPE_UINT8);
         b.Node("DequantizeLinear", "c_DQ", {"c", "y_scale", "y_zp"}, {"s"});
         b.Output("s");
       },
       ""},
      {"QuantizeThroughCastIntoSigmoid", SoundConv,
       [](GraphBuilder& b) {
         Cast(b, "cast", "y_q", "c", v1::DATA_TYPE_UINT8);
         b.Node("Sigmoid", "sigmoid", {"c"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeThroughWideCastIntoArithmetic", SoundConv,
       [](GraphBuilder& b) {
         Cast(b, "cast", "y_q", "c", v1::DATA_TYPE_INT32);
         b.Node("Add", "add", {"c", "c"}, {"s"});
         b.Output("s");
       },
       ""},
      {"QuantizeIntoArithmetic", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Add", "add", {"y_q", "y_q"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeIntoBitwiseNot", SoundConv,
       [](GraphBuilder& b) {
         b.Node("BitwiseNot", "not", {"y_q"}, {"s"});
         b.Output("s");
       },
       ""},
      {"QuantizeIntoCastToFloat", SoundConv,
       [](GraphBuilder& b) {
         Cast(b, "cast", "y_q", "s", v1::DATA_TYPE_FLOAT32);
         b.Output("s");
       },
       "GS006", "y_Q", "y_q", -1, warning},
      {"QuantizeThroughResizeIntoDequantize", SoundConv, [](GraphBuilder& b) { ResizeStored(b, "DequantizeLinear"); },
       "-GS006"},
      {"QuantizeThroughResizeIntoQuantize", SoundConv, [](GraphBuilder& b) { ResizeStored(b, "QuantizeLinear"); },
       "GS006", "y_Q", "y_q"},
      {"QuantizeIntoConcatWithFloats", SoundConv,
       [](GraphBuilder& b) {
         b.Node("Concat", "cat", {"y_q", "y_dq"}, {"s"});
         b.Output("s");
       },
       "GS006", "y_Q", "y_q"},
      {"QuantizeIntoConcat", SoundConv,
       [](GraphBuilder& b) {
         b.Int(b.Node("Concat", "cat", {"y_q", "y_q"}, {"s"}), "axis", 1);
         b.Output("s");
       },
       ""},

      // GS007, GS008
      {"SecondPairSameType", SoundConv, [](GraphBuilder& b) { SecondPair(b, "y_dq", v1::DATA_TYPE_UINT8); }, "GS007",
       "second_Q", "y_dq", -1, warning},
      {"SecondPairOtherType", SoundConv, [](GraphBuilder& b) { SecondPair(b, "y_dq", v1::DATA_TYPE_UINT16); }, ""},
      {"UnusedQuantize", SoundConv,
       [](GraphBuilder& b) {
         b.Node("QuantizeLinear", "lost", {"y", "y_scale", "y_zp"}, {"l"});
       },
       "GS008", "lost", "l", -1, warning},
      {"UnusedDequantize", SoundConv,
       [](GraphBuilder& b) {
         b.Node("DequantizeLinear", "lost", {"y_q", "y_scale", "y_zp"}, {"l"});
       },
       "GS008", "lost", "l", -1, warning},

      {"UnusedQuantizeBesideABody", SoundConv,
       [](GraphBuilder& b) {
         b.Node("QuantizeLinear", "lost", {"y", "y_scale", "y_zp"}, {"l"});
         BranchesThatRead(b, "y_dq");
       },
       "GS008", "lost", "l", -1, warning},
      {"QuantizeThatABodyReads", SoundConv,
       [](GraphBuilder& b) {
         b.Node("DequantizeLinear", "lost", {"y_q", "y_scale", "y_zp"}, {"l"});
         BranchesThatRead(b, "l");
       },
       ""},

      // GS009
      {"PairScale", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("other", {0.06});
         b.Find("y_DQ").set_inputs(1, b.Id("other"));
       },
       "GS009", "y_DQ", "y_q"},
      {"PairScaleEqual", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("other", {0.05});
         b.Find("y_DQ").set_inputs(1, b.Id("other"));
       },
       ""},
      {"PairZeroPoint", SoundConv,
       [](GraphBuilder& b) {
         b.Ints("other", v1::DATA_TYPE_UINT8, {1});
         b.Find("y_DQ").set_inputs(2, b.Id("other"));
       },
       "GS009", "y_DQ", "y_q"},
      {"PairScalesAllEqual", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("other", std::vector<double>(8, 0.05));
         b.Find("y_DQ").set_inputs(1, b.Id("other"));
         b.Ints("zeros", v1::DATA_TYPE_UINT8, std::vector<int64_t>(8, 0));
         b.Find("y_DQ").set_inputs(2, b.Id("zeros"));
         b.Int(b.Find("y_DQ"), "axis", 1);
       },
       "-GS009"},
      {"PairBlocksOfAnotherSize", SoundConv, [](GraphBuilder& b) { QuantizeInBlocks(b, 7, 2); }, "AX001", "y_DQ", "y_q"},
      {"PairBlocks", SoundConv, [](GraphBuilder& b) { QuantizeInBlocks(b, 7, 7); }, "-AX001"},
      // The rank is that of the scales.
      {"PairBlocksOfAnUnknownRank", SoundConv,
       [](GraphBuilder& b) {
         QuantizeInBlocks(b, 7, 7);
         SetReal(b, "scales", 5, 0.06);
         for (const char* value : {"y", "y_q"}) {
           b.Value(value).clear_has_shape();
           b.Value(value).clear_dims();
         }
         for (v1::Attribute& attribute : *b.Find("y_DQ").mutable_attributes()) {
           if (attribute.i() == 3) attribute.set_i(-1);
         }
       },
       "-GS009"},
      {"PairAxis", SoundConv, [](GraphBuilder& b) { QuantizeByChannels(b, 2, 3); }, "GS009", "y_DQ", "y_q"},
      {"PairAxisEqual", SoundConv, [](GraphBuilder& b) { QuantizeByChannels(b, 2, -2); }, "-GS009"},
      {"PairZeroPointAbsentIsZero", SoundConv, [](GraphBuilder& b) { b.Find("y_DQ").mutable_inputs()->RemoveLast(); },
       ""},

      // CV001, CV002
      {"UnknownOp", SoundConv, [](GraphBuilder& b) { b.Node("FusedMagic", "magic", {"y_dq"}, {"m"}); }, "CV001",
       "magic"},
      {"UnknownDomain", SoundConv, [](GraphBuilder& b) { b.Node("acme.npu::FusedMagic", "magic", {"y_dq"}, {"m"}); },
       "CV001", "magic"},
      {"CustomDomain", SoundConv,
       [](GraphBuilder& b) {
         b.graph.add_opset_imports()->set_domain("acme.npu");
         b.Node("acme.npu::FusedMagic", "magic", {"y_dq"}, {"m"});
       },
       "CV002", "magic", "", -1, warning},
      {"UnknownAten", Annotated, [](GraphBuilder& b) { b.Node("acme.magic.default", "magic", {"relu"}, {"m"}); },
       "CV002", "magic", "", -1, warning},
      {"UnknownInAProgram", ExportedLinear,
       [](GraphBuilder& b) { b.Node("acme.magic.default", "magic", {"y"}, {"m"}); }, "CV001", "magic"},
      {"UnknownAtenInAProgram", ExportedLinear,
       [](GraphBuilder& b) { b.Node("aten.magic.default", "magic", {"y"}, {"m"}); }, "CV002", "magic", "", -1, warning},

      // FI008 of PyTorch: what a quantizer is told counts, not the type of the zero point.
      {"QuantizesToFloat", DynamicLinear,
       [](GraphBuilder& b) { SetAttribute(b, "x_Q", "dtype").set_dtype(v1::DATA_TYPE_FLOAT32); }, "FI008", "x_Q"},
      {"ZeroPointsAreWide", DynamicLinear,
       [](GraphBuilder& b) {
         SetAttribute(b, "x_Q", "dtype").set_dtype(v1::DATA_TYPE_UINT8);
         b.Shape("x_zp", v1::DATA_TYPE_INT64, {1});
         b.Shape("x_q", v1::DATA_TYPE_INT64, {1, 8});
       },
       "-FI008"},

      {"DequantizesAnotherType", ExportedLinear,
       [](GraphBuilder& b) { AttributeOf(b, "w_DQ", "dtype").set_dtype(v1::DATA_TYPE_UINT8); }, "FI008", "w_DQ", "w"},
      {"ComputesIntegersOfReals", ExportedLinear,
       [](GraphBuilder& b) {
         b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Node("aten.sigmoid.default", "sigmoid", {"y"}, {"s"});
         b.Shape("s", v1::DATA_TYPE_INT32, {1, 4});
       },
       "FI008", "sigmoid", "s"},
      {"QuantizesIntoNothing", ExportedLinear, [](GraphBuilder& b) { b.Find("x_Q").set_outputs(0, 0); }, "GS002", "x_DQ",
       "x_q"},
      {"ComputesRealsOfReals", ExportedLinear,
       [](GraphBuilder& b) {
         b.Shape("y", v1::DATA_TYPE_FLOAT32, {1, 4});
         b.Node("aten.sigmoid.default", "sigmoid", {"y"}, {"s"});
         b.Shape("s", v1::DATA_TYPE_FLOAT16, {1, 4});
       },
       "-FI008"},
      {"QuantizesDoubles", ExportedLinear, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_FLOAT64); },
       "FI008", "x_Q", "x"},
      {"QuantizesHalves", ExportedLinear, [](GraphBuilder& b) { b.Value("x").set_dtype(v1::DATA_TYPE_FLOAT16); },
       "-FI008"},
      {"DeclaresAnotherTypeThanItMakes", ExportedLinear,
       [](GraphBuilder& b) {
         v1::Node& quantize = b.Node("quantized_decomposed.quantize_per_tensor.default", "y_Q", {"y"}, {"y_q"});
         SetAttribute(b, "y_Q", "scale").set_f(0.1);
         b.Int(quantize, "zero_point", 0);
         SetAttribute(b, "y_Q", "dtype").set_dtype(v1::DATA_TYPE_UINT8);
         b.Shape("y_q", v1::DATA_TYPE_INT32, {1, 4});
       },
       "FI008", "y_Q", "y_q"},

      // AX011 behind convert: the node is read as one that computes in float.
      {"ConvertedInputsOfALinearLayer", ExportedLinear,
       [](GraphBuilder& b) {
         b.Shape("w_dq", v1::DATA_TYPE_FLOAT32, {4, 8});
         AttributeOf(b, "w_DQ", "axis").set_i(1);
       },
       "AX011", "linear", "w_dq"},
      {"ConvertedOutputsOfALinearLayer", ExportedLinear,
       [](GraphBuilder& b) { b.Shape("w_dq", v1::DATA_TYPE_FLOAT32, {4, 8}); }, "-AX011"},

      // FX006 behind convert
      {"ConvertedSigmoidCutInHalf", ExportedLinear, [](GraphBuilder& b) { AddSigmoid(b, 1.0 / 256, 0); }, "FX006",
       "sigmoid", "s"},
      {"ConvertedSigmoidOfInt8", ExportedLinear, [](GraphBuilder& b) { AddSigmoid(b, 1.0 / 256, -128); }, "-FX006"},
      // Calibration saw a part of it.
      {"ConvertedSigmoidObserved", ExportedLinear, [](GraphBuilder& b) { AddSigmoid(b, 0.002, -128); }, "-FX006"},

      // FI011 of exported programs
      {"DeclaredWithoutType", ExportedLinear,
       [](GraphBuilder& b) { b.Shape("y", v1::DATA_TYPE_UNSPECIFIED, {1, 4}); }, "FI011", "linear", "y"},
      {"NotDeclared", ExportedLinear, [](GraphBuilder&) {}, "-FI011"},

      // FI026
      {"QuantizerHasItsArguments", ExportedLinear, [](GraphBuilder&) {}, "-FI026"},
      {"LiveGraphsAreNotAsked", DynamicLinear, [](GraphBuilder&) {}, "-FI026"},
      {"QuantizerArgumentLeftOut", ExportedLinear,
       [](GraphBuilder& b) { b.Find("x_Q").mutable_attributes()->DeleteSubrange(0, 1); }, "FI026", "x_Q"},
      {"QuantizerArgumentIsText", ExportedLinear,
       [](GraphBuilder& b) { AttributeOf(b, "x_Q", "quant_max").set_s("127"); }, "FI026", "x_Q"},
      {"QuantizerArgumentIsAFraction", ExportedLinear,
       [](GraphBuilder& b) { AttributeOf(b, "w_DQ", "axis").set_f(0.5); }, "FI026", "w_DQ"},
      {"QuantizerArgumentIsNoType", ExportedLinear,
       [](GraphBuilder& b) { AttributeOf(b, "x_DQ", "dtype").set_dtype(v1::DATA_TYPE_UNSPECIFIED); }, "FI026", "x_DQ"},
      {"IntegersAreNumbers", ExportedLinear, [](GraphBuilder& b) { AttributeOf(b, "choose", "eps").set_i(1); },
       "-FI026"},

      // GS010 and GS011 of PyTorch's files
      {"WindowsOfAProgram", ExportedLinear, [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default"); }, "-GS010"},
      {"StrideZeroInAProgram", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").mutable_ints()->set_values(1, 0); }, "GS010", "window"},
      {"StrideZeroInALiveGraph", DynamicLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").mutable_ints()->set_values(1, 0); }, "-GS010"},
      {"StrideIsText", ExportedLinear, [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").set_s("x"); }, "GS010",
       "window"},
      {"StrideOfALaterKind", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").set_s("as_later"); }, "-GS010"},
      {"StrideIsOfReals", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").mutable_floats()->add_values(1); }, "GS010", "window"},
      {"StrideOfAConvolutionIsNoList", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.conv2d.default").set_i(1); }, "GS010", "window"},
      {"StrideOfAPoolIsNoList", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.max_pool2d.default").set_i(1); }, "-GS010"},
      {"StrideOfAPoolIsNegative", ExportedLinear,
       [](GraphBuilder& b) { AddWindow(b, "aten.max_pool2d.default").set_i(-1); }, "GS010", "window"},
      {"StrideOfRunTime", ExportedLinear,
       [](GraphBuilder& b) {
         AddWindow(b, "aten.conv2d.default").mutable_ints()->set_values(1, -1);
         b.Find("window").add_inputs(b.Id("size"));
       },
       "-GS010"},
      {"PaddingByName", ExportedLinear,
       [](GraphBuilder& b) {
         AddWindow(b, "aten.conv2d.padding");
         SetAttribute(b, "window", "padding").set_s("same");
       },
       "-GS010"},
      {"PaddingOfNoName", ExportedLinear,
       [](GraphBuilder& b) {
         AddWindow(b, "aten.conv2d.padding");
         SetAttribute(b, "window", "padding").set_s("some");
       },
       "GS010", "window"},
      {"PaddingIsNegative", ExportedLinear,
       [](GraphBuilder& b) {
         AddWindow(b, "aten.conv2d.default");
         SetAttribute(b, "window", "padding").mutable_ints()->add_values(-1);
       },
       "GS010", "window"},
      {"PaddingZero", ExportedLinear,
       [](GraphBuilder& b) {
         AddWindow(b, "aten.conv2d.default");
         SetAttribute(b, "window", "padding").mutable_ints()->add_values(0);
       },
       "-GS010"},
      {"OperandsOfAProgram", ExportedLinear,
       [](GraphBuilder& b) { b.Node("aten.hardtanh.default", "node", {"y"}, {"z"}); }, "-GS011"},
      {"OperandLeftOut", ExportedLinear,
       [](GraphBuilder& b) { b.Int(b.Node("aten.hardtanh.default", "node", {}, {"z"}), "min_val", 0); }, "GS011",
       "node"},
      {"OperandLeftOutInALiveGraph", DynamicLinear,
       [](GraphBuilder& b) { b.Node("aten.hardtanh.default", "node", {}, {"z"}); }, "-GS011"},
      {"SecondOperandLeftOut", ExportedLinear,
       [](GraphBuilder& b) { b.Node("aten.add.Tensor", "node", {"y"}, {"z"}); }, "GS011", "node"},
      {"SecondOperandIsANumber", ExportedLinear,
       [](GraphBuilder& b) { b.Int(b.Node("aten.add.Tensor", "node", {"y"}, {"z"}), "other", 1); }, "-GS011"},
      {"OperandsAreSizes", ExportedLinear, [](GraphBuilder& b) { b.Node("aten.zeros.default", "node", {}, {"z"}); },
       "-GS011"},
      {"FirstOperandIsANumber", ExportedLinear,
       [](GraphBuilder& b) { b.Int(b.Node("aten.pow.Scalar", "node", {"y"}, {"z"}), "self", 2); }, "-GS011"},
      {"WeightLeftOut", ExportedLinear, [](GraphBuilder& b) { b.Node("aten.linear.default", "node", {"y"}, {"z"}); },
       "GS011", "node"},

      // GS012 of PyTorch's files
      {"WeightsOfAProgram", ExportedLinear, [](GraphBuilder& b) { AddWeighted(b, "aten.linear.default", 2); },
       "-GS012"},
      {"WeightOfALinearLayerIsAVector", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.linear.default", 1); }, "GS012", "weighted", "weight"},
      {"WeightIsAVectorInALiveGraph", DynamicLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.linear.default", 1); }, "-GS012"},
      {"WeightIsAVectorWithoutABias", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.linear.default", 1).mutable_inputs()->RemoveLast(); }, "-GS012"},
      {"WeightOfALinearLayerHasThreeAxes", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.linear.default", 3); }, "GS012", "weighted", "weight"},
      {"WeightOfAConvolution", ExportedLinear, [](GraphBuilder& b) { AddWeighted(b, "aten.conv2d.default", 4); },
       "-GS012"},
      {"WeightOfAConvolutionIsAVector", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.conv2d.default", 1); }, "GS012", "weighted", "weight"},
      {"WeightOfATransposedConvolution", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.conv_transpose1d.default", 4); }, "GS012", "weighted", "weight"},
      {"WeightOfAConvolutionOfNoNumber", ExportedLinear,
       [](GraphBuilder& b) { AddWeighted(b, "aten.convolution.default", 1); }, "-GS012"},

      // FI025
      {"MemberOutsideOfTheArchive", DynamicLinear, [](GraphBuilder& b) { AddMember(b, "../evil"); }, "FI025", "",
       "../evil", -1, warning},
      {"ForeignValueWithoutData", DynamicLinear, [](GraphBuilder& b) { b.Value("elsewhere").set_foreign(true); },
       "-FI025"},

      // NR001
      {"QnnBiasScaleZero", QnnDense, [](GraphBuilder&) {}, ""},
      {"QnnWeightScaleZero", QnnDense,
       [](GraphBuilder& b) { b.graph.mutable_specs(1)->mutable_qparams()->set_scales(0, 0); }, "NR001", "fc", "w", 0},
      {"ScaleZero", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, 0); }, "NR001", "y_Q", "y"},
      {"ScaleOfABlockOfZeros", SoundConv,
       [](GraphBuilder& b) {
         QuantizeInBlocks(b, 7, 7);
         SetReal(b, "scales", 5, 0);
       },
       "NR001", "y_Q", "y", 5, warning},
      {"ScaleOfABlockThatIsShifted", SoundConv,
       [](GraphBuilder& b) {
         QuantizeInBlocks(b, 7, 7);
         SetReal(b, "scales", 5, 0);
         SetInt(b, "zeros", 5, 3);
       },
       "NR001", "y_Q", "y", 5},
      {"ScaleNegative", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, -0.02); }, "NR001", "y_Q", "y"},
      {"ScaleNan", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, kNan); }, "NR001", "y_Q", "y"},
      {"ScaleInf", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, kInf); }, "NR001", "y_Q", "y"},
      {"ScaleDenormal", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, 1e-40); }, "NR001", "y_Q", "y"},
      {"ScaleTooLarge", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, 3.5e38); }, "NR001", "y_Q", "y"},
      {"ScaleLargest", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, 3.4e38); }, ""},
      {"ScaleSmallest", SoundConv, [](GraphBuilder& b) { SetReal(b, "y_scale", 0, 1.2e-38); }, ""},
      {"ChannelScaleNan", SoundConv, [](GraphBuilder& b) { SetReal(b, "w_scale", 4, kNan); }, "NR001", "w_DQ", "w", 4},
      {"ChannelScaleNegative", SoundConv, [](GraphBuilder& b) { SetReal(b, "w_scale", 5, -0.01); }, "NR001", "w_DQ",
       "w", 5},
      {"BlockScaleNegative", Blocked, [](GraphBuilder& b) { SetReal(b, "w_scale", 7, -0.01); }, "NR001", "w_DQ", "w", 7,
       warning},
      {"BlockScaleZero", Blocked, [](GraphBuilder& b) { SetReal(b, "w_scale", 7, 0); }, "NR001", "w_DQ", "w", 7,
       warning},
      {"BlockScaleDenormal", Blocked, [](GraphBuilder& b) { SetReal(b, "w_scale", 7, 1e-40); }, "NR001", "w_DQ", "w",
       7},
      {"PackedScaleNegative", SoundPackedMatMul, [](GraphBuilder& b) { SetReal(b, "w_scale", 9, -0.01); }, "-NR001"},
      {"PackedScaleZero", SoundPackedMatMul,
       [](GraphBuilder& b) {
         SetReal(b, "w_scale", 8, -0.01);
         SetReal(b, "w_scale", 9, 0);
       },
       "NR001", "mm", "w", 9, warning},
      {"PackedScaleZeroBesidePackedZeroPoints", SoundPackedMatMul,
       [](GraphBuilder& b) {
         SetReal(b, "w_scale", 9, 0);
         b.Ints("w_zp", v1::DATA_TYPE_UINT8, std::vector<int64_t>(32, 0x88));  // two in a byte
         b.Shape("w_zp", v1::DATA_TYPE_UINT8, {32, 1});
         b.Find("mm").add_inputs(b.Id("w_zp"));
       },
       "NR001", "mm", "w", 9, warning},
      {"PackedScaleZeroBesideAShift", SoundPackedMatMul,
       [](GraphBuilder& b) {
         SetReal(b, "w_scale", 9, 0);
         b.Reals("w_zp", std::vector<double>(64, 8));
         b.Shape("w_zp", v1::DATA_TYPE_FLOAT32, {32, 2});
         b.Find("mm").add_inputs(b.Id("w_zp"));
       },
       "NR001", "mm", "w", 9},
      {"IntegerScaleZero", SoundIntegerConv, [](GraphBuilder& b) { SetReal(b, "w_scale", 0, 0); }, "NR001", "q", "w"},
      {"SpecScaleZero", Annotated,
       [](GraphBuilder& b) { b.graph.mutable_specs(0)->mutable_qparams()->set_scales(0, 0); }, "NR001", "relu", "x"},

      // NR002
      {"ZeroPointTooLarge", SoundConv, [](GraphBuilder& b) { SetInt(b, "y_zp", 0, 300); }, "NR002", "y_Q", "y"},
      {"ZeroPointLargest", SoundConv, [](GraphBuilder& b) { SetInt(b, "y_zp", 0, 255); }, ""},
      {"ZeroPointNegative", SoundConv, [](GraphBuilder& b) { SetInt(b, "y_zp", 0, -1); }, "NR002", "y_Q", "y"},
      {"ChannelZeroPoint", SoundConv, [](GraphBuilder& b) { SetInt(b, "w_zp", 3, -129); }, "NR002", "w_DQ", "w", 3},
      {"ChannelZeroPointSmallest", SoundConv, [](GraphBuilder& b) { SetInt(b, "w_zp", 3, -128); }, ""},
      {"SpecZeroPoint", Annotated,
       [](GraphBuilder& b) { b.graph.mutable_specs(0)->mutable_qparams()->set_zero_points(0, 128); }, "NR002", "relu",
       "x"},

      // AX001
      {"SevenScales", SoundConv,
       [](GraphBuilder& b) {
         b.Value("w_scale").mutable_constant()->mutable_reals()->RemoveLast();
         b.Value("w_scale").set_dims(0, 7);
         b.Value("w_scale").mutable_constant()->set_stored_bytes(28);
       },
       "AX001", "w_DQ", "w"},
      {"NoScale", SoundConv,
       [](GraphBuilder& b) { b.Reals("w_scale", {}, false); }, "AX001", "w_DQ", "w_scale"},
      {"NoZeroPoint", SoundConv,
       [](GraphBuilder& b) { b.Ints("w_zp", v1::DATA_TYPE_INT8, {}, false); }, "AX001", "w_DQ", "w_zp"},
      {"NoScaleOfIntegerOperator", SoundIntegerConv,
       [](GraphBuilder& b) { b.Reals("w_scale", {}, false); }, "AX001", "q", "w_scale"},
      {"AxisLeftOut", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").clear_attributes(); }, "AX001", "w_DQ", "w"},
      {"AxisFromTheEnd", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(-4); }, ""},
      {"SevenZeroPoints", SoundConv,
       [](GraphBuilder& b) { b.Value("w_zp").mutable_constant()->mutable_ints()->RemoveLast(); }, "AX001", "w_DQ", "w"},
      {"IntegerThreeScales", SoundIntegerConv,
       [](GraphBuilder& b) {
         b.Reals("w_scale", {0.01, 0.01});
         b.Value("w_scale").mutable_constant()->set_stored_bytes(-1);
       },
       "AX001", "q", "w"},
      {"BlockCount", Blocked, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(1)->set_i(32); }, "AX001", "w_DQ",
       "w"},
      {"PackedScaleCount", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Value("w_scale").set_dims(0, 31);
         b.Value("w_scale").mutable_constant()->set_stored_bytes(-1);
       },
       "AX001", "mm", "w_scale"},
      {"PackedZeroPointCount", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Weight("zp", v1::DATA_TYPE_UINT8, {31}, 31);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       "AX001", "mm", "zp"},
      {"PackedZeroPoints", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Weight("zp", v1::DATA_TYPE_UINT8, {32}, 32);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       ""},
      {"ZeroPointsInBytesOfTheirOwn", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Weight("zp", v1::DATA_TYPE_UINT8, {32, 2}, 64);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       "AX001", "mm", "zp"},
      {"ZeroPointsInFloats", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Weight("zp", v1::DATA_TYPE_FLOAT32, {32, 2}, 256);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       ""},
      {"ZeroPointsInAsManyFloatsAsBytes", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Weight("zp", v1::DATA_TYPE_FLOAT32, {32}, 128);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       "AX001", "mm", "zp"},
      {"ZeroPointsInBytesOfTheirOwnOf8Bits", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Find("mm").mutable_attributes(2)->set_i(8);
         b.Weight("w", v1::DATA_TYPE_UINT8, {32, 2, 32}, 2048);
         b.Weight("zp", v1::DATA_TYPE_UINT8, {32, 2}, 64);
         b.Find("mm").add_inputs(b.Id("zp"));
       },
       ""},
      {"SpecTwoScales", Annotated, [](GraphBuilder& b) { b.graph.mutable_specs(0)->mutable_qparams()->add_scales(1); },
       "AX001", "relu", "x"},

      // AX002
      {"AxisSeven", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(7); }, "AX002", "w_DQ",
       "w"},
      {"AxisHuge", SoundConv,
       [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(std::numeric_limits<int64_t>::max()); },
       "AX002", "w_DQ", "w"},
      // Four from the end of a rank of 4 is the first axis; seven is none, though -7 + 4 would be one from the end.
      {"AxisMinusSeven", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(-7); }, "AX002",
       "w_DQ", "w"},
      {"AxisMinusFour", SoundConv, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(-4); }, ""},
      {"BlockedAxis", Blocked, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(0)->set_i(2); }, "AX002", "w_DQ",
       "w"},

      {"AxisRepeated", Annotated,
       [](GraphBuilder& b) {
         for (int axis : {0, -2}) b.graph.mutable_specs(0)->mutable_qparams()->add_axes(axis);
       },
       "AX002", "relu", "x"},

      // AX003
      {"BlockOf24", SoundPackedMatMul, [](GraphBuilder& b) { b.Find("mm").mutable_attributes(3)->set_i(24); }, "AX003",
       "mm"},
      {"BlockOf8", SoundPackedMatMul, [](GraphBuilder& b) { b.Find("mm").mutable_attributes(3)->set_i(8); }, "AX003",
       "mm"},
      {"ThreeBits", SoundPackedMatMul, [](GraphBuilder& b) { b.Find("mm").mutable_attributes(2)->set_i(3); }, "DT001",
       "mm"},
      {"EightBits", SoundPackedMatMul,
       [](GraphBuilder& b) {
         b.Find("mm").mutable_attributes(2)->set_i(8);
         b.Value("w").set_dims(2, 32);
         b.Value("w").mutable_constant()->set_stored_bytes(2048);
       },
       ""},
      {"BlockMissing", SoundPackedMatMul, [](GraphBuilder& b) { b.Find("mm").mutable_attributes()->RemoveLast(); },
       "AX003", "mm"},
      {"BlockNegative", Blocked, [](GraphBuilder& b) { b.Find("w_DQ").mutable_attributes(1)->set_i(-16); }, "AX003",
       "w_DQ"},

      {"SpecBlocksUnequal", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
         b.graph.mutable_specs(0)->clear_qparams();
         b.graph.set_stage(v1::STAGE_ANNOTATED);
         for (int64_t size : {1, 3}) b.graph.mutable_specs(0)->add_block_size(size);
       },
       "AX003", "relu", "x"},
      {"SpecBlocksOfZeroElements", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
         for (int64_t size : {1, 0}) b.graph.mutable_specs(0)->add_block_size(size);
       },
       "AX003", "relu", "x"},
      {"SpecBlocksEqual", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& spec = *b.graph.mutable_specs(0);
         spec.set_qscheme(v1::Spec::PER_BLOCK_SYMMETRIC);
         for (int64_t size : {1, 4}) spec.add_block_size(size);
         spec.mutable_qparams()->add_scales(0.2);
         spec.mutable_qparams()->add_zero_points(3);
       },
       ""},
      // NR003
      {"RangeBeyondTheType", Annotated, [](GraphBuilder& b) { b.graph.mutable_specs(0)->set_quant_max(255); }, "NR003",
       "relu", "x"},
      {"RangeBelowTheType", Annotated, [](GraphBuilder& b) { b.graph.mutable_specs(0)->set_quant_min(-129); }, "NR003",
       "relu", "x"},
      {"RangeOfOneNumber", Annotated, [](GraphBuilder& b) { b.graph.mutable_specs(0)->set_quant_min(127); }, "NR003",
       "relu", "x"},
      {"RangeOfAnObserverThatLooksAtNone", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_quant_max(255);
         b.graph.mutable_specs(0)->set_observer(b.Symbol("INT8WeightObserver"));
       },
       "NR003", "relu", "x", -1, warning},
      {"RangeOfAnObserverThatLooksAtIt", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_quant_max(255);
         b.graph.mutable_specs(0)->set_observer(b.Symbol("MinMaxObserver"));
       },
       "NR003", "relu", "x"},
      {"RangeReadBeyondTheType", ExportedLinear, [](GraphBuilder& b) { SetLargest(b, "x_DQ", 1000); }, "NR003", "x_DQ",
       "x_q"},
      {"RangeReadWithinTheType", ExportedLinear, [](GraphBuilder& b) { SetLargest(b, "x_DQ", 63); }, "-NR003"},
      {"RangeWithinTheType", Annotated,
       [](GraphBuilder& b) {
         b.graph.mutable_specs(0)->set_quant_min(-8);
         b.graph.mutable_specs(0)->set_quant_max(7);
       },
       ""},
      // FX004
      {"DerivedFromItsOwnEdges", AnnotatedLinear, [](GraphBuilder&) {}, ""},
      {"DerivedFromTheOutput", AnnotatedLinear,
       [](GraphBuilder& b) { b.graph.mutable_specs(2)->mutable_derived_from(0)->set_value(b.Id("linear")); }, "FX004",
       "linear", "b"},
      {"DerivedFromOneEdge", AnnotatedLinear,
       [](GraphBuilder& b) { b.graph.mutable_specs(2)->mutable_derived_from()->RemoveLast(); }, "FX004", "linear", "b"},
      {"DerivedFromNothing", AnnotatedLinear, [](GraphBuilder& b) { b.graph.mutable_specs(2)->clear_derived_from(); },
       "FX004", "linear", "b"},
      // SH001 to SH004
      {"ReferenceToNothing", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& shared = *b.graph.add_specs();
         shared.set_kind(v1::Spec::SHARED);
         shared.mutable_shared_with()->set_value(b.Id("x"));
         b.Value("relu").set_spec(2);
       },
       "SH001", "relu", "relu"},
      {"ReferenceToTheEdge", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& shared = *b.graph.add_specs();
         shared.set_kind(v1::Spec::SHARED);
         shared.mutable_shared_with()->set_value(b.Id("x"));
         shared.mutable_shared_with()->set_consumer(1);
         b.Value("relu").set_spec(2);
       },
       ""},
      {"ReferencesInACircle", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& on_output = *b.graph.add_specs();
         on_output.set_kind(v1::Spec::SHARED);
         on_output.mutable_shared_with()->set_value(b.Id("x"));
         on_output.mutable_shared_with()->set_consumer(1);
         v1::Spec& on_edge = *b.graph.add_specs();
         on_edge.set_kind(v1::Spec::SHARED);
         on_edge.mutable_shared_with()->set_value(b.Id("relu"));
         b.Value("relu").set_spec(2);
         b.Find("relu").set_input_specs(0, 3);
       },
       "SH002", "relu", "x"},
      {"FirstMemberIsShared", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& on_edge = *b.graph.add_specs();
         on_edge.set_kind(v1::Spec::SHARED);
         on_edge.mutable_shared_with()->set_value(b.Id("relu"));
         b.Find("relu").set_input_specs(0, 2);
       },
       "SH003", "relu", "x"},
      {"OutputSharedWithAnExplicitNone", Annotated, ShareWithNone, "SH003", "relu", "relu"},
      {"ResultWithoutShapeSharedWithNone", Annotated,
       [](GraphBuilder& b) {
         ShareWithNone(b);
         b.Value("relu").set_has_shape(false);
         b.Value("relu").clear_dims();
       },
       "-SH003"},
      {"EdgeSharedWithAnExplicitNone", Annotated,
       [](GraphBuilder& b) {
         ShareWithNone(b);
         b.Value("relu").clear_spec();
         b.Node("aten.relu.default", "again", {"relu"}, {"again"}).add_input_specs(3);
         b.Output("again");
       },
       "-SH003"},
      {"ReadWithOtherType", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& narrow = *b.graph.add_specs();
         narrow = b.graph.specs(0);
         narrow.set_dtype(v1::DATA_TYPE_INT16);
         b.Value("relu").set_spec(2);
         b.Node("aten.relu.default", "again", {"relu"}, {"again"}).add_input_specs(1);
         b.Value("again").set_spec(1);
         b.Output("again");
       },
       "SH004", "again", "relu", -1, warning},
      {"ReadWithOtherScale", Annotated,
       [](GraphBuilder& b) {
         v1::Spec& other = *b.graph.add_specs();
         other = b.graph.specs(0);
         other.mutable_qparams()->set_scales(0, 0.2);
         b.Node("aten.relu.default", "again", {"relu"}, {"again"}).add_input_specs(2);
         b.Value("again").set_spec(2);
         b.Output("again");
       },
       "SH004", "again", "relu", -1, warning},
      {"ReadAsWritten", Annotated,
       [](GraphBuilder& b) {
         b.Node("aten.relu.default", "again", {"relu"}, {"again"}).add_input_specs(1);
         b.Value("again").set_spec(1);
         b.Output("again");
       },
       ""},

      // FX001 to FX003
      {"BiasScale", SoundConv,
       [](GraphBuilder& b) {
         for (int i = 0; i < 8; ++i) SetReal(b, "b_scale", i, 2.5e-4);
       },
       "FX001", "conv", "b", 0},
      {"BiasScaleOfGemm", SoundGemm, [](GraphBuilder&) {}, "-FX001"},
      {"BiasScaleOfGemmWithAlpha", SoundGemm, [](GraphBuilder& b) { SetGemm(b, "alpha", 2); }, "FX001", "gemm", "b", -1, warning},
      {"BiasScaleOfGemmWithBeta", SoundGemm, [](GraphBuilder& b) { SetGemm(b, "beta", 2); SetReal(b, "b_scale", 0, 4e-4); }, "FX001", "gemm", "b", -1, warning},
      {"BiasScaleOfGemmWithTheBetaOfItsAlpha", SoundGemm,
       [](GraphBuilder& b) {
         SetGemm(b, "alpha", 2);
         SetGemm(b, "beta", 2);
         SetReal(b, "b_scale", 0, 4e-4);
       },
       "FX001", "gemm", "b", -1, warning},
      {"BiasScaleOfGemmOnNeitherScale", SoundGemm, [](GraphBuilder& b) { SetGemm(b, "alpha", 2); SetReal(b, "b_scale", 0, 3e-4); }, "FX001", "gemm", "b"},
      {"BiasScaleOfGemmWithAlphaAndBeta", SoundGemm,
       [](GraphBuilder& b) {
         SetGemm(b, "alpha", 2);
         SetGemm(b, "beta", 2);
       },
       "-FX001"},
      {"BiasScaleRoundedToFloat16", SoundConv,
       [](GraphBuilder& b) {
         SetReal(b, "b_scale", 6, 1.9964e-4);
         b.Value("b_scale").set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       "-FX001"},
      {"BiasScaleRoundedToNoFloat16", SoundConv,
       [](GraphBuilder& b) {
         SetReal(b, "b_scale", 6, 1.99e-4);
         b.Value("b_scale").set_dtype(v1::DATA_TYPE_FLOAT16);
       },
       "FX001", "conv", "b"},
      {"BiasScaleRoundedInFloat32", SoundConv, [](GraphBuilder& b) { SetReal(b, "b_scale", 6, 1.9964e-4); }, "FX001",
       "conv", "b"},
      {"BiasScaleOneChannel", SoundConv, [](GraphBuilder& b) { SetReal(b, "b_scale", 6, 2.5e-4); }, "FX001", "conv",
       "b", 6},
      {"BiasScaleRounded", SoundConv, [](GraphBuilder& b) { SetReal(b, "b_scale", 6, 2.0001e-4); }, ""},
      {"BiasScaleOfZeros", SoundConv,
       [](GraphBuilder& b) {
         SetReal(b, "b_scale", 6, 2.5e-4);
         for (int i = 0; i < 8; ++i) SetInt(b, "b", i, 0);
       },
       ""},
      {"BiasScaleOfZerosByStatistics", SoundConv,
       [](GraphBuilder& b) {
         SetReal(b, "b_scale", 6, 2.5e-4);
         b.Value("b").mutable_constant()->clear_ints();
         b.Value("b").mutable_constant()->mutable_statistics()->set_count(8);
       },
       ""},
      {"BiasScaleInFrontOfARelu", SoundConv,
       [](GraphBuilder& b) {
         PutBehindConv(b, "Relu");
         SetReal(b, "b_scale", 6, 2.5e-4);
       },
       "FX001", "conv", "b", 6},
      {"BiasZeroPointInFrontOfAnIdentity", SoundConv,
       [](GraphBuilder& b) {
         PutBehindConv(b, "Identity");
         SetInt(b, "b_zp", 2, 5);
       },
       "FX002", "conv", "b", 2},
      {"BiasInFrontOfARelu", SoundConv, [](GraphBuilder& b) { PutBehindConv(b, "Relu"); }, ""},
      // y is quantized to 0..12.75: a clip to 0..6 stays, and the convolution computes in float.
      {"BiasScaleInFrontOfANarrowClip", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("low", {0});
         b.Reals("high", {6});
         PutBehindConv(b, "Clip", {"made", "low", "high"});
         SetReal(b, "b_scale", 6, 2.5e-4);
       },
       "-FX001"},
      {"BiasScaleInFrontOfAWideClip", SoundConv,
       [](GraphBuilder& b) {
         b.Reals("low", {0});
         b.Reals("high", {20});
         PutBehindConv(b, "Clip", {"made", "low", "high"});
         SetReal(b, "b_scale", 6, 2.5e-4);
       },
       "FX001", "conv", "b", 6},
      // Nothing is folded there: the convolution computes in float, with the bias as it is dequantized.
      {"BiasScaleInFrontOfATanh", SoundConv,
       [](GraphBuilder& b) {
         PutBehindConv(b, "Tanh");
         SetReal(b, "b_scale", 6, 2.5e-4);
       },
       "-FX001"},
      {"BiasScaleOfFloats", SoundConv,
       [](GraphBuilder& b) {
         PutBehindConv(b, "Relu");
         b.Output("made");
         SetReal(b, "b_scale", 6, 2.5e-4);
       },
       "-FX001"},
      {"BiasAtLimitInFrontOfATanh", SoundConv,
       [](GraphBuilder& b) {
         PutBehindConv(b, "Tanh");
         SetInt(b, "b", 3, 2147483647);
       },
       "FX003", "conv", "b", 3, warning},
      {"BiasZeroPoint", SoundConv, [](GraphBuilder& b) { SetInt(b, "b_zp", 2, 5); }, "FX002", "conv", "b", 2},
      {"BiasZeroPointIsSaidOnce", SoundConv, [](GraphBuilder& b) { SetInt(b, "b_zp", 2, 5); }, "-QS008"},
      {"BiasAtLimit", SoundConv, [](GraphBuilder& b) { SetInt(b, "b", 3, 2147483647); }, "FX003", "conv", "b", 3,
       warning},
      {"BiasAtNegativeLimit", SoundConv, [](GraphBuilder& b) { SetInt(b, "b", 3, -2147483647); }, "FX003", "conv", "b",
       3, warning},
      {"NormalizationBiasAtLimit", SoundConv, [](GraphBuilder& b) { AddNormalization(b, 2147483647); }, "FX003", "norm",
       "shift", 1, warning},
      {"NormalizationBiasNearLimit", SoundConv, [](GraphBuilder& b) { AddNormalization(b, 2147483000); }, ""},
      {"BiasNearLimit", SoundConv, [](GraphBuilder& b) { SetInt(b, "b", 3, 2147483000); }, ""},
      {"BiasAtLimitByStatistics", SoundConv,
       [](GraphBuilder& b) {
         v1::Constant& constant = *b.Value("b").mutable_constant();
         constant.clear_ints();
         constant.mutable_statistics()->set_max(2147483647.0);
         constant.mutable_statistics()->set_max_index(5);
       },
       "FX003", "conv", "b", 5, warning},
      {"BiasAtNegativeLimitByStatistics", SoundConv,
       [](GraphBuilder& b) {
         v1::Constant& constant = *b.Value("b").mutable_constant();
         constant.clear_ints();
         constant.mutable_statistics()->set_min(-2147483648.0);
         constant.mutable_statistics()->set_min_index(4);
       },
       "FX003", "conv", "b", 4, warning},
  };
  for (const Case& c : testing::FormCases()) cases.push_back(c);
  for (const Case& c : testing::OnnxCases()) cases.push_back(c);
  for (const Case& c : testing::AnnotationCases()) cases.push_back(c);
  for (const Case& c : testing::TfliteCases()) cases.push_back(c);
  for (const Case& c : testing::EncodingsCases()) cases.push_back(c);
  return cases;
}

class Soundness : public ::testing::TestWithParam<Case> {};

TEST_P(Soundness, FiresHereAndOnlyThere) {
  const Case& c = GetParam();
  GraphBuilder builder = c.base();
  c.change(builder);
  const v1::Report report = CheckGraph(builder.graph);
  ASSERT_EQ(report.results_size(), 1);
  if (c.code.empty()) {
    EXPECT_EQ(report.results(0).findings_size(), 0) << Describe(report);
    return;
  }
  if (c.code[0] == '-') {
    for (const v1::Finding& finding : report.results(0).findings()) EXPECT_NE("-" + finding.code(), c.code);
    return;
  }
  const v1::Finding* found = nullptr;
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.code() == c.code && (c.node.empty() || finding.location().node() == c.node)) {
      found = &finding;
      break;
    }
  }
  ASSERT_NE(found, nullptr) << c.code << " at '" << c.node << "' did not fire; got:\n" << Describe(report);
  if (!c.value.empty()) {
    EXPECT_EQ(found->location().value(), c.value);
  }
  if (c.index >= 0) {
    EXPECT_EQ(found->location().index(), c.index);
  }
  EXPECT_EQ(found->severity(), c.severity);
  EXPECT_TRUE(testing::AgreeWithContract(found->effect(), found->severity())) << Describe(report);
  EXPECT_FALSE(found->observed().empty());
  EXPECT_FALSE(found->allowed().empty());
  EXPECT_THAT(found->message(), ::testing::HasSubstr(found->observed()));
  EXPECT_THAT(found->message(), ::testing::HasSubstr(found->allowed()));
  EXPECT_THAT(found->message(), ::testing::Not(::testing::HasSubstr("{")));
  EXPECT_FALSE(absl::StartsWith(found->message(), " ")) << found->message();
  // What could not be checked yet is a warning of its own.
  const bool warns = c.severity == v1::Finding::WARNING || !report.results(0).not_checked().empty();
  const v1::Result::Verdict verdict = c.severity == v1::Finding::ERROR ? v1::Result::REJECTED
                                      : warns                          ? v1::Result::ACCEPTED_WITH_WARNINGS
                                                                       : v1::Result::ACCEPTED;
  EXPECT_EQ(report.results(0).verdict(), verdict) << Describe(report);
}

INSTANTIATE_TEST_SUITE_P(All, Soundness, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

// In torch.fx inputs and constants are nodes.
TEST(SoundnessRules, FindingsAtInputsAndConstantsHaveTheNodeOfPt2e) {
  const auto location_of = [](v1::Graph::Origin origin, bool is_input) {
    testing::GraphBuilder b(origin, v1::STAGE_ANNOTATED);
    b.graph.add_specs()->set_kind(v1::Spec::PLAIN);
    b.graph.mutable_specs(0)->set_dtype(v1::DATA_TYPE_UINT8);
    b.Input("ids", v1::DATA_TYPE_INT64, {8});
    b.Shape("positions", v1::DATA_TYPE_INT64, {8}).mutable_constant()->set_stored_bytes(64);
    b.Value(is_input ? "ids" : "positions").set_spec(1);
    b.Node("aten.add.Tensor", "sum", {"ids", "positions"}, {"sum"});
    b.Shape("sum", v1::DATA_TYPE_INT64, {8});
    b.Output("sum");
    const v1::Report report = CheckGraph(b.graph);
    for (const v1::Finding& finding : report.results(0).findings()) {
      if (finding.location().value() == (is_input ? "ids" : "positions")) return finding.location();
    }
    return v1::Location();
  };
  const v1::Location input = location_of(v1::Graph::PT2E, true);
  EXPECT_EQ(input.node() + " " + input.op() + " " + input.value(), "ids placeholder ids");
  const v1::Location constant = location_of(v1::Graph::PT2E, false);
  EXPECT_EQ(constant.node() + " " + constant.op() + " " + constant.value(), "positions  positions");
}

TEST(SoundnessRules, EveryRuleHasACaseThatFiresIt) {
  std::set<std::string> covered;
  for (const Case& c : Cases()) covered.insert(c.code);
  for (const Rule& rule : SoundnessRules()) {
    EXPECT_TRUE(covered.count(rule.info->code)) << rule.info->code << " has no case";
  }
}

TEST(SoundnessRules, MetadataIsComplete) {
  std::set<std::string> codes;
  std::set<std::string> names;
  for (const Rule& rule : SoundnessRules()) {
    EXPECT_TRUE(codes.insert(rule.info->code).second) << rule.info->code;
    EXPECT_TRUE(names.insert(rule.info->name).second) << rule.info->name;
    const std::string page = ExplainRule(*rule.info);
    for (const char* part : {rule.info->code, rule.info->message, rule.info->why, rule.info->fix, rule.info->example}) {
      EXPECT_THAT(page, ::testing::HasSubstr(part));
      EXPECT_GT(std::string(part).size(), 4u);
    }
  }
}

// The number that the file states, however large.
TEST(SoundnessRules, AnAxisIsSaidAsItIsStated) {
  GraphBuilder builder = SoundConv();
  builder.Find("w_DQ").mutable_attributes(0)->set_i(int64_t{1} << 40);
  const v1::Report report = CheckGraph(builder.graph);
  ASSERT_EQ(report.results(0).findings_size(), 1) << Describe(report);
  EXPECT_EQ(report.results(0).findings(0).code(), "AX002");
  EXPECT_EQ(report.results(0).findings(0).observed(), "1099511627776");
}

// How many times AX001 says that it could not look at the node.
int TimesNotCounted(const GraphBuilder& builder, absl::string_view node) {
  int count = 0;
  const v1::Report report = CheckGraph(builder.graph);
  for (const v1::NotChecked& entry : report.results(0).not_checked()) {
    count += entry.rule() == "AX001" && entry.node() == node;
  }
  return count;
}

// Scales are counted by an axis; that nobody knows its size is said.
TEST(SoundnessRules, ScalesOfAnUnknownSizeAreNotChecked) {
  GraphBuilder builder = SoundConv();
  EXPECT_EQ(TimesNotCounted(builder, "w_DQ"), 0);
  builder.Value("w").set_dims(0, -1);
  EXPECT_EQ(TimesNotCounted(builder, "w_DQ"), 1);
}

TEST(SoundnessRules, ScalesOfAnUnknownLayoutAreNotChecked) {
  std::map<std::string, int> times;
  for (const Case& c : testing::OnnxCases()) {
    if (!absl::StartsWith(c.name, "Experts")) continue;
    GraphBuilder builder = c.base();
    c.change(builder);
    times[c.name] = TimesNotCounted(builder, "n");
  }
  EXPECT_EQ(times.at("ExpertsOfAKindThatIsNotKnown"), 1);
  times.erase("ExpertsOfAKindThatIsNotKnown");
  for (const auto& [name, count] : times) EXPECT_EQ(count, 0) << name;
}

// The importer reads small sparse tensors; of others there is nothing to judge.
TEST(SoundnessRules, ElementsThatWereNotReadAreNotChecked) {
  const auto reasons = [](const GraphBuilder& builder) {
    std::string all;
    const v1::Report report = CheckGraph(builder.graph);
    for (const v1::NotChecked& entry : report.results(0).not_checked()) {
      if (entry.rule() == "FI004") all += entry.reason();
    }
    return all;
  };
  GraphBuilder builder = SoundConv();
  EXPECT_EQ(reasons(builder), "");
  v1::Constant& scale = *builder.Value("w_scale").mutable_constant();
  scale.clear_reals();
  scale.set_stored_bytes(-1);
  EXPECT_EQ(reasons(builder), "");  // numbers that the sender keeps
  scale.mutable_sparsity();
  EXPECT_EQ(reasons(builder), "1 sparse tensor was not read: no rule looked at its elements");
}

// No number is said of external data that the file does not state.
TEST(SoundnessRules, AnOffsetThatIsNoNumberIsSaidToBeNone) {
  const auto observed = [](int64_t offset, int64_t length) -> std::string {
    GraphBuilder builder = SoundConv();
    v1::ExternalData& external = *builder.Value("w").mutable_constant()->mutable_external();
    external.set_location("w.bin");
    external.set_status(v1::ExternalData::BAD_RANGE);
    external.set_offset(offset);
    external.set_length(length);
    const v1::Report report = CheckGraph(builder.graph);
    for (const v1::Finding& finding : report.results(0).findings()) {
      if (finding.code() == "FI005") return finding.observed();
    }
    return "";
  };
  EXPECT_EQ(observed(0, -1), "is in 'w.bin', at an offset or of a length that is no number");
  EXPECT_EQ(observed(-64, 64), "is at offset -64, length 64 of 'w.bin', which is not within that file");
}

// One finding, every word of it: what users read and grep for.
TEST(SoundnessRules, RenderedFinding) {
  GraphBuilder builder = SoundConv();
  SetReal(builder, "w_scale", 4, -0.001);
  SetReal(builder, "w_scale", 6, -0.001);
  const v1::Report report = CheckGraph(builder.graph);
  ASSERT_EQ(report.results(0).findings_size(), 1) << Describe(report);
  EXPECT_EQ(report.results(0).findings(0).message(),
            "DequantizeLinear node 'w_DQ', tensor 'w' [4]: the scale is -0.001 ('w_scale'), and 1 more like it; "
            "expected a finite number of at least 1.175494e-38");
}

// What the finding about the weight of a model says that is missing, and what to do about it.
std::pair<std::string, std::string> MissingAt(v1::Graph::Origin origin, const std::string& location) {
  GraphBuilder builder = SoundConv();
  builder.graph.set_origin(origin);
  v1::ExternalData& external = *builder.Value("w").mutable_constant()->mutable_external();
  external.set_location(location);
  external.set_status(v1::ExternalData::MISSING);
  const v1::Report report = CheckGraph(builder.graph);
  for (const v1::Finding& finding : report.results(0).findings()) {
    if (finding.code() == "FI005") return {finding.allowed(), finding.fix()};
  }
  return {};
}

// Nobody is sent for a file that there never was.
TEST(SoundnessRules, PartsOfTheModelFileAreNotLookedForBesideIt) {
  for (const auto& [origin, location] : std::vector<std::pair<v1::Graph::Origin, std::string>>{
           {v1::Graph::ONNX, "w.bin"}, {v1::Graph::TFLITE, "w.bin"}}) {
    EXPECT_EQ(MissingAt(origin, location).first, "a file inside the model's folder that holds all of it");
    EXPECT_THAT(MissingAt(origin, location).second, ::testing::HasSubstr("beside the model"));
  }
  for (const std::string location : {"buffer 7", "external buffer 7", "the model file"}) {
    EXPECT_EQ(MissingAt(v1::Graph::TFLITE, location).first, "a buffer of the file that holds all of it");
    EXPECT_THAT(MissingAt(v1::Graph::TFLITE, location).second, ::testing::HasSubstr("damaged"));
  }
  EXPECT_EQ(MissingAt(v1::Graph::PT2E, "data/weights/weight_0").first, "a member of the archive that holds all of it");
}

// LiteRT files and exported programs import no operator sets.
TEST(SoundnessRules, AnUnknownOperatorsWayOutIsThatOfItsFormat) {
  const auto way_out = [](v1::Graph::Origin origin) -> std::string {
    GraphBuilder builder(origin);
    builder.graph.set_format_version(8);
    builder.Input("x", v1::DATA_TYPE_FLOAT32, {1});
    builder.Node("acme::Magic", "magic", {"x"}, {"y"});
    builder.Output("y");
    const v1::Report report = CheckGraph(builder.graph);
    for (const v1::Finding& finding : report.results(0).findings()) {
      if (finding.code() == "CV001") return finding.fix();
    }
    return "";
  };
  EXPECT_THAT(way_out(v1::Graph::ONNX), ::testing::HasSubstr("import the operator set"));
  EXPECT_THAT(way_out(v1::Graph::TFLITE), ::testing::HasSubstr("builtin operators"));
  EXPECT_THAT(way_out(v1::Graph::PT2E), ::testing::HasSubstr("operators of PyTorch"));
}

}  // namespace
}  // namespace quantgate
