// The CPU kernels of ONNX Runtime, judged by the shipped table: each rule with a node that fires it and its neighbor
// that does not. The expectations are the runtime's own (tests/runtimes/onnxruntime asks it).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/check.h"
#include "tests/rules/graph_builder.h"
#include "tests/rules/real_tables.h"

namespace quantgate {
namespace {

using testing::Ask;
using testing::GraphBuilder;

constexpr char kTarget[] = "onnxruntime/cpu";
constexpr v1::DataType kInt8 = v1::DATA_TYPE_INT8;
constexpr v1::DataType kUint8 = v1::DATA_TYPE_UINT8;
constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;
constexpr v1::DataType kUint16 = v1::DATA_TYPE_UINT16;
constexpr v1::DataType kInt4 = v1::DATA_TYPE_INT4;
constexpr v1::DataType kFloat8 = v1::DATA_TYPE_FLOAT8_E4M3FN;
constexpr v1::Finding::Effect kFallback = v1::Finding::FALLBACK;
constexpr v1::Finding::Effect kPrecision = v1::Finding::PRECISION;
constexpr v1::Finding::Effect kWrong = v1::Finding::WRONG_NUMBERS;

void SetOpset(GraphBuilder& b, int version) { b.graph.mutable_opset_imports(0)->set_version(version); }

// Of the node called "node".
void SetAttribute(GraphBuilder& b, const std::string& name, int64_t number) { b.Int(b.Find("node"), name, number); }

// y = op(x, ...) of tensors of one type.
GraphBuilder Node(const std::string& op, v1::DataType type, int inputs, int opset = 21) {
  GraphBuilder b;
  SetOpset(b, opset);
  std::vector<std::string> names;
  for (int i = 0; i < inputs; ++i) {
    names.push_back(absl::StrCat("x", i));
    b.Input(names.back(), type, {1, 4, 6, 6});
  }
  b.Node(op, "node", names, {"y"});
  b.Shape("y", type, {1, 4, 6, 6});
  b.Output("y");
  return b;
}

GraphBuilder QLinearConv(v1::DataType x, v1::DataType w) {
  GraphBuilder b;
  b.Input("x", x, {1, 4, 6, 6});
  b.Weight("w", w, {8, 4, 1, 1}, 32);
  for (const char* scale : {"xs", "ws", "ys"}) b.Reals(scale, {0.1});
  b.Ints("xz", x, {0});
  b.Ints("wz", w, {0});
  b.Ints("yz", x, {0});
  b.Node("QLinearConv", "node", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"});
  b.Shape("y", x, {1, 8, 6, 6});
  b.Output("y");
  return b;
}

// Local response normalization over so many channels.
GraphBuilder Response(int64_t size) {
  GraphBuilder b = Node("LRN", kFloat, 1);
  SetAttribute(b, "size", size);
  return b;
}

void SetInts(GraphBuilder& b, const std::string& name, const std::vector<int64_t>& numbers) {
  v1::Attribute& attribute = *b.Find("node").add_attributes();
  attribute.set_name(b.Symbol(name));
  for (int64_t number : numbers) attribute.mutable_ints()->add_values(number);
}
void SetText(GraphBuilder& b, const std::string& name, const std::string& text) {
  v1::Attribute& attribute = *b.Find("node").add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.set_s(text);
}

GraphBuilder Pooled(const std::vector<int64_t>& shape) {
  GraphBuilder b;
  b.Input("x", kFloat, shape);
  b.Node("MaxPool", "node", {"x"}, {"y"});
  SetInts(b, "kernel_shape", std::vector<int64_t>(shape.size() - 2, 1));
  b.Shape("y", kFloat, shape);
  b.Output("y");
  return b;
}

// A convolution of every other element.
GraphBuilder Dilated(const std::string& auto_pad) {
  GraphBuilder b;
  b.Input("x", kFloat, {1, 4, 6, 6});
  b.Weight("w", kFloat, {2, 4, 2, 2}, 128);
  b.Node("Conv", "node", {"x", "w"}, {"y"});
  SetInts(b, "dilations", {2, 2});
  SetText(b, "auto_pad", auto_pad);
  b.Value("y").set_dtype(kFloat);
  b.Output("y");
  return b;
}

GraphBuilder Transposed(const std::vector<int64_t>& strides) {
  GraphBuilder b;
  b.Input("x", kFloat, {1, 4, 6, 6});
  b.Weight("w", kFloat, {4, 2, 2, 2}, 128);
  b.Node("ConvTranspose", "node", {"x", "w"}, {"y"});
  SetInts(b, "dilations", {2, 2});
  SetInts(b, "output_padding", {0, 1});
  SetInts(b, "strides", strides);
  b.Value("y").set_dtype(kFloat);
  b.Output("y");
  return b;
}

GraphBuilder Resized(const std::string& mode, const std::vector<double>& scales, v1::DataType type = kFloat) {
  GraphBuilder b;
  b.Input("x", type, std::vector<int64_t>(scales.size(), 4));
  b.Reals("s", scales, /*scalar=*/false);
  b.Node("Resize", "node", {"x", "", "s"}, {"y"});
  SetText(b, "mode", mode);
  b.Value("y").set_dtype(type);
  b.Output("y");
  return b;
}

// In cubes, to stated sizes.
GraphBuilder ResizedTo(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  GraphBuilder b;
  b.Input("x", kUint8, from);
  b.Ints("to", v1::DATA_TYPE_INT64, to, /*scalar=*/false);
  b.Node("Resize", "node", {"x", "", "", "to"}, {"y"});
  SetText(b, "mode", "cubic");
  b.Value("y").set_dtype(kUint8);
  b.Output("y");
  return b;
}

GraphBuilder Mirrored(const std::vector<int64_t>& pads) {
  GraphBuilder b;
  b.Input("x", kFloat, {2, 3});
  b.Ints("pads", v1::DATA_TYPE_INT64, pads);
  b.Node("Pad", "node", {"x", "pads"}, {"y"});
  SetText(b, "mode", "reflect");
  b.Value("y").set_dtype(kFloat);
  b.Output("y");
  return b;
}

GraphBuilder Layers(const std::vector<std::string>& inputs) {
  GraphBuilder b;
  b.Input("x0", kFloat, {2, 4});
  b.Weight("x1", kFloat, {4}, 16);
  b.Node("LayerNormalization", "node", inputs, {"y"});
  b.Shape("y", kFloat, {2, 4});
  b.Output("y");
  return b;
}

// A QuantizeLinear of operator set 23.
GraphBuilder ScaledBy(v1::DataType type) {
  GraphBuilder b;
  SetOpset(b, 23);
  b.Input("x", kFloat, {2, 4});
  b.Reals("s", {0.25});
  b.Value("s").set_dtype(type);
  b.Ints("z", kUint8, {0});
  b.Node("QuantizeLinear", "node", {"x", "s", "z"}, {"q"});
  b.Shape("q", kUint8, {2, 4});
  b.Node("DequantizeLinear", "back", {"q", "s", "z"}, {"y"});
  b.Value("y").set_dtype(type);
  b.Output("y");
  return b;
}

// Integers of `type`, dequantized: the floats are `name`.
void Dequantize(GraphBuilder& b, const std::string& name, v1::DataType type, const std::vector<int64_t>& shape,
                double scale = 0.1, int64_t zero_point = 0) {
  b.Input("q_" + name, type, shape);
  b.Reals("s_" + name, {scale});
  b.Ints("z_" + name, type, {zero_point});
  b.Node("DequantizeLinear", "dq_" + name, {"q_" + name, "s_" + name, "z_" + name}, {name});
  b.Shape(name, kFloat, shape);
}

void Quantize(GraphBuilder& b, const std::string& name, v1::DataType type, const std::vector<int64_t>& shape,
              double scale = 0.1, int64_t zero_point = 0) {
  b.Shape(name, kFloat, shape);
  b.Reals("s_" + name, {scale});
  b.Ints("z_" + name, type, {zero_point});
  b.Node("QuantizeLinear", "q_of_" + name, {name, "s_" + name, "z_" + name}, {"q_" + name});
  b.Shape("q_" + name, type, shape);
  // Read again, so that the stored integers are not an output by themselves.
  b.Node("DequantizeLinear", "dq_" + name, {"q_" + name, "s_" + name, "z_" + name}, {"f_" + name});
  b.Shape("f_" + name, kFloat, shape);
  b.Output("f_" + name);
}

// `op` between DequantizeLinear and QuantizeLinear nodes.
GraphBuilder OrtGroup(const std::string& op, v1::DataType in, v1::DataType out, int inputs = 1,
                      double out_scale = 0.2) {
  GraphBuilder b;
  const std::vector<int64_t> shape = op == "Flatten" ? std::vector<int64_t>{2, 72} : std::vector<int64_t>{1, 4, 6, 6};
  std::vector<std::string> names;
  for (int i = 0; i < inputs; ++i) {
    names.push_back(absl::StrCat("x", i));
    Dequantize(b, names.back(), in, shape);
  }
  if (op == "Tile") {
    b.Ints("repeats", v1::DATA_TYPE_INT64, {1, 1, 1, 1});
    names.emplace_back("repeats");
  }
  b.Node(op, "node", names, {"y"});
  Quantize(b, "y", out, shape, out_scale);
  return b;
}

// The same in half precision, scales included.
GraphBuilder InHalves(GraphBuilder b) {
  SetOpset(b, 19);
  for (v1::Value& value : *b.graph.mutable_values()) {
    if (value.dtype() != kFloat) continue;
    value.set_dtype(v1::DATA_TYPE_FLOAT16);
    if (value.has_constant()) value.mutable_constant()->set_stored_bytes(value.constant().stored_bytes() / 2);
  }
  return b;
}

// uint8 of those steps, zero point 0, behind a Clip from 0 to `most`; `scale` is a float like those in a file.
GraphBuilder ClipGroup(double most, float scale) {
  GraphBuilder b;
  Dequantize(b, "x", kUint8, {2, 4});
  b.Reals("least", {0}, /*scalar=*/true);
  b.Reals("most", {most}, /*scalar=*/true);
  b.Node("Clip", "node", {"x", "least", "most"}, {"y"});
  Quantize(b, "y", kUint8, {2, 4}, scale, 0);
  return b;
}

// The same as it was written before operator set 11, into 6 / 255 per step.
GraphBuilder ClipByAttributes(double most) {
  GraphBuilder b;
  SetOpset(b, 10);
  Dequantize(b, "x", kUint8, {2, 4});
  b.Node("Clip", "node", {"x"}, {"y"});
  for (const auto& [name, bound] : {std::pair("min", 0.0), std::pair("max", most)}) {
    v1::Attribute& attribute = *b.Find("node").add_attributes();
    attribute.set_name(b.Symbol(name));
    attribute.set_f(bound);
  }
  Quantize(b, "y", kUint8, {2, 4}, 6.0f / 255, 0);
  return b;
}

GraphBuilder ResizeGroup(const std::string& mode) {
  GraphBuilder b;
  Dequantize(b, "x", kUint8, {1, 4, 6, 6});
  b.Reals("sizes", {1, 1, 2, 2}, /*scalar=*/false);
  b.Node("Resize", "node", {"x", "", "sizes"}, {"y"});
  SetText(b, "mode", mode);
  Quantize(b, "y", kUint8, {1, 4, 12, 12});
  return b;
}

// int8 made uint8 on both sides, which the runtime makes QLinearSoftmax of.
GraphBuilder SignedSoftmax(double scale, int64_t zero_point) {
  GraphBuilder b;
  b.Input("x", kFloat, {2, 4});
  b.Pair("x", 0.1, 0, kInt8);
  b.Shape("x_q", kInt8, {2, 4});
  b.Shape("x_dq", kFloat, {2, 4});
  b.Node("Softmax", "node", {"x_dq"}, {"y"});
  Quantize(b, "y", kInt8, {2, 4}, scale, zero_point);
  return b;
}

// An attribute of the node with a 1 for each of two dimensions.
void Window(GraphBuilder& b, const std::string& name) {
  v1::Attribute& attribute = *b.Find("node").add_attributes();
  attribute.set_name(b.Symbol(name));
  attribute.mutable_ints()->add_values(1);
  attribute.mutable_ints()->add_values(1);
}

// A GRU over 3 steps of 2 sequences, or 2 of 3.
GraphBuilder Recurrent(int64_t layout) {
  GraphBuilder b;
  b.Input("x", kFloat, {3, 2, 4});
  b.Weight("w", kFloat, {1, 15, 4}, 240);
  b.Weight("r", kFloat, {1, 15, 5}, 300);
  b.Int(b.Node("GRU", "node", {"x", "w", "r"}, {"y"}), "hidden_size", 5);
  SetAttribute(b, "layout", layout);
  b.Output("y");
  return b;
}

// A Gemm or Conv between quantized tensors, its bias dequantized with `bias_scale`; 0.01 is the product of the others.
GraphBuilder WithBias(const std::string& op, double bias_scale) {
  const bool conv = op == "Conv";
  GraphBuilder b;
  Dequantize(b, "x", kUint8, conv ? std::vector<int64_t>{1, 4, 6, 6} : std::vector<int64_t>{3, 4});
  b.Weight("q_w", kInt8, conv ? std::vector<int64_t>{2, 4, 1, 1} : std::vector<int64_t>{4, 2}, 8);
  b.Reals("s_w", {0.1});
  b.Ints("z_w", kInt8, {0});
  b.Node("DequantizeLinear", "dq_w", {"q_w", "s_w", "z_w"}, {"w"});
  b.Ints("q_b", v1::DATA_TYPE_INT32, {70, -90}, /*scalar=*/false);
  b.Reals("s_b", {bias_scale});
  b.Node("DequantizeLinear", "dq_b", {"q_b", "s_b"}, {"b"});
  b.Node(op, "node", {"x", "w", "b"}, {"y"});
  Quantize(b, "y", kUint8, conv ? std::vector<int64_t>{1, 2, 6, 6} : std::vector<int64_t>{3, 2});
  return b;
}

// A Conv whose bias is an Identity of floats; in between, if asked, a Quantize and Dequantize pair.
GraphBuilder WithFloatBias(bool pair) {
  GraphBuilder b = WithBias("Conv", 0.01);
  b.Reals("floats", {0.7, -0.9});
  v1::Node& copy = b.Find("dq_b");
  copy.set_op(b.Symbol("Identity"));
  copy.clear_inputs();
  copy.add_inputs(b.Id(pair ? "floats_dq" : "floats"));
  if (pair) {
    b.Ints("z_b", kInt8, {0});
    b.Node("QuantizeLinear", "bias_Q", {"floats", "s_b", "z_b"}, {"floats_q"});
    b.Node("DequantizeLinear", "bias_DQ", {"floats_q", "s_b", "z_b"}, {"floats_dq"});
    auto* nodes = b.graph.mutable_nodes();
    std::rotate(nodes->pointer_begin(), nodes->pointer_end() - 2, nodes->pointer_end());
  }
  return b;
}

// A Conv of float16 whose bias is floats.
GraphBuilder HalfWithBias(double bias) {
  GraphBuilder b = WithBias("Conv", 0.01);
  b.Reals("half", {0.1, bias}, /*scalar=*/false);
  b.Find("node").set_inputs(2, b.Id("half"));
  b.graph.mutable_nodes()->DeleteSubrange(2, 1);
  for (v1::Value& value : *b.graph.mutable_values()) {
    if (value.dtype() != kFloat) continue;
    value.set_dtype(v1::DATA_TYPE_FLOAT16);
    if (value.has_constant()) value.mutable_constant()->set_stored_bytes(value.constant().stored_bytes() / 2);
  }
  return b;
}

// Two scales for a square weight, along `axis`. `to_float`: the result is not quantized.
GraphBuilder WithWeightScales(const std::string& op, int64_t axis, const std::vector<double>& scales,
                              bool to_float = false) {
  const bool conv = op == "Conv";
  const std::vector<int64_t> shape = conv ? std::vector<int64_t>{1, 2, 6, 6} : std::vector<int64_t>{3, 2};
  GraphBuilder b;
  Dequantize(b, "x", kUint8, shape);
  b.Weight("q_w", kInt8, conv ? std::vector<int64_t>{2, 2, 1, 1} : std::vector<int64_t>{2, 2}, 4);
  b.Reals("s_w", scales, /*scalar=*/false);
  b.Ints("z_w", kInt8, {0, 0}, /*scalar=*/false);
  b.Int(b.Node("DequantizeLinear", "dq_w", {"q_w", "s_w", "z_w"}, {"w"}), "axis", axis);
  b.Node(op, "node", {"x", "w"}, {"y"});
  if (to_float) {
    b.Shape("y", kFloat, shape);
    b.Output("y");
  } else {
    Quantize(b, "y", kUint8, shape);
  }
  return b;
}

// A Conv with a scale for each channel of weight and bias; that of the bias is said to be along the second axis of a
// list. `to_float`: the runtime does not fuse it.
GraphBuilder WithBiasOfAnAxisThereIsNot(bool to_float) {
  GraphBuilder b = WithWeightScales("Conv", 0, {0.1, 0.2}, to_float);
  b.Ints("q_b", v1::DATA_TYPE_INT32, {70, -90}, /*scalar=*/false);
  b.Reals("s_b", {0.01, 0.02}, /*scalar=*/false);
  b.Int(b.Node("DequantizeLinear", "dq_b", {"q_b", "s_b"}, {"b"}), "axis", 1);
  b.Find("node").add_inputs(b.Id("b"));
  auto* nodes = b.graph.mutable_nodes();
  std::rotate(nodes->pointer_begin(), nodes->pointer_end() - 1, nodes->pointer_end());
  return b;
}

// The same for a weight of [2, columns] behind a Transpose. `perm` empty: it is not stated.
GraphBuilder WithTurnedWeight(int64_t axis, int64_t columns, const std::vector<int64_t>& perm) {
  GraphBuilder b;
  Dequantize(b, "x", kUint8, {3, columns});
  b.Weight("q_w", kInt8, {2, columns}, static_cast<size_t>(2 * columns));
  std::vector<double> scales(axis == 0 ? 2 : columns, 0.1);
  scales.back() = 0.2;
  b.Reals("s_w", scales, /*scalar=*/false);
  b.Ints("z_w", kInt8, std::vector<int64_t>(scales.size(), 0), /*scalar=*/false);
  b.Int(b.Node("DequantizeLinear", "dq_w", {"q_w", "s_w", "z_w"}, {"w"}), "axis", axis);
  b.Shape("w", kFloat, {2, columns});
  v1::Node& turn = b.Node("Transpose", "turn", {"w"}, {"turned"});
  if (!perm.empty()) {
    v1::Attribute& attribute = *turn.add_attributes();
    attribute.set_name(b.Symbol("perm"));
    for (int64_t axis_of : perm) attribute.mutable_ints()->add_values(axis_of);
  }
  b.Node("MatMul", "node", {"x", "turned"}, {"y"});
  Quantize(b, "y", kUint8, {3, 2});
  return b;
}

// A Conv of int8 tensors; what it reads is quantized in the graph, and dequantized for it and `readers` - 1 others.
GraphBuilder SignedConv(int readers) {
  GraphBuilder b;
  b.Input("x", kFloat, {1, 4, 6, 6});
  b.Reals("s_x", {0.1});
  b.Ints("z_x", kInt8, {0});
  b.Node("QuantizeLinear", "q_of_x", {"x", "s_x", "z_x"}, {"q_x"});
  b.Shape("q_x", kInt8, {1, 4, 6, 6});
  b.Node("DequantizeLinear", "dq_x", {"q_x", "s_x", "z_x"}, {"d_x"});
  b.Shape("d_x", kFloat, {1, 4, 6, 6});
  b.Weight("q_w", kInt8, {2, 4, 1, 1}, 8);
  b.Reals("s_w", {0.1});
  b.Ints("z_w", kInt8, {0});
  b.Node("DequantizeLinear", "dq_w", {"q_w", "s_w", "z_w"}, {"w"});
  b.Node("Conv", "node", {"d_x", "w"}, {"y"});
  Quantize(b, "y", kInt8, {1, 2, 6, 6});
  for (int i = 1; i < readers; ++i) {
    const std::string name = absl::StrCat("other", i);
    b.Node("Abs", name, {"d_x"}, {name});
    b.Output(name);
  }
  return b;
}

// A constant that is quantized in the graph, in front of what else is.
GraphBuilder ConcatWithConstant(v1::DataType type) {
  GraphBuilder b;
  b.Input("x", kFloat, {1, 4});
  b.Weight("c", kFloat, {1, 4}, 16);
  for (const char* name : {"x", "c", "y"}) {
    b.Reals(absl::StrCat("s_", name), {0.1});
    b.Ints(absl::StrCat("z_", name), type, {3});
  }
  for (const std::string name : {"x", "c"}) {
    b.Node("QuantizeLinear", "q_of_" + name, {name, "s_" + name, "z_" + name}, {"q_" + name});
    b.Node("DequantizeLinear", "dq_" + name, {"q_" + name, "s_" + name, "z_" + name}, {"d_" + name});
  }
  b.Int(b.Node("Concat", "node", {"d_x", "d_c"}, {"y"}), "axis", 0);
  b.Node("QuantizeLinear", "q_of_y", {"y", "s_y", "z_y"}, {"q_y"});
  b.Node("DequantizeLinear", "dq_y", {"q_y", "s_y", "z_y"}, {"d_y"});
  b.Output("d_y");
  return b;
}

// With a scale for each of the four channels of the input.
GraphBuilder PerChannelInput(GraphBuilder b) {
  for (const char* name : {"s_x", "z_x"}) b.Value(name).clear_constant();
  b.Reals("s_x", {0.1, 0.1, 0.1, 0.2}, /*scalar=*/false);
  b.Ints("z_x", kUint8, {0, 0, 0, 0}, /*scalar=*/false);
  return b;
}

// One scale for each channel of what comes out.
GraphBuilder PerChannelOutput(GraphBuilder b, int64_t channels) {
  for (const char* name : {"s_y", "z_y"}) b.Value(name).clear_constant();
  std::vector<double> scales(channels, 0.1);
  scales.back() = 0.2;
  b.Reals("s_y", scales, /*scalar=*/false);
  b.Ints("z_y", kUint8, std::vector<int64_t>(channels, 0), /*scalar=*/false);
  return b;
}

// A bias of floats, a constant; its shape.
GraphBuilder WithFloats(GraphBuilder b, const std::vector<int64_t>& shape = {2}) {
  b.Weight("floats", kFloat, shape, 8);
  b.Find("node").add_inputs(b.Id("floats"));
  return b;
}

// The weight is floats as well.
GraphBuilder WithFloatWeight(const std::string& op) {
  GraphBuilder b = WithWeightScales(op, 1, {0.1, 0.2});
  b.Weight("real_w", kFloat, op == "Conv" ? std::vector<int64_t>{2, 2, 1, 1} : std::vector<int64_t>{2, 2}, 16);
  b.Find("node").set_inputs(1, b.Id("real_w"));
  auto& nodes = *b.graph.mutable_nodes();
  nodes.DeleteSubrange(1, 1);
  return b;
}

// The tensor in front of the QuantizeLinear is a result of the model too, or what an Identity passes on, or both.
GraphBuilder WithFloatWeightInto(bool identity, bool result) {
  GraphBuilder b = WithFloatWeight("Conv");
  v1::Node& conv = b.Find("node");
  if (!identity) {
    b.Output(b.graph.values(conv.outputs(0) - 1).name());
    return b;
  }
  const int32_t output = conv.outputs(0);
  conv.set_outputs(0, b.Id("before"));
  v1::Node& passing = b.Node("Identity", "passing", {"before"}, {});
  passing.add_outputs(output);
  auto* nodes = b.graph.mutable_nodes();
  std::rotate(nodes->pointer_begin() + 2, nodes->pointer_end() - 1, nodes->pointer_end());
  if (result) b.Output(b.graph.values(output - 1).name());
  return b;
}

GraphBuilder QLinear(const std::string& op, const std::vector<std::string>& inputs, v1::DataType type = kUint8) {
  GraphBuilder b;
  b.Input("x", type, {1, 4, 6, 6});
  for (const char* scale : {"xs", "ys"}) b.Reals(scale, {0.1});
  for (const char* zero : {"xz", "yz"}) b.Ints(zero, type, {0});
  b.Node("com.microsoft::" + op, "node", inputs, {"y"});
  b.Shape("y", type, {1, 4, 6, 6});
  b.Output("y");
  return b;
}

// Of four elements each.
GraphBuilder Mean(const std::vector<std::string>& inputs) {
  GraphBuilder b = QLinear("QLinearAveragePool", inputs);
  v1::Attribute& kernel = *b.Find("node").add_attributes();
  kernel.set_name(b.Symbol("kernel_shape"));
  for (int64_t size : {2, 2}) kernel.mutable_ints()->add_values(size);
  b.Shape("y", kUint8, {1, 4, 5, 5});
  return b;
}

// Of a uint8 tensor, with a zero point of this type.
GraphBuilder Dequantize(v1::DataType type) {
  GraphBuilder b;
  b.Input("x", kUint8, {1, 4, 6, 6});
  b.Reals("xs", {0.1});
  b.Ints("xz", type, {0});
  b.Node("DequantizeLinear", "node", {"x", "xs", "xz"}, {"y"});
  b.Shape("y", kFloat, {1, 4, 6, 6});
  b.Output("y");
  return b;
}

GraphBuilder ContribDequantize(const std::vector<std::string>& inputs) {
  GraphBuilder b;
  b.Input("x", kUint8, {1, 4, 6, 6});
  b.Reals("xs", {0.1});
  b.Ints("xz", kUint8, {0});
  b.Node("com.microsoft::DequantizeLinear", "node", inputs, {"y"});
  b.Output("y");
  return b;
}

// A function of its body, and no kernel.
GraphBuilder MapOfASequence() {
  GraphBuilder b;
  b.Input("x", kFloat, {4});
  b.Node("SequenceConstruct", "sequence", {"x", "x"}, {"s"});
  b.Node("SequenceMap", "node", {"s"}, {"t"});
  b.Node("ConcatFromSequence", "back", {"t"}, {"y"});
  b.Int(b.Find("back"), "axis", 0);
  b.Shape("y", kFloat, {8});
  b.Output("y");
  GraphBuilder body;
  body.graph.clear_opset_imports();
  body.Input("in", kFloat, {4});
  body.Node("Relu", "inner", {"in"}, {"out"});
  body.Shape("out", kFloat, {4});
  body.Output("out");
  *b.graph.add_subgraphs() = body.graph;
  v1::Attribute& attribute = *b.Find("node").add_attributes();
  attribute.set_name(b.Symbol("body"));
  attribute.set_graph(1);
  return b;
}

// alpha is not 1; the bias is in the accumulator's scale all the same.
GraphBuilder QGemm(const std::vector<std::string>& inputs, v1::DataType out) {
  GraphBuilder b = QLinear("QGemm", inputs);
  b.Shape("x", kUint8, {3, 4});
  b.Weight("w", kUint8, {4, 2}, 8);
  b.Ints("c", v1::DATA_TYPE_INT32, {70, -90}, /*scalar=*/false);
  v1::Attribute& alpha = *b.Find("node").add_attributes();
  alpha.set_name(b.Symbol("alpha"));
  alpha.set_f(0.5);
  b.Shape("y", out, {3, 2});
  return b;
}

GraphBuilder QLinearSoftmax(double scale) {
  GraphBuilder b = QLinear("QLinearSoftmax", {"x", "xs", "xz", "ys", "yz"});
  b.Shape("x", kUint8, {2, 4});
  b.Shape("y", kUint8, {2, 4});
  b.Value("ys").mutable_constant()->set_reals(0, scale);
  SetAttribute(b, "opset", 13);
  return b;
}

// With scale or zero point of the first tensor as an input of the graph, or none of them.
GraphBuilder QLinearWhere(const std::string& input) {
  GraphBuilder b = QLinear("QLinearWhere", {"c", "x", "as", "az", "x", "xs", "xz", "ys", "yz"});
  b.Input("c", v1::DATA_TYPE_BOOL, {1, 4, 6, 6});
  b.Reals("as", {0.1});
  b.Ints("az", kUint8, {0});
  if (!input.empty()) {
    b.Value(input).clear_constant();
    b.graph.add_inputs(b.Id(input));
  }
  return b;
}

// A constant for which a caller may give another one.
GraphBuilder Overridable(GraphBuilder b, const std::string& name) {
  b.graph.add_inputs(b.Id(name));
  return b;
}

GraphBuilder NBits(int bits, int block, int accuracy, bool constant = true) {
  GraphBuilder b;
  b.Input("a", kFloat, {3, 64});
  b.Weight("w", kUint8, {8, 64 / block, block * bits / 8}, 8 * 64 * bits / 8);
  const std::vector<int64_t> scales = {8 * 64 / block};
  if (constant) {
    b.Weight("s", kFloat, scales, 4 * scales[0]);
  } else {
    b.Input("s", kFloat, scales);
  }
  b.Node("com.microsoft::MatMulNBits", "node", {"a", "w", "s"}, {"y"});
  for (const auto& [name, value] :
       {std::pair{"K", 64}, {"N", 8}, {"bits", bits}, {"block_size", block}, {"accuracy_level", accuracy}}) {
    SetAttribute(b, name, value);
  }
  b.Shape("y", kFloat, {3, 8});
  b.Output("y");
  return b;
}

// The same with a zero point for each block, in the type of the scales.
GraphBuilder RealZeroPoints(int bits) {
  GraphBuilder b = NBits(bits, 32, 0);
  b.Weight("z", kFloat, {8 * 64 / 32}, 4 * 8 * 64 / 32);
  b.Find("node").add_inputs(b.Id("z"));
  return b;
}

// The same with the block of each row.
GraphBuilder WithGroups(int bits) {
  GraphBuilder b = NBits(bits, 32, 0);
  b.Weight("g", v1::DATA_TYPE_INT32, {64}, 4 * 64);
  for (const char* name : {"", "g"}) b.Find("node").add_inputs(b.Id(name));
  return b;
}
GraphBuilder WithRealZeroPointsAndGroups(int bits) {
  GraphBuilder b = RealZeroPoints(bits);
  b.Weight("g", v1::DATA_TYPE_INT32, {64}, 4 * 64);
  b.Find("node").add_inputs(b.Id("g"));
  return b;
}

// Zero points of this shape for the columns of `weight`.
GraphBuilder IntegerColumns(const std::vector<int64_t>& weight, const std::vector<int64_t>& shape) {
  GraphBuilder b;
  b.Input("x", kUint8, {2, weight[weight.size() - 2]});
  b.Input("w", kUint8, weight);
  b.Ints("xz", kUint8, {1});
  b.Weight("wz", kUint8, shape, -1);
  b.Node("MatMulInteger", "node", {"x", "w", "xz", "wz"}, {"y"});
  std::vector<int64_t> made = weight;
  made[made.size() - 2] = 2;
  b.Shape("y", v1::DATA_TYPE_INT32, made);
  b.Output("y");
  return b;
}

struct OrtCase {
  const char* name;
  std::function<GraphBuilder()> graph;
  const char* code;  // "": accepted without a finding
  v1::Finding::Effect effect = v1::Finding::REFUSED;
};

std::ostream& operator<<(std::ostream& out, const OrtCase& c) { return out << c.name; }

std::vector<OrtCase> OrtCases() {
  return {
      {"FloatAdd", [] { return Node("Add", kFloat, 2); }, ""},
      {"HalfAdd", [] { return Node("Add", v1::DATA_TYPE_FLOAT16, 2); }, ""},  // in float, behind Casts
      {"BfloatAdd", [] { return Node("Add", v1::DATA_TYPE_BFLOAT16, 2); }, "DT501"},
      {"Int8Add13", [] { return Node("Add", kInt8, 2, 13); }, "EN502"},
      {"Int8Add14", [] { return Node("Add", kInt8, 2, 14); }, ""},
      {"FunctionOfKernels", [] { return Node("HardSwish", kFloat, 1); }, ""},
      {"FunctionWithoutKernels", [] { return Node("Gelu", v1::DATA_TYPE_FLOAT64, 1); }, "DT501"},
      // The runtime has the bodies of some functions as they are in set 18, and in no other one.
      {"FunctionOfOneSet", [] { return Node("HardSwish", v1::DATA_TYPE_FLOAT64, 1, 18); }, ""},
      {"FunctionOfAnotherSet", [] { return Node("HardSwish", v1::DATA_TYPE_FLOAT64, 1, 19); }, "EN502"},
      {"Uint8Int8Conv", [] { return QLinearConv(kUint8, kInt8); }, ""},
      {"Int8Uint8Conv", [] { return QLinearConv(kInt8, kUint8); }, "DT501"},
      {"NoCpuKernel", [] { return Node("com.microsoft::QuickGeluNotThere", kFloat, 1); }, "CV501"},
      {"Opset26", [] { return Node("Relu", kFloat, 1, 26); }, ""},
      {"Opset27", [] { return Node("Relu", kFloat, 1, 27); }, "EN501"},
      {"NewIr",
       [] {
         GraphBuilder b = Node("Relu", kFloat, 1);
         b.graph.set_format_version(14);
         return b;
       },
       "EN501"},
      {"NewMicrosoftOpset",
       [] {
         GraphBuilder b = QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"});
         b.graph.mutable_opset_imports(1)->set_version(2);
         return b;
       },
       "EN501"},
      // No kernel has it: the runtime makes an initializer of it.
      {"Constant",
       [] {
         GraphBuilder b;
         b.Input("x", kFloat, {1});
         b.Reals("c", {1});
         b.Node("Constant", "constant", {}, {"c"});
         b.Node("Add", "node", {"x", "c"}, {"y"});
         b.Output("y");
         return b;
       },
       ""},
      {"FunctionWithAttributes",
       [] {
         GraphBuilder b = Node("GroupNormalization", kFloat, 3);
         SetAttribute(b, "num_groups", 1);
         for (const char* name : {"x1", "x2"}) b.Shape(name, kFloat, {4});
         return b;
       },
       ""},
      {"SameNames",
       [] {
         GraphBuilder b = Node("Relu", kFloat, 1);
         b.Node("Neg", "node", {"y"}, {"z"});
         b.Output("z");
         return b;
       },
       "EN503"},

      {"ColumnsInAList",
       [] {
         return IntegerColumns({4, 8}, {8});
       },
       ""},
      {"ColumnsInARow",
       [] {
         return IntegerColumns({4, 8}, {1, 8});
       },
       ""},
      {"ColumnsInAColumn",
       [] {
         return IntegerColumns({4, 8}, {8, 1});
       },
       "AX501"},
      {"ColumnsOfEachMatrix",
       [] {
         return IntegerColumns({3, 4, 8}, {3, 1, 8});
       },
       ""},
      {"ColumnsOfAllMatrices",
       [] {
         return IntegerColumns({3, 4, 8}, {1, 1, 8});
       },
       "AX501"},
      {"BatchFirst", [] { return Recurrent(/*layout=*/1); }, "GS506"},
      {"StepsFirst", [] { return Recurrent(/*layout=*/0); }, ""},
      {"NoHiddenSize",
       [] {
         GraphBuilder b = Recurrent(/*layout=*/0);
         b.Find("node").mutable_attributes(0)->set_name(b.Symbol("clip"));
         b.Find("node").mutable_attributes(0)->set_f(3);
         return b;
       },
       "GS506"},
      {"EvenResponse", [] { return Response(4); }, "GS506"},
      {"OddResponse", [] { return Response(3); }, ""},
      {"PoolOfRankSix",
       [] {
         return Pooled({1, 1, 2, 2, 2, 2});
       },
       "GS506"},
      {"PoolOfRankFive",
       [] {
         return Pooled({1, 1, 2, 2, 2});
       },
       ""},
      {"PaddedBeyondAStride",
       [] {
         return Transposed({2, 1});
       },
       "GS506"},
      {"PaddedWithinAStride",
       [] {
         return Transposed({1, 2});
       },
       ""},
      {"DilatedWithAutomaticPads", [] { return Dilated("SAME_UPPER"); }, "GS506"},
      {"DilatedWithoutPads", [] { return Dilated("VALID"); }, ""},
      {"ResizedLinearlyAlongChannels",
       [] {
         return Resized("linear", {1, 2, 2, 2});
       },
       "GS506"},
      {"ResizedLinearly",
       [] {
         return Resized("linear", {1, 1, 2, 2});
       },
       ""},
      {"ResizedLinearlyWithChannelsLast",
       [] {
         return Resized("linear", {1, 2, 2, 1});
       },
       ""},
      {"ResizedAlongChannels",
       [] {
         return Resized("nearest", {1, 2, 2, 2});
       },
       ""},
      {"ResizedInCubesOfThreeAxes",
       [] {
         return Resized("cubic", {1, 2, 2});
       },
       "GS506"},
      {"BytesResizedInCubes",
       [] {
         return Resized("cubic", {1, 1, 2, 2}, kUint8);
       },
       "GS506"},
      {"BytesCopiedInCubes",
       [] {
         return Resized("cubic", {1, 1, 1, 1}, kUint8);
       },
       ""},
      // 4 by 1.1 is 4 as well.
      {"BytesKeptInCubes",
       [] {
         return Resized("cubic", {1, 1, 1, 1.1}, kUint8);
       },
       ""},
      // 49 to a stated size of 1.
      {"BytesResizedToOne",
       [] {
         return ResizedTo({1, 1, 1, 49}, {1, 1, 1, 1});
       },
       "GS506"},
      {"BytesResizedToNothing",
       [] {
         return Resized("cubic", {1, 1, 2, 0.1}, kUint8);
       },
       ""},
      {"BytesResizedLinearly",
       [] {
         return Resized("linear", {1, 1, 2, 2}, kUint8);
       },
       ""},
      {"MirroredTwice",
       [] {
         return Mirrored({0, 3, 0, 0});
       },
       "GS506"},
      {"MirroredOnce",
       [] {
         return Mirrored({0, 2, 0, 2});
       },
       ""},
      {"LayerBiasWithoutName",
       [] {
         return Layers({"x0", "x1", ""});
       },
       "GS506"},
      {"LayersWithoutBias",
       [] {
         return Layers({"x0", "x1"});
       },
       ""},
      {"QuantizedByAHalfScale", [] { return ScaledBy(v1::DATA_TYPE_FLOAT16); }, "DT501"},
      {"QuantizedByItsOwnType", [] { return ScaledBy(kFloat); }, ""},

      // Groups: fused, in float, or fused into what no kernel takes.
      {"FusedAdd", [] { return OrtGroup("Add", kUint8, kUint8, 2); }, ""},
      // Conv and the like have no kernel of float16; Concat has, and is fused into what has none.
      {"ConvOfHalves", [] { return InHalves(WithBias("Conv", 0.01)); }, "CV205", kFallback},
      {"GemmOfHalves", [] { return InHalves(WithBias("Gemm", 0.01)); }, "CV205", kFallback},
      {"AddOfHalves", [] { return InHalves(OrtGroup("Add", kUint8, kUint8, 2)); }, "CV205", kFallback},
      {"SigmoidOfHalves", [] { return InHalves(OrtGroup("Sigmoid", kUint8, kUint8)); }, "CV205", kFallback},
      {"ExtremeOfHalves", [] { return InHalves(OrtGroup("ReduceMax", kUint8, kUint8, 1, 0.1)); }, "CV205", kFallback},
      {"MovedHalves", [] { return InHalves(OrtGroup("Flatten", kUint8, kUint8, 1, 0.1)); }, ""},
      {"TiledHalves", [] { return InHalves(OrtGroup("Tile", kUint8, kUint8, 1, 0.1)); }, "CV205", kFallback},
      {"FusedConcatOfHalves", [] { return InHalves(OrtGroup("Concat", kUint8, kUint8, 2)); }, "DT502"},
      {"FloatSub", [] { return OrtGroup("Sub", kUint8, kUint8, 2); }, "CV205", kFallback},
      {"FloatWideAdd", [] { return OrtGroup("Add", kUint16, kUint16, 2); }, "CV205", kFallback},
      {"ResizeToTheNearest", [] { return ResizeGroup("nearest"); }, ""},
      {"FloatLinearResize", [] { return ResizeGroup("linear"); }, "CV205", kFallback},
      {"FloatCubicResize", [] { return ResizeGroup("cubic"); }, "CV205", kFallback},
      // int8 between a QuantizeLinear and its one DequantizeLinear is made uint8 before groups are looked for.
      {"MixedAdd", [] { return OrtGroup("Add", kUint8, kInt8, 2); }, ""},
      {"FloatSignedAdd", [] { return OrtGroup("Add", kInt8, kInt8, 2); }, "CV205", kFallback},
      {"SignedConv", [] { return SignedConv(/*readers=*/1); }, ""},
      {"SignedConstantBesideSigned", [] { return ConcatWithConstant(kInt8); }, "CV205", kFallback},
      {"UnsignedConstantBesideUnsigned", [] { return ConcatWithConstant(kUint8); }, ""},
      {"SignedConvOfTwoReaders", [] { return SignedConv(/*readers=*/2); }, "CV205", kFallback},
      {"SmallFloatAdd", [] { return OrtGroup("Add", kFloat8, kFloat8, 2); }, "DT502"},
      {"SmallFloatSub", [] { return OrtGroup("Sub", kFloat8, kFloat8, 2); }, "CV205", kFallback},
      {"NarrowAdd", [] { return OrtGroup("Add", kInt4, kInt4, 2); }, "CV205", kFallback},
      {"NarrowMaximum", [] { return OrtGroup("ReduceMax", kInt4, kInt4, 1, 0.1); }, "DT502"},
      {"PoolWithDilations",
       [] {
         GraphBuilder b = OrtGroup("AveragePool", kUint8, kUint8);
         Window(b, "kernel_shape");
         Window(b, "dilations");
         return b;
       },
       "GS505"},
      {"PoolWithoutDilations",
       [] {
         GraphBuilder b = OrtGroup("AveragePool", kUint8, kUint8);
         Window(b, "kernel_shape");
         b.Int(b.Find("node"), "ceil_mode", 1);
         return b;
       },
       ""},
      {"FloatPoolWithDilations",
       [] {
         GraphBuilder b = OrtGroup("AveragePool", kUint16, kUint16);
         Window(b, "kernel_shape");
         Window(b, "dilations");
         return b;
       },
       "CV205", kFallback},
      {"MovedWithOneScale", [] { return OrtGroup("Flatten", kUint8, kUint8, 1, 0.1); }, ""},
      {"MovedWithTwoScales", [] { return OrtGroup("Flatten", kUint8, kUint8); }, "CV205", kFallback},
      {"PerChannelSigmoid",
       [] {
         GraphBuilder b = OrtGroup("Sigmoid", kUint8, kUint8);
         b.Reals("s_x0", {0.1, 0.1, 0.1, 0.2}, /*scalar=*/false);
         b.Ints("z_x0", kUint8, {0, 0, 0, 0}, /*scalar=*/false);
         return b;
       },
       "AX501"},
      {"PerChannelInputOfConv", [] { return PerChannelInput(WithBias("Conv", 0.01)); }, "CV205", kFallback},
      // A float bias is quantized beside one scale for the input, and one or as many for the weight. Nothing is fused
      // with one that is not, and the floats are right.
      {"FloatBias",
       [] {
         return WithFloats(WithWeightScales("Conv", 0, {0.1, 0.2}));
       },
       ""},
      {"FloatBiasBesideScalesOfInput",
       [] {
         GraphBuilder b = WithFloats(WithWeightScales("Conv", 0, {0.1, 0.2}));
         for (const char* name : {"s_x", "z_x"}) b.Value(name).clear_constant();
         b.Reals("s_x", {0.1, 0.2}, /*scalar=*/false);
         b.Ints("z_x", kUint8, {0, 0}, /*scalar=*/false);
         return b;
       },
       "CV205", kFallback},
      {"FloatBiasBesideScalesOfAnotherAxis",
       [] {
         return WithFloats(WithWeightScales("Conv", 1, {0.1, 0.2}));
       },
       "CV205", kFallback},
      {"FloatBiasOfTwoDimensions",
       [] {
         return WithFloats(WithWeightScales("Gemm", 1, {0.1, 0.2}), {1, 2});
       },
       "CV205", kFallback},
      {"FloatBiasBesideAListOfOneAndAScalar",
       [] {
         GraphBuilder b = WithFloatBias(/*pair=*/false);
         b.Shape("s_x", kFloat, {1});
         return b;
       },
       "CV205", kFallback},
      // What is dequantized is a result of the model too: the DequantizeLinear is there twice then.
      {"DequantizedIsAResult",
       [] {
         GraphBuilder b = OrtGroup("Add", kUint8, kUint8, 2);
         b.Output("x0");
         return b;
       },
       ""},
      {"FloatWeightBesideAResult",
       [] {
         GraphBuilder b = WithFloatWeight("Conv");
         b.Output("x");
         return b;
       },
       "NR505", kPrecision},
      // There is no Round yet that makes integers of the bias.
      {"FloatBiasOfOpset10",
       [] {
         GraphBuilder b = WithFloatBias(/*pair=*/false);
         SetOpset(b, 10);
         return b;
       },
       "EN502"},
      {"FloatBiasOfOpset11",
       [] {
         GraphBuilder b = WithFloatBias(/*pair=*/false);
         SetOpset(b, 11);
         return b;
       },
       ""},
      {"FloatBiasBesideListsOfOne",
       [] {
         GraphBuilder b = WithFloatBias(/*pair=*/false);
         for (const char* scale : {"s_x", "s_w"}) b.Shape(scale, kFloat, {1});
         return b;
       },
       ""},
      {"PerChannelInputOfGemm", [] { return PerChannelInput(WithBias("Gemm", 0.01)); }, "CV205", kFallback},
      {"PerChannelOutputOfGemm", [] { return PerChannelOutput(WithBias("Gemm", 0.01), 2); }, "CV205", kFallback},
      {"PerChannelOutputOfConv", [] { return PerChannelOutput(WithBias("Conv", 0.01), 2); }, "AX501"},
      // A float weight is made int8 with one scale where its output is quantized.
      {"FloatWeight", [] { return WithFloatWeight("Conv"); }, "NR505", kPrecision},
      {"FloatWeightOfAResult", [] { return WithFloatWeightInto(/*identity=*/false, /*result=*/true); }, "NR505",
       kPrecision},
      {"FloatWeightBeforeAnIdentity", [] { return WithFloatWeightInto(/*identity=*/true, /*result=*/false); }, "NR505",
       kPrecision},
      {"FloatWeightBeforeAnIdentityOfAResult", [] { return WithFloatWeightInto(/*identity=*/true, /*result=*/true); },
       ""},
      {"HalfBiasBeyondItsSteps", [] { return HalfWithBias(656); }, "NR506", kWrong},
      {"HalfBiasWithinItsSteps", [] { return HalfWithBias(655); }, "CV205", kFallback},
      {"FloatWeightAndBias", [] { return WithFloats(WithFloatWeight("Gemm")); }, "NR505", kPrecision},
      {"FloatWeightOfMatMul", [] { return WithFloatWeight("MatMul"); }, "CV205", kFallback},
      {"FloatWeightBesideScalesOfInput",
       [] {
         GraphBuilder b = WithFloatWeight("Conv");
         for (const char* name : {"s_x", "z_x"}) b.Value(name).clear_constant();
         b.Reals("s_x", {0.1, 0.2}, /*scalar=*/false);
         b.Ints("z_x", kUint8, {0, 0}, /*scalar=*/false);
         return b;
       },
       "CV205", kFallback},
      {"FloatWeightIntoScalesOfOutput", [] { return PerChannelOutput(WithFloatWeight("Conv"), 2); }, "AX501"},
      {"ScalesOfOutputChannels",
       [] {
         return WithWeightScales("Conv", 0, {0.1, 0.2});
       },
       ""},
      {"BiasOfAnAxisThereIsNot", [] { return WithBiasOfAnAxisThereIsNot(/*to_float=*/false); }, "AX002",
       v1::Finding::ADVICE},
      {"BiasOfAnAxisThereIsNotInFloat", [] { return WithBiasOfAnAxisThereIsNot(/*to_float=*/true); }, "AX002",
       v1::Finding::UNSOUND},
      {"ScalesOfAnotherAxis",
       [] {
         return WithWeightScales("Conv", 1, {0.1, 0.2});
       },
       "AX504", kWrong},
      {"EqualScalesOfAnotherAxis",
       [] {
         return WithWeightScales("Conv", 1, {0.1, 0.1});
       },
       ""},
      {"ScalesOfColumns",
       [] {
         return WithWeightScales("MatMul", -1, {0.1, 0.2});
       },
       ""},
      {"ScalesOfRows",
       [] {
         return WithWeightScales("MatMul", 0, {0.1, 0.2});
       },
       "AX504", kWrong},
      {"ScalesOfTurnedRows",
       [] {
         return WithTurnedWeight(0, 4, {1, 0});
       },
       ""},
      {"ScalesOfTurnedColumns",
       [] {
         return WithTurnedWeight(1, 4, {1, 0});
       },
       "AX501"},
      {"ScalesOfTurnedColumnsOfASquare",
       [] {
         return WithTurnedWeight(1, 2, {1, 0});
       },
       "AX504", kWrong},
      // The Transpose becomes part of a float product.
      {"ScalesOfColumnsTurnedByDefault", [] { return WithTurnedWeight(1, 4, {}); }, "CV205", kFallback},
      {"GemmScalesOfColumns",
       [] {
         return WithWeightScales("Gemm", 1, {0.1, 0.2});
       },
       ""},
      {"GemmScalesOfAnotherNumber",
       [] {
         GraphBuilder b = WithWeightScales("Gemm", 0, {0.1, 0.2});
         b.Weight("q_w", kInt8, {2, 3}, 6);
         b.Shape("y", kFloat, {3, 3});
         return b;
       },
       "CV205", kFallback},
      {"ScalesOfColumnsToFloat",
       [] {
         return WithWeightScales("MatMul", 1, {0.1, 0.2}, /*to_float=*/true);
       },
       ""},
      {"ScalesOfRowsToFloat",
       [] {
         return WithWeightScales("MatMul", 0, {0.1, 0.2}, /*to_float=*/true);
       },
       "AX504", kWrong},
      {"GemmBias", [] { return WithBias("Gemm", 0.01); }, ""},
      // Where scale and zero point of the weight differ in form, nothing is fused, and the floats are right.
      {"GemmScalarBesideList",
       [] {
         GraphBuilder b = WithBias("Gemm", 0.01);
         b.Shape("s_w", kFloat, {1});
         return b;
       },
       "CV205", kFallback},
      {"GemmListBesideList",
       [] {
         GraphBuilder b = WithBias("Gemm", 0.01);
         b.Shape("s_w", kFloat, {1});
         b.Shape("z_w", kInt8, {1});
         return b;
       },
       ""},
      {"GemmOtherBiasOfZeros",
       [] {
         GraphBuilder b = WithBias("Gemm", 0.02);
         for (int i : {0, 1}) b.Value("q_b").mutable_constant()->set_ints(i, 0);
         return b;
       },
       ""},
      {"GemmOtherBias", [] { return WithBias("Gemm", 0.02); }, "FX501", kWrong},
      {"GemmBiasAndAlpha",
       [] {
         GraphBuilder b = WithBias("Gemm", 0.02);
         v1::Attribute& alpha = *b.Find("node").add_attributes();
         alpha.set_name(b.Symbol("alpha"));
         alpha.set_f(0.5);
         return b;
       },
       "CV205", kFallback},
      {"ConvBiasFolded", [] { return WithFloatBias(/*pair=*/false); }, ""},
      {"ConvBiasOfAPair", [] { return WithFloatBias(/*pair=*/true); }, "CV205", kFallback},
      {"ConvBias", [] { return WithBias("Conv", 0.01); }, ""},
      {"ConvOtherBias", [] { return WithBias("Conv", 0.02); }, "CV205", kFallback},
      {"ConvOverridableScale", [] { return Overridable(WithBias("Conv", 0.01), "s_x"); }, "CV205", kFallback},
      {"ConvOverridableWeightScale", [] { return Overridable(WithBias("Conv", 0.01), "s_w"); }, "CV205", kFallback},
      {"ConvOverridableBiasScale", [] { return Overridable(WithBias("Conv", 0.01), "s_b"); }, "CV205", kFallback},
      {"ConvOverridableOutput", [] { return Overridable(WithBias("Conv", 0.01), "s_y"); }, ""},
      {"ConvOverridableZeroPoint", [] { return Overridable(WithBias("Conv", 0.01), "z_x"); }, ""},
      {"GemmOverridableScale", [] { return Overridable(WithBias("Gemm", 0.01), "s_x"); }, ""},
      {"SignedConvOverridableScale", [] { return Overridable(SignedConv(1), "s_y"); }, ""},
      {"SignedConvOverridableZeroPoint", [] { return Overridable(SignedConv(1), "z_y"); }, "CV205", kFallback},
      {"MovedOverridable", [] { return Overridable(OrtGroup("Flatten", kUint8, kUint8, 1, 0.1), "s_y"); }, "CV205",
       kFallback},
      {"ReluOverridable", [] { return Overridable(OrtGroup("Relu", kUint8, kUint8), "z_y"); }, "CV205", kFallback},
      {"ReluOverridableScale", [] { return Overridable(OrtGroup("Relu", kUint8, kUint8), "s_y"); }, ""},
      {"ClipOverridableBeforeNarrow", [] { return Overridable(OrtGroup("Clip", kInt4, kInt4), "z_y"); }, "CV205",
       kFallback},
      {"ReluBeforeBytes", [] { return OrtGroup("Relu", kInt8, kInt8); }, "CV205", kFallback},
      {"ReluRedundant", [] { return OrtGroup("Relu", kUint8, kUint8); }, ""},
      {"ReluBeforeNarrow", [] { return OrtGroup("Relu", kInt4, kInt4); }, "NR502", kWrong},
      // Of float16 a Cast is in between.
      {"HalfReluBeforeNarrow", [] { return InHalves(OrtGroup("Relu", kFloat8, kFloat8)); }, "CV205", kFallback},
      {"HalfClipBeforeNarrow", [] { return InHalves(OrtGroup("Clip", kFloat8, kFloat8)); }, "CV205", kFallback},
      {"ReluOfNothingNegative",
       [] {
         GraphBuilder b = OrtGroup("Relu", kInt4, kInt4);
         b.Value("z_x0").mutable_constant()->set_ints(0, -8);
         return b;
       },
       ""},
      {"LayersBeforeOnnxHadThem",
       [] {
         GraphBuilder b = Layers({"x0", "x1"});
         SetOpset(b, 14);
         return b;
       },
       ""},
      {"GeluBeforeOnnxHadIt", [] { return Node("Gelu", kFloat, 1, 14); }, "FI012", v1::Finding::UNSOUND},
      {"ClipBeforeNarrow", [] { return OrtGroup("Clip", kInt4, kInt4); }, "DT504"},
      // The runtime compares in float: 255 steps of 6 / 255 are 6 there, and a little more than 6 in double.
      {"ClipToWhatIsStored", [] { return ClipGroup(6, 6.0f / 255); }, ""},
      {"ClipToLess", [] { return ClipGroup(6, 6.1f / 255); }, "CV205", kFallback},
      {"ClipByAttributesToWhatIsStored", [] { return ClipByAttributes(6); }, ""},
      {"ClipByAttributesToLess", [] { return ClipByAttributes(3); }, "CV205", kFallback},
      {"ClipBeforeBytes", [] { return OrtGroup("Clip", kInt8, kInt8); }, ""},

      // Kernels.
      {"Sigmoid",
       [] {
         return QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"});
       },
       ""},
      {"SigmoidOfFourInputs",
       [] {
         return QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys"});
       },
       "GS501"},
      {"SigmoidOfAnUnnamedInput",
       [] {
         return QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", ""});
       },
       ""},
      {"AddOfSevenInputs",
       [] {
         return QLinear("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys"});
       },
       ""},
      {"AddWithoutANameAtTheEnd",
       [] {
         return QLinear("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys", ""});
       },
       "GS501"},
      {"AddOfAnUnnamedInput",
       [] {
         return QLinear("QLinearAdd", {"x", "xs", "", "x", "xs", "xz", "ys", "yz"});
       },
       "GS501"},
      {"MeanOfFourInputs",
       [] {
         return Mean({"x", "xs", "xz", "ys"});
       },
       ""},
      {"MeanWithoutANameAtTheEnd",
       [] {
         return Mean({"x", "xs", "xz", "ys", ""});
       },
       "GS501"},
      {"MeanOfAnUnnamedInput",
       [] {
         return Mean({"x", "xs", "", "ys", "yz"});
       },
       "GS501"},
      {"ConcatOfAnUnnamedInput",
       [] {
         GraphBuilder b = QLinear("QLinearConcat", {"ys", "yz", "x", "xs", ""});
         b.Int(b.Find("node"), "axis", 1);
         return b;
       },
       "GS501"},
      {"ConcatOfFourInputs",
       [] {
         GraphBuilder b = QLinear("QLinearConcat", {"ys", "yz", "x", "xs"});
         b.Int(b.Find("node"), "axis", 1);
         return b;
       },
       "GS501"},
      {"TwoScales",
       [] {
         GraphBuilder b = QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"});
         b.Reals("xs", {0.1, 0.2}, /*scalar=*/false);
         b.Ints("xz", kUint8, {0, 0}, /*scalar=*/false);
         return b;
       },
       "AX501"},
      {"RunTimeScale",
       [] {
         GraphBuilder b = QLinear("QLinearSigmoid", {"x", "rs", "xz", "ys", "yz"});
         b.Input("rs", kFloat, {});
         return b;
       },
       ""},
      {"ListOfOneForAdd",
       [] {
         GraphBuilder b = QLinear("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys", "yz"});
         b.Reals("xs", {0.1}, /*scalar=*/false);
         b.Ints("xz", kUint8, {0}, /*scalar=*/false);
         return b;
       },
       "AX501"},
      {"ScalarsForAdd",
       [] {
         return QLinear("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys", "yz"});
       },
       ""},
      {"AddOfTwoTypes",
       [] {
         GraphBuilder b = QLinear("QLinearAdd", {"x", "xs", "xz", "i", "xs", "iz", "ys", "yz"});
         b.Input("i", kInt8, {1, 4, 6, 6});
         b.Ints("iz", kInt8, {0});
         return b;
       },
       "DT505"},
      {"DequantizeOfTwoTypes", [] { return Dequantize(kInt8); }, "DT505"},
      {"DequantizeOfOneType", [] { return Dequantize(kUint8); }, ""},
      {"ConcatOfTwoTypes",
       [] {
         GraphBuilder b = QLinear("QLinearConcat", {"ys", "yz", "x", "xs", "xz", "i", "xs", "iz"});
         b.Input("i", kInt8, {1, 4, 6, 6});
         b.Ints("iz", kInt8, {0});
         SetAttribute(b, "axis", 1);
         b.Shape("y", kUint8, {1, 8, 6, 6});
         return b;
       },
       "DT503"},
      {"UnknownAttribute",
       [] {
         GraphBuilder b = QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"});
         SetAttribute(b, "alpha", 1);
         return b;
       },
       "GS503"},
      {"UnknownArgument",
       [] {
         return ContribDequantize({"x", "xs", "xz", ""});
       },
       "GS507"},
      {"ArgumentLeftOut",
       [] {
         return ContribDequantize({"x", "xs", ""});
       },
       ""},
      {"GemmToFloat",
       [] {
         return QGemm({"x", "xs", "xz", "w", "xs", "xz", "c"}, kFloat);
       },
       ""},
      {"GemmWithAlpha",
       [] {
         return QGemm({"x", "xs", "xz", "w", "xs", "xz", "c", "ys", "yz"}, kUint8);
       },
       ""},
      {"SoftmaxOverflow", [] { return QLinearSoftmax(0.001); }, "NR501", kWrong},
      {"SoftmaxPlain", [] { return QLinearSoftmax(1.0 / 256); }, ""},
      {"SignedSoftmaxOverflow", [] { return SignedSoftmax(0.001, -128); }, "NR501", kWrong},
      {"SignedSoftmaxPlain", [] { return SignedSoftmax(1.0 / 256, -128); }, ""},
      {"WhereAtRunTime", [] { return QLinearWhere("az"); }, "GS504"},
      {"WhereOfScaleAtRunTime", [] { return QLinearWhere("as"); }, ""},
      {"WhereOfConstants", [] { return QLinearWhere(""); }, ""},
      {"Blocks", [] { return NBits(4, 32, 0); }, ""},
      {"OddBits", [] { return NBits(3, 32, 0); }, "AX502"},
      {"OddBlocks", [] { return NBits(4, 8, 0); }, "AX502"},
      {"BytesWithRealZeroPoints", [] { return RealZeroPoints(8); }, "AX502"},
      {"BytesWithGroups", [] { return WithGroups(8); }, "AX502"},
      {"BlocksWithRealZeroPoints", [] { return RealZeroPoints(4); }, ""},
      {"BlocksWithGroups", [] { return WithGroups(4); }, ""},
      {"TwoBitsWithRealZeroPoints", [] { return RealZeroPoints(2); }, ""},
      {"TwoBitsWithGroups", [] { return WithGroups(2); }, ""},
      {"TwoBitsWithBoth", [] { return WithRealZeroPointsAndGroups(2); }, "AX502"},
      {"FourBitsWithBoth", [] { return WithRealZeroPointsAndGroups(4); }, ""},
      {"BytesWithBoth", [] { return WithRealZeroPointsAndGroups(8); }, "AX502"},
      {"BlocksAtRunTime", [] { return NBits(4, 32, 0, false); }, ""},
      {"BlocksAtRunTimeInBytes", [] { return NBits(4, 32, 4, false); }, "GS502", kWrong},
  };
}

