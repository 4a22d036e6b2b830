#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI009",
    "qparams-missing",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: {observed}; expected {allowed}",
    "A quantized tensor without a scale is just integers; each tool makes up another meaning.",
    "State a scale and a zero point for the tensor.",
    "A CONVERTED graph with a static int8 spec and no scales fires it; the same spec with is_dynamic does not.",
};

void Check(const CheckContext& context, FindingSink& sink) {
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    const auto check = [&](const Operand& operand, bool output) {
      // Parameters from Q/DQ or integer arguments are the file's own tensors; other rules judge those.
      if (!operand.present || !operand.quantized || operand.spec < 0 || operand.is_dynamic == Tri::kYes) return;
      const QuantParams* params = resolved.qparams(operand);
      if (params != nullptr && !params->scales.empty()) return;
      const v1::Spec& spec = context.graph().message().specs(operand.spec);
      // A derived spec is computed from others when the graph is converted.
      if (spec.kind() == v1::Spec::DERIVED && context.stage() != v1::STAGE_CONVERTED) return;
      Place place;
      place.node = op.node;
      (output ? place.output : place.input) = operand.argument;
      place.value = operand.value;
      sink.Add(kInfo, place, absl::StrCat(DataTypeName(operand.type), " without scale"), "a scale");
    };
    for (const Operand& operand : resolved.inputs(op)) check(operand, false);
    for (const Operand& operand : resolved.outputs(op)) check(operand, true);
  }
}

}  // namespace

Rule MissingQParams() { return {&kInfo, &Check}; }

}  // namespace quantgate
