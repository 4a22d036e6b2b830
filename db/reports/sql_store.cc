#include "db/reports/sql_store.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "db/reports/compare.h"
#include "db/reports/derived.h"
#include "db/reports/filter.h"
#include "db/reports/filter_sql.h"
#include "db/reports/fleet.h"
#include "db/reports/graph_blob.h"
#include "db/reports/key_text.h"
#include "db/reports/labels.h"
#include "db/reports/page_token.h"
#include "db/reports/schema.h"
#include "db/reports/short_target.h"
#include "db/reports/trends.h"

namespace quantgate::db {
namespace {

using reports::Answer;
using reports::Blob;
using reports::KeyText;
using reports::Row;
using reports::Session;
using reports::StoredReport;
using reports::Transaction;
using reports::Value;

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
  constexpr size_t kShown = 64;
  return absl::InvalidArgumentError(absl::StrCat(
      "name: ", name.size() > kShown ? "" : absl::StrCat("'", name, "' "), "is no report's name, which is ",
      kNamePrefix, " and a UUID in lower case, such as reports/01234567-89ab-4cde-8f01-23456789abcd"));
}

absl::Status NoReport(absl::string_view name) { return absl::NotFoundError(absl::StrCat("no report ", name)); }

absl::Status ParseStored(const Session& session, absl::string_view bytes, v1::Report& report) {
  if (report.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(session.name(), ": a stored report cannot be read"));
}

// Bound in the place of a text that is kept as key text.
absl::string_view View(const std::string& text) { return text; }

class SqlStore : public ReportStore {
 public:
  SqlStore(std::unique_ptr<Session> writer, std::unique_ptr<Session> reader)
      : writer_(std::move(writer)), reader_(std::move(reader)) {}

  bool read_only() const override { return writer_->read_only(); }

  absl::Status Put(const RequestKey& key, v1::Report& report, const v1::Graph* graph) override;
  absl::StatusOr<std::optional<v1::Report>> FindRequest(const RequestKey& key) override;
  absl::StatusOr<v1::Report> Get(absl::string_view name) override;
  absl::StatusOr<ReportPage> List(const ReportQuery& query) override;
  absl::Status Delete(absl::string_view name) override;
  absl::StatusOr<int> Import(absl::Span<const v1::Report* const> reports,
                             absl::Span<const v1::Graph* const> graphs) override;
  absl::StatusOr<v1::Graph> GetGraph(absl::string_view name) override;
  absl::Status GetFleet(const v1::GetFleetRequest& request, int page_size, v1::GetFleetResponse& response) override;
  absl::Status GetTrends(const v1::GetTrendsRequest& request, v1::GetTrendsResponse& response) override;
  absl::StatusOr<int64_t> Prune(absl::Time before, int64_t max_reports, int limit) override;

 private:
  // Runs `work(session)` in a transaction, again when another one was in the way.
  template <typename Work>
  absl::Status Write(Work work);

  std::mutex writer_mutex_;
  std::unique_ptr<Session> writer_;  // guarded by writer_mutex_
  std::mutex reader_mutex_;
  std::unique_ptr<Session> reader_;  // guarded by reader_mutex_
};

template <typename Work>
absl::Status SqlStore::Write(Work work) {
  constexpr int kAttempts = 5;
  const std::lock_guard lock(writer_mutex_);
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    absl::StatusOr<Transaction> transaction = Transaction::Begin(*writer_);
    if (!transaction.ok()) return transaction.status();
    status = reports::CheckSchema(*writer_);
    if (status.ok()) status = work(*writer_);
    if (status.ok()) status = transaction->Commit();
    if (!absl::IsAborted(status)) return status;
  }
  return absl::UnavailableError(status.message());
}

absl::StatusOr<std::optional<v1::Report>> FindRequestOn(Session& session, const RequestKey& key) {
  if (key.id.empty()) return std::nullopt;
  const std::string id = KeyText(key.id);
  absl::StatusOr<Answer> answer = session.Run(
      "SELECT r.request_digest, b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.request_id = $1",
      {View(id)});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return std::nullopt;
  const Row& row = answer->rows[0];
  if (row.Bytes(0) != key.digest) {
    return absl::AlreadyExistsError("options.request_id: was used for another graph or other options");
  }
  v1::Report report;
  absl::Status status = ParseStored(session, row.Bytes(1), report);
  if (!status.ok()) return status;
  return report;
}

