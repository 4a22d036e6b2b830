// The little of SQLite's C interface that the report store needs: statements that are kept, transactions, and statuses
// that tell a full disk from a damaged file. (db/sqlite.h reads the constraint database, where every error is damage.)
#ifndef QUANTGATE_DB_REPORTS_SQLITE_H_
#define QUANTGATE_DB_REPORTS_SQLITE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct sqlite3;
struct sqlite3_stmt;

namespace quantgate::db::reports {

// A prepared statement with its parameters. Bound text and blobs must outlive the last Step.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Parameters and columns are numbered as in SQLite: from 1 and from 0.
  Statement& Bind(int parameter, int64_t value);
  Statement& BindText(int parameter, absl::string_view value);
  Statement& BindBlob(int parameter, absl::string_view value);
  Statement& BindNull(int parameter);

  // true: there is a row.
  absl::StatusOr<bool> Step();
  // For statements without rows; can be bound and run again.
  absl::Status Run();

  int64_t Int(int column) const;
  // Valid until the next Step.
  absl::string_view Bytes(int column) const;

 private:
  friend class Connection;
  Statement(class Connection& connection, sqlite3_stmt* statement, bool cached)
      : connection_(connection), statement_(statement), cached_(cached) {}
  class Connection& connection_;
  sqlite3_stmt* statement_;
  bool cached_;        // owned by the connection
  int bind_code_ = 0;  // first error of a Bind (a value that is too large)
};

// One connection. Not thread-safe.
class Connection {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, Mode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One or more statements without parameters; rows are dropped.
  absl::Status Execute(const char* sql);
  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Prepared once, kept with the connection. `sql` is a literal: its address is the key.
  absl::StatusOr<Statement> Cached(const char* sql);
  // First column of the first row; NOT_FOUND without a row.
  absl::StatusOr<int64_t> QueryInt(const char* sql);

  bool read_only() const;
  int changes() const;
  const std::string& path() const { return path_; }
  // Status of the last error, with the place.
  absl::Status Error(int code) const;
  // True when `status` is a violated UNIQUE or PRIMARY KEY constraint.
  static bool IsDuplicate(const absl::Status& status);

 private:
  Connection(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}
  std::string path_;
  sqlite3* handle_;
  std::unordered_map<const char*, sqlite3_stmt*> cache_;
};

// BEGIN IMMEDIATE … COMMIT; rolls back unless committed.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(other.connection_) { other.connection_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  absl::Status Commit();

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SQLITE_H_