class OrtModuleTest : public ::testing::TestWithParam<OrtCase> {};

TEST_P(OrtModuleTest, SaysWhatTheRuntimeDoes) {
  const absl::StatusOr<v1::Result> result = Ask(GetParam().graph().graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  std::string codes;
  bool found = false;
  for (const v1::Finding& finding : result->findings()) {
    if (finding.code() == "NR503") continue;  // of some processors; it has a test of its own
    codes += finding.code() + " " + finding.message() + "\n";
    if (finding.code() == GetParam().code) {
      found = true;
      EXPECT_EQ(finding.effect(), GetParam().effect);
    }
  }
  if (*GetParam().code == '\0') {
    EXPECT_EQ(codes, "");
    EXPECT_EQ(result->verdict(), v1::Result::ACCEPTED) << result->not_checked_size();
    EXPECT_EQ(result->outcome().kind(), v1::Outcome::FULL);
    return;
  }
  EXPECT_TRUE(found) << codes;
  const v1::Finding::Effect effect = GetParam().effect;
  const bool warning = effect == kFallback || effect == kPrecision || effect == v1::Finding::ADVICE;
  EXPECT_EQ(result->verdict(), warning ? v1::Result::ACCEPTED_WITH_WARNINGS : v1::Result::REJECTED) << codes;
}

TEST(OrtModule, NamesTheSetsThatHaveAKernel) {
  const auto allowed = [](const GraphBuilder& b) -> std::string {
    const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
    if (!result.ok()) return std::string(result.status().message());
    for (const v1::Finding& finding : result->findings()) {
      if (finding.code() == "EN502") return finding.allowed();
    }
    return "no finding";
  };
  EXPECT_EQ(allowed(Node("HardSwish", v1::DATA_TYPE_FLOAT64, 1, 17)), "opset 18");
  EXPECT_EQ(allowed(Node("HardSwish", v1::DATA_TYPE_FLOAT64, 1, 21)), "opset 18");
  EXPECT_EQ(allowed(Node("Add", kInt8, 2, 13)), "opset 14 or later");
}

// Its own MatMulNBitsQuantizer leaves the import out, and it adds it.
TEST(OrtModule, AddsTheImportOfItsOwnOperators) {
  GraphBuilder b = QLinear("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"});
  b.graph.mutable_opset_imports()->RemoveLast();
  const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict(), v1::Result::ACCEPTED_WITH_WARNINGS) << result->DebugString();
  ASSERT_EQ(result->findings_size(), 1);
  EXPECT_EQ(result->findings(0).code(), "FI003");
  EXPECT_EQ(result->coverage().checked_nodes(), 1);
}

