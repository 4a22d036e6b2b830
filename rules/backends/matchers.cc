#include "rules/backends/matchers.h"

#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quantgate {
absl::StatusOr<const TableMatcher*> Matchers::Get(const Target& target) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<TableMatcher>& entry = by_tables_[absl::StrCat(target.sdk, " ", absl::StrJoin(target.tables, " "))];
  if (entry == nullptr) {
    absl::StatusOr<TableMatcher> matcher = Compile(target);
    if (!matcher.ok()) return matcher.status();
    entry = std::make_unique<TableMatcher>(*std::move(matcher));
  }
  return entry.get();
}

absl::StatusOr<TableMatcher> Matchers::Compile(const Target& target) const {
  std::vector<db::ConstraintTable> tables;
  for (const std::string& name : target.tables) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(name, absl::MaxSplits('@', 1));
    absl::StatusOr<db::ConstraintTable> table = tables_.LoadTable(parts.first, parts.second);
    if (!table.ok()) return table.status();
    tables.push_back(*std::move(table));
  }
  if (definitions_.empty()) return TableMatcher::Compile(tables, {});
  absl::StatusOr<std::vector<db::OpDefinition>> definitions = tables_.LoadDefinitions(definitions_, target.sdk);
  if (!definitions.ok() && absl::IsNotFound(definitions.status())) {
    // Definitions hardly change; those of another version are better than none.
    for (const db::TableInfo& info : tables_.tables()) {
      if (info.backend == definitions_) definitions = tables_.LoadDefinitions(definitions_, info.sdk);
    }
  }
  if (!definitions.ok()) return definitions.status();
  return TableMatcher::Compile(tables, *definitions);
}

}  // namespace quantgate
