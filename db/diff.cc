#include "db/diff.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "db/table_text.h"

namespace quantgate::db {
namespace {

// Beyond this a row is only told as changed, not counted.
constexpr int64_t kMaxCombinations = 100000;

// "in[0..m]" as "in[0]".
std::string NormalPort(const std::string& port) {
  const size_t dots = port.find("..");
  return dots == std::string::npos ? port : absl::StrCat(port.substr(0, dots), "]");
}

const PortTypes* FindPort(const DtypeRow& row, const std::string& port) {
  for (const PortTypes& candidate : row.ports) {
    if (NormalPort(candidate.port) == NormalPort(port)) return &candidate;
  }
  return nullptr;
}

bool Includes(ArchRange outer, ArchRange inner) {
  const bool low = outer.min == 0 || (inner.min != 0 && outer.min <= inner.min);
  const bool high = outer.max == 0 || (inner.max != 0 && outer.max >= inner.max);
  return low && high;
}

// Does `row` accept this combination (one type per port of `of`)?
bool Accepts(const DtypeRow& row, const DtypeRow& of, const std::vector<ElementType>& combination) {
  if (!Includes(row.archs, of.archs)) return false;
  for (size_t i = 0; i < of.ports.size(); ++i) {
    const PortTypes* port = FindPort(row, of.ports[i].port);
    if (port != nullptr && std::find(port->types.begin(), port->types.end(), combination[i]) == port->types.end()) {
      return false;
    }
  }
  return true;
}

struct Coverage {
  int64_t combinations = 0;
  int64_t remaining = 0;
};

// How many of the row's combinations some row of `rows` accepts.
Coverage Cover(const DtypeRow& row, const std::vector<DtypeRow>& rows) {
  Coverage coverage;
  for (const PortTypes& port : row.ports) {
    if (port.types.empty()) return coverage;  // accepts nothing
  }
  std::vector<size_t> choice(row.ports.size(), 0);
  std::vector<ElementType> combination(row.ports.size());
  while (coverage.combinations < kMaxCombinations) {
    for (size_t i = 0; i < choice.size(); ++i) combination[i] = row.ports[i].types[choice[i]];
    ++coverage.combinations;
    coverage.remaining += std::any_of(rows.begin(), rows.end(),
                                      [&](const DtypeRow& candidate) { return Accepts(candidate, row, combination); });
    size_t digit = 0;
    while (digit < choice.size() && ++choice[digit] == row.ports[digit].types.size()) choice[digit++] = 0;
    if (digit == choice.size()) break;
  }
  return coverage;
}

// Row changes by configuration.
std::map<std::string, std::vector<RowChange>> DiffRows(const OpConstraints& before, const OpConstraints& after) {
  std::map<std::string, std::vector<RowChange>> changes;
  for (const DtypeRow& row : after.rows) {
    const Coverage coverage = Cover(row, before.rows);
    if (coverage.remaining == coverage.combinations) continue;
    changes[row.configuration].push_back({RowChange::kAdded, row, coverage.combinations, coverage.remaining});
  }
  for (const DtypeRow& row : before.rows) {
    const Coverage coverage = Cover(row, after.rows);
    if (coverage.remaining == coverage.combinations) continue;
    const auto kind = coverage.remaining == 0 ? RowChange::kRemoved : RowChange::kNarrowed;
    changes[row.configuration].push_back({kind, row, coverage.combinations, coverage.remaining});
  }
  return changes;
}

// A condition in force for one configuration; ordered as it is told.
struct PortCondition {
  std::string port;
  std::string shape;  // kind and names of the arguments
  std::string text;
  int min_arch = 0;
  int max_arch = 0;
  auto key() const { return std::tie(port, shape, text, min_arch, max_arch); }
  bool operator<(const PortCondition& other) const { return key() < other.key(); }
};

std::string Shape(const Predicate& predicate) {
  std::string shape = predicate.kind;
  for (const auto& [name, value] : predicate.args) absl::StrAppend(&shape, " ", name);
  return shape;
}

std::set<PortCondition> ConditionsFor(const OpConstraints& op, const std::string& configuration) {
  std::set<PortCondition> conditions;
  for (const Item& item : op.items) {
    if (item.configuration != "All" && item.configuration != configuration) continue;
    for (const Predicate& predicate : item.predicates) {
      conditions.insert(
          {NormalPort(item.port), Shape(predicate),
           absl::StrCat(PredicateText(predicate), item.effect == ItemEffect::kUnprepared ? " (unprepared)" : ""),
           item.archs.min, item.archs.max});
    }
  }
  return conditions;
}

std::vector<ConditionChange> DiffConditions(const std::set<PortCondition>& before,
                                            const std::set<PortCondition>& after) {
  std::vector<PortCondition> gone;
  std::vector<PortCondition> added;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(added));
  std::vector<ConditionChange> changes;
  for (const PortCondition& now : added) {
    ConditionChange change{now.port, "", now.text, {now.min_arch, now.max_arch}};
    // One that goes and one that comes, of one shape at one port, is one that changes.
    const auto was = std::find_if(gone.begin(), gone.end(), [&](const PortCondition& candidate) {
      return candidate.port == now.port && candidate.shape == now.shape;
    });
    if (was != gone.end()) {
      change.before = was->text;
      gone.erase(was);
    }
    changes.push_back(std::move(change));
  }
  for (const PortCondition& was : gone) changes.push_back({was.port, was.text, "", {was.min_arch, was.max_arch}});
  return changes;
}

bool Same(const ConditionChange& a, const ConditionChange& b) {
  return a.port == b.port && a.before == b.before && a.after == b.after && a.archs.min == b.archs.min &&
         a.archs.max == b.archs.max;
}

std::set<std::string> Configurations(const OpConstraints& op) {
  std::set<std::string> configurations;
  for (const DtypeRow& row : op.rows) configurations.insert(row.configuration);
  configurations.erase("All");
  return configurations;
}

// Does the old table accept anything of this configuration? If not, none of its conditions was about it.
bool Existed(const OpConstraints& before, const OpConstraints& after, const std::string& configuration) {
  const auto in_configuration = [&](const DtypeRow& row) { return row.configuration == configuration; };
  if (std::any_of(before.rows.begin(), before.rows.end(), in_configuration)) return true;
  if (std::none_of(after.rows.begin(), after.rows.end(), in_configuration)) return true;
  return std::any_of(after.rows.begin(), after.rows.end(), [&](const DtypeRow& row) {
    return in_configuration(row) && Cover(row, before.rows).remaining > 0;
  });
}

// PortCondition changes by configuration.
std::map<std::string, std::vector<ConditionChange>> DiffItems(const OpConstraints& before, const OpConstraints& after) {
  std::set<std::string> configurations = Configurations(after);
  // An old table without configurations speaks of every new one.
  configurations.merge(Configurations(before));
  if (configurations.empty()) configurations.insert("All");

  std::map<std::string, std::vector<ConditionChange>> changes;
  for (const std::string& configuration : configurations) {
    const auto was =
        Existed(before, after, configuration) ? ConditionsFor(before, configuration) : std::set<PortCondition>();
    changes[configuration] = DiffConditions(was, ConditionsFor(after, configuration));
  }
  if (configurations.size() == 1) return changes;

  std::vector<ConditionChange> common;
  for (const ConditionChange& change : changes.begin()->second) {
    const bool everywhere = std::all_of(changes.begin(), changes.end(), [&](const auto& entry) {
      return std::any_of(entry.second.begin(), entry.second.end(),
                         [&](const ConditionChange& other) { return Same(change, other); });
    });
    if (everywhere) common.push_back(change);
  }
  for (auto& [configuration, list] : changes) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const ConditionChange& change) {
                                return std::any_of(common.begin(), common.end(),
                                                   [&](const ConditionChange& other) { return Same(change, other); });
                              }),
               list.end());
  }
  changes["All"] = std::move(common);
  return changes;
}

