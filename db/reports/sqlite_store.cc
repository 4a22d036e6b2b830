#include "db/reports/sqlite_store.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "db/reports/filter.h"
#include "db/reports/filter_sql.h"
#include "db/reports/page_token.h"
#include "db/reports/schema.h"
#include "db/reports/sqlite.h"

namespace quantgate::db {
namespace {

using reports::Connection;
using reports::PrepareSchema;
using reports::Statement;
using reports::Transaction;

constexpr char kNamePrefix[] = "reports/";

// A random UUID (version 4).
std::string NewId() {
  std::random_device random;
  uint32_t w[4];
  for (uint32_t& word : w) word = random();
  return absl::StrFormat("%08x-%04x-4%03x-%04x-%04x%08x", w[0], w[1] >> 16, w[1] & 0xfff, 0x8000 | (w[2] >> 18),
                         w[2] & 0xffff, w[3]);
}

absl::StatusOr<std::string> IdOf(absl::string_view name) {
  if (absl::StartsWith(name, kNamePrefix)) {
    const absl::string_view id = name.substr(sizeof kNamePrefix - 1);
    if (id.size() == 36 && id.find_first_not_of("0123456789abcdef-") == absl::string_view::npos) return std::string(id);
  }
  return absl::InvalidArgumentError("name: must be reports/{id}, as a report's own name");
}

absl::Status NoReport(absl::string_view name) { return absl::NotFoundError(absl::StrCat("no report ", name)); }

v1::Report Summary(const v1::Report& report) {
  v1::Report summary;
  summary.set_name(report.name());
  *summary.mutable_create_time() = report.create_time();
  if (report.has_model()) *summary.mutable_model() = report.model();
  summary.set_graph_digest(report.graph_digest());
  summary.set_tables_digest(report.tables_digest());
  summary.set_stage(report.stage());
  summary.set_mode(report.mode());
  summary.set_tool_version(report.tool_version());
  for (const v1::Result& result : report.results()) {
    v1::Result& copy = *summary.add_results();
    copy.set_target(result.target());
    copy.set_verdict(result.verdict());
    copy.set_verdict_reason(result.verdict_reason());
    if (result.has_coverage()) *copy.mutable_coverage() = result.coverage();
    if (result.has_outcome()) copy.mutable_outcome()->set_kind(result.outcome().kind());
    *copy.mutable_tables() = result.tables();
  }
  return summary;
}

absl::Status ParseStored(const std::string& path, absl::string_view bytes, v1::Report& report) {
  if (report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("report store ", path, ": a stored report cannot be read"));
}

class SqliteStore : public ReportStore {
 public:
  SqliteStore(std::unique_ptr<Connection> writer, std::unique_ptr<Connection> reader)
      : writer_(std::move(writer)), reader_(std::move(reader)) {}

  absl::Status Put(const RequestKey& key, v1::Report& report) override;
  absl::StatusOr<std::optional<v1::Report>> FindRequest(const RequestKey& key) override;
  absl::StatusOr<v1::Report> Get(absl::string_view name) override;
  absl::StatusOr<ReportPage> List(const ReportQuery& query) override;
  absl::Status Delete(absl::string_view name) override;

 private:
  absl::StatusOr<std::optional<v1::Report>> FindRequestOn(Connection& connection, const RequestKey& key);
  // Sets the report's create time.
  absl::Status Insert(const RequestKey& key, absl::string_view id, v1::Report& report)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writer_mutex_);

