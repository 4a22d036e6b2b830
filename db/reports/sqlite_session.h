// A session with a SQLite file. Statuses tell a full disk from a damaged file. (db/sqlite.h reads the constraint
// database, where every error is damage.)
#ifndef QUANTGATE_DB_REPORTS_SQLITE_SESSION_H_
#define QUANTGATE_DB_REPORTS_SQLITE_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "db/reports/session.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quantgate::db::reports {

class SqliteSession final : public Session {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  static absl::StatusOr<std::unique_ptr<SqliteSession>> Open(const std::string& path, Mode mode);
  ~SqliteSession() override;
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;

  // After the schema: a file that is not ours must not even change its journal mode. `max_bytes` 0: no limit.
  absl::Status Configure(int64_t max_bytes);

  absl::Status Execute(const std::string& script) override;
  absl::StatusOr<Answer> Run(const std::string& sql, absl::Span<const Value> values) override;
  absl::Status Begin() override;
  absl::Status Commit() override;
  void Rollback() override;
  // BEGIN IMMEDIATE has locked all of the file.
  absl::Status LockSchema() override { return absl::OkStatus(); }
  std::string Migration(absl::string_view script) const override { return std::string(script); }
  absl::StatusOr<bool> HasTables() override;
  absl::StatusOr<bool> HasTable(const std::string& name) override;
  const Dialect& dialect() const override;
  bool read_only() const override;
  const std::string& name() const override { return name_; }

 private:
  // `name`: the path, or a URI of it.
  static absl::StatusOr<std::unique_ptr<SqliteSession>> OpenAs(const std::string& path, const std::string& name,
                                                               int flags);
  SqliteSession(const std::string& path, sqlite3* handle);
  // Status of the last error, with the place.
  absl::Status Error(int code) const;
  absl::StatusOr<sqlite3_stmt*> Prepared(const std::string& sql);
  absl::Status Bind(sqlite3_stmt* statement, absl::Span<const Value> values);

  std::string name_;
  sqlite3* handle_;
  int64_t max_bytes_ = 0;  // 0: no limit of its own
  std::unordered_map<std::string, sqlite3_stmt*> statements_;
};

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SQLITE_SESSION_H_
