#include "db/reports/schema.h"

#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "db/reports/derived.h"

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
    R"sql(
      ALTER TABLE reports ADD COLUMN repository TEXT NOT NULL DEFAULT '';
      ALTER TABLE reports ADD COLUMN branch TEXT NOT NULL DEFAULT '';
      ALTER TABLE reports ADD COLUMN revision TEXT NOT NULL DEFAULT '';
      ALTER TABLE reports ADD COLUMN pull_request TEXT NOT NULL DEFAULT '';
      DROP INDEX reports_by_model_path;
      DROP INDEX reports_by_model_sha256;
      DROP INDEX reports_by_graph_digest;
      CREATE INDEX reports_by_model_path ON reports (model_path, time);
      CREATE INDEX reports_by_model_path_branch ON reports (model_path, branch, time);
      CREATE INDEX reports_by_model_sha256 ON reports (model_sha256, time);
      CREATE INDEX reports_by_graph_digest ON reports (graph_digest, time);
      CREATE INDEX reports_by_repository ON reports (repository, time);
      CREATE INDEX reports_by_branch ON reports (branch, time);
      CREATE INDEX reports_by_revision ON reports (revision, time);
      CREATE INDEX reports_by_pull_request ON reports (pull_request, time);
      CREATE TABLE report_graphs (
        digest TEXT PRIMARY KEY,
        graph BLOB NOT NULL);
      CREATE TABLE report_subjects (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        repository TEXT NOT NULL,
        model_path TEXT NOT NULL,
        target TEXT NOT NULL,
        UNIQUE (repository, model_path, target));
      CREATE INDEX report_subjects_by_model_path ON report_subjects (model_path);
      CREATE INDEX report_subjects_by_target ON report_subjects (target);
      ALTER TABLE report_results ADD COLUMN subject INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE report_results ADD COLUMN branch TEXT NOT NULL DEFAULT '';
      ALTER TABLE report_results ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE report_results ADD COLUMN warnings INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE report_results ADD COLUMN infos INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX report_results_by_subject ON report_results (subject, time);
      CREATE INDEX report_results_by_subject_branch ON report_results (subject, branch, time);
      CREATE TABLE report_problems (
        subject INTEGER NOT NULL,
        branch TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        family TEXT NOT NULL,
        started INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        PRIMARY KEY (subject, branch, fingerprint, started)) WITHOUT ROWID;
      CREATE INDEX report_problems_by_end ON report_problems (subject, branch, ended);
      CREATE TABLE report_trends (
        scope TEXT NOT NULL,
        branch TEXT NOT NULL,
        day INTEGER NOT NULL,
        metric TEXT NOT NULL,
        amount INTEGER NOT NULL,
        PRIMARY KEY (scope, branch, day, metric)) WITHOUT ROWID;
    )sql",
    // Pairs of which each is common and both together rare: what is rejected of a branch, a target's code on another.
    R"sql(
      ALTER TABLE report_codes ADD COLUMN target TEXT NOT NULL DEFAULT '';
      ALTER TABLE report_codes ADD COLUMN branch TEXT NOT NULL DEFAULT '';
      UPDATE report_codes SET
        target = COALESCE((SELECT t.target FROM report_results t
                           WHERE t.time = report_codes.time AND t.ordinal = report_codes.ordinal), ''),
        branch = COALESCE((SELECT t.branch FROM report_results t
                           WHERE t.time = report_codes.time AND t.ordinal = report_codes.ordinal), '');
      CREATE INDEX report_codes_by_code_target ON report_codes (code, target, time);
      CREATE INDEX report_codes_by_code_branch ON report_codes (code, branch, time);
      CREATE INDEX report_results_by_target_branch ON report_results (target, branch, time);
      CREATE INDEX report_results_by_branch_verdict ON report_results (branch, verdict, time);
    )sql",
    // Sums of a repository and target together: the subjects of both can be hundreds.
    R"sql(
      INSERT INTO report_trends (scope, branch, day, metric, amount)
        SELECT 'both ' || s.target || ' / ' || s.repository, t.branch, t.day, t.metric, CAST(sum(t.amount) AS INTEGER)
        FROM report_subjects s JOIN report_trends t ON t.scope = 'subject ' || s.id
        GROUP BY s.target, s.repository, t.branch, t.day, t.metric;
    )sql",
};
constexpr int64_t kVersion = std::size(kMigrations);
// Until here nothing was derived from the reports but results and codes.
constexpr int64_t kDerivedSince = 2;

absl::Status Refuse(const Session& session, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(session.name(), " ", reason));
}

// 0: an empty database.
absl::StatusOr<int64_t> CurrentVersion(Session& session) {
  absl::StatusOr<bool> has_tables = session.HasTables();
  if (!has_tables.ok()) return has_tables.status();
  if (!*has_tables) return 0;
  absl::StatusOr<bool> is_ours = session.HasTable("quantgate_report_store");
  if (!is_ours.ok()) return is_ours.status();
  if (!*is_ours) return Refuse(session, "is a database of another program");
  absl::StatusOr<Answer> answer = session.Run("SELECT version FROM quantgate_report_store", {});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return Refuse(session, "does not state its version");
  const int64_t version = answer->rows[0].Int(0);
  if (version < 1) return Refuse(session, absl::StrCat("states the impossible version ", version));
  if (version > kVersion) {
    return Refuse(session, absl::StrCat("was written by a newer version of this program (schema ", version,
                                        "; this one knows ", kVersion, ")"));
  }
  return version;
}

}  // namespace

absl::Status CheckSchema(Session& session) {
  absl::StatusOr<Answer> answer = session.Run("SELECT version FROM quantgate_report_store", {});
  if (!answer.ok()) return answer.status();
  if (!answer->rows.empty() && answer->rows[0].Int(0) == kVersion) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(session.name(), " is no longer of schema ", kVersion,
                                             ": a newer version of this program is in use; restart this one as that"));
}

absl::Status PrepareSchema(Session& session, bool may_change) {
  absl::StatusOr<int64_t> version = CurrentVersion(session);
  if (!version.ok()) return version.status();
  if (*version == kVersion) return absl::OkStatus();
  if (session.read_only() || !may_change) {
    return Refuse(session,
                  absl::StrCat("has schema ", *version, " and is only to be read; 'quantgate reports migrate' ",
                               "brings it to ", kVersion, ", which this version needs"));
  }
  absl::StatusOr<Transaction> transaction = Transaction::Begin(session);
  if (!transaction.ok()) return transaction.status();
  absl::Status status = session.LockSchema();
  if (!status.ok()) return status;
  // Another process may have done it while we waited for the lock.
  version = CurrentVersion(session);
  if (!version.ok()) return version.status();
  if (*version == kVersion) return absl::OkStatus();
  std::string script;
  if (*version == 0) {
    script =
        "CREATE TABLE quantgate_report_store (version INTEGER NOT NULL); INSERT INTO quantgate_report_store VALUES "
        "(0);";
  }
  for (int64_t i = *version; i < kVersion; ++i) script += kMigrations[i];
  absl::StrAppend(&script, "UPDATE quantgate_report_store SET version = ", kVersion);
  status = session.Execute(session.Migration(script));
  if (status.ok() && *version > 0 && *version < kDerivedSince) status = DeriveAll(session);
  if (!status.ok()) return status;
  return transaction->Commit();
}

}  // namespace quantgate::db::reports
