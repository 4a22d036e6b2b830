// The little of SQLite that the constraint database needs: a handle, a statement, errors as Status.
#ifndef QUANTGATE_DB_SQLITE_H_
#define QUANTGATE_DB_SQLITE_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::db {

struct SqliteCloser {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using SqliteHandle = std::unique_ptr<sqlite3, SqliteCloser>;

// A prepared statement. Reads: while (statement.Next()) ...; then status(). Text is valid until the next Next().
class Statement {
 public:
  Statement(sqlite3* handle, absl::string_view sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(int64_t value);  // parameters in order
  Statement& Bind(absl::string_view value);
  bool Next();         // false at the end and on error
  absl::Status Run();  // for statements without rows; ready for new parameters afterwards

  int columns() const { return sqlite3_column_count(statement_); }
  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  absl::string_view Text(int column) const;
  // DATA_LOSS with SQLite's message when a step failed.
  const absl::Status& status() const { return status_; }

 private:
  void Fail();

  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  absl::Status status_;
};

// The path as a URI that opens it without locks, journal or write, for files that nobody writes while they are read.
std::string ImmutableUri(absl::string_view path);

// SHA-256, hex, over the schema version and every row of every table but the digest's own.
absl::StatusOr<std::string> ContentDigest(sqlite3* handle);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_SQLITE_H_