// A nanosecond behind `time`, which is taken, and behind those that follow it: found by one look at the index, however
// many reports have that time.
absl::StatusOr<int64_t> NextTime(Session& session, int64_t time) {
  constexpr int64_t kMillisecond = 1'000'000;
  absl::StatusOr<Answer> last =
      session.Run("SELECT max(time) FROM reports WHERE time >= $1 AND time < $2", {time, time + kMillisecond});
  if (!last.ok()) return last.status();
  return std::max(time, last->rows.at(0).Int(0)) + 1;
}

// Inserts the report's own rows at `time`, or closely behind those that are there (schema.h says why times are unique),
// and returns when. It becomes the create time of a report that has none.
absl::StatusOr<int64_t> InsertAt(Session& session, const RequestKey& key, absl::string_view id, int64_t time,
                                 v1::Report& report) {
  // Not the client's word alone: what cannot be read again would be in the way of every list.
  if (!IsUtf8(report.model().path())) return absl::InvalidArgumentError("model.path: is not UTF-8");
  if (absl::Status status = CheckLabels(report.labels()); !status.ok()) return status;
  const bool is_new = !report.has_create_time();
  const std::string path = KeyText(report.model().path());
  const std::string sha256 = KeyText(report.model().sha256());
  const std::string digest = KeyText(report.graph_digest());
  const std::string request = KeyText(key.id);
  const v1::Labels& labels = report.labels();
  const std::string texts[] = {KeyText(labels.repository()), KeyText(labels.branch()), KeyText(labels.revision()),
                               KeyText(labels.pull_request())};
  for (;;) {
    if (is_new) {
      report.mutable_create_time()->set_seconds(time / 1'000'000'000);
      report.mutable_create_time()->set_nanos(static_cast<int>(time % 1'000'000'000));
    }
    const std::string summary = SummaryOf(report).SerializeAsString();
    absl::StatusOr<Answer> answer = session.Run(
        "INSERT INTO reports (time, id, request_id, request_digest, model_path, model_sha256, graph_digest, summary,"
        " repository, branch, revision, pull_request) VALUES ($1, $2, NULLIF($3, ''), $4, $5, $6, $7, $8, $9, $10, $11,"
        " $12) ON CONFLICT (time) DO NOTHING",
        {time, id, View(request), View(key.digest), View(path), View(sha256), View(digest), Blob{summary},
         View(texts[0]), View(texts[1]), View(texts[2]), View(texts[3])});
    if (!answer.ok()) return answer.status();
    if (answer->changes > 0) break;
    absl::StatusOr<int64_t> next = NextTime(session, time);
    if (!next.ok()) return next.status();
    time = *next;
  }
  const std::string body = report.SerializeAsString();
  absl::Status status =
      session.Run("INSERT INTO report_bodies (time, body) VALUES ($1, $2)", {time, Blob{body}}).status();
  if (!status.ok()) return status;
  return time;
}

absl::Status InsertGraph(Session& session, const std::string& digest, const std::string& blob) {
  return session
      .Run("INSERT INTO report_graphs (digest, graph) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
           {View(digest), Blob{blob}})
      .status();
}

absl::Status SqlStore::Put(const RequestKey& key, v1::Report& report, const v1::Graph* graph) {
  std::optional<std::string> blob;
  if (graph != nullptr && !report.graph_digest().empty()) blob = reports::PackGraph(*graph);
  const std::string digest = KeyText(report.graph_digest());
  const std::string id = NewId();
  absl::Status status = Write([&](Session& session) -> absl::Status {
    absl::StatusOr<std::optional<v1::Report>> earlier = FindRequestOn(session, key);
    if (!earlier.ok()) return earlier.status();
    if (earlier->has_value()) {
      report = **std::move(earlier);
      return absl::OkStatus();
    }
    if (blob.has_value()) {
      if (absl::Status kept = InsertGraph(session, digest, *blob); !kept.ok()) return kept;
    }
    report.set_name(absl::StrCat(kNamePrefix, id));
    report.clear_create_time();
    absl::StatusOr<int64_t> time = InsertAt(session, key, id, absl::ToUnixNanos(absl::Now()), report);
    if (!time.ok()) return time.status();
    return reports::Derive(session, {StoredReport{*time, &report}});
  });
  if (!status.ok()) {
    // The name of a report that is not there must not leave.
    report.clear_name();
    report.clear_create_time();
  }
  return status;
}

absl::StatusOr<std::optional<v1::Report>> SqlStore::FindRequest(const RequestKey& key) {
  const std::lock_guard lock(reader_mutex_);
  return FindRequestOn(*reader_, key);
}

absl::StatusOr<v1::Report> SqlStore::Get(absl::string_view name) {
  absl::StatusOr<std::string> id = IdOf(name);
  if (!id.ok()) return id.status();
  const std::lock_guard lock(reader_mutex_);
  absl::StatusOr<Answer> answer =
      reader_->Run("SELECT b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.id = $1", {View(*id)});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return NoReport(name);
  v1::Report report;
  absl::Status status = ParseStored(*reader_, answer->rows[0].Bytes(0), report);
  if (!status.ok()) return status;
  return report;
}

absl::StatusOr<Answer> RunList(Session& session, const ListSql& sql) { return session.Run(sql.text, sql.Bound()); }

struct Planned {
  int64_t time = 0;
  int64_t bytes = 0;
};

// What a page holds: its reports, newest first, and where the next one begins.
struct PagePlan {
  std::vector<Planned> reports;
  int64_t bytes = 0;
  std::optional<int64_t> next_before;  // none: there are no more

  // False: the page is full, and says where the next one begins.
  bool Add(const Planned& report, const ReportQuery& query) {
    if (!reports.empty() && report.time == reports.back().time) return true;  // another result of the same report
    const bool is_full = static_cast<int>(reports.size()) >= query.page_size || bytes + report.bytes > query.max_bytes;
    if (!reports.empty() && is_full) {
      next_before = reports.back().time;
      return false;
    }
    reports.push_back(report);
    bytes += report.bytes;
    return true;
  }
};

// Adds the matching reports of the range to the plan. False: the page is full, and says where the next one begins.
absl::StatusOr<bool> AddToPage(Session& session, absl::Span<const Condition> conditions, const Walk& walk,
                               TimeRange range, const ReportQuery& query, PagePlan& plan) {
  const int limit = query.page_size + 1;
  while (true) {
    absl::StatusOr<Answer> answer =
        RunList(session, BuildListSql(conditions, walk, range, query.full, limit, session.dialect()));
    if (!answer.ok()) return answer.status();
    for (const Row& row : answer->rows) {
      range.before = row.Int(0);
      if (!plan.Add({row.Int(0), row.Int(1)}, query)) return false;
    }
    if (static_cast<int>(answer->rows.size()) < limit) return true;
  }
}

// Adds the subject, where the filter means one alone. False: it means none, so there is nothing to list.
absl::StatusOr<bool> AddSubject(Session& session, std::vector<Condition>& conditions) {
  std::string sql = "SELECT id FROM report_subjects WHERE ";
  std::vector<std::string> texts;
  const std::pair<Condition::Field, const char*> columns[] = {{Condition::kModelPath, "model_path = $1"},
                                                              {Condition::kTarget, " AND target = $2"},
                                                              {Condition::kRepository, " AND repository = $3"}};
  for (const auto& [field, column] : columns) {
    const size_t known = texts.size();
    for (const Condition& c : conditions) {
      if (c.field == field && c.op == Condition::kEqual) texts.push_back(KeyText(c.text));
    }
    if (texts.size() > known + 1) return true;  // it says two things of one column
    if (texts.size() > known) {
      sql += column;
    } else if (field != Condition::kRepository) {
      return true;
    }
  }
  std::vector<Value> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.emplace_back(View(text));
  absl::StatusOr<Answer> answer = session.Run(sql + " LIMIT 2", values);
  if (!answer.ok()) return answer.status();
  if (answer->rows.size() == 1) {
    conditions.push_back({Condition::kSubject, Condition::kEqual, "", answer->rows[0].Int(0)});
  }
  return !answer->rows.empty();
}

// How far the next rows of a walk reach.
struct Reach {
  int64_t rows = 0;
  int64_t oldest = 0;
  bool is_all = false;
};

absl::StatusOr<Reach> ReachOf(Session& session, const Walk& walk, const TimeRange& range, int rows) {
  absl::StatusOr<Answer> answer = RunList(session, BuildReachSql(walk, range, rows));
  if (!answer.ok()) return answer.status();
  const Row& row = answer->rows.at(0);
  return Reach{row.Int(0), row.Int(1), row.Int(0) < rows};
}

// Of a filter with one target at most.
absl::StatusOr<PagePlan> PlanPart(Session& session, std::vector<Condition> conditions, TimeRange range,
                                  const ReportQuery& query) {
  constexpr int kRowsAtOnce = 1250;
  PagePlan plan;
  absl::StatusOr<bool> is_possible = AddSubject(session, conditions);
  if (!is_possible.ok()) return is_possible.status();
  if (!*is_possible) return plan;

  std::vector<Walk> walks = WalksFor(conditions);
  if (IsExact(conditions, walks[0])) {
    absl::StatusOr<bool> done = AddToPage(session, conditions, walks[0], range, query, plan);
    if (!done.ok()) return done.status();
    return plan;
  }
  const auto reaches_further = [](const Reach& a, const Reach& b) {
    if (a.is_all != b.is_all) return a.is_all;
    return a.is_all ? a.rows < b.rows : a.oldest < b.oldest;
  };
  for (int examined = 0; examined < query.max_examined; examined += kRowsAtOnce) {
    const Walk* best = nullptr;
    Reach reach;
    for (const Walk& walk : walks) {
      absl::StatusOr<Reach> candidate = ReachOf(session, walk, range, std::min(kRowsAtOnce, query.max_examined));
      if (!candidate.ok()) return candidate.status();
      if (best != nullptr && !reaches_further(*candidate, reach)) continue;
      best = &walk;
      reach = *candidate;
    }
    TimeRange part = range;
    if (!reach.is_all) part.from = reach.oldest;
    absl::StatusOr<bool> goes_on = AddToPage(session, conditions, *best, part, query, plan);
    if (!goes_on.ok()) return goes_on.status();
    if (!*goes_on || reach.is_all) return plan;
    range.before = part.from;
  }
  plan.next_before = range.before;
  return plan;
}

// Those that fit any of several filters: as far back as the pages of all of these reach.
PagePlan Merge(absl::Span<const PagePlan> parts, const ReportQuery& query) {
  PagePlan merged;
  std::vector<Planned> reports;
  for (const PagePlan& part : parts) {
    reports.insert(reports.end(), part.reports.begin(), part.reports.end());
    if (part.next_before.has_value()) {
      merged.next_before = std::max(*part.next_before, merged.next_before.value_or(*part.next_before));
    }
  }
  std::sort(reports.begin(), reports.end(), [](const Planned& a, const Planned& b) { return a.time > b.time; });
  for (const Planned& report : reports) {
    if (merged.next_before.has_value() && report.time < *merged.next_before) break;
    if (!merged.Add(report, query)) break;
  }
  return merged;
}

absl::StatusOr<PagePlan> PlanPage(Session& session, std::vector<Condition> conditions, int64_t before,
                                  const ReportQuery& query) {
  TimeRange range;
  range.before = before;
  TakeTimeRange(conditions, range);
  absl::StatusOr<std::optional<std::vector<std::string>>> targets = reports::TakeTargets(session, conditions);
  if (!targets.ok()) return targets.status();
  if (!targets->has_value()) return PlanPart(session, conditions, range, query);
  // No index has the reports of several targets in the order of time; that of each has.
  std::vector<PagePlan> parts;
  ReportQuery share = query;
  share.max_examined = std::max(1, query.max_examined / std::max(1, static_cast<int>((*targets)->size())));
  for (std::string& target : **targets) {
    std::vector<Condition> of_target = conditions;
    of_target.push_back({Condition::kTarget, Condition::kEqual, std::move(target), 0});
    absl::StatusOr<PagePlan> part = PlanPart(session, std::move(of_target), range, share);
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
  }
  return Merge(parts, query);
}

absl::StatusOr<ReportPage> SqlStore::List(const ReportQuery& query) {
  absl::StatusOr<std::vector<Condition>> conditions = ParseReportFilter(query.filter);
  if (!conditions.ok()) return conditions.status();
  int64_t before = std::numeric_limits<int64_t>::max();
  if (!query.page_token.empty()) {
    absl::StatusOr<int64_t> position = DecodePageToken(query.filter, query.page_token);
    if (!position.ok()) return position.status();
    before = *position;
  }
  const std::lock_guard lock(reader_mutex_);
  absl::StatusOr<PagePlan> plan = PlanPage(*reader_, *std::move(conditions), before, query);
  if (!plan.ok()) return plan.status();
  ReportPage page;
  if (plan->next_before.has_value()) page.next_page_token = EncodePageToken(query.filter, *plan->next_before);
  if (plan->reports.empty()) return page;
  // A report that is deleted between the two statements is not in the page.
  absl::StatusOr<Answer> answer = reader_->Run(
      absl::StrCat(query.full ? "SELECT r.id, b.body FROM reports r JOIN report_bodies b ON b.time = r.time"
                              : "SELECT r.id, r.summary FROM reports r",
                   " WHERE r.time IN (",
                   absl::StrJoin(plan->reports, ",",
                                 [](std::string* out, const Planned& report) { absl::StrAppend(out, report.time); }),
                   ") ORDER BY r.time DESC"),
      {});
  if (!answer.ok()) return answer.status();
  for (const Row& row : answer->rows) {
    // One that cannot be read does not keep the others from being listed. It has its name alone: asked for by that it
    // says what is wrong, and it can be deleted.
    v1::Report& report = page.reports.emplace_back();
    if (ParseStored(*reader_, row.Bytes(1), report).ok()) continue;
    report.Clear();
    report.set_name(absl::StrCat(kNamePrefix, row.Bytes(0)));
  }
  return page;
}

// Deletes the report at `time`. Its other rows go with it (ON DELETE CASCADE), and its graph, when it is the last one
// of it. `withdraw`: also out of the sums.
absl::Status Erase(Session& session, int64_t time, bool withdraw) {
  absl::StatusOr<Answer> answer = session.Run(
      "SELECT r.graph_digest, b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.time = $1", {time});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return absl::OkStatus();
  const std::string digest = answer->rows[0].Bytes(0);
  if (withdraw) {
    v1::Report report;
    // One that cannot be read can be deleted all the same.
    if (ParseStored(session, answer->rows[0].Bytes(1), report).ok()) {
      absl::Status status = reports::Withdraw(session, time, report);
      if (!status.ok()) return status;
    }
  }
  absl::Status status = session.Run("DELETE FROM reports WHERE time = $1", {time}).status();
  if (!status.ok()) return status;
  return session
      .Run("DELETE FROM report_graphs WHERE digest = $1 AND NOT EXISTS (SELECT 1 FROM reports WHERE graph_digest = $1)",
           {View(digest)})
      .status();
}

absl::Status SqlStore::Delete(absl::string_view name) {
  absl::StatusOr<std::string> id = IdOf(name);
  if (!id.ok()) return id.status();
  return Write([&](Session& session) -> absl::Status {
    absl::StatusOr<Answer> answer = session.Run("SELECT time FROM reports WHERE id = $1", {View(*id)});
    if (!answer.ok()) return answer.status();
    if (answer->rows.empty()) return NoReport(name);
    return Erase(session, answer->rows[0].Int(0), /*withdraw=*/true);
  });
}

// A report that can be imported: its id and time.
struct Imported {
  std::string id;
  int64_t time = 0;
};

constexpr size_t kMaxPathBytes = 4096;  // of Linux

absl::StatusOr<Imported> CheckImported(const v1::Report& report) {
  absl::StatusOr<std::string> id = IdOf(report.name());
  if (!id.ok()) return id.status();
  if (report.results().empty()) return absl::InvalidArgumentError("results: a report has at least one");
  if (report.model().path().size() > kMaxPathBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("model.path: ", report.model().path().size(), " bytes; at most ", kMaxPathBytes));
  }
  for (int i = 0; i < report.results_size(); ++i) {
    if (report.results(i).target().empty() || report.results(i).verdict() == v1::Result::VERDICT_UNSPECIFIED) {
      return absl::InvalidArgumentError(absl::StrCat("results[", i, "]: must have a target and a verdict"));
    }
  }
  const int64_t seconds = report.create_time().seconds();
  const int32_t nanos = report.create_time().nanos();
  // From 1970 to what a nanosecond count of 64 bits can say.
  if (seconds < 1 || seconds > int64_t{106751} * 86400 || nanos < 0 || nanos > 999'999'999) {
    return absl::InvalidArgumentError("create_time: is missing, or not in the years 1970 to 2262");
  }
  return Imported{*std::move(id), seconds * 1'000'000'000 + nanos};
}

// Whether they say the same, but for what a newer version put into one of them.
bool SaySame(v1::Report a, v1::Report b) {
  a.DiscardUnknownFields();
  b.DiscardUnknownFields();
  return a.SerializeAsString() == b.SerializeAsString();
}

// ALREADY_EXISTS: the report of that name says something else. False: there is none.
absl::StatusOr<bool> IsThere(Session& session, absl::string_view id, const v1::Report& report) {
  absl::StatusOr<Answer> answer =
      session.Run("SELECT b.body FROM reports r JOIN report_bodies b ON b.time = r.time WHERE r.id = $1", {id});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return false;
  v1::Report stored;
  if (!ParseStored(session, answer->rows[0].Bytes(0), stored).ok() || !SaySame(stored, report)) {
    return absl::AlreadyExistsError(absl::StrCat("name: there is another report ", report.name()));
  }
  return true;
}

absl::Status At(absl::string_view list, size_t i, absl::string_view separator, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(list, "[", i, "]", separator, status.message()));
}

// A graph that can be imported, as it is kept.
struct ImportedGraph {
  std::string digest;
  std::string blob;
};

absl::StatusOr<ImportedGraph> CheckImportedGraph(const v1::Graph& graph) {
  std::optional<std::string> blob = reports::PackGraph(graph);
  if (!blob.has_value()) {
    return absl::ResourceExhaustedError(absl::StrCat("is larger than the ", kMaxGraphBytes, " bytes that are kept"));
  }
  return ImportedGraph{reports::DigestOf(graph), *std::move(blob)};
}

absl::StatusOr<int> SqlStore::Import(absl::Span<const v1::Report* const> reports,
                                     absl::Span<const v1::Graph* const> graphs) {
  std::vector<Imported> checked;
  for (size_t i = 0; i < reports.size(); ++i) {
    absl::StatusOr<Imported> imported = CheckImported(*reports[i]);
    if (!imported.ok()) return At("reports", i, ".", imported.status());
    checked.push_back(*std::move(imported));
  }
  std::vector<ImportedGraph> checked_graphs;
  for (size_t i = 0; i < graphs.size(); ++i) {
    absl::StatusOr<ImportedGraph> graph = CheckImportedGraph(*graphs[i]);
    if (!graph.ok()) return At("graphs", i, ": ", graph.status());
    checked_graphs.push_back(*std::move(graph));
  }
  int inserted = 0;
  absl::Status status = Write([&](Session& session) -> absl::Status {
    std::vector<StoredReport> stored;
    for (size_t i = 0; i < reports.size(); ++i) {
      absl::StatusOr<bool> is_there = IsThere(session, checked[i].id, *reports[i]);
      if (!is_there.ok()) return At("reports", i, ".", is_there.status());
      if (*is_there) continue;
      v1::Report copy = *reports[i];
      absl::StatusOr<int64_t> time = InsertAt(session, {}, checked[i].id, checked[i].time, copy);
      if (!time.ok()) return time.status();
      stored.push_back({*time, reports[i]});
    }
    inserted = static_cast<int>(stored.size());
    for (size_t i = 0; i < graphs.size(); ++i) {
      const auto& [digest, blob] = checked_graphs[i];
      absl::StatusOr<Answer> owner =
          session.Run("SELECT 1 FROM reports WHERE graph_digest = $1 LIMIT 1", {View(digest)});
      if (!owner.ok()) return owner.status();
      if (owner->rows.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("graphs[", i, "]: its digest is ", digest, ", which is that of no report here"));
      }
      if (absl::Status kept = InsertGraph(session, digest, blob); !kept.ok()) return kept;
    }
    return reports::Derive(session, stored);
  });
  if (!status.ok()) return status;
  return inserted;
}

absl::StatusOr<v1::Graph> SqlStore::GetGraph(absl::string_view name) {
  absl::StatusOr<std::string> id = IdOf(name);
  if (!id.ok()) return id.status();
  const std::lock_guard lock(reader_mutex_);
  absl::StatusOr<Answer> answer = reader_->Run(
      "SELECT g.graph FROM reports r LEFT JOIN report_graphs g ON g.digest = r.graph_digest WHERE r.id = $1",
      {View(*id)});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return NoReport(name);
  const std::string& blob = answer->rows[0].Bytes(0);
  if (blob.empty()) return absl::NotFoundError(absl::StrCat("the graph of ", name, " was not kept"));
  std::optional<v1::Graph> graph = reports::UnpackGraph(blob);
  if (!graph.has_value()) {
    return absl::DataLossError(absl::StrCat(reader_->name(), ": a stored graph cannot be read"));
  }
  return *std::move(graph);
}

absl::Status SqlStore::GetFleet(const v1::GetFleetRequest& request, int page_size, v1::GetFleetResponse& response) {
  const std::lock_guard lock(reader_mutex_);
  return reports::ReadFleet(*reader_, request, page_size, response);
}

absl::Status SqlStore::GetTrends(const v1::GetTrendsRequest& request, v1::GetTrendsResponse& response) {
  const std::lock_guard lock(reader_mutex_);
  return reports::ReadTrends(*reader_, request, absl::ToUnixNanos(absl::Now()), response);
}

absl::StatusOr<int64_t> SqlStore::Prune(absl::Time before, int64_t max_reports, int limit) {
  int64_t deleted = 0;
  absl::Status status = Write([&](Session& session) -> absl::Status {
    deleted = 0;
    int64_t cutoff = absl::ToUnixNanos(before);
    if (max_reports > 0) {
      absl::StatusOr<Answer> first =
          session.Run(absl::StrCat("SELECT time FROM reports ORDER BY time DESC LIMIT 1 OFFSET ", max_reports), {});
      if (!first.ok()) return first.status();
      if (!first->rows.empty()) cutoff = std::max(cutoff, first->rows[0].Int(0) + 1);
    }
    absl::StatusOr<Answer> oldest =
        session.Run(absl::StrCat("SELECT time FROM reports WHERE time < $1 ORDER BY time LIMIT ", limit), {cutoff});
    if (!oldest.ok()) return oldest.status();
    for (const Row& row : oldest->rows) {
      absl::Status erased = Erase(session, row.Int(0), /*withdraw=*/false);
      if (!erased.ok()) return erased;
      ++deleted;
    }
    if (deleted == 0 || deleted == limit) return absl::OkStatus();
    // The last of them: nothing asks any more when those findings ended.
    return session.Run("DELETE FROM report_problems WHERE ended < $1", {cutoff}).status();
  });
  if (!status.ok()) return status;
  return deleted;
}

}  // namespace

std::unique_ptr<ReportStore> MakeSqlStore(std::unique_ptr<Session> writer, std::unique_ptr<Session> reader) {
  return std::make_unique<SqlStore>(std::move(writer), std::move(reader));
}

}  // namespace quantgate::db
