// Where tables come from. The database implements it; tests hand in their own.
#ifndef QUANTGATE_DB_TABLE_SOURCE_H_
#define QUANTGATE_DB_TABLE_SOURCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table.h"

namespace quantgate::db {

// Thread-safe.
class TableSource {
 public:
  virtual ~TableSource() = default;
  // SHA-256 over the content of all tables, hex.
  virtual const std::string& digest() const = 0;
  // All tables, sorted by backend, then SDK version (numerically).
  virtual const std::vector<TableInfo>& tables() const = 0;
  // NOT_FOUND when there is no such table. `sdk` is a full version of tables().
  virtual absl::StatusOr<ConstraintTable> LoadTable(const std::string& backend, const std::string& sdk) const = 0;
  // Operator definitions of a family ("qnn_master") at a version.
  virtual absl::StatusOr<std::vector<OpDefinition>> LoadDefinitions(const std::string& family,
                                                                    const std::string& sdk) const = 0;
  // All SoCs, by id.
  virtual const std::vector<Soc>& socs() const = 0;
};

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_TABLE_SOURCE_H_
