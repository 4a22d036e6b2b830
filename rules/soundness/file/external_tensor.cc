#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"
#include "rules/tflite/missing_buffer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kExternalTensor = {
    "FI005",
    "external-data",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: its data {observed}; expected {allowed}",
    "The tensor's bytes are said to be in another file, and they cannot be had from there. Nothing can be said of the "
    "weights, and a path that leaves the model's folder would make a loader read files it has no business with.",
    "Put the data file beside the model and refer to it by a relative path, or store the tensor inside the model.",
    "A location of '../../etc/passwd' fires it; 'weights.bin' beside the model does not.",
};

std::string Problem(const v1::ExternalData& external) {
  const std::string where = absl::StrCat("'", external.location(), "'");
  switch (external.status()) {
    case v1::ExternalData::MISSING:
      return absl::StrCat("is in ", where, ", which does not exist");
    case v1::ExternalData::OUTSIDE_MODEL_FOLDER:
      return absl::StrCat("is in ", where, ", outside of the model's folder; it was not followed");
    case v1::ExternalData::ABSOLUTE_PATH:
      return absl::StrCat("is at the absolute path ", where, "; it was not followed");
    case v1::ExternalData::NO_LOCATION:
      return "is external, and no one location is stated";
    case v1::ExternalData::BAD_RANGE:
      // All of a file is within it: the importer could not read the numbers that are stated.
      if (external.offset() == 0 && external.length() == -1) {
        return absl::StrCat("is in ", where, ", at an offset or of a length that is no number");
      }
      return absl::StrCat("is at offset ", external.offset(), ", length ", external.length(), " of ", where,
                          ", which is not within that file");
    case v1::ExternalData::UNREADABLE:
      return absl::StrCat("is in ", where, ", which cannot be read");
    default:
      return "";
  }
}

// What is missing is a part of the model file itself: no other file has it.
bool IsWithinModel(const Graph& graph, const v1::ExternalData& external) {
  return graph.origin() == v1::Graph::PT2E ||
         (graph.origin() == v1::Graph::TFLITE && IsMissingBuffer(external.location()));
}

FindingDraft MissingTensor(const Graph& graph, const v1::ExternalData& external) {
  FindingDraft draft;
  draft.rule = &kExternalTensor;
  draft.allowed = "a file inside the model's folder that holds all of it";
  if (IsWithinModel(graph, external)) {
    draft.allowed = graph.origin() == v1::Graph::PT2E ? "a member of the archive that holds all of it"
                                                      : "a buffer of the file that holds all of it";
    draft.fix = "Export the model again; the file is damaged or was edited by hand.";
  }
  return draft;
}

void CheckExternalTensor(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  int64_t unread = 0;
  int64_t bytes = 0;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    // What is foreign is no tensor of this graph (FI025).
    if (!constant.is_external || graph.value(constant.value).foreign()) continue;
    const v1::ExternalData& external = graph.value(constant.value).constant().external();
    std::string problem = Problem(external);
    if (external.status() == v1::ExternalData::STATUS_UNSPECIFIED) {
      ++unread;
      bytes += std::max<int64_t>(0, constant.stored_bytes);
    }
    if (problem.empty()) continue;
    FindingDraft draft = MissingTensor(graph, external);
    draft.place.value = constant.value;
    draft.observed = std::move(problem);
    sink.Add(std::move(draft));
  }
  if (unread == 0) return;
  sink.NotChecked(&kExternalTensor, -1,
                  absl::StrCat(unread, unread == 1 ? " tensor" : " tensors", " of ", bytes,
                               " bytes in files beside the model ", unread == 1 ? "was" : "were",
                               " not read: no rule looked at ", unread == 1 ? "its" : "their", " elements"));
}

}  // namespace

Rule ExternalTensor() { return {&kExternalTensor, &CheckExternalTensor}; }

}  // namespace quantgate
