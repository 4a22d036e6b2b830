// Operators that the provider does not take together with the Dequantize and Quantize nodes around them.
#include <vector>

#include "absl/strings/match.h"
#include "rules/backends/qnn/provider/lowerers.h"

namespace quantgate::qnn::provider {

BackendTensor FloatInput(const NodeView& view, const Operand* operand, Emission& emission, Layout layout) {
  BackendTensor tensor;
  FillTensor(view, operand, layout, -1, emission, tensor);
  if (!tensor.present || !tensor.type.quantized) return tensor;
  const BackendTensor reals = WithType(tensor, v1::DATA_TYPE_FLOAT32);
  AddUnary("Dequantize", view, tensor, reals, emission);
  return reals;
}

FloatOutput::FloatOutput(const NodeView& view, int port, Emission& emission, Layout layout)
    : view_(view), emission_(emission) {
  FillTensor(view, view.output(port), layout, -1, emission, stated_);
  reals_ = stated_.type.quantized ? WithType(stated_, v1::DATA_TYPE_FLOAT32) : stated_;
}

void FloatOutput::Finish() {
  if (stated_.type.quantized) AddUnary("Quantize", view_, reals_, stated_, emission_);
}

void AddBinary(absl::string_view name, const NodeView& view, const BackendTensor& first, const BackendTensor& second,
               const BackendTensor& to, Emission& emission) {
  emission.Begin(name, view.node());
  emission.AddInput() = first;
  emission.AddInput() = second;
  emission.AddOutput() = to;
}

void AddUnjudged(absl::string_view name, const NodeView& view, Emission& emission) {
  emission.Begin(name, view.node());
}

namespace {

// With a constant of one element as the second operand.
void AddWithConstant(absl::string_view name, const NodeView& view, const BackendTensor& first, const BackendTensor& to,
                     Emission& emission) {
  emission.Begin(name, view.node());
  emission.AddInput() = first;
  AddMadeConstant(first, 1, emission);
  emission.AddOutput() = to;
}

// weight * (x * (1 / sqrt(...))), in float and in this order of the outer product.
bool IsWeightOfWrittenOutNorm(const NodeView& view) {
  const Graph& graph = view.graph();
  const Operand* weight = view.input(0);
  const Operand* normalized = view.input(1);
  if (weight == nullptr || normalized == nullptr || weight->quantized || normalized->quantized) return false;
  if (!graph.is_static(weight->value)) return false;
  const int32_t product = graph.producer(normalized->value);
  if (product < 0 || graph.op(product) != OpId::kMul) return false;
  for (int i = 0; i < graph.num_inputs(product); ++i) {
    const int32_t factor = graph.input(product, i) < 0 ? -1 : graph.producer(graph.input(product, i));
    if (factor < 0) continue;
    if (graph.op(factor) == OpId::kReciprocal || graph.op(factor) == OpId::kRsqrt) return true;
  }
  return false;
}

// What the provider compares with, case and all.
bool AreDefaultOfLstm(const v1::StringList& activations) {
  constexpr absl::string_view kNames[] = {"sigmoid", "tanh", "tanh"};
  if (activations.values_size() != 3 && activations.values_size() != 6) return false;
  for (int i = 0; i < activations.values_size(); ++i) {
    if (activations.values(i) != kNames[i % 3]) return false;
  }
  return true;
}

}  // namespace

// One that the library would refuse is validated all the same, and cannot be prepared then.
Lowering LowerTan(const NodeView& view, absl::string_view, Emission& emission) {
  if (view.rank(view.input(0)) > 4) return Unknown(kNotAsked);
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  AddUnary("ElementWiseSin", view, input, output.reals(), emission);
  AddUnary("ElementWiseCos", view, input, output.reals(), emission);
  AddBinary("ElementWiseDivide", view, output.reals(), output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

Lowering LowerSelu(const NodeView& view, absl::string_view, Emission& emission) {
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  AddUnary("Elu", view, input, output.reals(), emission);
  emission.AddReal("alpha", view.real({"alpha"}).value_or(1.67326319217681884765625));
  AddWithConstant("ElementWiseMultiply", view, output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

Lowering LowerThresholdedRelu(const NodeView& view, absl::string_view, Emission& emission) {
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  const BackendTensor truth = WithType(output.reals(), v1::DATA_TYPE_BOOL);
  AddWithConstant("ElementWiseGreater", view, input, truth, emission);
  emission.Begin("ElementWiseSelect", view.node());
  emission.AddInput() = truth;
  emission.AddInput() = input;
  AddMadeConstant(input, 1, emission);
  emission.AddOutput() = output.reals();
  output.Finish();
  return Emitted();
}

Lowering LowerQuickGelu(const NodeView& view, absl::string_view, Emission& emission) {
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  AddWithConstant("ElementWiseMultiply", view, input, output.reals(), emission);
  AddUnary("Sigmoid", view, output.reals(), output.reals(), emission);
  AddBinary("ElementWiseMultiply", view, input, output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

Lowering LowerMultiply(const NodeView& view, absl::string_view name, Emission& emission) {
  if (IsWeightOfWrittenOutNorm(view)) {
    return Unknown("the library could not prepare an RMS norm in float that is written out with its weight first");
  }
  return LowerBinary(view, name, emission);
}

// A chain of binary operators. Of one input only the provider makes nothing.
Lowering LowerVariadic(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.inputs().size() < 2) return NoCounterpart("ONNX Runtime's QNN provider leaves it with a single input");
  const OpId id = view.op().op->id;
  // Two operands of Max and Min are taken with their Dequantize nodes.
  if (view.inputs().size() == 2 && (id == OpId::kMaximum || id == OpId::kMinimum)) {
    return LowerBinary(view, name, emission);
  }
  std::vector<BackendTensor> inputs;
  for (const Operand& input : view.inputs()) inputs.push_back(FloatInput(view, &input, emission));
  FloatOutput output(view, 0, emission);
  AddBinary(name, view, inputs[0], inputs[1], output.reals(), emission);
  for (size_t i = 2; i < inputs.size(); ++i) {
    AddBinary(name, view, output.reals(), inputs[i], output.reals(), emission);
  }
  if (id == OpId::kMean) AddWithConstant("ElementWiseDivide", view, output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

Lowering LowerReduceL2(const NodeView& view, absl::string_view, Emission& emission) {
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  AddBinary("ElementWiseMultiply", view, input, input, input, emission);
  AddUnary("ReduceSum", view, input, output.reals(), emission);
  AddUnary("ElementWiseSquareRoot", view, output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

Lowering LowerRoiAlign(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.text({"mode"}) == "max") return NoCounterpart(kLeft);
  const BackendTensor input = FloatInput(view, view.input(0), emission, Layout::kChannelsLast);
  const BackendTensor boxes = FloatInput(view, view.input(1), emission);
  FloatOutput output(view, 0, emission, Layout::kChannelsLast);
  emission.Begin(name, view.node());
  emission.AddInput() = input;
  emission.AddInput() = boxes;
  AddInput(view, view.input(2), emission);
  emission.AddOutput() = output.reals();
  output.Finish();
  return Emitted();
}

Lowering LowerFusedMatMul(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.integer({"transBatchA"}).value_or(0) != 0 || view.integer({"transBatchB"}).value_or(0) != 0) {
    return Unknown(kNotAsked);
  }
  const BackendTensor first = FloatInput(view, view.input(0), emission);
  const BackendTensor second = FloatInput(view, view.input(1), emission);
  FloatOutput output(view, 0, emission);
  AddBinary(name, view, first, second, output.reals(), emission);
  emission.AddInt("transpose_in0", view.integer({"transA"}).value_or(0));
  emission.AddInt("transpose_in1", view.integer({"transB"}).value_or(0));
  if (view.real({"alpha"}).value_or(1.0) != 1.0) {
    AddWithConstant("ElementWiseMultiply", view, output.reals(), output.reals(), emission);
  }
  output.Finish();
  return Emitted();
}

Lowering LowerCastTo(const NodeView& view, absl::string_view name, Emission& emission) {
  const BackendTensor input = FloatInput(view, view.input(0), emission);
  FloatOutput output(view, 0, emission);
  AddUnary(name, view, input, output.reals(), emission);
  output.Finish();
  return Emitted();
}

// The sum of squares (p = 2) or of magnitudes (p = 1) under a window, as an average times its size.
Lowering LowerLpPool(const NodeView& view, absl::string_view name, Emission& emission) {
  const int64_t p = view.integer({"p"}).value_or(2);
  const int rank = view.rank(view.input(0));
  if (rank < 0) return Unknown("the input's rank is not known");
  const bool rounds_up = view.integer({"ceil_mode"}).value_or(0) != 0;
  if ((p != 1 && p != 2) || rank < 3 || rank > 4 || rounds_up || IsDilated(view)) return NoCounterpart(kLeft);
  const BackendTensor input = FloatInput(view, view.input(0), emission, Layout::kChannelsLast);
  FloatOutput output(view, 0, emission, Layout::kChannelsLast);
  if (p == 2) {
    AddBinary("ElementWiseMultiply", view, input, input, input, emission);
  } else {
    AddUnary("ElementWiseAbs", view, input, input, emission);
  }
  AddUnjudged(name, view, emission);
  AddWithConstant("ElementWiseMultiply", view, output.reals(), output.reals(), emission);
  if (p == 2) AddUnary("ElementWiseSquareRoot", view, output.reals(), output.reals(), emission);
  output.Finish();
  return Emitted();
}

// Drawn with parameters of the provider's own, 8 bits, and dequantized.
Lowering LowerRandom(const NodeView& view, absl::string_view, Emission& emission) {
  AddUnjudged(absl::StrContains(view.op_type(), "Normal") ? "RandomNormalLike" : "RandomUniformLike", view, emission);
  FloatOutput(view, 0, emission).Finish();
  return Emitted();
}

Lowering LowerUnjudged(const NodeView& view, absl::string_view name, Emission& emission) {
  for (const Operand& input : view.inputs()) FloatInput(view, &input, emission);
  AddUnjudged(name, view, emission);
  for (int port = 0; port < 3; ++port) {
    if (view.output(port) != nullptr) FloatOutput(view, port, emission).Finish();
  }
  return Emitted();
}

Lowering LowerRecurrent(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.integer({"layout"}).value_or(0) != 0) return Unknown("ONNX Runtime itself takes layout = 0 only");
  if (view.real({"clip"}).value_or(0.0) != 0.0) return NoCounterpart(kLeft);
  if (const v1::Attribute* activations = view.attribute({"activations"})) {
    const bool taken = view.op().op->id == OpId::kLstm && AreDefaultOfLstm(activations->strings());
    if (!taken) return NoCounterpart("ONNX Runtime's QNN provider leaves it when activations are stated");
  }
  return LowerUnjudged(view, name, emission);
}

}  // namespace quantgate::qnn::provider