OpChange DiffOp(const OpConstraints& before, const OpConstraints& after) {
  OpChange change;
  change.op = after.op;
  auto rows = DiffRows(before, after);
  auto conditions = DiffItems(before, after);
  std::set<std::string> configurations;
  for (const auto& [name, list] : rows) configurations.insert(name);
  for (const auto& [name, list] : conditions) configurations.insert(name);
  for (const std::string& name : configurations) {
    ConfigurationChange entry{name, std::move(rows[name]), std::move(conditions[name])};
    if (!entry.rows.empty() || !entry.conditions.empty()) change.configurations.push_back(std::move(entry));
  }
  return change;
}

}  // namespace

TableDiff DiffTables(const ConstraintTable& before, const ConstraintTable& after) {
  TableDiff diff;
  diff.before = absl::StrCat(before.backend, "@", before.sdk);
  diff.after = absl::StrCat(after.backend, "@", after.sdk);
  std::map<std::string, const OpConstraints*> old_ops;
  for (const OpConstraints& op : before.ops) old_ops.emplace(op.op, &op);
  for (const OpConstraints& op : after.ops) {
    const auto old = old_ops.find(op.op);
    if (old == old_ops.end()) {
      diff.ops_added.push_back(op.op);
      continue;
    }
    OpChange change = DiffOp(*old->second, op);
    if (!change.configurations.empty()) diff.ops.push_back(std::move(change));
    old_ops.erase(old);
  }
  for (const auto& [name, op] : old_ops) diff.ops_removed.push_back(name);
  std::sort(diff.ops_added.begin(), diff.ops_added.end());
  std::sort(diff.ops.begin(), diff.ops.end(), [](const OpChange& a, const OpChange& b) { return a.op < b.op; });
  return diff;
}

}  // namespace quantgate::db
