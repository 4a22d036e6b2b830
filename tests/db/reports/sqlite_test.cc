// What is SQLite's own: files, their damage, plans of queries, and files of earlier versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "db/reports/filter_sql.h"
#include "db/reports/report_store.h"
#include "db/reports/sql_store.h"
#include "db/reports/sqlite_session.h"
#include "tests/db/reports/fixture.h"

namespace quantgate::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SqliteStoreTest : public ::testing::Test {
 protected:
  SqliteStoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "reports_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = (folder_ / "reports.db").string();
  }
  ~SqliteStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<ReportStore> Open(const std::string& parameters = "") {
    auto store = OpenReportStore(absl::StrCat("sqlite:", path_, parameters));
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  void Sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << (error ? error : "");
    sqlite3_close(handle);
  }

  std::string FileBytes() {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  std::filesystem::path folder_;
  std::string path_;
};

std::string PlanOf(reports::Session& session, const ListSql& sql) {
  auto answer = session.Run("EXPLAIN QUERY PLAN " + sql.text, sql.Bound());
  EXPECT_TRUE(answer.ok()) << answer.status() << ": " << sql.text;
  std::string plan;
  if (answer.ok()) {
    for (const reports::Row& row : answer->rows) absl::StrAppend(&plan, row.Bytes(3), "\n");
  }
  return plan;
}

// A listing of a million reports must neither sort nor read all of a table; it walks the index that it was told to.
TEST_F(SqliteStoreTest, NoListingSorts) {
  Open();
  auto session = *reports::SqliteSession::Open(path_, reports::SqliteSession::Mode::kReadOnly);
  const TimeRange range = {1, 2};
  for (const std::string& filter : ManyFilters()) {
    std::vector<Condition> conditions = *ParseReportFilter(filter);
    const bool names_subject = absl::StrContains(filter, "model.path = a AND target = x");
    if (names_subject) conditions.push_back({Condition::kSubject, Condition::kEqual, "", 1});
    TimeRange ignored;
    TakeTimeRange(conditions, ignored);
    for (const Walk& walk : WalksFor(conditions)) {
      const std::string reach = PlanOf(*session, BuildReachSql(walk, range, 100));
      EXPECT_THAT(reach, ::testing::Not(HasSubstr("TEMP B-TREE"))) << filter;
      const std::string key = walk.table == Walk::kReports && walk.fixed.empty() ? "rowid" : "time";
      EXPECT_THAT(reach, HasSubstr(key + ">? AND " + key + "<?")) << filter;
      for (bool full : {false, true}) {
        const ListSql sql = BuildListSql(conditions, walk, range, full, 51, session->dialect());
        const std::string plan = PlanOf(*session, sql);
        EXPECT_THAT(plan, ::testing::Not(HasSubstr("TEMP B-TREE"))) << filter;
        EXPECT_THAT(plan, ::testing::Not(HasSubstr("SCAN"))) << filter;
        // The first step is the walk: an equality for everything that it fixes. Tables that are joined are read by key:
        // no range over time behind it.
        const std::vector<std::string> steps = absl::StrSplit(plan, '\n', absl::SkipEmpty());
        EXPECT_EQ(static_cast<size_t>(std::count(steps[0].begin(), steps[0].end(), '=')), walk.fixed.size()) << plan;
        EXPECT_THAT(steps[0], HasSubstr(key + ">? AND " + key + "<?")) << filter;
        for (size_t i = 1; i < steps.size(); ++i) {
          EXPECT_THAT(steps[i], ::testing::Not(HasSubstr("<?"))) << filter << ": " << plan;
        }
      }
    }
  }
}

// A session that looks at the plan of each statement before it runs it.
class PlanningSession final : public reports::Session {
 public:
  PlanningSession(std::unique_ptr<reports::Session> session, std::vector<std::string>& scans)
      : session_(std::move(session)), scans_(scans) {}
  absl::StatusOr<reports::Answer> Run(const std::string& sql, absl::Span<const reports::Value> values) override {
    auto plan = session_->Run("EXPLAIN QUERY PLAN " + sql, values);
    EXPECT_TRUE(plan.ok()) << plan.status();
    for (const reports::Row& row : plan->rows) {
      if (absl::StrContains(row.Bytes(3), "SCAN")) scans_.push_back(absl::StrCat(row.Bytes(3), ": ", sql));
    }
    return session_->Run(sql, values);
  }
  absl::Status Execute(const std::string& script) override { return session_->Execute(script); }
  absl::Status Begin() override { return session_->Begin(); }
  absl::Status Commit() override { return session_->Commit(); }
  void Rollback() override { session_->Rollback(); }
  absl::Status LockSchema() override { return session_->LockSchema(); }
  std::string Migration(absl::string_view script) const override { return session_->Migration(script); }
  absl::StatusOr<bool> HasTables() override { return session_->HasTables(); }
  absl::StatusOr<bool> HasTable(const std::string& name) override { return session_->HasTable(name); }
  const reports::Dialect& dialect() const override { return session_->dialect(); }
  bool read_only() const override { return session_->read_only(); }
  const std::string& name() const override { return session_->name(); }

