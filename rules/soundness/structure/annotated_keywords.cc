#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kAnnotatedKeywords = {
    "GS020",
    "annotated-keywords",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e puts observers in front of positional arguments alone, and asserts that an annotated node has no "
    "value among its keyword arguments, whatever the annotation says.",
    "Write the node with positional arguments, as torch.export does it where the operator allows it; else leave it "
    "without an annotation.",
    "add(x, other=y) with an annotation fires it; add(x, y), or add(x, other=y) without an annotation, does not.",
};

void CheckAnnotatedKeywords(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (context.stage() != v1::STAGE_ANNOTATED) return;  // prepare_pt2e has taken it
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (!graph.has_annotated_keywords(node)) continue;
    Place place;
    place.node = node;
    sink.Add(kAnnotatedKeywords, place, "it is annotated and reads values by keyword", "positional arguments");
  }
}

}  // namespace

Rule AnnotatedKeywords() { return {&kAnnotatedKeywords, &CheckAnnotatedKeywords}; }

}  // namespace quantgate
