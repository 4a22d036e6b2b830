// What a store does, whatever database it is in.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "db/reports/report_store.h"
#include "tests/db/reports/fixture.h"

namespace quantgate::db {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_P(ReportStoreTest, KeepsAReportAcrossReopening) {
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

TEST_P(ReportStoreTest, GetAndDeleteNameWhatIsWrong) {
  auto store = Open();
  for (const char* bad : {"", "reports/", "reports/x", "report/00000000-0000-4000-8000-000000000000",
                          "reports/00000000-0000-4000-8000-00000000000'"}) {
    EXPECT_EQ(store->Get(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_EQ(store->Delete(bad).code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(store->Get(bad).status().message(),
                HasSubstr(absl::StrCat("name: '", bad, "' is no report's name, which is reports/ and a UUID")));
  }
  const char* missing = "reports/00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(store->Get(missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete(missing).code(), absl::StatusCode::kNotFound);
}

// protobuf writes bytes that are not UTF-8 into a text field, and refuses to read them again.
TEST_P(ReportStoreTest, WhatCouldNotBeReadAgainIsNotKept) {
  auto store = Open();
  v1::Report report = MakeReport("good.onnx", {MakeResult("qnn_htp/V75", v1::Result::ACCEPTED, {})});
  report.mutable_model()->set_path("bad\xff.onnx");
  EXPECT_EQ(store->Put({}, report).message(), "model.path: is not UTF-8");
  report.mutable_model()->set_path("good.onnx");
  report.mutable_labels()->set_branch("\xff");
  EXPECT_EQ(store->Put({}, report).message(), "options.labels.branch: is not UTF-8");
  report.mutable_labels()->set_branch("\u00ff");
  EXPECT_TRUE(store->Put({}, report).ok());
  EXPECT_EQ(ListPaths(*store, "").size(), 1);
}

TEST_P(ReportStoreTest, DeleteRemovesEveryRow) {
  auto store = Open();
  v1::Report report = MakeReport("a", {MakeResult("t", v1::Result::REJECTED, {"NR001"})});
  ASSERT_TRUE(store->Put({"id", "digest"}, report).ok());
  ASSERT_TRUE(store->Delete(report.name()).ok());
  EXPECT_EQ(store->Get(report.name()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(ListPaths(*store, ""), IsEmpty());
  EXPECT_THAT(ListPaths(*store, "code = NR001"), IsEmpty());
  EXPECT_THAT(ListPaths(*store, "target = t"), IsEmpty());
  EXPECT_FALSE(store->FindRequest({"id", "digest"})->has_value());
}

TEST_P(ReportStoreTest, RequestIdsAreIdempotent) {
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
  EXPECT_EQ(ListPaths(*store, "").size(), 3u);
}

TEST_P(ReportStoreTest, OneRequestIdFromManyThreadsIsOneReport) {
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
  EXPECT_EQ(ListPaths(*store, "").size(), 1u);
}

class FilterTest : public ReportStoreTest {
 protected:
  void SetUp() override {
    ReportStoreTest::SetUp();
    if (IsSkipped()) return;
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

TEST_P(FilterTest, EveryFieldSelects) {
  EXPECT_THAT(ListPaths(*store_, ""), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(ListPaths(*store_, "model.path = b"), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "model.path != b"), ElementsAre("d", "c", "a"));
  EXPECT_THAT(ListPaths(*store_, "model.sha256 = sha-c"), ElementsAre("c"));
  EXPECT_THAT(ListPaths(*store_, "graph_digest = digest-a"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "target = x"), ElementsAre("c", "b", "a"));
  EXPECT_THAT(ListPaths(*store_, "target != x"), ElementsAre("b", "a"));
  EXPECT_THAT(ListPaths(*store_, "verdict = REJECTED"), ElementsAre("b", "a"));
  EXPECT_THAT(ListPaths(*store_, "verdict = UNKNOWN"), IsEmpty());
  EXPECT_THAT(ListPaths(*store_, "code = NR001"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "code = NR002"), ElementsAre("c"));
  EXPECT_THAT(ListPaths(*store_, "model.path = \"b' OR '1'='1\""), IsEmpty());
}

TEST_P(FilterTest, ConditionsOnResultsAreAboutTheSameResult) {
  EXPECT_THAT(ListPaths(*store_, "target = x AND verdict = REJECTED"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "target = y AND verdict = REJECTED"), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "target = y AND code = DT001"), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "code = DT001 AND code = NR001"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "code = DT001 AND code != NR001"), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "target = x AND code != NR001"), ElementsAre("c", "b"));
  EXPECT_THAT(ListPaths(*store_, "model.path = a AND target = x AND verdict = REJECTED AND code = NR001"),
              ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "model.path = a AND target = y AND verdict = REJECTED"), IsEmpty());
}

TEST_P(FilterTest, ABackendAloneMeansAllOfItsTargets) {
  Add("soc", {MakeResult("qnn_htp/SM8650@2.9.0", v1::Result::ACCEPTED)});
  Add("arch", {MakeResult("qnn_htp/V75@2.25.0", v1::Result::ACCEPTED)});
  Add("alone", {MakeResult("xnnpack@1.5.1", v1::Result::ACCEPTED)});
  Add("other", {MakeResult("qnn_htp_fp16/SM8650@2.9.0", v1::Result::ACCEPTED)});
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp"), ElementsAre("arch", "soc"));
  EXPECT_THAT(ListPaths(*store_, "target = xnnpack"), ElementsAre("alone"));
  EXPECT_THAT(ListPaths(*store_, "target != qnn_htp"), ElementsAre("other", "alone", "c", "b", "a"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp@2.9"), IsEmpty());
}

TEST_P(FilterTest, ShortTargetsMeanEveryVersion) {
  Add("old", {MakeResult("qnn_htp/SM8650@2.9.0", v1::Result::ACCEPTED)});
  Add("new", {MakeResult("qnn_htp/SM8650@2.25.0", v1::Result::REJECTED)});
  Add("other", {MakeResult("qnn_htp/SM8650P@2.51.0", v1::Result::ACCEPTED)});
  // Of a version that is none, it hides nothing, neither while it is there nor when it is gone.
  Add("mistyped", {MakeResult("qnn_htp/SM8650@99", v1::Result::ACCEPTED)});
  const auto fleet = [&](const std::string& filter) {
    v1::GetFleetRequest request;
    request.set_filter(filter);
    v1::GetFleetResponse response;
    EXPECT_TRUE(store_->GetFleet(request, 10, response).ok());
    std::vector<std::string> paths;
    for (const v1::FleetEntry& entry : response.entries()) paths.push_back(entry.model_path());
    return paths;
  };
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650"), ElementsAre("mistyped", "new", "old"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650 AND target != qnn_htp/SM8650@99"), ElementsAre("new", "old"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650 AND target = qnn_htp/SM8650@2.25"), ElementsAre("new"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650 AND target = x"), IsEmpty());
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650 AND verdict = ACCEPTED"), ElementsAre("mistyped", "old"));
  EXPECT_THAT(fleet("target = qnn_htp/SM8650"), ElementsAre("mistyped", "new", "old"));
  EXPECT_THAT(fleet("target = qnn_htp/SM8650 AND model.path = new"), ElementsAre("new"));
  EXPECT_THAT(fleet("target = qnn_htp/SM8650 AND target = x"), IsEmpty());
  ASSERT_TRUE(store_->Delete(store_->List({"model.path = mistyped"})->reports[0].name()).ok());
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650"), ElementsAre("new", "old"));
  EXPECT_THAT(fleet("target = qnn_htp/SM8650"), ElementsAre("new", "old"));
  v1::GetTrendsRequest request;
  for (const char* filter : {"target = qnn_htp/SM8650", "target = qnn_htp/SM8650 AND labels.repository = \"\""}) {
    request.set_filter(filter);
    v1::GetTrendsResponse trends;
    ASSERT_TRUE(store_->GetTrends(request, trends).ok());
    EXPECT_EQ(trends.points().rbegin()->results(), 2) << filter;
  }
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650@2.25"), ElementsAre("new"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650@2.9"), ElementsAre("old"));
  EXPECT_THAT(ListPaths(*store_, "target = qnn_htp/SM8650@2.2"), IsEmpty());
  EXPECT_THAT(ListPaths(*store_, "target = qnn"), IsEmpty());
  EXPECT_THAT(ListPaths(*store_, "model.path = other AND target != qnn_htp/SM8650P"), IsEmpty());
}

TEST_P(FilterTest, CreateTimeComparesExactly) {
  const std::string b = absl::StrCat("\"", times_[1], "\"");
  EXPECT_THAT(ListPaths(*store_, "create_time > " + b), ElementsAre("d", "c"));
  EXPECT_THAT(ListPaths(*store_, "create_time >= " + b), ElementsAre("d", "c", "b"));
  EXPECT_THAT(ListPaths(*store_, "create_time = " + b), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "create_time != " + b), ElementsAre("d", "c", "a"));
  EXPECT_THAT(ListPaths(*store_, "create_time < " + b), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "create_time <= " + b + " AND target = x"), ElementsAre("b", "a"));
}

TEST_P(FilterTest, SummariesLackTheLongListsOnly) {
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

TEST_P(FilterTest, PagesAreCompleteAndStableWhileReportsArrive) {
  std::vector<std::string> seen;
  ReportQuery query;
  query.filter = "target != \"\"";  // several rows per report
  query.page_size = 1;
  for (int pages = 0; pages < 10; ++pages) {
    auto page = store_->List(query);
    ASSERT_TRUE(page.ok()) << page.status();
    for (const std::string& path : PathsOf(*page)) seen.push_back(path);
    query.page_token = page->next_page_token;
    if (query.page_token.empty()) break;
    Add("late", {MakeResult("x", v1::Result::ACCEPTED)});
  }
  EXPECT_THAT(seen, ElementsAre("c", "b", "a"));
}

TEST_P(FilterTest, TokensBelongToTheirFilter) {
  ReportQuery query;
  query.page_size = 1;
  query.page_token = store_->List(query)->next_page_token;
  ASSERT_FALSE(query.page_token.empty());
  EXPECT_TRUE(store_->List(query).ok());
  query.filter = "target = x";
  EXPECT_EQ(store_->List(query).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(FilterTest, PagesAreBoundedInBytes) {
  ReportQuery query;
  query.max_bytes = 1;
  auto page = store_->List(query);
  EXPECT_THAT(PathsOf(*page), ElementsAre("d"));
  EXPECT_FALSE(page->next_page_token.empty());
}

std::string KindName(const ::testing::TestParamInfo<DatabaseKind>& info) { return info.param.name; }
const auto kKinds =
    ::testing::Values(DatabaseKind{"Sqlite", MakeSqliteDatabase}, DatabaseKind{"Postgres", MakePostgresDatabase});
INSTANTIATE_TEST_SUITE_P(All, ReportStoreTest, kKinds, KindName);
INSTANTIATE_TEST_SUITE_P(All, FilterTest, kKinds, KindName);

}  // namespace
}  // namespace quantgate::db
