// Read-only access to the compiled constraint database (one SQLite file, made at build time from db/tables).
#ifndef QUANTGATE_DB_DATABASE_H_
#define QUANTGATE_DB_DATABASE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table.h"

namespace quantgate::db {

// Thread-safe. Opening checks the file's digest; a changed or truncated file is an error, not a surprise later.
class Database {
 public:
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path);
  // The database that was built with this binary: $QUANTGATE_TABLES, else next to the executable, else the install path.
  static absl::StatusOr<std::unique_ptr<Database>> OpenDefault();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // SHA-256 over the content of all tables, hex.
  const std::string& digest() const;
  // All tables, sorted by backend, then SDK version (numerically).
  const std::vector<TableInfo>& tables() const;
  // NOT_FOUND when there is no such table. `sdk` is a full version of tables().
  absl::StatusOr<ConstraintTable> LoadTable(const std::string& backend, const std::string& sdk) const;
  absl::StatusOr<std::vector<OpDefinition>> LoadDefinitions(const std::string& name, const std::string& sdk) const;
  // All SoCs, by id.
  const std::vector<Soc>& socs() const;

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_DATABASE_H_
