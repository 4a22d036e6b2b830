// Nodes that ONNX Runtime does not see as one with the Dequantize and Quantize nodes around them, by their types and
// scales: its selectors of units ask for activations of one type, beside int8 ones for int8 weights, for a bias of
// int32 or, of a convolution, a constant in float, and for activations beside quantized weights that are quantized,
// too. Norms with a quantized weight are asked for that bias alone.
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/backends/pattern.h"
#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/backends/qnn/provider/provider.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn {
namespace {

// Behind a Dequantize, or in front of a Quantize. What an encodings file quantizes has neither.
bool IsBesideQuantizer(const Operand& operand) { return operand.quantized && operand.quantizer >= 0; }

// Weights and biases have types of their own, but for the slopes of a PRelu.
bool IsActivation(const ResolvedOp& op, const Operand& input) {
  if ((op.op->traits & kAccumulates) != 0) return input.port == 0;
  const PortRole role = RoleOf(op, input);
  return role == PortRole::kActivation || (role == PortRole::kWeight && (op.op->traits & kElementwise) != 0);
}

bool HasMixedActivations(const NodeView& view) {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  const auto differs = [&type](const Operand& operand) {
    if (!IsBesideQuantizer(operand)) return false;
    if (type == v1::DATA_TYPE_UNSPECIFIED) type = operand.type;
    return operand.type != type;
  };
  for (const Operand& input : view.inputs()) {
    if (IsActivation(view.op(), input) && differs(input)) return true;
  }
  return absl::c_any_of(view.outputs(), differs);
}

bool HasUnlikeWeight(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  if (input == nullptr || weight == nullptr || !IsBesideQuantizer(*weight)) return false;
  if (!input->quantized) return true;
  return IsBesideQuantizer(*input) && input->type == v1::DATA_TYPE_INT8 && weight->type != v1::DATA_TYPE_INT8;
}

bool HasUnlikeBias(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* bias = view.input(2);
  if (input == nullptr || bias == nullptr || !IsBesideQuantizer(*input)) return false;
  if (bias->quantized) return IsBesideQuantizer(*bias) && bias->type != v1::DATA_TYPE_INT32;
  // Of a convolution the provider quantizes it.
  return view.op().op->id == OpId::kGemm || !bias->is_static;
}

bool HasUnlikeBiasOfNorm(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  const Operand* bias = view.input(2);
  if (input == nullptr || weight == nullptr || bias == nullptr || !bias->present) return false;
  return IsBesideQuantizer(*input) && IsBesideQuantizer(*weight) &&
         (!bias->quantized || bias->type != v1::DATA_TYPE_INT32);
}

// What leaves integers as they are, and what ONNX Runtime takes for that: one with its Dequantize and Quantize nodes
// where they state one scale. Zero points are not compared.
bool LeavesIntegers(OpId id) {
  switch (id) {
    case OpId::kExpand:
    case OpId::kFlatten:
    case OpId::kGather:
    case OpId::kGatherElements:
    case OpId::kMaxPool:
    case OpId::kReshape:
    case OpId::kResize:
    case OpId::kSqueeze:
    case OpId::kTile:
    case OpId::kUnsqueeze:
      return true;
    default:
      return false;
  }
}

// Of this one no unit is made at all.
bool IsNeverUnit(const NodeView& view) {
  const Operand* input = view.input(0);
  return view.op().op->id == OpId::kGatherNd && input != nullptr && IsBesideQuantizer(*input);
}

bool HasOtherScale(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* output = view.output(0);
  if (!LeavesIntegers(view.op().op->id) || input == nullptr || output == nullptr) return false;
  if (!IsBesideQuantizer(*input) || !IsBesideQuantizer(*output)) return false;
  const ResolvedGraph& resolved = view.context().resolved();
  const QuantParams* before = resolved.qparams(*input);
  const QuantParams* after = resolved.qparams(*output);
  if (before == nullptr || after == nullptr || before->scales.size() != 1 || after->scales.size() != 1) return false;
  return before->scales[0] != after->scales[0];
}

// Whether it has a builder that looks up the values of what comes behind the first operand.
bool LooksUpOperands(OpId id) { return id == OpId::kPad || id == OpId::kClamp || id == OpId::kBatchNorm; }

bool HasComputedParameter(const NodeView& view) {
  return LooksUpOperands(view.op().op->id) && absl::c_any_of(view.inputs(), [](const Operand& input) {
           return input.port != 0 && IsBesideQuantizer(input);
         });
}

bool HasManyScales(const NodeView& view) {
  const auto has_many = [&view](const Operand& operand) {
    const QuantParams* qparams = view.context().resolved().qparams(operand);
    return operand.quantized && qparams != nullptr && !qparams->per_tensor();
  };
  return absl::c_any_of(view.inputs(), has_many) || absl::c_any_of(view.outputs(), has_many);
}

// Whether it is the Transpose of such a constant, which ONNX Runtime turns in its place.
bool IsTurnedConstant(const Graph& graph, const Operand& input) {
  const int32_t transpose = input.edge_value < 0 ? -1 : graph.producer(input.edge_value);
  if (transpose < 0 || graph.op(transpose) != OpId::kTranspose || graph.num_inputs(transpose) == 0) return false;
  const int32_t turned = graph.input(transpose, 0);
  const int32_t dequantize = turned < 0 ? -1 : graph.producer(turned);
  if (!IsDequantize(graph, dequantize)) return false;
  const QuantizerInputs inputs = QuantizerInputsOf(graph, dequantize);
  if (inputs.data < 0 || inputs.scale < 0 || !graph.is_constant(inputs.data)) return false;
  const auto& scales = graph.value(inputs.scale).dims();
  return graph.dtype(inputs.data) == v1::DATA_TYPE_INT32 || (!scales.empty() && scales[0] > 1);
}

// ONNX Runtime leaves the Dequantize of a constant to the provider, and that takes 32 bits as little as many scales.
bool IsLeftConstant(const NodeView& view, const Operand& input) {
  if (IsTurnedConstant(view.graph(), input)) return true;
  const Operand stored = AsRead(view.context(), input);
  if (input.quantized || !stored.quantized || !stored.static_chain) return false;
  const QuantParams* qparams = view.context().resolved().qparams(stored);
  return stored.type == v1::DATA_TYPE_INT32 || (qparams != nullptr && !qparams->per_tensor());
}

Operand InFloat(const Operand& operand) {
  Operand real = operand;
  real.spec = real.qparams = real.quantizer = -1;
  real.form = Operand::kNoForm;
  real.type = v1::DATA_TYPE_FLOAT32;
  real.quantized = real.is_static = real.static_chain = false;
  return real;
}

std::vector<Operand> InFloat(absl::Span<const Operand> operands) {
  std::vector<Operand> reals(operands.begin(), operands.end());
  for (Operand& operand : reals) {
    if (operand.quantized) operand = InFloat(operand);
  }
  return reals;
}

// ONNX Runtime stores a float bias beside a quantized input and weight in 32 bits, with a Dequantize of its own.
bool HasQuantizedBias(const NodeView& view) {
  const OpId id = view.op().op->id;
  const Operand* input = view.input(0);
  const Operand* weight = view.input(1);
  const Operand* bias = view.input(2);
  if ((id != OpId::kConv && id != OpId::kConvTranspose && id != OpId::kGemm) || input == nullptr) return false;
  if (weight == nullptr || bias == nullptr || bias->quantized || !bias->is_static || !IsFloat(bias->type)) return false;
  return AsRead(view.context(), *input).quantized && AsRead(view.context(), *weight).quantized;
}

}  // namespace

