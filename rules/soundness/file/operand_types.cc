#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
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
    "reads beyond the data.",
    "Put a QUANTIZE (or CAST) in front of the tensor that differs, or convert the model again.",
    "RESHAPE from int8 to int16 fires it, and so does CONV_2D from int8 to uint8; QUANTIZE from int8 to uint8 does "
    "not.",
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
    if (output && MayWiden(op.op->id) && BitWidth(operand.type) > BitWidth(first->type)) return;
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

void CheckOperandTypes(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op != nullptr && !Converts(*op.op)) CheckTypes(context, op, sink);
  }
}

}  // namespace

Rule OperandTypes() { return {&kOperandTypes, &CheckOperandTypes}; }

}  // namespace quantgate
