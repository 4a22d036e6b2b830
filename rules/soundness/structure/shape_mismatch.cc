#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/infer.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/structure/weight_ranks.h"
#include "rules/tflite/infer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kShapeMismatch = {
    "GS012",
    "shape-mismatch",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The shapes that the operator is given cannot be combined, so it computes nothing: runtimes fail when they load "
    "the file, or only when the node runs.",
    "Correct the tensor, or the operator in front of it: an axis, a transposition or a reshape is usually the cause.",
    "MatMul of [4, 8] by [5, 2] fires it; [4, 8] by [8, 2] does not.",
};

void CheckShapeMismatch(const CheckContext& context, FindingSink& sink) {
  const bool tflite = context.graph().origin() == v1::Graph::TFLITE;
  for (const Contradiction& found : context.Once(tflite ? InferTfliteShapes : InferShapes).contradictions) {
    if (found.kind != Contradiction::kShapes) continue;
    if (found.perhaps) {
      sink.NotChecked(&kShapeMismatch, found.node, ReasonUnderCondition(found));
      continue;
    }
    Place place;
    place.node = found.node;
    place.input = found.input;
    if (found.input >= 0) place.value = context.graph().input(found.node, found.input);
    sink.Add(kShapeMismatch, place, found.observed, found.allowed);
  }
  if (context.graph().origin() == v1::Graph::PT2E && context.model().format_version() != 0) {
    CheckWeightRanks(context.graph(), kShapeMismatch, sink);
  }
}

}  // namespace

Rule ShapeMismatch() { return {&kShapeMismatch, &CheckShapeMismatch}; }

}  // namespace quantgate
