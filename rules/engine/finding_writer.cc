#include "rules/engine/finding_writer.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "rules/engine/positions.h"
#include "rules/engine/render.h"

namespace quantgate {
namespace {

static_assert(v1::Finding::Severity_MAX < 4);

auto OrderOf(const FindingDraft& draft) {
  const Place& p = draft.place;
  return std::make_tuple(p.node, absl::string_view(draft.rule->code), p.output, p.input, p.value, p.index);
}

bool SaySame(const FindingDraft& a, const FindingDraft& b) {
  const auto words = [](const FindingDraft& draft) {
    return std::tie(draft.observed, draft.allowed, draft.source.table, draft.source.row, draft.fix, draft.group,
                    draft.bare);
  };
  return EffectOf(a) == EffectOf(b) && SeverityOf(a) == SeverityOf(b) && words(a) == words(b);
}

// What is said twice of one place is said once: a node may become several backend operators that all break one rule.
std::vector<const FindingDraft*> Sorted(const std::vector<FindingDraft>& drafts) {
  std::vector<const FindingDraft*> sorted;
  sorted.reserve(drafts.size());
  for (const FindingDraft& draft : drafts) sorted.push_back(&draft);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FindingDraft* a, const FindingDraft* b) { return OrderOf(*a) < OrderOf(*b); });
  constexpr int kMostOperators = 8;  // of one node, that are looked back at
  size_t kept = 0;
  for (const FindingDraft* draft : sorted) {
    bool repeats = false;
    for (size_t i = kept; !repeats && i > 0 && kept - i < kMostOperators; --i) {
      if (OrderOf(*sorted[i - 1]) != OrderOf(*draft)) break;
      repeats = !draft->bare && SaySame(*sorted[i - 1], *draft);
    }
    if (!repeats) sorted[kept++] = draft;
  }
  sorted.resize(kept);
  return sorted;
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

FindingDraft WithText(FindingDraft draft) {
  draft.observed = "refused, as others are for this rule";
  draft.allowed = "what is said there";
  return draft;
}

}  // namespace

void FindingWriter::Add(const Graph& graph, const std::string& path, const std::vector<FindingDraft>& drafts) {
  lists_.push_back({&graph, &path, Sorted(drafts)});
  for (const FindingDraft* draft : lists_.back().drafts) {
    if (draft->bare) continue;
    Share& share = wanted_[SeverityOf(*draft)];
    ++share.findings;
    share.bytes += Bytes(graph, path, *draft);
  }
}

bool FindingWriter::WriteNotChecked(v1::Result& result) const {
  int64_t wanted = 0;
  for (const NotCheckedList& list : not_checked_) wanted += list.drafts->size();
  const int64_t listed = std::min(wanted, max_findings_);
  result.mutable_not_checked()->Reserve(static_cast<int>(listed));
  for (const NotCheckedList& list : not_checked_) {
    const std::vector<NotCheckedDraft>& drafts = *list.drafts;
    for (size_t i = 0; i < drafts.size() && result.not_checked_size() < listed; ++i) {
      if (i + kNamesAhead < drafts.size()) FetchName(*list.graph, drafts[i + kNamesAhead].node);
      v1::NotChecked& entry = *result.add_not_checked();
      if (drafts[i].rule != nullptr) entry.set_rule(drafts[i].rule->code);
      if (drafts[i].node >= 0) SetNodeName(*list.graph, drafts[i].node, *entry.mutable_node());
      entry.set_reason(*drafts[i].reason);
    }
  }
  if (listed == wanted) return true;
  result.add_not_checked()->set_reason(
      absl::StrCat(wanted - listed, " more places where something was not checked are not listed (max_findings)"));
  return false;
}

bool FindingWriter::Write(v1::Result& result) {
  int64_t findings_left = max_findings_;
  Share granted[kSeverities];
  for (int severity : {v1::Finding::ERROR, v1::Finding::WARNING, v1::Finding::INFO}) {
    const Share& wanted = wanted_[severity];
    granted[severity] = {std::min(wanted.findings, findings_left), std::min(wanted.bytes, bytes_left_)};
    findings_left -= granted[severity].findings;
    bytes_left_ -= granted[severity].bytes;
  }
  bool said[kSeverities] = {};
  for (const List& list : lists_) {
    if (list.drafts.empty()) continue;
    const Positions positions(*list.graph);
    for (const FindingDraft* each : list.drafts) {
      const FindingDraft& draft = *each;
      const int severity = SeverityOf(draft);
      Share& share = granted[severity];
      const bool full = share.findings <= 0 || share.bytes <= 0;
      // A severity without any whole finding is said by its first bare one.
      if (draft.bare ? said[severity] || wanted_[severity].findings > 0 : said[severity] && full) {
        ++left_out_[draft.rule->code];
        continue;
      }
      said[severity] = true;
      --share.findings;
      share.bytes -= Bytes(*list.graph, *list.path, draft);
      v1::Finding& finding = *result.add_findings();
      if (draft.bare) {
        RenderFinding(*list.graph, *list.path, WithText(draft), finding);
      } else {
        RenderFinding(*list.graph, *list.path, draft, finding);
      }
      const int32_t position = positions.Of(draft.place);
      if (position >= 0) finding.mutable_location()->set_position(position);
    }
  }
  const bool all_not_checked = WriteNotChecked(result);
  for (const auto& [code, count] : left_out_) {
    result.set_unlisted_findings(result.unlisted_findings() + count);
    v1::NotChecked& entry = *result.add_not_checked();
    entry.set_rule(code);
    entry.set_reason(
        absl::StrCat(count, " more findings of this rule are not listed (max_findings, max_report_bytes)"));
  }
  return left_out_.empty() && all_not_checked;
}

}  // namespace quantgate
