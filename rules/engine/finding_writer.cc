#include "rules/engine/finding_writer.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "rules/engine/positions.h"
#include "rules/engine/render.h"

namespace quantgate {
namespace {

static_assert(v1::Finding::Severity_MAX < 4);

int SeverityOf(const FindingDraft& draft) {
  return draft.severity != v1::Finding::SEVERITY_UNSPECIFIED ? draft.severity : draft.rule->severity;
}

void Sort(std::vector<FindingDraft>& drafts) {
  std::stable_sort(drafts.begin(), drafts.end(), [](const FindingDraft& a, const FindingDraft& b) {
    const auto key = [](const FindingDraft& draft) {
      const Place& p = draft.place;
      return std::make_tuple(p.node, absl::string_view(draft.rule->code), p.output, p.input, p.value, p.index);
    };
    return key(a) < key(b);
  });
}

// About the size of the rendered finding: names and what is observed are said twice, in fields and in the message.
int64_t Bytes(const Graph& graph, const std::string& path, const FindingDraft& draft) {
  constexpr int64_t kFixed = 256;
  int64_t names = 0;
  if (draft.place.node >= 0)
    names += graph.node(draft.place.node).name().size() + graph.op_type(draft.place.node).size();
  if (draft.place.value >= 0) names += graph.value(draft.place.value).name().size();
  const int64_t texts = draft.observed.size() + draft.allowed.size();
  return kFixed + path.size() + draft.fix.size() + draft.source.document.size() + 2 * (names + texts);
}

}  // namespace

void FindingWriter::Add(const Graph& graph, const std::string& path, std::vector<FindingDraft>& drafts) {
  Sort(drafts);
  for (const FindingDraft& draft : drafts) {
    Share& share = wanted_[SeverityOf(draft)];
    ++share.findings;
    share.bytes += Bytes(graph, path, draft);
  }
  lists_.push_back({&graph, &path, &drafts});
}

void FindingWriter::Write(v1::Result& result) {
  Share granted[kSeverities];
  for (int severity : {v1::Finding::ERROR, v1::Finding::WARNING, v1::Finding::INFO}) {
    const Share& wanted = wanted_[severity];
    granted[severity] = {std::min(wanted.findings, findings_left_), std::min(wanted.bytes, bytes_left_)};
    findings_left_ -= granted[severity].findings;
    bytes_left_ -= granted[severity].bytes;
  }
  int64_t left_out = 0;
  bool said[kSeverities] = {};
  for (const List& list : lists_) {
    if (list.drafts->empty()) continue;
    const Positions positions(*list.graph);
    for (const FindingDraft& draft : *list.drafts) {
      const int severity = SeverityOf(draft);
      Share& share = granted[severity];
      if (said[severity] && (share.findings <= 0 || share.bytes <= 0)) {
        ++left_out;
        continue;
      }
      said[severity] = true;
      --share.findings;
      share.bytes -= Bytes(*list.graph, *list.path, draft);
      v1::Finding& finding = *result.add_findings();
      RenderFinding(*list.graph, *list.path, draft, finding);
      const int32_t position = positions.Of(draft.place);
      if (position >= 0) finding.mutable_location()->set_position(position);
    }
  }
  if (left_out == 0) return;
  result.set_unlisted_findings(left_out);
  result.add_not_checked()->set_reason(
      absl::StrCat(left_out, " more findings are not listed, the least severe ones (max_findings, max_report_bytes)"));
}

}  // namespace quantgate