TEST(OrtModule, TakesAMapOfASequence) {
  const absl::StatusOr<v1::Result> result = Ask(MapOfASequence().graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->findings_size(), 0) << result->DebugString();
  for (const v1::NotChecked& entry : result->not_checked()) EXPECT_NE(entry.node(), "node") << entry.reason();
}

// What a body of control flow reads besides is not fused; GemmOtherBias is the same without the body.
TEST(OrtModule, LeavesWhatABodyReads) {
  GraphBuilder b = WithBias("Gemm", 0.02);
  GraphBuilder body;
  body.Value("outer").set_captured(b.Id("y"));
  body.Node("Relu", "inner", {"outer"}, {"within"});
  body.Output("within");
  b.Branch("if", "c", body.graph, "z");
  b.Output("z");
  const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  for (const v1::Finding& finding : result->findings()) EXPECT_NE(finding.code(), "FX501");
}

// Nodes of the model are sorted when it is loaded, those of a body are not.
TEST(OrtModule, SortsTheNodesOfTheModel) {
  const auto said = [](const GraphBuilder& b) -> std::vector<v1::Finding> {
    const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_EQ(result->outcome().kind(), v1::Outcome::FULL);
    return {result->findings().begin(), result->findings().end()};
  };
  GraphBuilder b = OrtGroup("Sigmoid", kUint8, kUint8);
  EXPECT_EQ(said(b).size(), 0u);
  b.graph.mutable_nodes()->SwapElements(0, 2);
  const std::vector<v1::Finding> findings = said(b);
  ASSERT_EQ(findings.size(), 2u);
  for (const v1::Finding& finding : findings) {
    EXPECT_EQ(finding.code(), "GS003");
    EXPECT_EQ(finding.severity(), v1::Finding::WARNING);
  }

  GraphBuilder branches = Node("Relu", kFloat, 1);
  GraphBuilder body;
  body.Value("outer").set_captured(branches.Id("x0"));
  body.Shape("outer", kFloat, {1, 4, 6, 6});
  body.Node("Sin", "last", {"between"}, {"within"});
  body.Node("Cos", "first", {"outer"}, {"between"});
  body.Output("within");
  branches.Branch("if", "c", body.graph, "z");
  branches.Output("z");
  const absl::StatusOr<v1::Result> result = Ask(branches.graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict(), v1::Result::REJECTED);
  ASSERT_GE(result->findings_size(), 1);
  EXPECT_EQ(result->findings(0).code(), "GS003");
  EXPECT_EQ(result->findings(0).severity(), v1::Finding::ERROR);
}