const Apart* WhyApart(const NodeView& view) {
  static constexpr Apart kMixed = {"its activations have different types", "activations of one type"};
  static constexpr Apart kOtherScale = {"it states another scale than it reads", "one scale in front and behind"};
  static constexpr Apart kWeight = {"its input and weight are no pair",
                                    "a quantized input, and beside one of int8 a weight of int8"};
  static constexpr Apart kBias = {"its bias is none of 32 bits", "a bias of int32"};
  const Operator* op = view.op().op;
  if (op == nullptr || op->id == OpId::kRequantize) return nullptr;
  const bool product = (op->traits & kAccumulates) != 0;
  const bool norm = op->id == OpId::kInstanceNorm || op->id == OpId::kLayerNorm;
  if (HasMixedActivations(view)) return &kMixed;
  if (HasOtherScale(view)) return &kOtherScale;
  if (IsNeverUnit(view)) return &kNoUnit;
  if (product && HasUnlikeWeight(view)) return &kWeight;
  if ((product && HasUnlikeBias(view)) || (norm && HasUnlikeBiasOfNorm(view))) return &kBias;
  return nullptr;
}

bool IsApart(const NodeView& view) { return WhyApart(view) != nullptr; }

bool ReadsLeftConstant(const NodeView& view) {
  const Operand* input = view.input(0);
  const Operand* output = view.output(0);
  const Operator& op = *view.op().op;
  // One whose mean and variance are in float is a unit all the same.
  const bool norm = op.id == OpId::kBatchNorm && output != nullptr && AsWritten(view.context(), *output).quantized;
  const bool product =
      (op.traits & kAccumulates) != 0 && input != nullptr && provider::GetsQuantize(view.graph(), view.node());
  if (norm || (product && AsRead(view.context(), *input).quantized)) return false;
  if (HasQuantizedBias(view)) return true;
  return absl::c_any_of(view.inputs(), [&view](const Operand& operand) { return IsLeftConstant(view, operand); });
}

Lowering provider::LowerApart(const NodeView& view, absl::FunctionRef<Lowering(const NodeView&)> lower,
                              Emission& emission) {
  if (HasManyScales(view)) return NoCounterpart(provider::kManyScales);
  // Dequantized while it runs, it has none.
  if (HasComputedParameter(view)) return NoCounterpart(provider::kLeft);
  const std::vector<Operand> inputs = InFloat(view.inputs());
  const std::vector<Operand> outputs = InFloat(view.outputs());
  NodeView reals = view;
  reals.Replace(inputs, outputs);
  for (const Operand& input : view.inputs()) provider::FloatInput(view, &input, emission);
  const Lowering lowering = lower(reals);
  if (lowering.status != Lowering::kEmitted) return lowering;
  for (const Operand& output : view.outputs()) {
    if (!output.quantized) continue;
    BackendTensor stated;
    FillTensor(view, &output, Layout::kSame, -1, emission, stated);
    AddUnary("Quantize", view, WithType(stated, v1::DATA_TYPE_FLOAT32), stated, emission);
  }
  return lowering;
}

Lowering provider::LowerQuantizer(const NodeView& view, absl::string_view name, Emission& emission) {
  return HasManyScales(view) ? NoCounterpart(kManyScales) : LowerSame(view, name, emission);
}

}  // namespace quantgate::qnn
