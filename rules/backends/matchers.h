// The compiled constraint tables of one backend, one per SDK version, made on first use.
#ifndef QUANTGATE_RULES_BACKENDS_MATCHERS_H_
#define QUANTGATE_RULES_BACKENDS_MATCHERS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "db/table_source.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/module.h"

namespace quantgate {

// Thread-safe. A table that fails to compile is tried again by the next caller.
class Matchers {
 public:
  // `definitions`: the family of the operators' definitions ("qnn_master"); empty: there are none.
  Matchers(const db::TableSource& tables, std::string definitions)
      : tables_(tables), definitions_(std::move(definitions)) {}
  // For Target.tables together, with the definitions of Target.sdk (of the newest version that has any, when that one
  // has none). The pointer lives as long as this object.
  absl::StatusOr<const TableMatcher*> Get(const Target& target);

 private:
  absl::StatusOr<TableMatcher> Compile(const Target& target) const;

  const db::TableSource& tables_;
  const std::string definitions_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<TableMatcher>> by_tables_;  // guarded by mutex_
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_MATCHERS_H_