// A body gives back what it makes, and not what it sees; the same of a tensor that a node of its own makes.
TEST(OrtModule, RefusesABodyThatGivesBackAnOuterValue) {
  for (const bool passes : {true, false}) {
    GraphBuilder b = Node("Relu", kFloat, 1);
    GraphBuilder body;
    body.Value("outer").set_captured(b.Id("x0"));
    body.Shape("outer", kFloat, {1, 4, 6, 6});
    if (!passes) body.Node("Identity", "inner", {"outer"}, {"within"});
    body.Output(passes ? "outer" : "within");
    b.Branch("if", "c", body.graph, "z");
    b.Output("z");
    const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
    ASSERT_TRUE(result.ok()) << result.status();
    int found = 0;
    for (const v1::Finding& finding : result->findings()) found += finding.code() == "GS508";
    EXPECT_EQ(found, passes ? 1 : 0) << result->DebugString();
  }
}

// What only shows when a node runs is no error in a branch that may not be taken; what shows as it is made is.
TEST(OrtModule, KnowsWhatABranchComesTo) {
  const auto errors = [](const std::string& op, bool known) {
    GraphBuilder b = Node("Relu", kFloat, 1);
    GraphBuilder body;
    body.Input("unused", kFloat, {});
    body.graph.clear_inputs();
    body.Weight("w", kFloat, {1, 1, 2, 2, 2, 2}, 64);
    v1::Node& node = body.Node(op, "inner", {"w"}, {"within"});
    body.Int(node, "size", 4);
    if (op == "MaxPool") {
      node.clear_attributes();
      v1::Attribute& kernel = *node.add_attributes();
      kernel.set_name(body.Symbol("kernel_shape"));
      for (int i = 0; i < 4; ++i) kernel.mutable_ints()->add_values(1);
    }
    body.Output("within");
    b.Branch("if", "c", body.graph, "z");
    // The other branch is another body.
    *b.graph.add_subgraphs() = b.graph.subgraphs(0);
    b.graph.mutable_subgraphs(1)->mutable_nodes()->DeleteSubrange(0, 1);
    b.graph.mutable_subgraphs(1)->set_outputs(0, 2);
    b.Find("if").mutable_attributes(1)->set_graph(2);
    b.Output("z");
    if (known) {
      b.Ints("c", v1::DATA_TYPE_BOOL, {0});
      b.graph.mutable_inputs()->RemoveLast();
    }
    const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
    int found = 0;
    for (const v1::Finding& finding : result->findings()) found += finding.code() == "GS506";
    return found;
  };
  EXPECT_EQ(errors("MaxPool", /*known=*/false), 0);
  EXPECT_EQ(errors("MaxPool", /*known=*/true), 0);
  EXPECT_EQ(errors("LRN", /*known=*/false), 1);
  EXPECT_EQ(errors("LRN", /*known=*/true), 0);
}

