#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBiasType = {
    "DT004",
    "bias-type",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: the bias is {observed}; expected {allowed}",
    "Kernels of LiteRT add the bias to an accumulator of a fixed width: 32 bits beside 8-bit activations, 64 beside "
    "16-bit ones (32 where quantized_bias_type says so, which older runtimes do not know). With another type the model "
    "does not load.",
    "Convert the model again, or store the bias in the type of the accumulator.",
    "An int16 bias beside int8 activations fires it; an int32 one does not.",
};

struct Operands {
  const Operand* input = nullptr;
  const Operand* bias = nullptr;
};

Operands Find(const ResolvedGraph& resolved, const ResolvedOp& op) {
  Operands found;
  for (const Operand& operand : resolved.inputs(op)) {
    if (!operand.present) continue;
    const PortRole role = RoleOf(op, operand);
    if (role == PortRole::kActivation && found.input == nullptr) found.input = &operand;
    if (role == PortRole::kBias) found.bias = &operand;
  }
  return found;
}

void CheckOp(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const auto [input, bias] = Find(context.resolved(), op);
  if (input == nullptr || bias == nullptr || !input->quantized || !IsStoredType(input->type)) return;
  if (bias->type == v1::DATA_TYPE_UNSPECIFIED) return;
  const bool wide = input->type == v1::DATA_TYPE_INT16;
  const v1::DataType expected = wide ? v1::DATA_TYPE_INT64 : v1::DATA_TYPE_INT32;
  if (bias->type == expected) return;
  const bool narrow_accumulator = wide && bias->type == v1::DATA_TYPE_INT32;
  const v1::Attribute* stated = context.graph().attribute(op.node, "quantized_bias_type");
  if (narrow_accumulator && stated != nullptr && stated->dtype() == v1::DATA_TYPE_INT32) return;
  FindingDraft draft;
  draft.rule = &kBiasType;
  draft.place.node = op.node;
  draft.place.input = bias->argument;
  draft.place.value = bias->value;
  draft.observed = std::string(DataTypeName(bias->type));
  draft.allowed = absl::StrCat(DataTypeName(expected), " beside ", DataTypeName(input->type), " activations");
  if (narrow_accumulator) {
    // Some kernels take it, most do not.
    draft.severity = v1::Finding::WARNING;
    draft.effect = v1::Finding::PRECISION;
  }
  sink.Add(std::move(draft));
}

void CheckBiasType(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op != nullptr && (op.op->traits & kAccumulates) != 0) CheckOp(context, op, sink);
  }
}

}  // namespace

Rule BiasType() { return {&kBiasType, &CheckBiasType}; }

}  // namespace quantgate
