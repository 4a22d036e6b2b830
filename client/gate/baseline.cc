#include "client/gate/baseline.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/text.h"
#include "client/text_file.h"
#include "google/protobuf/util/json_util.h"
#include "quantgate/v1/report_service.pb.h"
#include "rules/engine/fingerprint.h"

namespace quantgate {
namespace {

constexpr int64_t kMaxBaselineBytes = int64_t{256} << 20;

bool IsReport(const v1::Report& report) {
  return report.results_size() > 0 && absl::c_all_of(report.results(), [](const v1::Result& result) {
           return !result.target().empty() && result.verdict() != v1::Result::VERDICT_UNSPECIFIED;
         });
}

// What of its place two findings must have in common; each is tried before those that have less.
struct Agreement {
  bool node, value, position;
};
constexpr Agreement kAgreements[] = {
    {true, true, true},   {true, true, false},  {false, true, true},  {true, false, true},
    {false, true, false}, {true, false, false}, {false, false, true},
};

// A finding and what it is known by.
struct Known {
  std::string kind;
  std::string node, value, position;  // empty: there is none
  bool matched = false;

  Known(absl::string_view target, const v1::Finding& finding)
      : kind(FindingKind(target, finding)),
        node(StableNodeName(finding.location())),
        value(StableValueName(finding.location())),
        position(finding.location().has_position() ? absl::StrCat(finding.location().position()) : "") {}

  bool HasPlace() const { return !node.empty() || !value.empty() || !position.empty(); }

  // Empty: it lacks something of that.
  std::string Key(const Agreement& by) const {
    if ((by.node && node.empty()) || (by.value && value.empty()) || (by.position && position.empty())) return "";
    constexpr absl::string_view kSeparator = "\x1f";
    return absl::StrCat(kind, kSeparator, by.node ? node : "", kSeparator, by.value ? value : "", kSeparator,
                        by.position ? position : "");
  }
};

template <typename KeyOf>
void Pair(std::vector<Known>& before, std::vector<Known>& now, KeyOf key_of) {
  absl::flat_hash_map<std::string, std::deque<Known*>> open;
  for (Known& finding : before) {
    if (finding.matched) continue;
    if (std::string key = key_of(finding); !key.empty()) open[std::move(key)].push_back(&finding);
  }
  for (Known& finding : now) {
    if (finding.matched) continue;
    const auto found = open.find(key_of(finding));
    if (found == open.end() || found->second.empty()) continue;
    found->second.front()->matched = true;
    found->second.pop_front();
    finding.matched = true;
  }
}

void MarkResult(const std::vector<const v1::Result*>& known, v1::Result& result) {
  std::vector<Known> before, now;
  for (const v1::Result* earlier : known) {
    for (const v1::Finding& finding : earlier->findings()) {
      if (!finding.has_waiver()) before.emplace_back(earlier->target(), finding);
    }
  }
  for (const v1::Finding& finding : result.findings()) now.emplace_back(result.target(), finding);
  for (const Agreement& by : kAgreements) {
    Pair(before, now, [&](const Known& finding) { return finding.Key(by); });
  }
  // What is said of the whole graph has no place.
  Pair(before, now, [](const Known& finding) { return finding.HasPlace() ? "" : finding.kind; });
  for (int i = 0; i < result.findings_size(); ++i) {
    if (now[i].matched) result.mutable_findings(i)->set_in_baseline(true);
  }
}

}  // namespace

absl::StatusOr<std::vector<v1::Report>> ParseBaseline(const std::string& path, const std::string& text) {
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("baseline ", path, ": ", why, "; expected what quantgate check --format json writes"));
  };
  if (const size_t good = Utf8Prefix(text); good != text.size())
    return error(absl::StrCat("byte ", good, " is not UTF-8"));
  const absl::string_view trimmed = absl::StripAsciiWhitespace(text);
  if (trimmed.empty()) return error("is empty");
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer version
  v1::ListReportsResponse list;
  const bool several = trimmed[0] == '[';
  const auto parsed =
      several ? google::protobuf::util::JsonStringToMessage(absl::StrCat("{\"reports\":", trimmed, "}"), &list, options)
              : google::protobuf::util::JsonStringToMessage(std::string(trimmed), list.add_reports(), options);
  if (!parsed.ok()) {
    const std::string why(parsed.message());
    return error(absl::StrCat("is no report of quantgate: ", why.substr(0, why.find('\n'))));
  }
  if (list.reports().empty()) return error("holds no report");
  if (!absl::c_all_of(list.reports(), IsReport)) return error("is JSON, but no report of quantgate");
  return std::vector<v1::Report>(std::make_move_iterator(list.mutable_reports()->begin()),
                                 std::make_move_iterator(list.mutable_reports()->end()));
}

absl::StatusOr<std::vector<v1::Report>> ReadBaseline(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path, kMaxBaselineBytes);
  if (!text.ok()) return absl::Status(text.status().code(), absl::StrCat("baseline ", text.status().message()));
  return ParseBaseline(path, *text);
}

const v1::Report* BaselineOf(absl::Span<const v1::Report> baseline, const std::string& path, bool only_model) {
  const auto only = [&](auto same) -> const v1::Report* {
    const auto found = absl::c_find_if(baseline, same);
    if (found == baseline.end() || std::any_of(found + 1, baseline.end(), same)) return nullptr;
    return &*found;
  };
  const std::filesystem::path wanted = std::filesystem::path(path).lexically_normal();
  const auto path_of = [](const v1::Report& report) {
    return std::filesystem::path(report.model().path()).lexically_normal();
  };
  if (const v1::Report* same = only([&](const v1::Report& report) { return path_of(report) == wanted; })) return same;
  if (only_model && baseline.size() == 1) return &baseline[0];
  return only([&](const v1::Report& report) { return path_of(report).filename() == wanted.filename(); });
}

void MarkKnown(const v1::Report& known, v1::Report& report) {
  for (v1::Result& result : *report.mutable_results()) {
    std::vector<const v1::Result*> same, other_sdk;
    for (const v1::Result& earlier : known.results()) {
      if (earlier.target() == result.target()) same.push_back(&earlier);
      if (TargetWithoutSdk(earlier.target()) == TargetWithoutSdk(result.target())) other_sdk.push_back(&earlier);
    }
    MarkResult(same.empty() ? other_sdk : same, result);
  }
}

}  // namespace quantgate