// Codes and values of what is said at a node.
std::vector<std::string> CodesAt(const GraphBuilder& b, const std::string& node) {
  const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
  EXPECT_TRUE(result.ok()) << result.status();
  std::vector<std::string> codes;
  if (!result.ok()) return codes;
  for (const v1::Finding& finding : result->findings()) {
    if (finding.location().node() == node) {
      codes.push_back(absl::StrCat(finding.code(), " ", finding.location().value()));
    }
  }
  return codes;
}

void MoveOut(v1::Value& value) {
  v1::ExternalData& external = *value.mutable_constant()->mutable_external();
  external.set_location("weights.bin");
  external.set_status(v1::ExternalData::READ);
}

// y = op(x, arguments...) of float x, whose arguments are constants.
GraphBuilder Arguments(const std::string& op, const std::vector<std::string>& names, int opset = 21) {
  GraphBuilder b;
  SetOpset(b, opset);
  std::vector<std::string> inputs = {"x"};
  b.Input("x", kFloat, {2, 6});
  for (const std::string& name : names) {
    if (op == "Resize") {
      b.Reals(name, {1, 1}, /*scalar=*/false);
    } else {
      b.Ints(name, op == "com.microsoft::ExpandDims" ? v1::DATA_TYPE_INT32 : v1::DATA_TYPE_INT64, {1},
             /*scalar=*/false);
    }
    inputs.push_back(name);
  }
  b.Node(op, "node", inputs, {"y"});
  b.Value("y").set_dtype(kFloat);
  b.Output("y");
  return b;
}

