#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kRepeatedOutput = {
    "FI016",
    "repeated-output",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Programs ask for the outputs of an ONNX model by name. Two of one name are one to them, and the positions of "
    "those behind it are off by one.",
    "List each output once, or put an Identity between the two.",
    "Outputs [\"y\", \"y\"] fire it; [\"y\", \"z\"] do not.",
};

void CheckRepeatedOutput(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return;
  std::vector<bool> seen(graph.num_values(), false);
  const auto& outputs = graph.message().outputs();
  for (int i = 0; i < outputs.size(); ++i) {
    const int32_t value = outputs[i] - 1;
    if (value < 0) continue;
    if (seen[value]) {
      Place place;
      place.value = value;
      sink.Add(kRepeatedOutput, place, absl::StrCat("is a graph output again, at position ", i), "each output once");
    }
    seen[value] = true;
  }
}

}  // namespace

Rule RepeatedOutput() { return {&kRepeatedOutput, &CheckRepeatedOutput}; }

}  // namespace quantgate
