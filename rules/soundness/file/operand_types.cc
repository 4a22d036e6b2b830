#include <algorithm>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kOperandTypes = {
    "FI019",
    "operand-types",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Operators of LiteRT compute in one element type. A kernel is chosen by the type of the first tensor and reads the "
    "others as if they had it: a uint8 tensor between int8 operators is off by 128, and a RESHAPE to another type "
    "reads beyond the data. Weights beside integers are integers of at most 8 bits, signed as the activations of 8 "
    "bits are; DEQUANTIZE takes stored integers and half precision, QUANTIZE numbers and makes integers.",
    "Put a QUANTIZE (or CAST) in front of the tensor that differs, or convert the model again.",
    "RESHAPE from int8 to int16 fires it, and so do CONV_2D from int8 to uint8 or with float weights beside int8, and "
    "DEQUANTIZE of float32; QUANTIZE from int8 to uint8 does not, nor CONV_2D of floats with int8 weights.",
};

// Operators that turn one type into another, or have data of several types.
bool Converts(const Operator& op) {
  switch (op.id) {
    case OpId::kOpaque:
    case OpId::kCast:
    case OpId::kBitCast:
    case OpId::kFakeQuantize:
    case OpId::kLstmGates:
    case OpId::kRnn:
    case OpId::kRandom:
    case OpId::kMultinomial:
    case OpId::kRealFft:
    case OpId::kRange:
    case OpId::kFill:
    case OpId::kNonZero:
    case OpId::kNonMaxSuppression:
    case OpId::kOneHot:
    case OpId::kEmbedding:  // of a quantized table, floats
      return true;
    default:
      return (op.traits & (kControlFlow | kNoData)) != 0;
  }
}

// Wider results of 8-bit data, which some kernels write.
bool MayWiden(OpId op) {
  return op == OpId::kSoftmax || op == OpId::kLinear || op == OpId::kMatMul || op == OpId::kReduceSum;
}

bool IsWider(v1::DataType type, v1::DataType than) { return IsInteger(type) && BitWidth(type) > BitWidth(than); }

// Weights of eight bits beside activations of floats or of 16 bits.
bool TakesNarrow(OpId op, const Operand& first, const Operand& operand) {
  return op == OpId::kMatMul && operand.quantized && operand.type == v1::DATA_TYPE_INT8 &&
         (first.type == v1::DATA_TYPE_FLOAT32 || first.type == v1::DATA_TYPE_INT16);
}

bool IsTyped(absl::Span<const Port> ports, const Operand& operand) {
  if (!operand.present || ports.empty() || operand.type == v1::DATA_TYPE_UNSPECIFIED) return false;
  return ports[std::min<size_t>(operand.port, ports.size() - 1)].role == PortRole::kActivation;
}

void CheckTypes(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Operand* first = nullptr;
  const auto check = [&](absl::Span<const Port> ports, const Operand& operand, bool output) {
    if (!IsTyped(ports, operand)) return;
    if (first == nullptr) {
      first = &operand;
      return;
    }
    if (operand.type == first->type) return;
    if (output && MayWiden(op.op->id) && IsWider(operand.type, first->type)) return;
    if (!output && TakesNarrow(op.op->id, *first, operand)) return;
    Place place;
    place.node = op.node;
    (output ? place.output : place.input) = operand.argument;
    place.value = operand.value;
    sink.Add(kOperandTypes, place, absl::StrCat("is ", DataTypeName(operand.type)),
             absl::StrCat(DataTypeName(first->type), ", as '", context.graph().value(first->value).name(), "'"));
  };
  for (const Operand& operand : context.resolved().inputs(op)) check(op.op->inputs, operand, false);
  // Comparisons answer with truth values: their outputs are no activations.
  for (const Operand& operand : context.resolved().outputs(op)) check(op.op->outputs, operand, true);
}

// Beside floats a kernel takes weights of many types.
bool TakesWeights(v1::DataType data, v1::DataType weights) {
  constexpr int kByte = 8;
  if (!IsInteger(data) || weights == v1::DATA_TYPE_UNSPECIFIED) return true;
  if (!IsInteger(weights)) return false;
  return BitWidth(data) != kByte || (BitWidth(weights) <= kByte && IsSigned(weights) == IsSigned(data));
}

void CheckWeightTypes(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  const auto data = absl::c_find_if(inputs, [&](const Operand& operand) { return IsTyped(op.op->inputs, operand); });
  if (data == inputs.end()) return;
  const v1::DataType read = data->type;
  for (const Operand& operand : inputs) {
    if (!operand.present || RoleOf(op, operand) != PortRole::kWeight) continue;
    const v1::DataType weights = operand.type;
    if (TakesWeights(read, weights)) continue;
    Place place;
    place.node = op.node;
    place.input = operand.argument;
    place.value = operand.value;
    sink.Add(kOperandTypes, place, absl::StrCat("the weights are ", DataTypeName(weights)),
             absl::StrCat(BitWidth(read) == 8 ? DataTypeName(read) : "int8", " beside ", DataTypeName(read),
                          " activations"));
  }
}

bool IsQuantizable(v1::DataType type) { return IsFloat(type) || (IsInteger(type) && BitWidth(type) <= 32); }

// float16 is what DEQUANTIZE makes floats of, besides integers.
bool IsDequantizable(v1::DataType type) {
  return type == v1::DATA_TYPE_FLOAT16 || (IsInteger(type) && BitWidth(type) <= 32);
}

void CheckQuantizer(const Graph& graph, int32_t node, FindingSink& sink) {
  const bool quantizes = graph.op_type(node) == "QUANTIZE";
  if (!quantizes && graph.op_type(node) != "DEQUANTIZE") return;
  const auto check = [&](int32_t value, bool output, bool fits, absl::string_view allowed) {
    if (fits || graph.dtype(value) == v1::DATA_TYPE_UNSPECIFIED) return;
    Place place;
    place.node = node;
    (output ? place.output : place.input) = 0;
    place.value = value;
    sink.Add(kOperandTypes, place, absl::StrCat("is ", DataTypeName(graph.dtype(value))), std::string(allowed));
  };
  const int32_t data = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  if (data >= 0 && quantizes) check(data, false, IsQuantizable(graph.dtype(data)), "floats, or stored integers");
  if (data >= 0 && !quantizes) {
    check(data, false, IsDequantizable(graph.dtype(data)), "stored integers, or float16");
  }
  const int32_t made = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
  if (made >= 0 && quantizes) check(made, true, IsInteger(graph.dtype(made)), "stored integers");
}

void CheckOperandTypes(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op == nullptr) continue;
    CheckQuantizer(context.graph(), op.node, sink);
    if (Converts(*op.op)) continue;
    CheckTypes(context, op, sink);
    if ((op.op->traits & kAccumulates) != 0) CheckWeightTypes(context, op, sink);
  }
}

}  // namespace

Rule OperandTypes() { return {&kOperandTypes, &CheckOperandTypes}; }

}  // namespace quantgate