std::vector<std::string> External(GraphBuilder b, const std::vector<std::string>& names) {
  for (const std::string& name : names) MoveOut(b.Value(name));
  return CodesAt(b, "node");
}

// As sessions of ONNX Runtime 1.31.1 do: "Cannot parse data from external tensors".
TEST(OrtModule, RefusesShapeArgumentsOutsideOfTheFile) {
  using ::testing::Contains;
  using ::testing::Not;
  EXPECT_THAT(External(Arguments("Expand", {"s"}), {}), Not(Contains("GS510 s")));
  EXPECT_THAT(External(Arguments("Expand", {"s"}), {"s"}), Contains("GS510 s"));
  EXPECT_THAT(External(Arguments("Slice", {"s", "e", "a"}), {"e"}), Contains("GS510 e"));
  EXPECT_THAT(External(Arguments("ReduceMax", {"a"}), {"a"}), Contains("GS510 a"));
  EXPECT_THAT(External(Arguments("com.microsoft::ExpandDims", {"a"}), {"a"}), Contains("GS510 a"));
  EXPECT_THAT(External(Arguments("CumSum", {"a"}), {"a"}), Not(Contains("GS510 a")));
  // The region of a Resize is not read, what it scales by is; of set 10 that is the second input.
  EXPECT_THAT(External(Arguments("Resize", {"r", "s"}), {"r"}), Not(Contains("GS510 r")));
  EXPECT_THAT(External(Arguments("Resize", {"r", "s"}), {"s"}), Contains("GS510 s"));
  EXPECT_THAT(External(Arguments("Resize", {"s"}, 10), {"s"}), Contains("GS510 s"));
  // Known at run time only: shape inference gets no further.
  GraphBuilder later = Arguments("Slice", {"s", "e"});
  later.Value("s").clear_constant();
  later.graph.add_inputs(later.Id("s"));
  EXPECT_THAT(External(later, {"e"}), Not(Contains("GS510 e")));
  GraphBuilder overridden = Arguments("Expand", {"s"});
  overridden.graph.add_inputs(overridden.Id("s"));
  EXPECT_THAT(External(overridden, {"s"}), Not(Contains("GS510 s")));
}

