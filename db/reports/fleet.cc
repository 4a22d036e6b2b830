#include "db/reports/fleet.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/reports/key_text.h"
#include "db/reports/page_token.h"
#include "db/reports/subject_filter.h"
#include "google/protobuf/util/time_util.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate::db::reports {
namespace {

struct Subject {
  int64_t id = 0;
  std::string repository, model_path, target;
};

// The subjects behind `after` in the order of repository, path and target.
absl::StatusOr<std::vector<Subject>> NextSubjects(Session& session, const SubjectFilter& filter, const Subject& after,
                                                  int limit) {
  std::string sql = "SELECT id, repository, model_path, target FROM report_subjects WHERE ";
  std::vector<Value> values;
  if (after.id == 0) {
    // Parameters are the same with and without a position.
    sql += "(repository, model_path, target) >= ($1, $2, $3)";
  } else {
    sql += "(repository, model_path, target) > ($1, $2, $3)";
  }
  for (const std::string* text : {&after.repository, &after.model_path, &after.target}) {
    values.emplace_back(absl::string_view(*text));
  }
  for (const std::string& value : filter.values) values.emplace_back(absl::string_view(value));
  absl::StatusOr<Answer> answer =
      session.Run(absl::StrCat(sql, filter.sql, " ORDER BY repository, model_path, target LIMIT ", limit), values);
  if (!answer.ok()) return answer.status();
  std::vector<Subject> subjects;
  for (const Row& row : answer->rows) subjects.push_back({row.Int(0), row.Bytes(1), row.Bytes(2), row.Bytes(3)});
  return subjects;
}

absl::StatusOr<Subject> SubjectOf(Session& session, int64_t id) {
  absl::StatusOr<Answer> answer =
      session.Run("SELECT repository, model_path, target FROM report_subjects WHERE id = $1", {id});
  if (!answer.ok()) return answer.status();
  if (answer->rows.empty()) return absl::InvalidArgumentError("page_token: not a token of this service");
  const Row& row = answer->rows[0];
  return Subject{id, row.Bytes(0), row.Bytes(1), row.Bytes(2)};
}

// By subject: the newest report and the one before; fewer when there are not as many. In one statement: a database may
// be far away.
absl::StatusOr<std::map<int64_t, std::vector<v1::FleetState>>> StatesOf(Session& session,
                                                                        absl::Span<const Subject> subjects,
                                                                        const SubjectFilter& filter) {
  std::map<int64_t, std::vector<v1::FleetState>> states;
  if (subjects.empty()) return states;
  const std::string ids =
      absl::StrJoin(subjects, ",", [](std::string* out, const Subject& subject) { absl::StrAppend(out, subject.id); });
  std::vector<Value> values;
  if (filter.branch.has_value()) values = {absl::string_view(*filter.branch), absl::string_view(*filter.branch)};
  // A report that was checked twice for a target has it twice: the fourth row may be of the second report.
  const std::string fourth =
      absl::StrCat("SELECT x.time FROM report_results x WHERE x.subject = s.id",
                   filter.branch.has_value() ? " AND x.branch = $1" : "", " ORDER BY x.time DESC LIMIT 1 OFFSET 3");
  absl::StatusOr<Answer> answer = session.Run(
      absl::StrCat("SELECT t.time, t.verdict, t.errors, t.warnings, t.infos, r.id, r.branch, r.revision, "
                   "r.pull_request, s.id, s.repository FROM report_subjects s",
                   session.dialect().joined, "report_results t ON t.subject = s.id AND t.time >= COALESCE((", fourth,
                   "), 0)", session.dialect().joined, "reports r ON r.time = t.time WHERE s.id IN (", ids, ")",
                   filter.branch.has_value() ? " AND t.branch = $2" : "", " ORDER BY s.id, t.time DESC"),
      values);
  if (!answer.ok()) return answer.status();
  int64_t last_id = 0, last_time = 0;
  for (const Row& row : answer->rows) {
    const int64_t id = row.Int(9);
    std::vector<v1::FleetState>& known = states[id];
    if (known.size() == 2 || (id == last_id && row.Int(0) == last_time)) continue;
    last_id = id;
    last_time = row.Int(0);
    v1::FleetState& state = known.emplace_back();
    state.set_report(absl::StrCat("reports/", row.Bytes(5)));
    *state.mutable_create_time() = google::protobuf::util::TimeUtil::NanosecondsToTimestamp(last_time);
    state.set_verdict(static_cast<v1::Result::Verdict>(row.Int(1)));
    state.set_errors(row.Int(2));
    state.set_warnings(row.Int(3));
    state.set_infos(row.Int(4));
    v1::Labels& labels = *state.mutable_labels();
    labels.set_repository(row.Bytes(10));
    labels.set_branch(row.Bytes(6));
    labels.set_revision(row.Bytes(7));
    labels.set_pull_request(row.Bytes(8));
  }
  return states;
}

// Names as the newest report has them, where those of the index may be shortened.
absl::Status RestoreNames(Session& session, v1::FleetEntry& entry) {
  if (!MayBeShortened(entry.repository()) && !MayBeShortened(entry.model_path()) && !MayBeShortened(entry.target())) {
    return absl::OkStatus();
  }
  const std::string id = entry.newest().report().substr(entry.newest().report().find('/') + 1);
  absl::StatusOr<Answer> answer = session.Run("SELECT summary FROM reports WHERE id = $1", {absl::string_view(id)});
  if (!answer.ok()) return answer.status();
  v1::Report report;
  // One that is deleted meanwhile, or cannot be read, keeps the others from nothing.
  if (answer->rows.empty() || !report.ParseFromString(answer->rows[0].Bytes(0))) return absl::OkStatus();
  entry.set_repository(report.labels().repository());
  entry.set_model_path(report.model().path());
  for (const v1::Result& result : report.results()) {
    if (KeyText(result.target()) == entry.target()) entry.set_target(result.target());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadFleet(Session& session, const v1::GetFleetRequest& request, int page_size,
                       v1::GetFleetResponse& response) {
  absl::StatusOr<SubjectFilter> filter = ParseSubjectFilter(session, request.filter(), 4);
  if (!filter.ok()) return filter.status();
  const std::string query = absl::StrCat("fleet ", request.filter());
  Subject after;
  if (!request.page_token().empty()) {
    absl::StatusOr<int64_t> id = DecodePageToken(query, request.page_token());
    if (!id.ok()) return id.status();
    absl::StatusOr<Subject> subject = SubjectOf(session, *id);
    if (!subject.ok()) return subject.status();
    after = *std::move(subject);
  }
  while (true) {
    const int batch = std::min(page_size, 256) + 1;
    absl::StatusOr<std::vector<Subject>> subjects = NextSubjects(session, *filter, after, batch);
    if (!subjects.ok()) return subjects.status();
    absl::StatusOr<std::map<int64_t, std::vector<v1::FleetState>>> states = StatesOf(session, *subjects, *filter);
    if (!states.ok()) return states.status();
    for (Subject& subject : *subjects) {
      if (response.entries_size() == page_size) {
        response.set_next_page_token(EncodePageToken(query, after.id));
        return absl::OkStatus();
      }
      after = std::move(subject);
      std::vector<v1::FleetState>& known = (*states)[after.id];
      if (known.empty()) continue;  // its reports were deleted, or are on other branches
      v1::FleetEntry& entry = *response.add_entries();
      entry.set_repository(after.repository);
      entry.set_model_path(after.model_path);
      entry.set_target(after.target);
      *entry.mutable_newest() = std::move(known[0]);
      if (known.size() > 1) *entry.mutable_previous() = std::move(known[1]);
      if (absl::Status status = RestoreNames(session, entry); !status.ok()) return status;
    }
    if (static_cast<int>(subjects->size()) < batch) return absl::OkStatus();
  }
}

}  // namespace quantgate::db::reports
