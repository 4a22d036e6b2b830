// One connection to a database: what the report store needs of SQLite and of PostgreSQL alike. Statements are the same
// for both, but for what `Dialect` says; their parameters are $1, $2, …, numbered in the order of the text.
#ifndef QUANTGATE_DB_REPORTS_SESSION_H_
#define QUANTGATE_DB_REPORTS_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::db::reports {

struct Blob {
  absl::string_view bytes;
};
// Texts are UTF-8 without NUL (key_text.h).
using Value = std::variant<int64_t, absl::string_view, Blob>;

class Row {
 public:
  explicit Row(std::vector<std::variant<int64_t, std::string>> cells) : cells_(std::move(cells)) {}
  // Columns count from 0. NULL is 0 and empty.
  int64_t Int(int column) const;
  const std::string& Bytes(int column) const;

 private:
  std::vector<std::variant<int64_t, std::string>> cells_;
};

struct Answer {
  std::vector<Row> rows;
  int64_t changes = 0;  // rows inserted, updated or deleted
};

struct Dialect {
  const char* joined;      // joins tables in the order that is written, where the database would choose another
  const char* hidden;      // before a column: keeps the planner from looking for an index on it
  const char* for_update;  // after a SELECT: locks its rows until the transaction ends
};

// Not thread-safe. Statuses are those of ReportStore, and ABORTED: other transactions were in the way, or a row with
// that key is there; the whole transaction can be tried again.
class Session {
 public:
  virtual ~Session() = default;

  // Statements without parameters or rows.
  virtual absl::Status Execute(const std::string& script) = 0;
  virtual absl::StatusOr<Answer> Run(const std::string& sql, absl::Span<const Value> values) = 0;

  virtual absl::Status Begin() = 0;
  virtual absl::Status Commit() = 0;
  virtual void Rollback() = 0;

  // Lets one process at a time through until the end of the transaction.
  virtual absl::Status LockSchema() = 0;
  // The script of a migration, written for SQLite, in the words of this database.
  virtual std::string Migration(absl::string_view script) const = 0;
  virtual absl::StatusOr<bool> HasTables() = 0;
  virtual absl::StatusOr<bool> HasTable(const std::string& name) = 0;

  virtual const Dialect& dialect() const = 0;
  virtual bool read_only() const = 0;
  // For messages: "report store PATH".
  virtual const std::string& name() const = 0;
};

// Rolls back unless committed.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Session& session);
  Transaction(Transaction&& other) noexcept : session_(other.session_) { other.session_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  absl::Status Commit();

 private:
  explicit Transaction(Session* session) : session_(session) {}
  Session* session_;
};

// Inserts all rows with as few statements as their number allows. `insert` ends before VALUES; `conflict` follows them.
absl::Status InsertRows(Session& session, const std::string& insert, absl::Span<const std::vector<Value>> rows,
                        const std::string& conflict = "");

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_SESSION_H_