// Some operators need the first input's rank or sizes before they look at their arguments, some nothing.
TEST(OrtModule, ReadsShapeArgumentsWhereItGetsToThem) {
  const auto refused = [](const std::string& op, int rank, int64_t size) {
    GraphBuilder b = Arguments(op, {"s"});
    v1::Value& x = b.Value("x");
    x.clear_dims();
    x.set_has_shape(rank > 0);
    for (int i = 0; i < rank; ++i) x.add_dims(size);
    return absl::c_linear_search(External(b, {"s"}), "GS510 s");
  };
  EXPECT_TRUE(refused("Reshape", 0, 0));
  EXPECT_FALSE(refused("Tile", 0, 0));
  EXPECT_TRUE(refused("Tile", 2, -1));
  EXPECT_FALSE(refused("Split", 2, -1));
  EXPECT_TRUE(refused("Split", 2, 6));

  // Of these the size of one axis: the first of a Split, the last of a TopK, the second of an STFT.
  const auto refused_beside = [](const std::string& op, const std::vector<int64_t>& dims) {
    GraphBuilder b = Arguments(op, {"s"});
    b.Value("x").clear_dims();
    for (int64_t size : dims) b.Value("x").add_dims(size);
    return absl::c_linear_search(External(b, {"s"}), "GS510 s");
  };
  EXPECT_TRUE(refused_beside("Split", {6, -1}));
  EXPECT_FALSE(refused_beside("Split", {-1, 6}));
  EXPECT_TRUE(refused_beside("TopK", {-1, 6}));
  EXPECT_FALSE(refused_beside("TopK", {6, -1}));
  EXPECT_TRUE(refused_beside("STFT", {-1, 6, 1}));
  EXPECT_FALSE(refused_beside("STFT", {6, -1, 1}));
}

TEST(OrtModule, RefusesShapeArgumentsOfABodyOutsideOfTheFile) {
  for (const bool external : {true, false}) {
    GraphBuilder b = Node("Relu", kFloat, 1);
    b.Ints("shape", v1::DATA_TYPE_INT64, {144}, /*scalar=*/false);
    if (external) MoveOut(b.Value("shape"));
    GraphBuilder body;
    body.Value("x").set_captured(b.Id("x0"));
    body.Value("s").set_captured(b.Id("shape"));
    body.Node("Reshape", "node", {"x", "s"}, {"within"});
    body.Output("within");
    b.Branch("if", "c", body.graph, "z");
    b.Output("z");
    const std::vector<std::string> codes = CodesAt(b, "node");
    EXPECT_EQ(absl::c_count(codes, "GS510 s"), external ? 1 : 0);
  }
}

// A branch that multiplies x with a weight of [32, 8] in blocks of 16, of which `outer` are in the main graph.
struct Blocks {
  std::string outer;  // letters of w, s and z
  int64_t zero_point = 1;
  std::string op = "MatMul";
  int64_t block = 16;
  int64_t axis = 0;
  v1::DataType type = kInt4;
  std::function<void(GraphBuilder&)> change = [](GraphBuilder&) {};  // of the body
  bool summarized = false;  // of the zero points there is no list, as of those of large weights
};

std::vector<std::string> CodesOfBlocks(const Blocks& blocks) {
  GraphBuilder b;
  b.Input("x", kFloat, {2, 32});
  GraphBuilder body;
  body.Value("in").set_captured(b.Id("x"));
  body.Shape("in", kFloat, {2, 32});
  const int64_t per_channel = blocks.block == 0 ? 8 : 32 / blocks.block * 8;
  const std::vector<int64_t> shape =
      blocks.block == 0 ? std::vector<int64_t>{8} : std::vector<int64_t>{32 / blocks.block, 8};
  for (const std::string name : {"w", "s", "z"}) {
    const bool is_outer = absl::StrContains(blocks.outer, name);
    GraphBuilder& home = is_outer ? b : body;
    if (name == "w") home.Weight(name, blocks.type, {32, 8}, -1);
    if (name == "s") home.Reals(name, std::vector<double>(per_channel, 0.1));
    if (name == "z") home.Ints(name, blocks.type, std::vector<int64_t>(per_channel, blocks.zero_point));
    if (name != "w") home.Shape(name, name == "s" ? kFloat : blocks.type, shape);
    if (name == "z" && blocks.summarized) {
      v1::Constant& constant = *home.Value(name).mutable_constant();
      constant.clear_ints();
      constant.mutable_statistics()->set_count(per_channel);
      constant.mutable_statistics()->set_min(static_cast<double>(blocks.zero_point));
      constant.mutable_statistics()->set_max(static_cast<double>(blocks.zero_point));
    }
    if (!is_outer) continue;
    v1::Value& inside = body.Value(name);
    inside.set_captured(b.Id(name));
    inside.set_dtype(b.Value(name).dtype());
    inside.set_has_shape(true);
    *inside.mutable_dims() = b.Value(name).dims();
  }
  v1::Node& dequantize = body.Node("DequantizeLinear", "dq", {"w", "s", "z"}, {"wd"});
  body.Int(dequantize, "axis", blocks.axis);
  if (blocks.block > 0) body.Int(dequantize, "block_size", blocks.block);
  body.Node(blocks.op, "product", {"in", "wd"}, {"within"});
  body.Value("within").set_dtype(kFloat);
  body.Output("within");
  blocks.change(body);
  b.Branch("if", "c", body.graph, "y");
  b.Output("y");
  std::vector<std::string> codes = CodesAt(b, "dq");
  codes.erase(std::remove_if(codes.begin(), codes.end(),
                             [](const std::string& code) {
                               return !absl::StartsWith(code, "GS511") && !absl::StartsWith(code, "GS512");
                             }),
              codes.end());
  return codes;
}

// As sessions do, and what they compute: TransposeDQWeightsForMatMulNBits looks in the body alone.
TEST(OrtModule, BlocksOfABodyAreInIt) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(CodesOfBlocks({""}), IsEmpty());
  EXPECT_THAT(CodesOfBlocks({"w"}), ElementsAre("GS511 w"));
  EXPECT_THAT(CodesOfBlocks({"s"}), ElementsAre("GS511 s"));
  EXPECT_THAT(CodesOfBlocks({"wsz"}), ElementsAre("GS511 w"));
  EXPECT_THAT(CodesOfBlocks({"z"}), ElementsAre("GS512 z"));
  EXPECT_THAT(CodesOfBlocks({"z", 0}), IsEmpty());
  for (const int64_t zero_point : {0, 1}) {
    Blocks large{"z", zero_point};
    large.summarized = true;
    EXPECT_EQ(CodesOfBlocks(large).size(), zero_point == 0 ? 0 : 1) << zero_point;
  }
  EXPECT_THAT(CodesOfBlocks({"w", 0, "Gemm"}), ElementsAre("GS511 w"));
  EXPECT_THAT(CodesOfBlocks({"w", 0, "Add"}), IsEmpty());
  EXPECT_THAT(CodesOfBlocks({"w", 0, "MatMul", 8}), IsEmpty());
  EXPECT_THAT(CodesOfBlocks({"w", 0, "MatMul", 16, 1}), IsEmpty());
  // A scale for each output, in types of 2, 4 and 8 bits.
  EXPECT_THAT(CodesOfBlocks({"w", 0, "MatMul", 0, 1, kInt8}), ElementsAre("GS511 w"));
  EXPECT_THAT(CodesOfBlocks({"w", 0, "MatMul", 0, 0, kInt8}), IsEmpty());
  EXPECT_THAT(CodesOfBlocks({"w", 0, "MatMul", 0, 1, kUint16}), IsEmpty());
  Blocks one_scale{"w", 0, "MatMul", 0, 1, kInt8};
  one_scale.change = [](GraphBuilder& b) { b.Shape("s", kFloat, {1}); };
  EXPECT_THAT(CodesOfBlocks(one_scale), IsEmpty());
}

