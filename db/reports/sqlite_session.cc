#include "db/reports/sqlite_session.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/sqlite.h"

namespace quantgate::db::reports {
namespace {

constexpr int kBusyTimeoutMs = 5000;
constexpr size_t kMostStatements = 128;

absl::StatusCode CodeOf(int code) {
  if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID) {
    return absl::StatusCode::kAborted;
  }
  switch (code & 0xff) {
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::StatusCode::kFailedPrecondition;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

// Leaves the statement ready for its next use, whatever happens.
class Reset {
 public:
  explicit Reset(sqlite3_stmt* statement) : statement_(statement) {}
  ~Reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

 private:
  sqlite3_stmt* statement_;
};

Row ReadRow(sqlite3_stmt* statement) {
  std::vector<std::variant<int64_t, std::string>> cells;
  const int columns = sqlite3_column_count(statement);
  cells.reserve(columns);
  for (int i = 0; i < columns; ++i) {
    const int type = sqlite3_column_type(statement, i);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
      const char* data = static_cast<const char*>(sqlite3_column_blob(statement, i));
      cells.emplace_back(std::string(data == nullptr ? "" : data, sqlite3_column_bytes(statement, i)));
    } else {
      cells.emplace_back(static_cast<int64_t>(sqlite3_column_int64(statement, i)));
    }
  }
  return Row(std::move(cells));
}

}  // namespace

SqliteSession::SqliteSession(const std::string& path, sqlite3* handle)
    : name_(absl::StrCat("report store ", path)), handle_(handle) {}

absl::StatusOr<std::unique_ptr<SqliteSession>> SqliteSession::Open(const std::string& path, Mode mode) {
  if (mode == Mode::kReadWrite) return OpenAs(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  absl::StatusOr<std::unique_ptr<SqliteSession>> session = OpenAs(path, path, SQLITE_OPEN_READONLY);
  const absl::Status read = session.ok() ? (*session)->Execute("SELECT count(*) FROM sqlite_schema") : session.status();
  if (!absl::IsFailedPrecondition(read)) return session;
  // A file with a write-ahead log is read beside an index of the log, which SQLite makes in the same folder. Where it
  // must not, and there is no log, nobody writes either: a backup, or a file system that is mounted for reading.
  std::error_code ignored;
  const bool has_log =
      std::filesystem::exists(path + "-wal", ignored) && std::filesystem::file_size(path + "-wal", ignored) > 0;
  if (has_log || std::filesystem::exists(path + "-journal", ignored)) return session;
  absl::StatusOr<std::unique_ptr<SqliteSession>> alone =
      OpenAs(path, ImmutableUri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  return alone.ok() ? std::move(alone) : std::move(session);
}

absl::StatusOr<std::unique_ptr<SqliteSession>> SqliteSession::OpenAs(const std::string& path, const std::string& name,
                                                                     int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<SqliteSession> session(new SqliteSession(path, handle));
  if (code != SQLITE_OK) return session->Error(code);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  // A damaged or hostile file must not make SQLite run what its schema says, nor overrun on a bad page.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // The cache holds the inner pages of every index of a million reports; SQLite's own of 2 MiB holds them of none.
  absl::Status status =
      session->Execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  if (!status.ok()) return status;
  return session;
}

SqliteSession::~SqliteSession() {
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

absl::Status SqliteSession::Configure(int64_t max_bytes) {
  if (read_only()) return absl::OkStatus();
  // FULL: a stored report survives a power cut, not only the end of the process.
  absl::Status status = Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (!status.ok() || max_bytes <= 0) return status;
  max_bytes_ = max_bytes;
  absl::StatusOr<Answer> page_size = Run("PRAGMA page_size", {});
  if (!page_size.ok()) return page_size.status();
  const int64_t pages = std::max<int64_t>(1, max_bytes / page_size->rows.at(0).Int(0));
  return Execute(absl::StrCat("PRAGMA max_page_count = ", pages));
}

absl::Status SqliteSession::Execute(const std::string& script) {
  const int code = sqlite3_exec(handle_, script.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

absl::StatusOr<sqlite3_stmt*> SqliteSession::Prepared(const std::string& sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  if (statements_.size() >= kMostStatements) {
    for (auto& [text, statement] : statements_) sqlite3_finalize(statement);
    statements_.clear();
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) return Error(code);
  statements_.emplace(sql, statement);
  return statement;
}

absl::Status SqliteSession::Bind(sqlite3_stmt* statement, absl::Span<const Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int parameter = static_cast<int>(i) + 1;
    int code = SQLITE_OK;
    if (const int64_t* number = std::get_if<int64_t>(&values[i])) {
      code = sqlite3_bind_int64(statement, parameter, *number);
    } else if (const absl::string_view* text = std::get_if<absl::string_view>(&values[i])) {
      // A null pointer would bind NULL, not the empty string.
      code = sqlite3_bind_text64(statement, parameter, text->data() == nullptr ? "" : text->data(), text->size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
    } else {
      const absl::string_view bytes = std::get<Blob>(values[i]).bytes;
      code = sqlite3_bind_blob64(statement, parameter, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                                 SQLITE_STATIC);
    }
    if (code != SQLITE_OK) return Error(code);
  }
  return absl::OkStatus();
}

absl::StatusOr<Answer> SqliteSession::Run(const std::string& sql, absl::Span<const Value> values) {
  absl::StatusOr<sqlite3_stmt*> statement = Prepared(sql);
  if (!statement.ok()) return statement.status();
  const Reset reset(*statement);
  if (absl::Status status = Bind(*statement, values); !status.ok()) return status;
  Answer answer;
  while (true) {
    const int code = sqlite3_step(*statement);
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) return Error(code);
    answer.rows.push_back(ReadRow(*statement));
  }
  answer.changes = sqlite3_changes(handle_);
  return answer;
}

absl::Status SqliteSession::Begin() { return Execute("BEGIN IMMEDIATE"); }

absl::Status SqliteSession::Commit() { return Execute("COMMIT"); }

// Some errors (a full disk) have already rolled back; then this does nothing.
void SqliteSession::Rollback() { (void)Execute("ROLLBACK"); }

absl::StatusOr<bool> SqliteSession::HasTables() {
  absl::StatusOr<Answer> answer = Run("SELECT 1 FROM sqlite_master LIMIT 1", {});
  if (!answer.ok()) return answer.status();
  return !answer->rows.empty();
}

absl::StatusOr<bool> SqliteSession::HasTable(const std::string& name) {
  absl::StatusOr<Answer> answer =
      Run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", {absl::string_view(name)});
  if (!answer.ok()) return answer.status();
  return !answer->rows.empty();
}

const Dialect& SqliteSession::dialect() const {
  // SQLite reorders what is joined in other words, and the unary plus is its own way to hide a column.
  static constexpr Dialect kDialect = {" CROSS JOIN ", "+", ""};
  return kDialect;
}

bool SqliteSession::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

absl::Status SqliteSession::Error(int code) const {
  const char* text = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  // The limit of its own, or the disk: SQLite does not tell which.
  const std::string limit =
      (code & 0xff) == SQLITE_FULL && max_bytes_ > 0 ? absl::StrCat(" (max_bytes=", max_bytes_, ")") : "";
  return absl::Status(CodeOf(code), absl::StrCat(name_, ": ", text, limit));
}

}  // namespace quantgate::db::reports
