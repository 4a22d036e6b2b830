#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/described.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kStoredRange = {
    "NR003",
    "stored-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: stores {observed}; expected {allowed}",
    "Integers outside of the storage type cannot be stored. Tools disagree on what is meant: some refuse the graph "
    "when it is converted, others take int8 with 0..255 for uint8 without a word.",
    "Give quant_min and quant_max that the storage type holds, or the type that the range needs.",
    "An int8 spec with 0..255 fires it; uint8 with 0..255, or int8 with -128..127, does not.",
};

// An observer with parameters of its own looks at no range of the spec: what is said is wrong, and nothing comes of it.
bool LooksAtNoRange(const Graph& graph, const Operand& operand) {
  if (operand.spec < 0) return false;
  const v1::Spec& spec = graph.message().specs(operand.spec);
  return spec.kind() == v1::Spec::PLAIN && spec.observer() != 0 && ComputesWhenConverted(graph.symbol(spec.observer()));
}

void CheckStoredRange(const CheckContext& context, FindingSink& sink) {
  for (const Described& described : context.Once(DescribedTensors)) {
    const Operand& operand = *described.operand;
    // uint64 has no exact range here.
    if (!IsInteger(operand.type) || operand.type == v1::DATA_TYPE_UINT64) continue;
    const int64_t low = MinOf(operand.type);
    const int64_t high = MaxOf(operand.type);
    if (operand.quant_min >= low && operand.quant_max <= high && operand.quant_min < operand.quant_max) continue;
    FindingDraft draft;
    draft.rule = &kStoredRange;
    draft.place = described.place;
    draft.observed = absl::StrCat(operand.quant_min, "..", operand.quant_max, " in ", DataTypeName(operand.type));
    draft.allowed = absl::StrCat("a range of two numbers or more within ", low, "..", high);
    if (LooksAtNoRange(context.graph(), operand)) {
      draft.effect = v1::Finding::ADVICE;
      draft.severity = v1::Finding::WARNING;
    }
    sink.Add(std::move(draft));
  }
}

}  // namespace

Rule StoredRange() { return {&kStoredRange, &CheckStoredRange}; }

}  // namespace quantgate
