#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/values/signs.h"

namespace quantgate {
namespace {

constexpr RuleInfo kLostNegatives = {
    "QS003",
    "lost-negatives",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "torch's observers give a symmetric range zero point 0, except in uint8 and uint16, where it is in the middle. In "
    "a range that does not go as far below 0 as above it, int32 in 0..65535 for one, negative numbers are cut off, "
    "those of a whole tensor become 0, and half of the range is never used. Of an input of the model it cannot be told "
    "whether it has any.",
    "Ask for an affine range, or for a signed one that is even on both sides.",
    "The output of a convolution in int32 in 0..65535, symmetric, fires it; that of a relu, or affine, does not.",
};

void CheckLostNegatives(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<Sign> signs;
  std::vector<bool> said;  // by value
  const auto cuts = [](const v1::Spec& spec) { return !HoldsNegatives(spec); };
  ForEachAnnotated(context, cuts, [&](const AnnotatedPlace& at) {
    if (signs.empty()) {
      signs = SignsOf(context);
      said.resize(graph.num_values());
    }
    // Readers of a tensor that is written so read what is left of it.
    if (said[at.value] || signs[at.value] == Sign::kNotNegative) return;
    said[at.value] = true;
    const v1::Spec& spec = graph.message().specs(at.spec);
    FindingDraft draft;
    draft.rule = &kLostNegatives;
    draft.place = at.place;
    const int64_t min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
    const int64_t max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
    draft.observed = absl::StrCat("is symmetric about 0 in ", min, "..", max,
                                  min >= 0 ? ", where every negative number becomes 0"
                                           : ", where negative numbers are cut off before positive ones are");
    draft.allowed = "an affine range, or one as wide below 0 as above";
    if (signs[at.value] == Sign::kUnknown) {
      draft.effect = v1::Finding::PRECISION;
      draft.severity = v1::Finding::WARNING;
    }
    sink.Add(std::move(draft));
  });
}

}  // namespace

Rule LostNegatives() { return {&kLostNegatives, &CheckLostNegatives}; }

}  // namespace quantgate
