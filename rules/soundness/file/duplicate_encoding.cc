#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDuplicateEncoding = {
    "FI023",
    "duplicate-encoding",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A tensor has one set of parameters. Of two, some tools take the first and some the last, so the simulated model "
    "and the compiled one differ.",
    "Keep the encoding that the model was calibrated with, and remove the other.",
    "Two entries for one tensor with different scales fire it; two that say the same are a warning.",
};

std::string FirstScale(const v1::Spec* spec) {
  if (spec == nullptr || spec->qparams().scales().empty()) return "";
  return absl::StrCat(", with scale ", FormatNumber(spec->qparams().scales(0)));
}

void CheckDuplicateEncoding(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  const Graph& graph = context.graph();
  std::vector<int32_t> first(graph.num_values(), -1);
  for (int i = 0; i < file->encodings_size(); ++i) {
    const v1::Encoding& encoding = file->encodings(i);
    if (encoding.value() == 0) continue;
    int32_t& earlier = first[encoding.value() - 1];
    if (earlier < 0) {
      earlier = i;
      continue;
    }
    const v1::Spec* before = SpecOf(graph, file->encodings(earlier));
    const v1::Spec* again = SpecOf(graph, encoding);
    FindingDraft draft;
    draft.rule = &kDuplicateEncoding;
    draft.place = PlaceOf(graph, encoding);
    draft.observed = absl::StrCat(
        "a second encoding", FirstScale(again), AtPlace(encoding.line(), encoding.column()), "; the first is",
        AtPlace(file->encodings(earlier).line(), file->encodings(earlier).column()), FirstScale(before));
    draft.allowed = "one encoding for each tensor";
    if (before != nullptr && again != nullptr && google::protobuf::util::MessageDifferencer::Equals(*before, *again)) {
      draft.severity = v1::Finding::WARNING;
      draft.effect = v1::Finding::ADVICE;
    }
    sink.Add(std::move(draft));
  }
}

}  // namespace

Rule DuplicateEncoding() { return {&kDuplicateEncoding, &CheckDuplicateEncoding}; }

}  // namespace quantgate
