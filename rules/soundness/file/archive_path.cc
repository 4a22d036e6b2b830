#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kArchivePath = {
    "FI025",
    "archive-path",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A member of the archive that a model comes in has a name that leads out of the archive. Nothing of the model is "
    "in it, and nothing was extracted here; a tool that extracts the archive without care would write to that place.",
    "Find out who added the member, and write the archive again without it.",
    "A .pt2 archive with a member '../../evil.txt' fires it; one with 'model/data/weights/weight_0' does not.",
};

// An importer notes such a member as a value of no graph, whose data would be there.
void CheckArchivePath(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (!constant.is_external) continue;
    const v1::Value& value = graph.value(constant.value);
    if (!value.foreign()) continue;
    const v1::ExternalData& external = value.constant().external();
    if (external.status() != v1::ExternalData::OUTSIDE_MODEL_FOLDER) continue;
    Place place;
    place.value = constant.value;
    sink.Add(kArchivePath, place, absl::StrCat("the archive has a member '", external.location(), "'"),
             "names inside of the archive");
  }
}

}  // namespace

Rule ArchivePath() { return {&kArchivePath, &CheckArchivePath}; }

}  // namespace quantgate