TEST(OrtModule, BlocksOfABodyFeedAProductOfFloats) {
  using ::testing::IsEmpty;
  const auto changed = [](const std::string& op, std::function<void(GraphBuilder&)> change) {
    Blocks blocks{"w", 0, op};
    blocks.change = std::move(change);
    return CodesOfBlocks(blocks);
  };
  const auto set_float = [](GraphBuilder& b, const char* name, float number) {
    v1::Attribute& attribute = *b.Find("product").add_attributes();
    attribute.set_name(b.Symbol(name));
    attribute.set_f(number);
  };
  EXPECT_THAT(changed("Gemm", [&](GraphBuilder& b) { set_float(b, "alpha", 1); }), ::testing::SizeIs(1));
  EXPECT_THAT(changed("Gemm", [&](GraphBuilder& b) { set_float(b, "alpha", 2); }), IsEmpty());
  EXPECT_THAT(changed("Gemm", [&](GraphBuilder& b) { set_float(b, "beta", 2); }), ::testing::SizeIs(1));
  EXPECT_THAT(changed("Gemm",
                      [&](GraphBuilder& b) {
                        set_float(b, "beta", 2);
                        b.Reals("bias", std::vector<double>(8, 0), /*scalar=*/false);
                        b.Find("product").add_inputs(b.Id("bias"));
                      }),
              IsEmpty());
  EXPECT_THAT(changed("Gemm", [](GraphBuilder& b) { b.Int(b.Find("product"), "transA", 1); }), IsEmpty());
  EXPECT_THAT(changed("Gemm", [](GraphBuilder& b) { b.Int(b.Find("product"), "transB", 1); }), IsEmpty());
  EXPECT_THAT(changed("MatMul", [](GraphBuilder& b) { b.Output("wd"); }), IsEmpty());
  EXPECT_THAT(changed("MatMul", [](GraphBuilder& b) { b.Find("product").mutable_inputs()->SwapElements(0, 1); }),
              IsEmpty());
  EXPECT_THAT(changed("Gemm",
                      [](GraphBuilder& b) {  // as its bias
                        b.Weight("other", kFloat, {32, 8}, 1024);
                        b.Find("product").set_inputs(1, b.Id("other"));
                        b.Find("product").add_inputs(b.Id("wd"));
                      }),
              IsEmpty());
  // Between quantized tensors it becomes something else, or stays.
  EXPECT_THAT(changed("MatMul",
                      [](GraphBuilder& b) {
                        b.Reals("one", {0.1});
                        b.Node("QuantizeLinear", "q", {"within", "one"}, {"behind"});
                      }),
              IsEmpty());
  EXPECT_THAT(changed("MatMul",
                      [](GraphBuilder& b) {
                        b.Reals("one", {0.1});
                        b.Node("QuantizeLinear", "q", {"in", "one"}, {"iq"});
                        b.Node("DequantizeLinear", "d", {"iq", "one"}, {"id"});
                        b.Find("product").set_inputs(0, b.Id("id"));
                      }),
              IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, OrtModuleTest, ::testing::ValuesIn(OrtCases()),
                         [](const auto& param_info) { return param_info.param.name; });

// An operator that multiplies bytes: types of its inputs, which of them has statistics, and these.
struct BytesCase {
  const char* op;
  std::vector<v1::DataType> types;
  int right;
  double least;
  double most;
  bool fires;
};

void PrintTo(const BytesCase& asked, std::ostream* out) {
  *out << asked.op << " " << asked.least << ".." << asked.most;
}

class OrtByteProducts : public ::testing::TestWithParam<BytesCase> {};

TEST_P(OrtByteProducts, SaturateWithoutVnni) {
  const BytesCase& asked = GetParam();
  GraphBuilder b;
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(asked.types.size()); ++i) {
    names.push_back(absl::StrCat("x", i));
    const bool tensor = i == asked.right || i == 0;
    if (i == asked.right) {
      v1::Statistics& statistics = *b.Weight(names.back(), asked.types[i], {8, 4, 1, 1}, 32).mutable_statistics();
      statistics.set_min(asked.least);
      statistics.set_max(asked.most);
      statistics.set_count(32);
    } else {
      b.Input(names.back(), asked.types[i], tensor ? std::vector<int64_t>{1, 4, 6, 6} : std::vector<int64_t>{});
    }
  }
  b.Node(asked.op, "node", names, {"y"});
  b.Output("y");
  const v1::Result result = Ask(b.graph, kTarget).value();
  int found = 0;
  for (const v1::Finding& finding : result.findings()) {
    if (finding.code() != "NR503") continue;
    ++found;
    EXPECT_EQ(finding.severity(), v1::Finding::INFO);
  }
  EXPECT_EQ(found, asked.fires ? 1 : 0) << result.DebugString();
}

std::vector<BytesCase> BytesCases() {
  constexpr v1::DataType u8 = kUint8;
  constexpr v1::DataType s8 = kInt8;
  constexpr v1::DataType f = kFloat;
  return {
      {"MatMulInteger", {u8, s8}, 1, -127, 127, true},
      {"MatMulInteger", {u8, s8}, 1, -65, 3, true},
      {"MatMulInteger", {u8, s8}, 1, -64, 64, false},
      {"MatMulInteger", {u8, u8}, 1, 0, 255, false},
      {"MatMulInteger", {s8, s8}, 1, -127, 127, false},
      {"QLinearMatMul", {u8, f, u8, s8, f, s8, f, u8}, 3, -127, 127, true},
      {"QLinearMatMul", {s8, f, s8, s8, f, s8, f, s8}, 3, -127, 127, false},
      {"QLinearConv", {u8, f, u8, s8, f, s8, f, u8}, 3, -127, 127, true},
      {"ConvInteger", {s8, u8}, 1, 0, 255, true},
      {"ConvInteger", {u8, s8}, 1, -127, 127, false},
      {"com.microsoft::QGemm", {u8, f, u8, s8, f, s8, v1::DATA_TYPE_INT32, f, u8}, 3, -127, 127, true},
      {"com.microsoft::MatMulIntegerToFloat", {u8, s8, f, f}, 1, -127, 127, true},
      {"com.microsoft::DynamicQuantizeMatMul", {f, s8, f}, 1, -127, 127, true},
      {"com.microsoft::DynamicQuantizeMatMul", {f, u8, f}, 1, 0, 255, false},
      {"com.microsoft::QAttention", {u8, s8, f, f, f}, 1, -127, 127, true},
      {"Add", {u8, s8}, 1, -127, 127, false},
  };
}

// As ONNX Runtime computes on a processor without VNNI.
INSTANTIATE_TEST_SUITE_P(, OrtByteProducts, ::testing::ValuesIn(BytesCases()));

TEST(OrtModule, DepthwiseFiltersAreExact) {
  GraphBuilder b = QLinearConv(kUint8, kInt8);
  b.Weight("w", kInt8, {4, 1, 1, 1}, 4);
  b.Shape("y", kUint8, {1, 4, 6, 6});
  SetAttribute(b, "group", 4);
  EXPECT_EQ(Ask(b.graph, kTarget)->findings_size(), 0) << Ask(b.graph, kTarget)->DebugString();
  EXPECT_EQ(Ask(QLinearConv(kUint8, kInt8).graph, kTarget)->findings_size(), 1);
}

// What the optimizer makes of a group is the same kernel.
TEST(OrtModule, FusedProductsSaturateToo) {
  const v1::Result result = Ask(WithBias("Conv", 0.01).graph, kTarget).value();
  ASSERT_EQ(result.findings_size(), 1);
  EXPECT_EQ(result.findings(0).code(), "NR503");
}

TEST(OrtModule, ARefusedNodeTakesTheSessionDown) {
  EXPECT_EQ(Ask(Node("Add", kInt8, 2, 13).graph, kTarget)->outcome().kind(), v1::Outcome::FAILS);
}

TEST(OrtModule, OtherProvidersAndOriginsAreNotJudged) {
  EXPECT_EQ(Ask(Node("Relu", kFloat, 1).graph, "onnxruntime/cuda").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Ask(Node("Relu", kFloat, 1).graph, "onnxruntime").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask(Node("Relu", kFloat, 1).graph, "onnxruntime/cpu@1.31")->target(), "onnxruntime/cpu@1.31.1");
  EXPECT_EQ(Ask(Node("Relu", kFloat, 1).graph, "onnxruntime/cpu@1.20")->verdict(), v1::Result::UNKNOWN);
  GraphBuilder torch(v1::Graph::PT2E);
  torch.Input("x", kFloat, {4});
  torch.Node("aten.relu.default", "relu", {"x"}, {"relu"});
  torch.Output("relu");
  EXPECT_EQ(Ask(torch.graph, kTarget)->verdict(), v1::Result::UNKNOWN);
}

// What a file can get wrong about the number of arguments is found by the general rules; the module looks at it, too.
TEST(OrtModule, BrokenGroups) {
  for (const char* op :
       {"Conv", "Gemm", "MatMul", "Add", "Where", "Concat", "Split", "Softmax", "ArgMax", "Relu", "Clip"}) {
    for (int inputs : {1, 2, 3, 4}) {
      GraphBuilder b = OrtGroup(op, kUint8, kUint8, inputs);
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
      b.Find("q_of_y").clear_outputs();
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
      b = OrtGroup(op, kUint8, kUint8, inputs);
      b.Find("node").clear_outputs();
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
      b = OrtGroup(op, kUint8, kUint8, inputs);
      b.Find("node").set_outputs(0, 0);
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
      b = OrtGroup(op, kUint8, kUint8, inputs);
      b.Find("dq_x0").clear_inputs();
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
    }
  }
  for (int64_t block : {int64_t{1}, INT64_MAX, INT64_MIN}) {
    for (int64_t axis : {int64_t{0}, INT64_MAX, INT64_MIN}) {
      GraphBuilder b = OrtGroup("Neg", kUint8, kUint8);
      b.Input("s", kFloat, {INT64_MAX, 2});
      b.Shape("q_x0", kUint8, {INT64_MAX, INT64_MAX});
      v1::Node& node = b.Find("dq_x0");
      node.set_inputs(1, b.Id("s"));
      b.Int(node, "block_size", block);
      b.Int(node, "axis", axis);
      EXPECT_TRUE(Ask(b.graph, kTarget).ok());
    }
  }
}

TEST(OrtModule, OperatorsOfOtherDomainsNeedALibrary) {
  GraphBuilder b = Node("com.example::Blur", kFloat, 1);
  v1::OpsetImport& import = *b.graph.add_opset_imports();
  import.set_domain("com.example");
  import.set_version(1);
  const v1::Result result = Ask(b.graph, kTarget).value();
  EXPECT_EQ(result.verdict(), v1::Result::UNKNOWN);
  ASSERT_GT(result.not_checked_size(), 0);
}

// What the optimizer makes of it before it quantizes it is a constant that is not here.
TEST(OrtModule, DoesNotJudgeAHalfBiasThatIsComputed) {
  GraphBuilder b = HalfWithBias(656);
  b.Node("Identity", "same", {"half"}, {"same"});
  b.Shape("same", v1::DATA_TYPE_FLOAT16, {2});
  b.Find("node").set_inputs(2, b.Id("same"));
  const absl::StatusOr<v1::Result> result = Ask(b.graph, kTarget);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto is_rule = [](const v1::NotChecked& entry) { return entry.rule() == "NR506"; };
  EXPECT_TRUE(absl::c_any_of(result->not_checked(), is_rule)) << result->ShortDebugString();
}

}  // namespace
}  // namespace quantgate
