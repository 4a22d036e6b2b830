#include "client/report/group.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/pattern.h"

namespace quantgate {
namespace {

// Unit separator: does not occur in the fields that are joined with it, or only in a file made to confuse, which then
// sees two of its findings in one group.
constexpr absl::string_view kSeparator = "\x1f";

std::string Cause(const v1::Finding& finding) {
  return absl::StrJoin(
      std::make_tuple(finding.code(), static_cast<int>(finding.severity()), static_cast<int>(finding.effect()),
                      MaskNumbers(finding.observed()), MaskNumbers(finding.allowed()), finding.source().table(),
                      finding.source().row(), finding.fix()),
      kSeparator);
}

// The finding itself. `correction` and `group` are ids within one result and do not take part.
std::string Identity(const v1::Finding& finding) {
  return absl::StrCat(Cause(finding), kSeparator, finding.observed(), kSeparator, finding.allowed(), kSeparator,
                      finding.message(), kSeparator, finding.location().SerializeAsString());
}

std::string Cause(const v1::NotChecked& entry) {
  return absl::StrCat(entry.rule(), kSeparator, MaskNumbers(entry.reason()));
}

std::string Identity(const v1::NotChecked& entry) {
  return absl::StrCat(entry.rule(), kSeparator, entry.reason(), kSeparator, entry.node());
}

// One item and the targets that report it.
template <typename Item>
struct Shared {
  const Item* item;
  std::vector<int> targets;
};

template <typename Item>
struct ItemGroup {
  std::vector<const Item*> items;
  std::vector<int> targets;
};

// First merges what several targets report alike, then groups by (cause, targets). Keeps the order of first mention.
template <typename Item, typename Items>
std::vector<ItemGroup<Item>> Group(const v1::Report& report, const Items& items_of) {
  std::vector<Shared<Item>> shared;
  absl::flat_hash_map<std::string, size_t> by_identity;
  for (int target = 0; target < report.results_size(); ++target) {
    for (const Item& item : items_of(report.results(target))) {
      const auto [found, is_new] = by_identity.try_emplace(Identity(item), shared.size());
      if (is_new) shared.push_back({&item, {}});
      std::vector<int>& targets = shared[found->second].targets;
      if (targets.empty() || targets.back() != target) targets.push_back(target);
    }
  }
  std::vector<ItemGroup<Item>> groups;
  absl::flat_hash_map<std::string, size_t> by_cause;
  for (Shared<Item>& one : shared) {
    const std::string key = absl::StrCat(Cause(*one.item), kSeparator, absl::StrJoin(one.targets, ","));
    const auto [found, is_new] = by_cause.try_emplace(key, groups.size());
    if (is_new) groups.push_back({{}, std::move(one.targets)});
    groups[found->second].items.push_back(one.item);
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
