#include "db/reports/schema.h"

#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace quantgate::db::reports {
namespace {

// Entry i takes a store from version i to i + 1. Never edit one that was released; append.
constexpr const char* kMigrations[] = {
    R"sql(
      CREATE TABLE reports (
        time INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        request_id TEXT UNIQUE,
        request_digest TEXT NOT NULL,
        model_path TEXT NOT NULL,
        model_sha256 TEXT NOT NULL,
        graph_digest TEXT NOT NULL,
        summary BLOB NOT NULL);
      CREATE INDEX reports_by_model_path ON reports (model_path);
      CREATE INDEX reports_by_model_sha256 ON reports (model_sha256);
      CREATE INDEX reports_by_graph_digest ON reports (graph_digest);
      CREATE TABLE report_bodies (
        time INTEGER PRIMARY KEY REFERENCES reports (time) ON DELETE CASCADE,
        body BLOB NOT NULL);
      CREATE TABLE report_results (
        time INTEGER NOT NULL REFERENCES reports (time) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        target TEXT NOT NULL,
        verdict INTEGER NOT NULL,
        PRIMARY KEY (time, ordinal)) WITHOUT ROWID;
      CREATE INDEX report_results_by_target ON report_results (target, time);
      CREATE INDEX report_results_by_target_verdict ON report_results (target, verdict, time);
      CREATE INDEX report_results_by_verdict ON report_results (verdict, time);
      CREATE TABLE report_codes (
        time INTEGER NOT NULL REFERENCES reports (time) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        code TEXT NOT NULL,
        PRIMARY KEY (time, ordinal, code)) WITHOUT ROWID;
      CREATE INDEX report_codes_by_code ON report_codes (code, time);
    )sql",
};
constexpr int64_t kVersion = std::size(kMigrations);

absl::Status Refuse(const Connection& connection, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("report store ", connection.path(), " ", reason));
}

// 0: an empty file.
absl::StatusOr<int64_t> CurrentVersion(Connection& connection) {
  absl::StatusOr<int64_t> tables = connection.QueryInt("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.status();
  if (*tables == 0) return 0;
  absl::StatusOr<int64_t> is_ours = connection.QueryInt(
      "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'quantgate_report_store'");
  if (!is_ours.ok()) return is_ours.status();
  if (*is_ours == 0) return Refuse(connection, "is a database of another program");
  absl::StatusOr<int64_t> version = connection.QueryInt("SELECT version FROM quantgate_report_store");
  if (absl::IsNotFound(version.status())) return Refuse(connection, "does not state its version");
  if (!version.ok()) return version.status();
  if (*version < 1) return Refuse(connection, absl::StrCat("states the impossible version ", *version));
  if (*version > kVersion) {
    return Refuse(connection, absl::StrCat("was written by a newer version of this program (schema ", *version,
                                           "; this one knows ", kVersion, ")"));
  }
  return version;
}

}  // namespace

absl::Status PrepareSchema(Connection& connection) {
  absl::StatusOr<int64_t> version = CurrentVersion(connection);
  if (!version.ok()) return version.status();
  if (*version == kVersion) return absl::OkStatus();
  if (connection.read_only()) {
    return Refuse(connection,
                  absl::StrCat("has schema ", *version, " and is read-only, so it cannot be brought to ", kVersion));
  }
  absl::StatusOr<Transaction> transaction = Transaction::Begin(connection);
  if (!transaction.ok()) return transaction.status();
  // Another process may have done it while we waited for the lock.
  version = CurrentVersion(connection);
  if (!version.ok()) return version.status();
  absl::Status status;
  if (*version == 0) {
    status = connection.Execute(
        "CREATE TABLE quantgate_report_store (version INTEGER NOT NULL); INSERT INTO quantgate_report_store VALUES "
        "(0)");
    if (!status.ok()) return status;
  }
  for (int64_t i = *version; i < kVersion; ++i) {
    status = connection.Execute(kMigrations[i]);
    if (!status.ok()) return status;
  }
  status = connection.Execute(absl::StrCat("UPDATE quantgate_report_store SET version = ", kVersion).c_str());
  if (!status.ok()) return status;
  return transaction->Commit();
}

}  // namespace quantgate::db::reports
