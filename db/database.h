// Read-only access to the compiled constraint database (one SQLite file, made at build time from db/tables).
#ifndef QUANTGATE_DB_DATABASE_H_
#define QUANTGATE_DB_DATABASE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/table_source.h"

namespace quantgate::db {

// Thread-safe. Opening checks the file's seal; a changed or truncated file is an error, not a surprise later.
class Database : public TableSource {
 public:
  static absl::StatusOr<std::unique_ptr<Database>> Open(const std::string& path);
  // $QUANTGATE_TABLES, else the one that was built with this binary: next to the executable, or at the install path.
  // Empty: an installation without.
  static std::string DefaultPath();
  // The one at DefaultPath. INTERNAL: there is none, or a changed one; errors of $QUANTGATE_TABLES are those of Open.
  static absl::StatusOr<std::unique_ptr<Database>> OpenDefault();
  ~Database() override;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // As the file states it.
  const std::string& digest() const override;
  // DATA_LOSS unless the rows have that digest. Reads them all; only a file that was sealed again on purpose has
  // others.
  absl::Status CheckContent() const;
  const std::vector<TableInfo>& tables() const override;
  absl::StatusOr<ConstraintTable> LoadTable(const std::string& backend, const std::string& sdk) const override;
  absl::StatusOr<std::vector<OpDefinition>> LoadDefinitions(const std::string& family,
                                                            const std::string& sdk) const override;
  const std::vector<Soc>& socs() const override;

 private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_DATABASE_H_