 private:
  std::unique_ptr<reports::Session> session_;
  std::vector<std::string>& scans_;
};

// Nothing that a server is asked reads all of a table.
TEST_F(SqliteStoreTest, NoQueryReadsAWholeTable) {
  Open();
  using reports::SqliteSession;
  std::vector<std::string> scans;
  const auto open = [&] {
    return std::make_unique<PlanningSession>(*SqliteSession::Open(path_, SqliteSession::Mode::kReadWrite), scans);
  };
  const std::unique_ptr<ReportStore> store = MakeSqlStore(open(), open());
  for (int i = 0; i < 3; ++i) {
    v1::Report report = MakeReport("a", {MakeResult("x", v1::Result::REJECTED, {"DT001"})});
    v1::Graph graph;
    ASSERT_TRUE(store->Put({absl::StrCat("id ", i), "d"}, report, &graph).ok());
    EXPECT_TRUE(store->Get(report.name()).ok());
    EXPECT_TRUE(store->GetGraph(report.name()).ok());
    if (i == 2) {
      EXPECT_TRUE(store->Delete(report.name()).ok());
    }
  }
  for (const std::string& filter : ManyFilters()) EXPECT_TRUE(store->List({filter}).ok()) << filter;
  for (const char* filter :
       {"", "labels.branch = main", "target = x", "target = x@1", "model.path = a", "labels.repository = r",
        "model.path = a AND target = x AND labels.branch = main", "labels.repository = r AND target = x"}) {
    v1::GetTrendsRequest trends;
    trends.set_filter(filter);
    v1::GetTrendsResponse points;
    EXPECT_TRUE(store->GetTrends(trends, points).ok()) << filter;
    v1::GetFleetRequest fleet;
    fleet.set_filter(filter);
    v1::GetFleetResponse entries;
    EXPECT_TRUE(store->GetFleet(fleet, 10, entries).ok()) << filter;
  }
  for (const std::string& scan : scans) {
    // The version is a table of one row; what is inserted is none; "all but the newest so many" means to count from the
    // newest on.
    EXPECT_TRUE(absl::StartsWith(scan, "SCAN quantgate_report_store:") || absl::StrContains(scan, " OFFSET ") ||
                absl::StrContains(scan, "CONSTANT ROW") || absl::StrContains(scan, "LIMIT 1250) w"))
        << scan;
  }
}