  // Two connections: with a write-ahead log a listing does not hold up a report that is being stored.
  std::mutex writer_mutex_;
  std::unique_ptr<Connection> writer_;  // guarded by writer_mutex_
  std::mutex reader_mutex_;
  std::unique_ptr<Connection> reader_;  // guarded by reader_mutex_
};

absl::StatusOr<std::optional<v1::Report>> SqliteStore::FindRequestOn(Connection& connection, const RequestKey& key) {
  if (key.id.empty()) return std::nullopt;
  absl::StatusOr<Statement> find = connection.Cached(
      "SELECT r.request_digest, b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.request_id = ?");
  if (!find.ok()) return find.status();
  absl::StatusOr<bool> row = find->BindText(1, key.id).Step();
  if (!row.ok()) return row.status();
  if (!*row) return std::nullopt;
  if (find->Bytes(0) != key.digest) {
    return absl::AlreadyExistsError("options.request_id: was used for another graph or other options");
  }
  v1::Report report;
  absl::Status status = ParseStored(connection.path(), find->Bytes(1), report);
  if (!status.ok()) return status;
  return report;
}

absl::StatusOr<std::optional<v1::Report>> SqliteStore::FindRequest(const RequestKey& key) {
  const std::lock_guard lock(reader_mutex_);
  return FindRequestOn(*reader_, key);
}

absl::Status SqliteStore::Insert(const RequestKey& key, absl::string_view id, v1::Report& report) {
  absl::StatusOr<Statement> insert = writer_->Cached(
      "INSERT INTO reports (time, id, request_id, request_digest, model_path, model_sha256, graph_digest, summary)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!insert.ok()) return insert.status();
  // The first free nanosecond from now on (schema.h says why times are unique).
  int64_t time = absl::ToUnixNanos(absl::Now());
  while (true) {
    absl::StatusOr<Statement> probe = writer_->Cached("SELECT 1 FROM reports WHERE time = ?");
    if (!probe.ok()) return probe.status();
    absl::StatusOr<bool> row = probe->Bind(1, time).Step();
    if (!row.ok()) return row.status();
    if (!*row) break;
    ++time;
  }
  report.mutable_create_time()->set_seconds(time / 1'000'000'000);
  report.mutable_create_time()->set_nanos(static_cast<int>(time % 1'000'000'000));

  const std::string summary = Summary(report).SerializeAsString();
  const std::string body = report.SerializeAsString();
  insert->Bind(1, time).BindText(2, id);
  key.id.empty() ? insert->BindNull(3) : insert->BindText(3, key.id);
  absl::Status status = insert->BindText(4, key.digest)
                            .BindText(5, report.model().path())
                            .BindText(6, report.model().sha256())
                            .BindText(7, report.graph_digest())
                            .BindBlob(8, summary)
                            .Run();
  if (!status.ok()) return status;

  absl::StatusOr<Statement> insert_body = writer_->Cached("INSERT INTO report_bodies (time, body) VALUES (?, ?)");
  if (!insert_body.ok()) return insert_body.status();
  status = insert_body->Bind(1, time).BindBlob(2, body).Run();
  if (!status.ok()) return status;

  absl::StatusOr<Statement> insert_result =
      writer_->Cached("INSERT INTO report_results (time, ordinal, target, verdict) VALUES (?, ?, ?, ?)");
  if (!insert_result.ok()) return insert_result.status();
  absl::StatusOr<Statement> insert_code =
      writer_->Cached("INSERT INTO report_codes (time, ordinal, code) VALUES (?, ?, ?)");
  if (!insert_code.ok()) return insert_code.status();
  for (int i = 0; i < report.results_size(); ++i) {
    const v1::Result& result = report.results(i);
    status = insert_result->Bind(1, time).Bind(2, i).BindText(3, result.target()).Bind(4, result.verdict()).Run();
    if (!status.ok()) return status;
    std::set<absl::string_view> codes;
    for (const v1::Finding& finding : result.findings()) codes.insert(finding.code());
    for (absl::string_view code : codes) {
      status = insert_code->Bind(1, time).Bind(2, i).BindText(3, code).Run();
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status SqliteStore::Put(const RequestKey& key, v1::Report& report) {
  const std::lock_guard lock(writer_mutex_);
  absl::StatusOr<Transaction> transaction = Transaction::Begin(*writer_);
  if (!transaction.ok()) return transaction.status();
  absl::StatusOr<std::optional<v1::Report>> earlier = FindRequestOn(*writer_, key);
  if (!earlier.ok()) return earlier.status();
  if (earlier->has_value()) {
    report = **earlier;
    return absl::OkStatus();
  }
  const std::string id = NewId();
  report.set_name(absl::StrCat(kNamePrefix, id));
  absl::Status status = Insert(key, id, report);
  if (status.ok()) status = transaction->Commit();
  if (!status.ok()) {
    // The name of a report that is not there must not leave.
    report.clear_name();
    report.clear_create_time();
  }
  return status;
}

absl::StatusOr<v1::Report> SqliteStore::Get(absl::string_view name) {
  absl::StatusOr<std::string> id = IdOf(name);
  if (!id.ok()) return id.status();
  const std::lock_guard lock(reader_mutex_);
  absl::StatusOr<Statement> find =
      reader_->Cached("SELECT b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.id = ?");
  if (!find.ok()) return find.status();
  absl::StatusOr<bool> row = find->BindText(1, *id).Step();
  if (!row.ok()) return row.status();
  if (!*row) return NoReport(name);
  v1::Report report;
  absl::Status status = ParseStored(reader_->path(), find->Bytes(0), report);
  if (!status.ok()) return status;
  return report;
}

absl::StatusOr<ReportPage> SqliteStore::List(const ReportQuery& query) {
  absl::StatusOr<std::vector<Condition>> conditions = ParseReportFilter(query.filter);
  if (!conditions.ok()) return conditions.status();
  int64_t before = std::numeric_limits<int64_t>::max();
  if (!query.page_token.empty()) {
    absl::StatusOr<int64_t> position = DecodePageToken(query.filter, query.page_token);
    if (!position.ok()) return position.status();
    before = *position;
  }
  const ListSql sql = BuildListSql(*conditions, before, query.full);

  const std::lock_guard lock(reader_mutex_);
  absl::StatusOr<Statement> list = reader_->Prepare(sql.text);
  if (!list.ok()) return list.status();
  int parameter = 0;
  for (const auto& value : sql.values) {
    ++parameter;
    if (const int64_t* number = std::get_if<int64_t>(&value)) {
      list->Bind(parameter, *number);
    } else {
      list->BindText(parameter, std::get<std::string>(value));
    }
  }
  ReportPage page;
  int64_t bytes = 0;
  while (true) {
    absl::StatusOr<bool> row = list->Step();
    if (!row.ok()) return row.status();
    if (!*row) return page;
    const int64_t time = list->Int(0);
    if (!page.reports.empty() && time == before) continue;  // another result of the same report
    const absl::string_view blob = list->Bytes(1);
    const bool is_full = static_cast<int>(page.reports.size()) >= query.page_size ||
                         bytes + static_cast<int64_t>(blob.size()) > query.max_bytes;
    if (!page.reports.empty() && is_full) {
      page.next_page_token = EncodePageToken(query.filter, before);
      return page;
    }
    before = time;
    bytes += blob.size();
    absl::Status status = ParseStored(reader_->path(), blob, page.reports.emplace_back());
    if (!status.ok()) return status;
  }
}

absl::Status SqliteStore::Delete(absl::string_view name) {
  absl::StatusOr<std::string> id = IdOf(name);
  if (!id.ok()) return id.status();
  const std::lock_guard lock(writer_mutex_);
  absl::StatusOr<Transaction> transaction = Transaction::Begin(*writer_);
  if (!transaction.ok()) return transaction.status();
  // Its other rows go with it (ON DELETE CASCADE).
  absl::StatusOr<Statement> erase = writer_->Cached("DELETE FROM reports WHERE id = ?");
  if (!erase.ok()) return erase.status();
  absl::Status status = erase->BindText(1, *id).Run();
  if (!status.ok()) return status;
  if (writer_->changes() == 0) return NoReport(name);
  return transaction->Commit();
}

absl::Status Configure(Connection& connection, const SqliteStoreOptions& options) {
  if (connection.read_only()) return absl::OkStatus();
  // FULL: a stored report survives a power cut, not only the end of the process.
  absl::Status status = connection.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (!status.ok()) return status;
  if (options.max_bytes > 0) {
    absl::StatusOr<int64_t> page_size = connection.QueryInt("PRAGMA page_size");
    if (!page_size.ok()) return page_size.status();
    const int64_t pages = std::max<int64_t>(1, options.max_bytes / *page_size);
    return connection.Execute(absl::StrCat("PRAGMA max_page_count = ", pages).c_str());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReportStore>> OpenSqliteStore(const std::string& path,
                                                             const SqliteStoreOptions& options) {
  const Connection::Mode mode = options.read_only ? Connection::Mode::kReadOnly : Connection::Mode::kReadWrite;
  absl::StatusOr<std::unique_ptr<Connection>> writer = Connection::Open(path, mode);
  if (!writer.ok()) return writer.status();
  // The schema first: a file that is not ours must not even change its journal mode.
  absl::Status status = PrepareSchema(**writer);
  if (status.ok()) status = Configure(**writer, options);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Connection>> reader = Connection::Open(path, Connection::Mode::kReadOnly);
  if (!reader.ok()) return reader.status();
  return std::make_unique<SqliteStore>(*std::move(writer), *std::move(reader));
}

}  // namespace quantgate::db
