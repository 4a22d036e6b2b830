#include "db/reports/sqlite.h"

#include <sqlite3.h>

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace quantgate::db::reports {
namespace {

constexpr int kBusyTimeoutMs = 5000;
constexpr char kDuplicate[] = "quantgate.duplicate";

absl::StatusCode CodeOf(int code) {
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

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      cached_(other.cached_),
      bind_code_(other.bind_code_) {}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  if (cached_) {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  } else {
    sqlite3_finalize(statement_);
  }
}

Statement& Statement::Bind(int parameter, int64_t value) {
  if (int code = sqlite3_bind_int64(statement_, parameter, value); code != SQLITE_OK) bind_code_ = code;
  return *this;
}

Statement& Statement::BindText(int parameter, absl::string_view value) {
  // A null pointer would bind NULL, not the empty string.
  const char* data = value.data() == nullptr ? "" : value.data();
  if (int code = sqlite3_bind_text64(statement_, parameter, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
      code != SQLITE_OK) {
    bind_code_ = code;
  }
  return *this;
}

Statement& Statement::BindBlob(int parameter, absl::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  if (int code = sqlite3_bind_blob64(statement_, parameter, data, value.size(), SQLITE_STATIC); code != SQLITE_OK) {
    bind_code_ = code;
  }
  return *this;
}

Statement& Statement::BindNull(int parameter) {
  if (int code = sqlite3_bind_null(statement_, parameter); code != SQLITE_OK) bind_code_ = code;
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  if (bind_code_ != SQLITE_OK) return connection_.Error(bind_code_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return connection_.Error(code);
}

absl::Status Statement::Run() {
  absl::StatusOr<bool> row = Step();
  sqlite3_reset(statement_);
  return row.status();
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }

absl::string_view Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  return absl::string_view(static_cast<const char*>(data), sqlite3_column_bytes(statement_, column));
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<Connection> connection(new Connection(path, handle));
  if (code != SQLITE_OK) return connection->Error(code);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  // A damaged or hostile file must not make SQLite run what its schema says, nor overrun on a bad page.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  absl::Status status = connection->Execute("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON");
  if (!status.ok()) return status;
  return connection;
}

Connection::~Connection() {
  for (auto& [sql, statement] : cache_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

absl::Status Connection::Execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Error(code);
}

absl::StatusOr<Statement> Connection::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return Error(code);
  return Statement(*this, statement, /*cached=*/false);
}

absl::StatusOr<Statement> Connection::Cached(const char* sql) {
  auto [it, is_new] = cache_.try_emplace(sql, nullptr);
  if (is_new) {
    const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &it->second, nullptr);
    if (code != SQLITE_OK) {
      cache_.erase(it);
      return Error(code);
    }
  }
  return Statement(*this, it->second, /*cached=*/true);
}

absl::StatusOr<int64_t> Connection::QueryInt(const char* sql) {
  absl::StatusOr<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  absl::StatusOr<bool> row = statement->Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError("no row");
  return statement->Int(0);
}

bool Connection::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

int Connection::changes() const { return sqlite3_changes(handle_); }

absl::Status Connection::Error(int code) const {
  const char* text = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  absl::Status status(CodeOf(code), absl::StrCat("report store ", path_, ": ", text));
  if (code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID) {
    status.SetPayload(kDuplicate, absl::Cord());
  }
  return status;
}

bool Connection::IsDuplicate(const absl::Status& status) { return status.GetPayload(kDuplicate).has_value(); }

absl::StatusOr<Transaction> Transaction::Begin(Connection& connection) {
  absl::Status status = connection.Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  return Transaction(&connection);
}

Transaction::~Transaction() {
  // Some errors (a full disk) have already rolled back; then this does nothing.
  if (connection_ != nullptr) (void)connection_->Execute("ROLLBACK");
}

absl::Status Transaction::Commit() {
  absl::Status status = connection_->Execute("COMMIT");
  if (status.ok()) connection_ = nullptr;
  return status;
}

}  // namespace quantgate::db::reports
