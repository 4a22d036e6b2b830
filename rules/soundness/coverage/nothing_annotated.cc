#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kNothingAnnotated = {
    "CV004",
    "nothing-annotated",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "prepare_pt2e inserts no observer and convert_pt2e no quantize; neither says so, and the model stays what it was. "
    "Quantizers that look for modules or source functions find none in a non-strict export, and annotations made on "
    "another capture of the model, or a copy, are not in this graph.",
    "Annotate the graph that is prepared: export it with strict=True, or take a quantizer that matches ATen operators.",
    "A PT2E graph with a convolution and no spec fires it; one spec anywhere, or a graph without arithmetic on floats, "
    "does not.",
};

// One that no place has any more counts: a correction that took the last one away is answered with what it is about.
bool HasSpecs(const v1::Graph& graph) {
  return std::any_of(graph.specs().begin(), graph.specs().end(),
                     [](const v1::Spec& spec) { return spec.kind() != v1::Spec::EXPLICIT_NONE; }) ||
         std::any_of(graph.subgraphs().begin(), graph.subgraphs().end(), HasSpecs);
}

// A known operator that computes real numbers: what a quantizer is there for.
bool IsArithmetic(const Graph& graph, int32_t node) {
  const Binding* binding = graph.binding(node);
  return binding != nullptr && (binding->op->traits & kMovesData) == 0 && graph.num_outputs(node) > 0 &&
         graph.output(node, 0) >= 0 && IsFloat(graph.dtype(graph.output(node, 0)));
}

void CheckNothingAnnotated(const CheckContext& context, FindingSink& sink) {
  // What is calibrated or converted was annotated: answered, and no reason to doubt the verdict.
  if (context.stage() == v1::STAGE_CALIBRATED || context.stage() == v1::STAGE_CONVERTED) return;
  const Graph& graph = context.graph();
  // Of the model, not of each body in it.
  if (context.is_body() || graph.origin() != v1::Graph::PT2E || HasSpecs(graph.message())) return;
  int arithmetic = 0;
  int marked = 0;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    arithmetic += IsArithmetic(graph, node) ? 1 : 0;
    marked += graph.node(node).annotated() ? 1 : 0;
  }
  if (arithmetic == 0) return;
  sink.Add(kNothingAnnotated, {},
           absl::StrCat("no edge and no value has a spec, ",
                        marked > 0 ? absl::StrCat("though ", marked, " nodes are marked as annotated, ") : "", "and ",
                        arithmetic, " operators compute real numbers"),
           "specs on what shall be quantized");
}

}  // namespace

Rule NothingAnnotated() { return {&kNothingAnnotated, &CheckNothingAnnotated}; }

}  // namespace quantgate