TEST_F(SqliteStoreTest, ReadOnlyStoreServesAndRefusesToWrite) {
  EXPECT_FALSE(OpenReportStore(absl::StrCat("sqlite:", path_, "?mode=ro")).ok());  // nothing there
  v1::Report report = MakeReport("a", {});
  ASSERT_TRUE(Open()->Put({}, report).ok());
  auto store = Open("?mode=ro");
  v1::Report another = MakeReport("b", {});
  const absl::Status status = store->Put({}, another);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
  EXPECT_EQ(store->Delete(report.name()).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(another.name().empty());
  EXPECT_THAT(ListPaths(*store, ""), ElementsAre("a"));
}

TEST_F(SqliteStoreTest, WhoOnlyReadsLeavesTheJournalAsItIs) {
  v1::Report report = MakeReport("a", {});
  ASSERT_TRUE(Open()->Put({}, report).ok());
  for (const char* mode : {"DELETE", "WAL"}) {
    Sql(absl::StrCat("PRAGMA journal_mode = ", mode));
    const std::string before = FileBytes();
    {
      auto store = OpenReportStore("sqlite:" + path_, StoreUse::kRead);
      ASSERT_TRUE(store.ok()) << store.status();
      EXPECT_THAT(ListPaths(**store, ""), ElementsAre("a"));
    }
    EXPECT_TRUE(FileBytes() == before) << mode;
    EXPECT_FALSE(std::filesystem::exists(path_ + "-wal")) << mode;
  }
}

TEST_F(SqliteStoreTest, FullStoreKeepsWhatItHas) {
  auto store = Open("?max_bytes=200000");
  std::vector<std::string> kept;
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    v1::Report report = MakeReport(absl::StrCat(i), {});
    report.set_tool_version(std::string(20'000, 'v'));
    status = store->Put({}, report);
    if (status.ok()) kept.push_back(report.name());
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_GT(kept.size(), 0u);
  for (const std::string& name : kept) EXPECT_TRUE(store->Get(name).ok());
  EXPECT_EQ(ListPaths(*store, "").size(), kept.size());
  // Room again: it goes on.
  ASSERT_TRUE(store->Delete(kept[0]).ok());
  v1::Report report = MakeReport("small", {});
  EXPECT_TRUE(store->Put({}, report).ok());
}

TEST_F(SqliteStoreTest, LimitBelowAnEmptyStoreIsRefusedBeforeThereIsOne) {
  const absl::Status refused = OpenReportStore("sqlite:" + path_ + "?max_bytes=1").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path_));
  const std::string message(refused.message());
  const int64_t least = std::stoll(message.substr(message.rfind(' ')));
  EXPECT_FALSE(OpenReportStore(absl::StrCat("sqlite:", path_, "?max_bytes=", least - 1)).ok());
  EXPECT_NE(Open(absl::StrCat("?max_bytes=", least)), nullptr);
  EXPECT_EQ(std::filesystem::file_size(path_), least) << message;
}

TEST_F(SqliteStoreTest, DamagedFileIsRefusedAndLeftAlone) {
  const std::string garbage(5000, 'x');
  std::ofstream(path_, std::ios::binary) << garbage;
  auto store = OpenReportStore("sqlite:" + path_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
  EXPECT_EQ(FileBytes(), garbage);
}

TEST_F(SqliteStoreTest, AReportThatCannotBeReadIsListedByItsName) {
  auto store = Open();
  v1::Report broken = MakeReport("broken", {MakeResult("t", v1::Result::ACCEPTED)});
  v1::Report good = MakeReport("good", {MakeResult("t", v1::Result::ACCEPTED)});
  ASSERT_TRUE(store->Put({}, broken).ok() && store->Put({}, good).ok());
  Sql("UPDATE reports SET summary = x'ff' WHERE model_path = 'broken'");
  Sql("UPDATE report_bodies SET body = x'ff' WHERE time = (SELECT min(time) FROM reports)");
  for (const bool full : {false, true}) {
    ReportQuery query;
    query.full = full;
    const absl::StatusOr<ReportPage> page = store->List(query);
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_EQ(page->reports.size(), 2);
    EXPECT_EQ(page->reports[0].model().path(), "good");
    EXPECT_EQ(page->reports[1].name(), broken.name());
    EXPECT_EQ(page->reports[1].results_size(), 0);
  }
  EXPECT_EQ(store->Get(broken.name()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(store->Delete(broken.name()).ok());
  EXPECT_EQ(store->List({})->reports.size(), 1);
}

TEST_F(SqliteStoreTest, DamagedPagesAreDataLossNotACrash) {
  {
    auto store = Open();
    for (int i = 0; i < 50; ++i) {
      v1::Report report = MakeReport(absl::StrCat(i), {MakeResult("x", v1::Result::REJECTED, {"NR001"})});
      ASSERT_TRUE(store->Put({}, report).ok());
    }
  }
  const auto size = std::filesystem::file_size(path_);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4096);  // all but the header page
  file << std::string(size - 4096, '\xff');
  file.close();
  auto store = OpenReportStore("sqlite:" + path_);
  absl::Status status = store.status();
  if (store.ok()) status = (*store)->List({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(SqliteStoreTest, NewerAndForeignFilesAreRefused) {
  Open();
  Sql("UPDATE quantgate_report_store SET version = 99");
  auto newer = OpenReportStore("sqlite:" + path_);
  EXPECT_EQ(newer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(newer.status().message()), HasSubstr("newer version of this program (schema 99"));
  Sql("UPDATE quantgate_report_store SET version = 4");
  EXPECT_TRUE(OpenReportStore("sqlite:" + path_).ok());

  path_ += ".other";
  Sql("CREATE TABLE photos (id INTEGER)");
  const std::string before = FileBytes();
  auto foreign = OpenReportStore("sqlite:" + path_);
  EXPECT_THAT(std::string(foreign.status().message()), HasSubstr("another program"));
  EXPECT_EQ(FileBytes(), before);
}

// A server that runs on while another one, of a newer version, takes the store over.
TEST_F(SqliteStoreTest, AStoreThatBecomesNewerIsNotWrittenTo) {
  auto store = Open();
  v1::Report first = MakeReport("m", {MakeResult("x", v1::Result::ACCEPTED)});
  ASSERT_TRUE(store->Put({}, first).ok());
  Sql("UPDATE quantgate_report_store SET version = 5");
  v1::Report second = first;
  second.clear_name();
  const absl::Status status = store->Put({}, second);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is no longer of schema 4"));
  EXPECT_EQ(store->Delete(first.name()).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store->List({"", 50, "", /*full=*/false})->reports.size(), 1u);
  Sql("UPDATE quantgate_report_store SET version = 4");
  EXPECT_TRUE(store->Put({}, second).ok());
}

TEST_F(SqliteStoreTest, Addresses) {
  auto none = OpenReportStore("none");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  for (const std::string& bad : std::vector<std::string>{
           "", "sqlite", "sqlite:", "mysql:x", "sqlite::memory:", "sqlite:file:x", "sqlite:/dev/null", "sqlite:/",
           "sqlite:" + path_ + "?mode=rx", "sqlite:" + path_ + "?max_bytes=-1", "sqlite:" + path_ + "?colour=red"}) {
    EXPECT_EQ(OpenReportStore(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(OpenReportStore("sqlite:/no/such/folder/r.db").status().code(), absl::StatusCode::kFailedPrecondition);
}

constexpr int kNewestVersion = 4;

// Stores that released versions wrote (tests/data/reports).
class EarlierVersion : public SqliteStoreTest, public ::testing::WithParamInterface<int> {};

TEST_P(EarlierVersion, IsBroughtForward) {
  std::filesystem::copy_file(
      std::filesystem::path(QUANTGATE_TEST_DATA) / absl::StrCat("../data/reports/version_", GetParam(), ".db"), path_);
  if (GetParam() < kNewestVersion) {
    const std::string before = FileBytes();
    const absl::Status status = OpenReportStore(absl::StrCat("sqlite:", path_, "?mode=ro")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_EQ(FileBytes(), before);
  }
  auto store = Open();
  ASSERT_NE(store, nullptr);
  const std::vector<v1::Report> reports = store->List({"", 50, "", /*full=*/true})->reports;
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(ListPaths(*store, "verdict = UNKNOWN").size(), 1u);
  EXPECT_THAT(ListPaths(*store, "model.path = bad.axis_missing.tiny.qdq_s8s8_pc.onnx"),
              ElementsAre("bad.axis_missing.tiny.qdq_s8s8_pc.onnx"));
  // What the version did not keep is made from the reports.
  v1::GetFleetResponse fleet;
  ASSERT_TRUE(store->GetFleet({}, 100, fleet).ok());
  EXPECT_EQ(fleet.entries_size(), 8);
  EXPECT_GT(fleet.entries(0).newest().errors(), 0);
  v1::GetTrendsRequest request;
  *request.mutable_end_time() = reports[0].create_time();
  v1::GetTrendsResponse trends;
  ASSERT_TRUE(store->GetTrends(request, trends).ok());
  EXPECT_EQ(trends.points(30).results(), 8);
  request.set_filter(absl::StrCat("labels.repository = \"", reports[0].labels().repository(), "\" AND target = \"",
                                  reports[0].results(0).target(), "\""));
  trends.Clear();
  ASSERT_TRUE(store->GetTrends(request, trends).ok());
  EXPECT_EQ(trends.points(30).results(), 4);
  for (const v1::Report& report : reports) {
    EXPECT_TRUE(store->Get(report.name()).ok());
    for (const v1::Result& result : report.results()) {
      for (const v1::Finding& finding : result.findings()) {
        EXPECT_THAT(
            ListPaths(*store, absl::StrCat("code = ", finding.code(), " AND target = \"", result.target(), "\"")),
            ::testing::Contains(report.model().path()));
        EXPECT_THAT(ListPaths(*store, absl::StrCat("code = ", finding.code(), " AND labels.branch = \"",
                                                   report.labels().branch(), "\"")),
                    ::testing::Contains(report.model().path()));
      }
    }
  }
  v1::Report report = MakeReport("new", {MakeResult("x", v1::Result::ACCEPTED)});
  EXPECT_TRUE(store->Put({}, report).ok());
}

INSTANTIATE_TEST_SUITE_P(All, EarlierVersion, ::testing::Values(1, 2, kNewestVersion));

}  // namespace
}  // namespace quantgate::db
