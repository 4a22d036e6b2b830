#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kNarrowWeight = {
    "NR005",
    "narrow-weight",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject}: stores {observed}; expected {allowed}",
    "LiteRT's specification has int8 weights in -127..127, so that two products can be added in 16 bits. Some kernels "
    "for small processors rely on it and overflow on -128; others compute it as it is.",
    "Quantize the weights with a narrow range.",
    "An int8 filter that holds -128 fires it; one that holds -127 does not.",
};

void CheckNarrowWeight(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  const Graph& graph = context.graph();
  ForEachWeight(context, [&](const ResolvedOp& op, const Operand& weight) {
    if (weight.type != v1::DATA_TYPE_INT8 || !graph.is_constant(weight.value)) return;
    const v1::Constant& constant = graph.value(weight.value).constant();
    if (!constant.has_statistics() || constant.statistics().min() != static_cast<double>(MinOf(weight.type))) return;
    Place place;
    place.node = op.node;
    place.input = weight.argument;
    place.value = weight.value;
    place.index = constant.statistics().min_index();
    sink.Add(kNarrowWeight, place, absl::StrCat(MinOf(weight.type)), "-127 to 127");
  });
}

}  // namespace

Rule NarrowWeight() { return {&kNarrowWeight, &CheckNarrowWeight}; }

}  // namespace quantgate
