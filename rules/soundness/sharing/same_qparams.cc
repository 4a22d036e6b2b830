#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kSameQParams = {
    "SH007",
    "same-qparams",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: {observed}; expected {allowed}",
    "Kernels of LiteRT move, pick or average stored integers here and leave them as they are. With another scale or "
    "zero point on the other side the same integers stand for other numbers; some kernels check and refuse, most say "
    "nothing.",
    "Give both tensors the same parameters, or put a QUANTIZE in between.",
    "RESHAPE from scale 0.1 to scale 0.2 fires it, and so does an int16 CONCATENATION of two scales; a uint8 one, "
    "which rescales, does not.",
};

bool KeepsIntegers(const Operator& op) {
  if ((op.traits & kMovesData) != 0) return true;
  switch (op.id) {
    case OpId::kAveragePool:
    case OpId::kMaxPool:
    case OpId::kMaximum:
    case OpId::kMinimum:
    case OpId::kReduceMax:
    case OpId::kReduceMin:
    case OpId::kResizeBilinear:
    case OpId::kTopK:
    case OpId::kWhere:
      return true;
    default:
      return false;
  }
}

bool IsStored(absl::Span<const Port> ports, const Operand& operand) {
  if (!operand.present || !operand.quantized || !IsStoredType(operand.type) || ports.empty()) return false;
  const PortRole role = ports[std::min<size_t>(operand.port, ports.size() - 1)].role;
  return role == PortRole::kActivation || role == PortRole::kWeight;
}

// One scale that is one; others are scale-range's and qparams-count's.
bool HasScale(const QuantParams* params) {
  return params != nullptr && params->scales.size() == 1 && std::isfinite(params->scales[0]) && params->scales[0] > 0;
}

bool Same(const QuantParams& a, const QuantParams& b) {
  constexpr double kTolerance = 1e-5;  // rounding of a scale on its way through a converter
  return std::fabs(a.scales[0] - b.scales[0]) <= kTolerance * a.scales[0] && a.zero_point(0) == b.zero_point(0);
}

std::string Text(const QuantParams& params) {
  return absl::StrCat("scale ", FormatNumber(params.scales[0]), ", zero point ", FormatNumber(params.zero_point(0)));
}

void CheckRescaling(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const ResolvedGraph& resolved = context.resolved();
  const Operand* first = nullptr;
  const auto check = [&](absl::Span<const Port> ports, const Operand& operand, bool output) {
    if (!IsStored(ports, operand) || !HasScale(resolved.qparams(operand))) return;
    if (first == nullptr) {
      if (!output) first = &operand;
      return;
    }
    const QuantParams& expected = *resolved.qparams(*first);
    const QuantParams& params = *resolved.qparams(operand);
    if (operand.type != first->type || Same(expected, params)) return;
    Place place;
    place.node = op.node;
    (output ? place.output : place.input) = operand.argument;
    place.value = operand.value;
    sink.Add(kSameQParams, place, Text(params),
             absl::StrCat(Text(expected), ", as '", context.graph().value(first->value).name(), "'"));
  };
  for (const Operand& operand : resolved.inputs(op)) check(op.op->inputs, operand, false);
  for (const Operand& operand : resolved.outputs(op)) check(op.op->outputs, operand, true);
}

bool Rescales(const ResolvedGraph& resolved, const ResolvedOp& op) {
  const absl::Span<const Operand> inputs = resolved.inputs(op);
  return op.op->id == OpId::kConcat && !inputs.empty() && inputs[0].type == v1::DATA_TYPE_UINT8;
}

void CheckAllSameQParams(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  for (const ResolvedOp& op : context.resolved().ops()) CheckSameQParams(context, op, sink);
}

}  // namespace

void CheckSameQParams(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (op.op == nullptr || !KeepsIntegers(*op.op) || Rescales(context.resolved(), op)) return;
  CheckRescaling(context, op, sink);
}

Rule SameQParams() { return {&kSameQParams, &CheckAllSameQParams}; }

}  // namespace quantgate
