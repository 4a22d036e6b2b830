// Many reports: listed as one would who reads them all, imported at once as one by one.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "db/reports/filter_sql.h"
#include "db/reports/postgres_session.h"
#include "tests/db/reports/fixture.h"
#include "tests/db/reports/postgres_cluster.h"

namespace quantgate::db {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kStart = 1772409600;  // 2026-03-02, 00:00 UTC
const char* const kCodes[] = {"DT101", "DT102", "NR101", "GS101"};
const char* const kTargets[] = {"x@1.0.0", "y@1.0.0", "x@2.0.0"};
const char* const kBranches[] = {"main", "topic", ""};

// A few values of each field, so that many reports have them in common; some values are rare, some never together.
std::vector<v1::Report> MakeReports(int count, std::mt19937& random) {
  const auto any = [&](unsigned n) { return random() % n; };
  std::vector<v1::Report> reports;
  for (int i = 0; i < count; ++i) {
    v1::Report report;
    report.set_name(absl::StrFormat("reports/00000000-0000-4000-8000-%012x", i));
    report.mutable_create_time()->set_seconds(kStart + int64_t{600} * i);
    report.mutable_model()->set_path(absl::StrCat("m", any(4)));
    report.mutable_model()->set_sha256(absl::StrCat("s", any(9)));
    report.set_graph_digest(absl::StrCat("d", any(9)));
    const bool is_rare = any(100) == 0;
    report.mutable_labels()->set_repository(absl::StrCat("r", any(2)));
    report.mutable_labels()->set_branch(is_rare ? "rare" : kBranches[any(3)]);
    report.mutable_labels()->set_revision(absl::StrCat("v", any(20)));
    report.mutable_labels()->set_pull_request(absl::StrCat(any(5)));
    for (unsigned j = any(3); j < 3; ++j) {
      const unsigned target = any(3);
      v1::Result& result = *report.add_results();
      result.set_target(kTargets[target]);
      result.set_verdict(static_cast<v1::Result::Verdict>(1 + any(4)));
      for (unsigned k = any(3); k > 0; --k) {
        v1::Finding& finding = *result.add_findings();
        // The first code is not among those of y, the last one not on the main branch.
        const bool is_main = report.labels().branch() == "main";
        finding.set_code(kCodes[(target == 1 ? 1 : 0) + any(is_main ? 2 : 3)]);
        finding.set_severity(static_cast<v1::Finding::Severity>(1 + any(3)));
        finding.mutable_location()->set_node("n");
        finding.mutable_location()->set_op("Conv");
        finding.mutable_location()->set_position(static_cast<int>(any(3)));
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::vector<const v1::Report*> PointersTo(const std::vector<v1::Report>& reports) {
  std::vector<const v1::Report*> pointers;
  for (const v1::Report& report : reports) pointers.push_back(&report);
  return pointers;
}

// A condition as text, and what it asks of a report and of one of its results.
struct Asked {
  std::string text;
  std::function<bool(const v1::Report&, const v1::Result&)> holds;
  bool is_about_result = false;
};

Asked MakeAsked(std::mt19937& random) {
  const auto any = [&](unsigned n) { return random() % n; };
  const bool is_equal = any(4) != 0;
  const auto field = [&](const char* name, const std::string& value, bool is_about_result,
                         std::function<std::string(const v1::Report&, const v1::Result&)> get) {
    return Asked{
        absl::StrCat(name, is_equal ? " = " : " != ", "\"", value, "\""),
        [=](const v1::Report& report, const v1::Result& result) { return (get(report, result) == value) == is_equal; },
        is_about_result};
  };
  using Report = const v1::Report&;
  using Result = const v1::Result&;
  switch (any(11)) {
    case 0:
      return field("model.path", absl::StrCat("m", any(5)), false, [](Report r, Result) { return r.model().path(); });
    case 1:
      return field("model.sha256", absl::StrCat("s", any(9)), false,
                   [](Report r, Result) { return r.model().sha256(); });
    case 2:
      return field("graph_digest", absl::StrCat("d", any(9)), false, [](Report r, Result) { return r.graph_digest(); });
    case 3:
      return field("labels.repository", absl::StrCat("r", any(3)), false,
                   [](Report r, Result) { return r.labels().repository(); });
    case 4:
      return field("labels.branch", any(4) == 0 ? "rare" : kBranches[any(3)], false,
                   [](Report r, Result) { return r.labels().branch(); });
    case 5:
      return field("labels.revision", absl::StrCat("v", any(20)), false,
                   [](Report r, Result) { return r.labels().revision(); });
    case 6:
      return field("labels.pull_request", absl::StrCat(any(5)), false,
                   [](Report r, Result) { return r.labels().pull_request(); });
    case 7:
      if (any(2) == 0) {  // every version
        return field("target", "x", true, [](Report, Result t) { return t.target().substr(0, 1); });
      }
      return field("target", kTargets[any(3)], true, [](Report, Result t) { return t.target(); });
    case 8:
      return field("verdict", v1::Result::Verdict_Name(1 + static_cast<int>(any(4))), true,
                   [](Report, Result t) { return v1::Result::Verdict_Name(t.verdict()); });
    case 9: {
      const std::string code = kCodes[any(4)];
      return {absl::StrCat("code", is_equal ? " = " : " != ", code),
              [=](const v1::Report&, const v1::Result& result) {
                const bool has = std::any_of(result.findings().begin(), result.findings().end(),
                                             [&](const v1::Finding& finding) { return finding.code() == code; });
                return has == is_equal;
              },
              true};
    }
    default: {
      const int minutes = static_cast<int>(any(400)) * 10;
      const bool is_before = any(2) == 0;
      const std::string time =
          absl::StrFormat("2026-03-%02dT%02d:%02d:00Z", 2 + minutes / 1440, minutes / 60 % 24, minutes % 60);
      return {absl::StrCat("create_time ", is_before ? "<=" : ">", " \"", time, "\""),
              [=](const v1::Report& report, const v1::Result&) {
                return (report.create_time().seconds() <= kStart + minutes * 60) == is_before;
              },
              false};
    }
  }
}

class VolumeTest : public ReportStoreTest {
 protected:
  void SetUp() override {
    ReportStoreTest::SetUp();
    if (!IsSkipped()) store_ = Open();
  }
  std::unique_ptr<ReportStore> store_;
};

TEST_P(VolumeTest, ListsWhatAReaderOfAllReportsWould) {
  std::mt19937 random(7);
  const std::vector<v1::Report> reports = MakeReports(600, random);
  ASSERT_EQ(*store_->Import(PointersTo(reports)), 600);
  int found = 0, cut = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<Asked> asked;
    for (unsigned j = random() % 4; j < 4; ++j) asked.push_back(MakeAsked(random));
    std::vector<std::string> expected;
    for (auto report = reports.rbegin(); report != reports.rend(); ++report) {
      const bool needs_result =
          std::any_of(asked.begin(), asked.end(), [](const Asked& a) { return a.is_about_result; });
      const auto matches = [&](const v1::Result& result) {
        return std::all_of(asked.begin(), asked.end(), [&](const Asked& a) { return a.holds(*report, result); });
      };
      const bool is_match = needs_result ? std::any_of(report->results().begin(), report->results().end(), matches)
                                         : matches(v1::Result());
      if (is_match) expected.push_back(report->name());
    }
    ReportQuery query;
    query.filter = absl::StrJoin(asked, " AND ", [](std::string* out, const Asked& a) { *out += a.text; });
    query.page_size = 1 + static_cast<int>(random() % 100);
    query.full = random() % 2 == 0;
    // Also where a page ends because it has looked at enough.
    query.max_examined = i % 2 == 0 ? 50 : 5000;
    std::vector<std::string> listed;
    do {
      const absl::StatusOr<ReportPage> page = store_->List(query);
      ASSERT_TRUE(page.ok()) << page.status() << ": " << query.filter;
      for (const v1::Report& report : page->reports) listed.push_back(report.name());
      query.page_token = page->next_page_token;
      cut += !query.page_token.empty() && static_cast<int>(page->reports.size()) < query.page_size ? 1 : 0;
    } while (!query.page_token.empty());
    EXPECT_EQ(listed, expected) << query.filter;
    found += static_cast<int>(listed.size());
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(cut, 100);
}

// Exports of other programs know seconds only, or one time for all.
// Times are unique in a store: each report of one time gets one that is near, and keeps what it says of itself.
TEST_P(VolumeTest, ReportsOfOneTimeAreAllThere) {
  std::mt19937 random(10);
  std::vector<v1::Report> reports = MakeReports(2000, random);
  for (v1::Report& report : reports) *report.mutable_create_time() = reports[0].create_time();
  for (size_t begin = 0; begin < reports.size(); begin += 500) {
    std::vector<const v1::Report*> some;
    for (size_t i = begin; i < begin + 500; ++i) some.push_back(&reports[i]);
    EXPECT_EQ(*store_->Import(some), 500);
    EXPECT_EQ(*store_->Import(some), 0);
  }
  for (size_t i = 0; i < reports.size(); i += 333) {
    EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get(reports[i].name()), reports[i])) << i;
  }
}

// Every table of a SQLite store, a line for each row; subjects by their names, not by the numbers that they happen to
// have.
std::vector<std::string> RowsOf(const std::string& address) {
  const char* const subject =
      "(SELECT repository || ' ' || model_path || ' ' || target FROM report_subjects WHERE id = ";
  const std::string queries[] = {
      "SELECT * FROM reports",
      "SELECT * FROM report_bodies",
      "SELECT * FROM report_codes",
      absl::StrCat("SELECT time, ordinal, target, verdict, branch, errors, warnings, infos, ", subject,
                   "subject) FROM report_results"),
      absl::StrCat("SELECT branch, fingerprint, family, started, ended, ", subject, "subject) FROM report_problems"),
      absl::StrCat(
          "SELECT CASE WHEN scope LIKE 'subject %' THEN ", subject,
          "substr(scope, 9)) ELSE scope END, branch, day, metric, amount FROM report_trends WHERE amount <> 0"),
      "SELECT repository, model_path, target FROM report_subjects"};
  std::vector<std::string> rows;
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(address.substr(address.find(':') + 1).c_str(), &handle), SQLITE_OK);
  for (const std::string& query : queries) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle, query.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      std::string row = query;
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char* data = static_cast<const char*>(sqlite3_column_blob(statement, i));
        const size_t size = sqlite3_column_bytes(statement, i);
        absl::StrAppend(&row, "|", absl::string_view(data == nullptr ? "" : data, size));
      }
      rows.push_back(std::move(row));
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(handle);
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Volume, ImportedAtOnceIsAsOneByOne) {
  std::mt19937 random(8);
  std::vector<v1::Report> reports = MakeReports(300, random);
  reports[10].mutable_create_time()->CopyFrom(reports[9].create_time());
  std::string reason;
  const std::unique_ptr<TestDatabase> databases[] = {MakeSqliteDatabase(reason), MakeSqliteDatabase(reason),
                                                     MakeSqliteDatabase(reason)};
  std::vector<std::unique_ptr<ReportStore>> stores;
  for (const auto& database : databases) stores.push_back(*OpenReportStore(database->Address()));
  EXPECT_EQ(*stores[0]->Import(PointersTo(reports)), 300);
  for (const v1::Report& report : reports) {
    const v1::Report* const one[] = {&report};
    EXPECT_EQ(*stores[1]->Import(one), 1);
  }
  // In any order, a few at a time, some of them again.
  std::vector<const v1::Report*> shuffled = PointersTo(reports);
  std::shuffle(shuffled.begin() + 11, shuffled.end(), random);
  for (size_t i = 0; i < shuffled.size(); i += 7) {
    const auto begin = shuffled.begin() + static_cast<std::ptrdiff_t>(i < 5 ? 0 : i - 5);
    const auto end = shuffled.begin() + static_cast<std::ptrdiff_t>(std::min(shuffled.size(), i + 7));
    EXPECT_TRUE(stores[2]->Import(std::vector<const v1::Report*>(begin, end)).ok());
  }
  stores.clear();
  const std::vector<std::string> rows = RowsOf(databases[0]->Address());
  EXPECT_GT(rows.size(), 3000u);
  EXPECT_EQ(rows, RowsOf(databases[1]->Address()));
  EXPECT_EQ(rows, RowsOf(databases[2]->Address()));
}

INSTANTIATE_TEST_SUITE_P(All, VolumeTest,
                         ::testing::Values(DatabaseKind{"Sqlite", MakeSqliteDatabase},
                                           DatabaseKind{"Postgres", MakePostgresDatabase}),
                         [](const auto& info) { return std::string(info.param.name); });

// With enough rows for its statistics to say something, PostgreSQL walks indexes too. (Reading all of a table is what
// it may do for a filter that excludes a value and nothing else.)
TEST(PostgresVolumeTest, ListingsUseIndexes) {
  std::string reason;
  PostgresCluster* cluster = PostgresCluster::Get(reason);
  if (cluster == nullptr) GTEST_SKIP() << reason;
  const std::string database = cluster->CreateDatabase();
  auto store = *OpenReportStore(cluster->Address(database));
  std::mt19937 random(9);
  ASSERT_EQ(*store->Import(PointersTo(MakeReports(4000, random))), 4000);
  ASSERT_TRUE(cluster->Sql(database, "VACUUM ANALYZE"));
  auto session = *reports::OpenPostgresSession(cluster->Address(database));
  for (const char* filter : {"",
                             "model.path = m1",
                             "model.sha256 = s1",
                             "graph_digest = d1",
                             "target = x@1.0.0",
                             "verdict = REJECTED",
                             "code = NR101",
                             "labels.branch = rare",
                             "labels.repository = r1",
                             "labels.revision = v1",
                             "labels.pull_request = 1",
                             "target = x@1.0.0 AND verdict = REJECTED",
                             "target = x@1.0.0 AND code = DT101",
                             "labels.branch = rare AND code = DT101",
                             "labels.branch = main AND verdict = UNKNOWN",
                             "target = y@1.0.0 AND labels.branch = rare",
                             "model.path = m1 AND labels.branch = rare",
                             "target = x@1.0.0 AND code != DT101",
                             "code = DT101 AND code = DT102",
                             "create_time < \"2026-03-10T00:00:00Z\" AND verdict = REJECTED"}) {
    std::vector<Condition> conditions = *ParseReportFilter(filter);
    TimeRange range;
    TakeTimeRange(conditions, range);
    for (const Walk& walk : WalksFor(conditions)) {
      for (const ListSql& sql :
           {BuildReachSql(walk, range, 100), BuildListSql(conditions, walk, range, false, 21, session->dialect()),
            BuildListSql(conditions, walk, range, true, 21, session->dialect())}) {
        auto plan = session->Run("EXPLAIN " + sql.text, sql.Bound());
        ASSERT_TRUE(plan.ok()) << plan.status();
        std::string text;
        for (const reports::Row& row : plan->rows) absl::StrAppend(&text, row.Bytes(0), "\n");
        EXPECT_THAT(text, Not(HasSubstr("Seq Scan"))) << filter << "\n" << sql.text << "\n" << text;
        EXPECT_THAT(text, HasSubstr("Index")) << filter << "\n" << sql.text << "\n" << text;
      }
    }
  }
}

}  // namespace
}  // namespace quantgate::db
