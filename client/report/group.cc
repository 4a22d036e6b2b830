#include "client/report/group.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/pattern.h"

namespace quantgate {
namespace {

// Unit separator: does not occur in the fields that are joined with it, or only in a file made to confuse, which then
// sees two of its findings in one group.
constexpr absl::string_view kSeparator = "\x1f";

// Whether somebody knows of it.
std::string Standing(const v1::Finding& finding) {
  return absl::StrCat(finding.in_baseline() ? "b" : "", finding.waiver().expires(), finding.waiver().reason());
}

// Of a finding that is about neither a node nor a tensor, such as one about a waiver: nothing else tells it from
// others.
std::string Line(const v1::Location& where) {
  return where.node().empty() && where.value().empty() ? where.source_line() : "";
}

// What the finding says but for the names of its own node and tensor, and for numbers.
std::string Masked(const v1::Finding& finding, const std::string& text) {
  return MaskNumbers(MaskName(MaskName(text, finding.location().node()), finding.location().value()));
}

// The statement that it comes from. One that holds for many operators stands in the table for each of them: what says
// the same of all is one cause, and numbers may differ by operator.
std::string Statement(const v1::Finding& finding) {
  return MaskNumbers(finding.allowed()) == finding.allowed() ? "" : finding.source().row();
}

std::string Cause(const v1::Finding& finding) {
  return absl::StrJoin(
      std::make_tuple(finding.code(), static_cast<int>(finding.severity()), static_cast<int>(finding.effect()),
                      Masked(finding, finding.observed()), Masked(finding, finding.allowed()), finding.source().table(),
                      Statement(finding), finding.fix(), Standing(finding), Line(finding.location())),
      kSeparator);
}

// What makes findings of two targets the same one: everything but what each of them observes. `correction` and `group`
// are ids within one result and do not take part.
std::string Place(const v1::Finding& finding) {
  return absl::StrJoin(
      std::make_tuple(finding.code(), static_cast<int>(finding.severity()), static_cast<int>(finding.effect()),
                      finding.allowed(), finding.source().table(), finding.source().row(), finding.fix(),
                      Standing(finding), finding.location().SerializeAsString()),
      kSeparator);
}

// Many rules stay unchecked for one reason, such as the stage of the graph.
std::string Cause(const v1::NotChecked& entry) { return MaskNumbers(entry.reason()); }

std::string Place(const v1::NotChecked& entry) {
  return absl::StrCat(entry.rule(), kSeparator, entry.reason(), kSeparator, entry.node());
}

// What a target says of the place.
std::string Words(const v1::Finding& finding) {
  return absl::StrCat(finding.observed(), kSeparator, finding.message());
}

std::string Words(const v1::NotChecked&) { return ""; }

bool SaysTheSame(const v1::Finding& a, const v1::Finding& b) {
  return a.observed() == b.observed() && a.message() == b.message();
}

bool SaysTheSame(const v1::NotChecked&, const v1::NotChecked&) { return true; }

// One place and the targets that report it.
template <typename Item>
struct Shared {
  std::vector<const Item*> items;  // what differs between targets
  std::vector<int> targets;
};

template <typename Item>
struct ItemGroup {
  std::vector<const Item*> items;
  std::vector<int> targets;
};

// First merges what several targets report at one place, then groups by (cause, targets). Keeps the order of first
// mention.
template <typename Item, typename Items>
std::vector<ItemGroup<Item>> Group(const v1::Report& report, const Items& items_of) {
  std::vector<Shared<Item>> shared;
  absl::flat_hash_map<std::string, size_t> by_place;
  for (int target = 0; target < report.results_size(); ++target) {
    absl::flat_hash_set<std::string> said;
    absl::flat_hash_map<std::string, int> times;  // a place of which one target says several things
    for (const Item& item : items_of(report.results(target))) {
      std::string place = Place(item);
      if (!said.insert(absl::StrCat(place, kSeparator, Words(item))).second) continue;
      const int nth = times[place]++;
      const auto [found, is_new] = by_place.try_emplace(absl::StrCat(place, kSeparator, nth), shared.size());
      if (is_new) shared.emplace_back();
      Shared<Item>& one = shared[found->second];
      const auto same = [&item](const Item* known) { return SaysTheSame(*known, item); };
      if (std::none_of(one.items.begin(), one.items.end(), same)) one.items.push_back(&item);
      one.targets.push_back(target);
    }
  }
  std::vector<ItemGroup<Item>> groups;
  absl::flat_hash_map<std::string, size_t> by_cause;
  for (Shared<Item>& one : shared) {
    const std::string key = absl::StrCat(Cause(*one.items.front()), kSeparator, absl::StrJoin(one.targets, ","));
    const auto [found, is_new] = by_cause.try_emplace(key, groups.size());
    if (is_new) groups.push_back({{}, std::move(one.targets)});
    std::vector<const Item*>& items = groups[found->second].items;
    items.insert(items.end(), one.items.begin(), one.items.end());
  }
  return groups;
}

}  // namespace

std::vector<FindingGroup> GroupFindings(const v1::Report& report) {
  std::vector<FindingGroup> groups;
  const auto findings = [](const v1::Result& result) -> const auto& { return result.findings(); };
  for (auto& group : Group<v1::Finding>(report, findings)) {
    groups.push_back({std::move(group.items), std::move(group.targets)});
  }
  const auto key = [](const FindingGroup& group) {
    const v1::Finding& first = *group.findings.front();
    return std::tuple<int, const std::string&>(first.severity(), first.code());
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const FindingGroup& a, const FindingGroup& b) { return key(a) < key(b); });
  return groups;
}

std::vector<NotCheckedGroup> GroupNotChecked(const v1::Report& report) {
  std::vector<NotCheckedGroup> groups;
  const auto entries = [](const v1::Result& result) -> const auto& { return result.not_checked(); };
  for (auto& group : Group<v1::NotChecked>(report, entries)) {
    groups.push_back({std::move(group.items), std::move(group.targets)});
  }
  return groups;
}

}  // namespace quantgate
