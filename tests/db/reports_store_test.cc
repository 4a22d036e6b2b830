#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "db/reports/filter_sql.h"
#include "db/reports/report_store.h"

namespace quantgate::db {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReportStoreTest : public ::testing::Test {
 protected:
  ReportStoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "reports_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = (folder_ / "reports.db").string();
  }
  ~ReportStoreTest() override { std::filesystem::remove_all(folder_); }

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

v1::Result MakeResult(const std::string& target, v1::Result::Verdict verdict, std::vector<std::string> codes = {}) {
  v1::Result result;
  result.set_target(target);
  result.set_verdict(verdict);
  for (const std::string& code : codes) result.add_findings()->set_code(code);
  result.mutable_outcome()->set_kind(v1::Outcome::FULL);
  result.mutable_outcome()->add_nodes()->set_node("n");
  result.add_not_checked()->set_reason("r");
  return result;
}

v1::Report MakeReport(const std::string& path, std::vector<v1::Result> results) {
  v1::Report report;
  report.mutable_model()->set_path(path);
  report.mutable_model()->set_sha256("sha-" + path);
  report.set_graph_digest("digest-" + path);
  report.set_mode(v1::Report::STRICT);
  for (v1::Result& result : results) *report.add_results() = std::move(result);
  return report;
}

std::vector<std::string> Paths(const ReportPage& page) {
  std::vector<std::string> paths;
  for (const v1::Report& report : page.reports) paths.push_back(report.model().path());
  return paths;
}

std::vector<std::string> List(ReportStore& store, const std::string& filter) {
  ReportQuery query;
  query.filter = filter;
  auto page = store.List(query);
  EXPECT_TRUE(page.ok()) << page.status();
  return page.ok() ? Paths(*page) : std::vector<std::string>{"error"};
}

TEST_F(ReportStoreTest, KeepsAReportAcrossReopening) {
  v1::Report report = MakeReport("a.onnx", {MakeResult("qnn_htp/SM8650@2.25.0", v1::Result::REJECTED, {"NR001"})});
  {
    auto store = Open();
    ASSERT_TRUE(store->Put({}, report).ok());
    EXPECT_THAT(report.name(),
                ::testing::MatchesRegex("reports/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_LT(absl::Now() - absl::FromUnixSeconds(report.create_time().seconds()), absl::Minutes(1));
  }
  auto store = Open();
  auto read = store->Get(report.name());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(MessageDifferencer::Equals(*read, report));
}

TEST_F(ReportStoreTest, GetAndDeleteNameWhatIsWrong) {
  auto store = Open();
  for (const char* bad : {"", "reports/", "reports/x", "report/00000000-0000-4000-8000-000000000000",
                          "reports/00000000-0000-4000-8000-00000000000'"}) {
    EXPECT_EQ(store->Get(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(store->Delete(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  const char* missing = "reports/00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(store->Get(missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete(missing).code(), absl::StatusCode::kNotFound);
}

TEST_F(ReportStoreTest, DeleteRemovesEveryRow) {
  auto store = Open();
  v1::Report report = MakeReport("a", {MakeResult("t", v1::Result::REJECTED, {"NR001"})});
  ASSERT_TRUE(store->Put({"id", "digest"}, report).ok());
  ASSERT_TRUE(store->Delete(report.name()).ok());
  EXPECT_EQ(store->Get(report.name()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(List(*store, ""), IsEmpty());
  EXPECT_THAT(List(*store, "code = NR001"), IsEmpty());
  EXPECT_THAT(List(*store, "target = t"), IsEmpty());
  EXPECT_FALSE(store->FindRequest({"id", "digest"})->has_value());
}

TEST_F(ReportStoreTest, RequestIdsAreIdempotent) {
  auto store = Open();
  v1::Report first = MakeReport("a", {});
  ASSERT_TRUE(store->Put({"id", "digest"}, first).ok());
  v1::Report second = MakeReport("a", {});
  ASSERT_TRUE(store->Put({"id", "digest"}, second).ok());
  EXPECT_EQ(second.name(), first.name());
  EXPECT_EQ((*store->FindRequest({"id", "digest"}))->name(), first.name());
  v1::Report other = MakeReport("b", {});
  EXPECT_EQ(store->Put({"id", "another"}, other).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(store->FindRequest({"id", "another"}).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(other.name().empty());
  ASSERT_TRUE(store->Put({"id2", "another"}, other).ok());
  // No id: never the same request.
  v1::Report third = MakeReport("a", {});
  ASSERT_TRUE(store->Put({"", "digest"}, third).ok());
  EXPECT_NE(third.name(), first.name());
  EXPECT_EQ(List(*store, "").size(), 3u);
}

TEST_F(ReportStoreTest, OneRequestIdFromManyThreadsIsOneReport) {
  auto store = Open();
  std::vector<v1::Report> reports(16, MakeReport("a", {}));
  std::vector<std::thread> threads;
  for (v1::Report& report : reports) {
    threads.emplace_back([&] { EXPECT_TRUE(store->Put({"id", "digest"}, report).ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> names;
  for (const v1::Report& report : reports) names.insert(report.name());
  EXPECT_EQ(names.size(), 1u);
  EXPECT_EQ(List(*store, "").size(), 1u);
}

class FilterTest : public ReportStoreTest {
 protected:
  void SetUp() override {
    store_ = Open();
    Add("a",
        {MakeResult("x", v1::Result::REJECTED, {"NR001", "NR001", "DT001"}), MakeResult("y", v1::Result::ACCEPTED)});
    Add("b", {MakeResult("x", v1::Result::ACCEPTED), MakeResult("y", v1::Result::REJECTED, {"DT001"})});
    Add("c", {MakeResult("x", v1::Result::ACCEPTED_WITH_WARNINGS, {"NR002"}),
              MakeResult("x", v1::Result::ACCEPTED_WITH_WARNINGS, {"NR002"})});
    Add("d", {});
  }
  void Add(const std::string& path, std::vector<v1::Result> results) {
    v1::Report report = MakeReport(path, std::move(results));
    ASSERT_TRUE(store_->Put({}, report).ok());
    times_.push_back(absl::FormatTime(
        absl::RFC3339_full,
        absl::FromUnixSeconds(report.create_time().seconds()) + absl::Nanoseconds(report.create_time().nanos()),
        absl::UTCTimeZone()));
  }
  std::unique_ptr<ReportStore> store_;
  std::vector<std::string> times_;
};

TEST_F(FilterTest, EveryFieldSelects) {
  EXPECT_THAT(List(*store_, ""), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(List(*store_, "model.path = b"), ElementsAre("b"));
  EXPECT_THAT(List(*store_, "model.path != b"), ElementsAre("d", "c", "a"));
  EXPECT_THAT(List(*store_, "model.sha256 = sha-c"), ElementsAre("c"));
  EXPECT_THAT(List(*store_, "graph_digest = digest-a"), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "target = x"), ElementsAre("c", "b", "a"));
  EXPECT_THAT(List(*store_, "target != x"), ElementsAre("b", "a"));
  EXPECT_THAT(List(*store_, "verdict = REJECTED"), ElementsAre("b", "a"));
  EXPECT_THAT(List(*store_, "verdict = UNKNOWN"), IsEmpty());
  EXPECT_THAT(List(*store_, "code = NR001"), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "code = NR002"), ElementsAre("c"));
  EXPECT_THAT(List(*store_, "model.path = \"b' OR '1'='1\""), IsEmpty());
}

TEST_F(FilterTest, ConditionsOnResultsAreAboutTheSameResult) {
  EXPECT_THAT(List(*store_, "target = x AND verdict = REJECTED"), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "target = y AND verdict = REJECTED"), ElementsAre("b"));
  EXPECT_THAT(List(*store_, "target = y AND code = DT001"), ElementsAre("b"));
  EXPECT_THAT(List(*store_, "code = DT001 AND code = NR001"), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "code = DT001 AND code != NR001"), ElementsAre("b"));
  EXPECT_THAT(List(*store_, "target = x AND code != NR001"), ElementsAre("c", "b"));
  EXPECT_THAT(List(*store_, "model.path = a AND target = x AND verdict = REJECTED AND code = NR001"), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "model.path = a AND target = y AND verdict = REJECTED"), IsEmpty());
}

TEST_F(FilterTest, CreateTimeComparesExactly) {
  const std::string b = absl::StrCat("\"", times_[1], "\"");
  EXPECT_THAT(List(*store_, "create_time > " + b), ElementsAre("d", "c"));
  EXPECT_THAT(List(*store_, "create_time >= " + b), ElementsAre("d", "c", "b"));
  EXPECT_THAT(List(*store_, "create_time = " + b), ElementsAre("b"));
  EXPECT_THAT(List(*store_, "create_time != " + b), ElementsAre("d", "c", "a"));
  EXPECT_THAT(List(*store_, "create_time < " + b), ElementsAre("a"));
  EXPECT_THAT(List(*store_, "create_time <= " + b + " AND target = x"), ElementsAre("b", "a"));
}

TEST_F(FilterTest, SummariesLackTheLongListsOnly) {
  ReportQuery query;
  query.filter = "model.path = a";
  v1::Report summary = store_->List(query)->reports[0];
  query.full = true;
  v1::Report full = store_->List(query)->reports[0];
  EXPECT_TRUE(MessageDifferencer::Equals(full, *store_->Get(full.name())));
  EXPECT_EQ(full.results(0).findings_size(), 3);
  for (v1::Result& result : *full.mutable_results()) {
    result.clear_findings();
    result.clear_not_checked();
    result.mutable_outcome()->clear_nodes();
  }
  EXPECT_TRUE(MessageDifferencer::Equals(summary, full));
}

TEST_F(FilterTest, PagesAreCompleteAndStableWhileReportsArrive) {
  std::vector<std::string> seen;
  ReportQuery query;
  query.filter = "target != \"\"";  // several rows per report
  query.page_size = 1;
  for (int pages = 0; pages < 10; ++pages) {
    auto page = store_->List(query);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const std::string& path : Paths(*page)) seen.push_back(path);
    query.page_token = page->next_page_token;
    if (query.page_token.empty()) break;
    Add("late", {MakeResult("x", v1::Result::ACCEPTED)});
  }
  EXPECT_THAT(seen, ElementsAre("c", "b", "a"));
}

TEST_F(FilterTest, TokensBelongToTheirFilter) {
  ReportQuery query;
  query.page_size = 1;
  query.page_token = store_->List(query)->next_page_token;
  ASSERT_FALSE(query.page_token.empty());
  EXPECT_TRUE(store_->List(query).ok());
  query.filter = "target = x";
  EXPECT_EQ(store_->List(query).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FilterTest, PagesAreBoundedInBytes) {
  ReportQuery query;
  query.max_bytes = 1;
  auto page = store_->List(query);
  EXPECT_THAT(Paths(*page), ElementsAre("d"));
  EXPECT_FALSE(page->next_page_token.empty());
}

// A listing of a million reports must neither sort nor read all of a table whose filter column has an index.
TEST_F(FilterTest, NoListingSorts) {
  const std::vector<std::string> filters = {"",
                                            "model.path = a",
                                            "model.sha256 = a",
                                            "graph_digest = a",
                                            "target = x",
                                            "verdict = REJECTED",
                                            "code = NR001",
                                            "target = x AND verdict = REJECTED",
                                            "code = NR001 AND target = x",
                                            "model.path = a AND verdict = REJECTED",
                                            "graph_digest = a AND target = x AND code = NR001",
                                            "create_time > \"2027-01-01T00:00:00Z\" AND target = x",
                                            "target != x",
                                            "model.path != a"};
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  for (const std::string& filter : filters) {
    for (bool full : {false, true}) {
      const ListSql sql = BuildListSql(*ParseReportFilter(filter), 1, full);
      sqlite3_stmt* statement = nullptr;
      ASSERT_EQ(sqlite3_prepare_v2(handle, ("EXPLAIN QUERY PLAN " + sql.text).c_str(), -1, &statement, nullptr),
                SQLITE_OK)
          << sql.text << ": " << sqlite3_errmsg(handle);
      std::string plan;
      while (sqlite3_step(statement) == SQLITE_ROW) {
        absl::StrAppend(&plan, reinterpret_cast<const char*>(sqlite3_column_text(statement, 3)), "\n");
      }
      sqlite3_finalize(statement);
      EXPECT_THAT(plan, ::testing::Not(HasSubstr("TEMP B-TREE"))) << filter;
      EXPECT_THAT(plan, ::testing::Not(HasSubstr("SCAN"))) << filter;
      // A table that is joined is read by key: no range over time behind the first step.
      for (absl::string_view step : std::vector<absl::string_view>(absl::StrSplit(plan, '\n'))) {
        const bool first = step.data() == plan.data();
        EXPECT_TRUE(first || !absl::StrContains(step, "time<?")) << filter << ": " << step;
      }
      if (filter == "target = x") {
        EXPECT_THAT(plan, HasSubstr("target=? AND time<?"));
      }
    }
  }
  sqlite3_close(handle);
}

TEST_F(ReportStoreTest, ReadOnlyStoreServesAndRefusesToWrite) {
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
  EXPECT_THAT(List(*store, ""), ElementsAre("a"));
}

TEST_F(ReportStoreTest, FullStoreKeepsWhatItHas) {
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
  EXPECT_EQ(List(*store, "").size(), kept.size());
  // Room again: it goes on.
  ASSERT_TRUE(store->Delete(kept[0]).ok());
  v1::Report report = MakeReport("small", {});
  EXPECT_TRUE(store->Put({}, report).ok());
}

TEST_F(ReportStoreTest, DamagedFileIsRefusedAndLeftAlone) {
  const std::string garbage(5000, 'x');
  std::ofstream(path_, std::ios::binary) << garbage;
  auto store = OpenReportStore("sqlite:" + path_);
  EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss) << store.status();
  EXPECT_EQ(FileBytes(), garbage);
}

TEST_F(ReportStoreTest, DamagedPagesAreDataLossNotACrash) {
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

TEST_F(ReportStoreTest, NewerAndForeignFilesAreRefused) {
  Open();
  Sql("UPDATE quantgate_report_store SET version = 99");
  auto newer = OpenReportStore("sqlite:" + path_);
  EXPECT_EQ(newer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(newer.status().message()), HasSubstr("newer version of this program (schema 99"));
  Sql("UPDATE quantgate_report_store SET version = 1");
  EXPECT_TRUE(OpenReportStore("sqlite:" + path_).ok());

  path_ += ".other";
  Sql("CREATE TABLE photos (id INTEGER)");
  const std::string before = FileBytes();
  auto foreign = OpenReportStore("sqlite:" + path_);
  EXPECT_THAT(std::string(foreign.status().message()), HasSubstr("another program"));
  EXPECT_EQ(FileBytes(), before);
}

TEST_F(ReportStoreTest, Addresses) {
  auto none = OpenReportStore("none");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  for (const std::string& bad : std::vector<std::string>{
           "", "sqlite", "sqlite:", "mysql:x", "postgresql://h/d", "sqlite::memory:", "sqlite:file:x",
           "sqlite:/dev/null", "sqlite:/", "sqlite:" + path_ + "?mode=rx", "sqlite:" + path_ + "?max_bytes=-1",
           "sqlite:" + path_ + "?colour=red"}) {
    EXPECT_EQ(OpenReportStore(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_THAT(std::string(OpenReportStore("postgresql://h/d").status().message()),
              HasSubstr("not supported by this build yet"));
  EXPECT_EQ(OpenReportStore("sqlite:/no/such/folder/r.db").status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace quantgate::db
