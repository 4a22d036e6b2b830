#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI011",
    "unknown-type",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Stored numbers without an element type, or with one that no version of the format defines, cannot be read: every "
    "rule about them would have to guess.",
    "Write the tensor again with its element type.",
    "An initializer with data_type 0 fires it; one with data_type FLOAT does not.",
};

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  // Other formats have element types that Graph has no name for, and say so by leaving it out.
  if (graph.origin() != v1::Graph::ONNX && graph.origin() != v1::Graph::TFLITE) return;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (graph.dtype(constant.value) != v1::DATA_TYPE_UNSPECIFIED) continue;
    Place place;
    place.value = constant.value;
    sink.Add(kInfo, place, "a stored tensor of no known element type", "an element type of the format");
  }
}

}  // namespace

Rule UnknownType() { return {&kInfo, &Check}; }

}  // namespace quantgate
