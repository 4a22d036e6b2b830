// What a store says over time: fleet, trends, graphs, import and retention. On every kind of database.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "db/reports/requests.h"
#include "tests/db/reports/fixture.h"

namespace quantgate::db {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::google::protobuf::util::TimeUtil;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// 2026-03-02, a Monday, 00:00 UTC.
constexpr int64_t kMonday = 1772409600;
constexpr int64_t kDay = 86400;

std::string NameOf(int number) { return absl::StrFormat("reports/00000000-0000-4000-8000-%012x", number); }

v1::Finding MakeFinding(const std::string& code, const std::string& node) {
  v1::Finding finding;
  finding.set_code(code);
  finding.set_severity(v1::Finding::ERROR);
  finding.mutable_location()->set_node(node);
  finding.mutable_location()->set_op("Conv");
  // What counts is which of its kind the node is, not its name.
  finding.mutable_location()->set_position(static_cast<int>(node.size()));
  return finding;
}

std::string Sha256Of(const std::string& bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), sizeof digest));
}

class HistoryTest : public ReportStoreTest {
 protected:
  void SetUp() override {
    ReportStoreTest::SetUp();
    if (IsSkipped()) return;
    store_ = Open();
  }

  // Findings: code and node ("DT001", "n"); the verdict follows.
  v1::Report At(int64_t seconds, const std::string& path, const std::string& target, const std::string& branch,
                const std::vector<std::pair<std::string, std::string>>& findings) {
    v1::Report report;
    report.set_name(NameOf(++made_));
    report.mutable_create_time()->set_seconds(seconds);
    report.mutable_model()->set_path(path);
    report.mutable_labels()->set_repository("models");
    report.mutable_labels()->set_branch(branch);
    v1::Result& result = *report.add_results();
    result.set_target(target);
    result.set_verdict(findings.empty() ? v1::Result::ACCEPTED : v1::Result::REJECTED);
    for (const auto& [code, node] : findings) *result.add_findings() = MakeFinding(code, node);
    return report;
  }

  void Import(const v1::Report& report) {
    auto imported = store_->Import({&report});
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(*imported, 1);
  }

  v1::GetTrendsResponse Trends(const std::string& filter, int64_t first, int64_t last,
                               v1::GetTrendsRequest::Step step = v1::GetTrendsRequest::STEP_DAY) {
    v1::GetTrendsRequest request;
    request.set_filter(filter);
    request.mutable_start_time()->set_seconds(first);
    request.mutable_end_time()->set_seconds(last);
    request.set_step(step);
    v1::GetTrendsResponse response;
    const absl::Status status = store_->GetTrends(request, response);
    EXPECT_TRUE(status.ok()) << status;
    return response;
  }

  v1::GetFleetResponse Fleet(const std::string& filter, int page_size = 100, const std::string& token = "") {
    v1::GetFleetRequest request;
    request.set_filter(filter);
    request.set_page_token(token);
    v1::GetFleetResponse response;
    const absl::Status status = store_->GetFleet(request, page_size, response);
    EXPECT_TRUE(status.ok()) << status;
    return response;
  }

  std::unique_ptr<ReportStore> store_;
  int made_ = 0;
};

const v1::FamilyTrend* FamilyOf(const v1::TrendPoint& point, const std::string& family) {
  for (const v1::FamilyTrend& trend : point.families()) {
    if (trend.family() == family) return &trend;
  }
  return nullptr;
}

TEST_P(HistoryTest, FleetHasTheNewestOfEachPairAndTheOneBefore) {
  Import(At(kMonday, "a.onnx", "x@1.0.0", "main", {{"DT001", "n"}}));
  Import(At(kMonday + 60, "a.onnx", "x@1.0.0", "main", {}));
  Import(At(kMonday + 120, "a.onnx", "x@1.0.0", "topic", {{"DT001", "n"}, {"NR001", "m"}}));
  Import(At(kMonday + 30, "b.onnx", "x@1.0.0", "main", {}));
  Import(At(kMonday + 30, "a.onnx", "y@1.0.0", "topic", {}));

  const v1::GetFleetResponse all = Fleet("");
  ASSERT_EQ(all.entries_size(), 3);
  EXPECT_EQ(all.entries(0).model_path(), "a.onnx");
  EXPECT_EQ(all.entries(0).target(), "x@1.0.0");
  EXPECT_EQ(all.entries(0).repository(), "models");
  EXPECT_EQ(all.entries(0).newest().report(), NameOf(3));
  EXPECT_EQ(all.entries(0).newest().verdict(), v1::Result::REJECTED);
  EXPECT_EQ(all.entries(0).newest().errors(), 2);
  EXPECT_EQ(all.entries(0).newest().labels().branch(), "topic");
  EXPECT_EQ(all.entries(0).newest().create_time().seconds(), kMonday + 120);
  EXPECT_EQ(all.entries(0).previous().report(), NameOf(2));
  EXPECT_EQ(all.entries(0).previous().verdict(), v1::Result::ACCEPTED);
  EXPECT_EQ(all.entries(1).target(), "y@1.0.0");
  EXPECT_FALSE(all.entries(1).has_previous());
  EXPECT_EQ(all.entries(2).model_path(), "b.onnx");

  const v1::GetFleetResponse main = Fleet("labels.branch = main");
  ASSERT_EQ(main.entries_size(), 2);
  EXPECT_EQ(main.entries(0).newest().report(), NameOf(2));
  EXPECT_EQ(main.entries(0).previous().report(), NameOf(1));
  EXPECT_EQ(Fleet("model.path = b.onnx").entries_size(), 1);
  EXPECT_EQ(Fleet("target = \"y@1.0.0\" AND labels.repository = models").entries_size(), 1);
  EXPECT_EQ(Fleet("labels.repository = others").entries_size(), 0);
}

TEST_P(HistoryTest, FleetPagesAreComplete) {
  std::set<std::string> wanted;
  for (int i = 0; i < 7; ++i) {
    Import(At(kMonday + i, absl::StrCat("m", i), "x", i % 2 == 0 ? "main" : "topic", {}));
    if (i % 2 == 0) wanted.insert(absl::StrCat("m", i));
  }
  std::set<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    const v1::GetFleetResponse page = Fleet("labels.branch = main", 2, token);
    EXPECT_LE(page.entries_size(), 2);
    for (const v1::FleetEntry& entry : page.entries()) EXPECT_TRUE(seen.insert(entry.model_path()).second);
    token = page.next_page_token();
  } while (!token.empty() && ++pages < 10);
  EXPECT_EQ(seen, wanted);

  v1::GetFleetRequest request;
  request.set_page_token(Fleet("", 2).next_page_token());
  ASSERT_FALSE(request.page_token().empty());
  request.set_filter("target = x");
  v1::GetFleetResponse response;
  EXPECT_EQ(store_->GetFleet(request, 2, response).code(), absl::StatusCode::kInvalidArgument);
  for (const char* bad : {"verdict = REJECTED", "model.path != a", "create_time > \"2027-01-01T00:00:00Z\"", "nonsense",
                          "labels.branch = a AND labels.branch = b", "labels.revision = a"}) {
    v1::GetFleetRequest wrong;
    wrong.set_filter(bad);
    const absl::Status status = store_->GetFleet(wrong, 2, response);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("filter: ")) << bad;
  }
}

TEST_P(HistoryTest, TrendsCountDaysAndWeeks) {
  Import(At(kMonday, "a", "x", "main", {{"DT001", "n"}, {"DT002", "m"}, {"NR001", "n"}}));
  Import(At(kMonday + kDay - 1, "b", "x", "main", {{"NR001", "n"}}));
  Import(At(kMonday + kDay, "b", "y", "topic", {}));
  Import(At(kMonday + 7 * kDay, "b", "y", "main", {}));

  const v1::GetTrendsResponse days = Trends("", kMonday - kDay, kMonday + 8 * kDay);
  ASSERT_EQ(days.points_size(), 10);
  EXPECT_EQ(days.points(0).results(), 0);
  EXPECT_EQ(days.points(1).start_time().seconds(), kMonday);
  EXPECT_EQ(days.points(1).results(), 2);
  ASSERT_EQ(days.points(1).verdicts_size(), 1);
  EXPECT_EQ(days.points(1).verdicts(0).verdict(), v1::Result::REJECTED);
  EXPECT_EQ(days.points(1).verdicts(0).results(), 2);
  ASSERT_EQ(days.points(1).families_size(), 2);
  EXPECT_EQ(days.points(1).families(0).family(), "DT");
  EXPECT_EQ(days.points(1).families(0).findings(), 2);
  EXPECT_EQ(days.points(1).families(1).findings(), 2);
  EXPECT_EQ(days.points(2).results(), 1);
  EXPECT_EQ(days.points(8).results(), 1);

  // Weeks begin on Mondays, whatever the day that was asked for.
  const v1::GetTrendsResponse weeks =
      Trends("", kMonday + 2 * kDay, kMonday + 9 * kDay, v1::GetTrendsRequest::STEP_WEEK);
  ASSERT_EQ(weeks.points_size(), 2);
  EXPECT_EQ(weeks.points(0).start_time().seconds(), kMonday);
  EXPECT_EQ(weeks.points(0).results(), 3);
  EXPECT_EQ(weeks.points(1).results(), 1);

  EXPECT_EQ(Trends("labels.branch = main", kMonday, kMonday).points(0).results(), 2);
  EXPECT_EQ(Trends("target = x AND model.path = a", kMonday, kMonday).points(0).results(), 1);
  EXPECT_EQ(Trends("target = y AND labels.branch = topic", kMonday, kMonday + kDay).points(1).results(), 1);
  EXPECT_EQ(Trends("labels.repository = models", kMonday, kMonday).points(0).results(), 2);
  EXPECT_EQ(Trends("labels.repository = others", kMonday, kMonday).points(0).results(), 0);

  // A report that is deleted counts no more.
  ASSERT_TRUE(store_->Delete(NameOf(1)).ok());
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), 1);
  EXPECT_EQ(FamilyOf(Trends("", kMonday, kMonday).points(0), "DT"), nullptr);
}

TEST_P(HistoryTest, TrendRangesAreChecked) {
  v1::GetTrendsResponse response;
  const auto code = [&](int64_t first, int64_t last, int step) {
    v1::GetTrendsRequest request;
    request.mutable_start_time()->set_seconds(first);
    request.mutable_end_time()->set_seconds(last);
    request.set_step(static_cast<v1::GetTrendsRequest::Step>(step));
    return store_->GetTrends(request, response).code();
  };
  EXPECT_EQ(code(kMonday + kDay, kMonday, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(kMonday, kMonday + 1000 * kDay, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(kMonday, kMonday + 999 * kDay, 1), absl::StatusCode::kOk);
  EXPECT_EQ(code(kMonday, kMonday, 7), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(std::numeric_limits<int64_t>::min(), kMonday, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(kMonday, std::numeric_limits<int64_t>::max(), 2), absl::StatusCode::kInvalidArgument);
  v1::GetTrendsResponse defaults;
  ASSERT_TRUE(store_->GetTrends({}, defaults).ok());
  EXPECT_EQ(defaults.points_size(), 31);
}

TEST_P(HistoryTest, TimeToFixIsFromTheFirstReportToTheFirstWithout) {
  Import(At(kMonday, "a", "x", "main", {{"DT001", "n"}, {"NR001", "n"}}));
  Import(At(kMonday + 1000, "a", "x", "main", {{"DT001", "n"}}));
  Import(At(kMonday + 1500, "a", "x", "topic", {}));  // another branch fixes nothing here
  Import(At(kMonday + 1500, "b", "x", "main", {}));
  Import(At(kMonday + 3000, "a", "x", "main", {}));
  Import(At(kMonday + 4000, "a", "x", "main", {{"DT001", "n"}}));  // again: another problem
  Import(At(kMonday + 4500, "a", "x", "main", {}));
  const v1::GetTrendsResponse trends = Trends("", kMonday, kMonday);
  const v1::FamilyTrend* dt = FamilyOf(trends.points(0), "DT");
  const v1::FamilyTrend* nr = FamilyOf(trends.points(0), "NR");
  ASSERT_TRUE(dt != nullptr && nr != nullptr);
  EXPECT_EQ(dt->fixed(), 2);
  EXPECT_DOUBLE_EQ(dt->mean_seconds_to_fix(), (3000 + 500) / 2.0);
  EXPECT_EQ(nr->fixed(), 1);
  EXPECT_DOUBLE_EQ(nr->mean_seconds_to_fix(), 1000);
}

// Whatever the order in which reports arrive, the history is that of their times.
TEST_P(HistoryTest, ReportsInAnyOrderMakeTheSameHistory) {
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    std::vector<v1::Report> reports;
    const std::string path = absl::StrCat("model", round);
    const int count = 9;
    std::map<std::tuple<int64_t, std::string>, std::pair<int64_t, int64_t>> wanted;  // day, family: fixed, seconds
    std::map<std::string, int64_t> open;                                             // by node, since when
    for (int i = 0; i < count; ++i) {
      const int64_t time = kMonday + i * 40000;
      std::vector<std::pair<std::string, std::string>> findings;
      for (int node = 1; node <= 4; ++node) {
        const std::string name(node, 'n');
        const std::string family = node % 2 == 0 ? "DT" : "NR";
        if (random() % 2 == 0) {
          findings.emplace_back(family + "001", name);
          open.try_emplace(name, time);
        } else if (const auto it = open.find(name); it != open.end()) {
          auto& [fixed, seconds] = wanted[{(time - kMonday) / kDay, family}];
          ++fixed;
          seconds += time - it->second;
          open.erase(it);
        }
      }
      reports.push_back(At(time, path, "x", "main", findings));
    }
    std::shuffle(reports.begin(), reports.end(), random);
    for (const v1::Report& report : reports) Import(report);
    const v1::GetTrendsResponse trends = Trends(absl::StrCat("model.path = ", path), kMonday, kMonday + count * 40000);
    for (int day = 0; day < trends.points_size(); ++day) {
      for (const char* family : {"DT", "NR"}) {
        const v1::FamilyTrend* trend = FamilyOf(trends.points(day), family);
        const auto it = wanted.find({day, family});
        const int64_t fixed = it == wanted.end() ? 0 : it->second.first;
        EXPECT_EQ(trend == nullptr ? 0 : trend->fixed(), fixed) << round << " day " << day << " " << family;
        if (fixed > 0 && trend != nullptr) {
          EXPECT_NEAR(trend->mean_seconds_to_fix(), static_cast<double>(it->second.second) / fixed, 1e-3);
        }
      }
    }
  }
}

// A history without a report is that of a store in which it never was.
TEST_P(HistoryTest, DeletedReportsLeaveTheHistory) {
  std::mt19937 random(8);
  for (int round = 0; round < 12; ++round) {
    const std::string path = absl::StrCat("model", round), other = absl::StrCat("other", round);
    std::vector<v1::Report> reports;
    for (int i = 0; i < 8; ++i) {
      std::vector<std::pair<std::string, std::string>> findings;
      for (int node = 1; node <= 4; ++node) {
        if (random() % 2 == 0) findings.emplace_back(node % 2 == 0 ? "DT001" : "NR001", std::string(node, 'n'));
      }
      reports.push_back(At(kMonday + i * 40000, path, "x", i == 3 ? "topic" : "main", findings));
    }
    std::shuffle(reports.begin(), reports.end(), random);
    for (const v1::Report& report : reports) Import(report);
    const size_t left = random() % reports.size();
    for (size_t i = left; i < reports.size(); ++i) ASSERT_TRUE(store_->Delete(reports[i].name()).ok());
    for (size_t i = 0; i < left; ++i) {
      v1::Report copy = reports[i];
      copy.set_name(NameOf(++made_));
      copy.mutable_model()->set_path(other);
      Import(copy);
    }
    const auto trends = [&](const std::string& of) {
      return Trends(absl::StrCat("model.path = ", of), kMonday, kMonday + 8 * 40000);
    };
    const v1::GetTrendsResponse is = trends(path), wanted = trends(other);
    EXPECT_TRUE(MessageDifferencer::ApproximatelyEquals(is, wanted))
        << round << ", " << left << " left: " << is.DebugString() << "instead of\n"
        << wanted.DebugString();
  }
}

// Of both results the first is counted, once.
TEST_P(HistoryTest, ATargetThatWasAskedAboutTwiceCountsOnce) {
  v1::Report report = At(kMonday, "a", "x", "main", {{"DT001", "n"}});
  *report.add_results() = report.results(0);
  Import(report);
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), 1);
  EXPECT_EQ(FamilyOf(Trends("", kMonday, kMonday).points(0), "DT")->findings(), 1);
  ASSERT_TRUE(store_->Delete(report.name()).ok());
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), 0);
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).families_size(), 0);
}

TEST_P(HistoryTest, ThousandsOfFindingsAreFollowedAsASample) {
  std::vector<std::pair<std::string, std::string>> findings;
  for (int i = 0; i < 3000; ++i) findings.emplace_back("DT001", std::string(i + 1, 'n'));
  Import(At(kMonday, "a", "x", "main", findings));
  // The same but one: nothing of the sample may pass for fixed because others took its place.
  findings.erase(findings.begin() + 1234);
  Import(At(kMonday + 10, "a", "x", "main", findings));
  const v1::GetTrendsResponse before = Trends("", kMonday, kMonday);
  EXPECT_LE(FamilyOf(before.points(0), "DT")->fixed(), 1);
  Import(At(kMonday + 20, "a", "x", "main", {}));
  const v1::GetTrendsResponse after = Trends("", kMonday, kMonday);
  EXPECT_GE(FamilyOf(after.points(0), "DT")->fixed(), 1000);
  EXPECT_LE(FamilyOf(after.points(0), "DT")->fixed(), 1002);
}

TEST_P(HistoryTest, ImportKeepsNameAndTimeAndCanBeRepeated) {
  v1::Report report = At(kMonday, "a", "x", "main", {{"DT001", "n"}});
  report.mutable_create_time()->set_nanos(123456789);
  v1::ImportReportsRequest request;
  *request.add_reports() = report;
  v1::ImportReportsResponse first, second;
  ASSERT_TRUE(db::Import(*store_, request, first).ok());
  ASSERT_TRUE(db::Import(*store_, request, second).ok());
  EXPECT_EQ(first.imported(), 1);
  EXPECT_EQ(second.imported(), 0);
  EXPECT_EQ(second.present(), 1);
  EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get(report.name()), report));
  EXPECT_THAT(ListPaths(*store_, "labels.branch = main AND create_time = \"2026-03-02T00:00:00.123456789Z\""),
              ElementsAre("a"));
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), 1);
  // Another at the same nanosecond is another report.
  v1::Report other = At(kMonday, "b", "x", "main", {});
  *other.mutable_create_time() = report.create_time();
  Import(other);
  EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get(other.name()), other));
  EXPECT_EQ(ListPaths(*store_, "").size(), 2u);
}

TEST_P(HistoryTest, ImportRefusesAnotherReportOfAName) {
  const v1::Report report = At(kMonday, "a", "x", "main", {{"DT001", "n"}});
  Import(report);
  v1::ImportReportsRequest request;
  *request.add_reports() = At(kMonday + 1, "b", "x", "main", {});
  *request.add_reports() = report;
  request.mutable_reports(1)->mutable_results(0)->mutable_findings(0)->set_code("DT002");
  v1::ImportReportsResponse response;
  const absl::Status status = db::Import(*store_, request, response);
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
  EXPECT_EQ(status.message(), absl::StrCat("reports[1].name: there is another report ", report.name()));
  // All or none.
  EXPECT_THAT(ListPaths(*store_, ""), ElementsAre("a"));
  EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get(report.name()), report));
}

TEST_P(HistoryTest, GraphsTravelWithTheirDigest) {
  v1::Graph graph;
  graph.set_name("g");
  graph.add_values()->mutable_constant()->add_reals(0.1);
  v1::Report report = At(kMonday, "a", "x", "main", {});
  report.set_graph_digest(Sha256Of(graph.SerializeAsString()));
  v1::ImportReportsRequest request;
  *request.add_reports() = report;
  *request.add_graphs() = graph;
  v1::ImportReportsResponse response;
  absl::Status status = db::Import(*store_, request, response);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(MessageDifferencer::Equals(*store_->GetGraph(report.name()), graph));
  // Of a report that was there before.
  v1::Report later = At(kMonday + 1, "b", "x", "main", {});
  graph.set_name("later");
  later.set_graph_digest(Sha256Of(graph.SerializeAsString()));
  Import(later);
  EXPECT_EQ(store_->GetGraph(later.name()).status().code(), absl::StatusCode::kNotFound);
  *request.mutable_graphs(0) = graph;
  ASSERT_TRUE(db::Import(*store_, request, response).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(*store_->GetGraph(later.name()), graph));
  // Changed on its way, even in a bit.
  request.mutable_graphs(0)->mutable_values(0)->mutable_constant()->set_reals(0, 0.2);
  status = db::Import(*store_, request, response);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("graphs[0]: its digest is "));
}

TEST_P(HistoryTest, ImportNamesWhatIsWrong) {
  const auto message = [&](auto change) {
    v1::ImportReportsRequest request;
    *request.add_reports() = At(kMonday, "a", "x", "", {});
    *request.add_reports() = At(kMonday, "a", "x", "", {});
    change(*request.mutable_reports(1));
    v1::ImportReportsResponse response;
    const absl::Status status = db::Import(*store_, request, response);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(message([](v1::Report& r) { r.clear_name(); }), HasSubstr("reports[1].name: "));
  EXPECT_THAT(message([](v1::Report& r) { r.set_name("reports/'; DROP TABLE reports; --"); }),
              HasSubstr("reports[1].name: "));
  EXPECT_THAT(message([](v1::Report& r) { r.clear_create_time(); }), HasSubstr("reports[1].create_time: "));
  EXPECT_THAT(message([](v1::Report& r) { r.mutable_create_time()->set_nanos(-1); }), HasSubstr("create_time: "));
  EXPECT_THAT(message([](v1::Report& r) { r.mutable_create_time()->set_seconds(std::numeric_limits<int64_t>::max()); }),
              HasSubstr("create_time: "));
  EXPECT_THAT(message([](v1::Report& r) { r.clear_results(); }), HasSubstr("reports[1].results: "));
  v1::ImportReportsRequest many;
  for (int i = 0; i < 1001; ++i) many.add_reports();
  v1::ImportReportsResponse response;
  EXPECT_THAT(std::string(db::Import(*store_, many, response).message()), HasSubstr("at most 1000"));
}

TEST_P(HistoryTest, LabelsSelect) {
  v1::Report report = At(kMonday, "a", "x", "feature/x", {});
  report.mutable_labels()->set_revision("0123abc");
  report.mutable_labels()->set_pull_request("17");
  Import(report);
  Import(At(kMonday + 1, "b", "x", "main", {}));
  EXPECT_THAT(ListPaths(*store_, "labels.branch = feature/x"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "labels.branch != feature/x"), ElementsAre("b"));
  EXPECT_THAT(ListPaths(*store_, "labels.revision = 0123abc AND labels.pull_request = 17"), ElementsAre("a"));
  EXPECT_THAT(ListPaths(*store_, "labels.repository = models"), ElementsAre("b", "a"));
  EXPECT_THAT(ListPaths(*store_, "labels.pull_request = \"' OR 1=1 --\""), IsEmpty());
  EXPECT_EQ(store_->List({"labels.branch = main"})->reports[0].labels().branch(), "main");
}

// Names come from anywhere.
TEST_P(HistoryTest, HostileNamesAreOnlyNames) {
  const std::string names[] = {"'; DROP TABLE reports; --",
                               "\"quoted\"",
                               "<script>alert(1)</script>",
                               std::string("nul\0inside", 10),
                               std::string(4096, 'p'),
                               std::string(4096, 'q'),
                               "%s%n$1\\",
                               "caf\xc3\xa9 \xf0\x9f\x98\x80"};
  int64_t time = kMonday;
  for (const std::string& name : names) {
    v1::Report report = At(++time, name, name, name.substr(0, 256), {{name.substr(0, 64), name.substr(0, 300)}});
    Import(report);
    EXPECT_TRUE(MessageDifferencer::Equals(*store_->Get(report.name()), report));
    std::string quoted;
    for (const char c : name.substr(0, 256))
      quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    EXPECT_EQ(ListPaths(*store_, absl::StrCat("labels.branch = \"", quoted, "\"")).size(), 1u) << quoted.substr(0, 40);
  }
  EXPECT_EQ(ListPaths(*store_, "").size(), std::size(names));
  std::vector<std::string> listed;
  const v1::GetFleetResponse fleet = Fleet("");
  for (const v1::FleetEntry& entry : fleet.entries()) {
    EXPECT_EQ(entry.model_path(), entry.target());
    listed.push_back(entry.model_path());
  }
  EXPECT_THAT(listed, UnorderedElementsAreArray(names));
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), static_cast<int>(std::size(names)));
}

TEST_P(HistoryTest, GraphsAreKeptOnceAndWithoutWeights) {
  v1::Graph graph;
  graph.set_name("g");
  v1::Constant& constant = *graph.add_values()->mutable_constant();
  constant.set_data(std::string(100'000, 'w'));
  constant.mutable_statistics()->set_min(-1);
  *graph.add_subgraphs()->add_values()->mutable_constant() = constant;
  v1::Report first = MakeReport("a", {MakeResult("x", v1::Result::ACCEPTED)});
  v1::Report second = MakeReport("a", {MakeResult("x", v1::Result::ACCEPTED)});
  v1::Report without = MakeReport("b", {MakeResult("x", v1::Result::ACCEPTED)});
  ASSERT_TRUE(store_->Put({}, first, &graph).ok());
  ASSERT_TRUE(store_->Put({}, second, &graph).ok());
  ASSERT_TRUE(store_->Put({}, without).ok());
  auto kept = store_->GetGraph(second.name());
  ASSERT_TRUE(kept.ok()) << kept.status();
  constant.clear_data();
  graph.mutable_subgraphs(0)->mutable_values(0)->mutable_constant()->clear_data();
  EXPECT_TRUE(MessageDifferencer::Equals(*kept, graph));
  EXPECT_EQ(store_->GetGraph(without.name()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetGraph(NameOf(99)).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->GetGraph("x").status().code(), absl::StatusCode::kInvalidArgument);
  // It goes with the last report that has it.
  ASSERT_TRUE(store_->Delete(first.name()).ok());
  EXPECT_TRUE(store_->GetGraph(second.name()).ok());
  ASSERT_TRUE(store_->Delete(second.name()).ok());
  v1::Report again = MakeReport("a", {MakeResult("x", v1::Result::ACCEPTED)});
  ASSERT_TRUE(store_->Put({}, again).ok());
  EXPECT_EQ(store_->GetGraph(again.name()).status().code(), absl::StatusCode::kNotFound);
}

TEST_P(HistoryTest, LargeGraphsAreNotKept) {
  v1::Graph graph;
  graph.set_name(std::string(kMaxGraphBytes + 1, 'g'));
  v1::Report report = MakeReport("a", {MakeResult("x", v1::Result::ACCEPTED)});
  ASSERT_TRUE(store_->Put({}, report, &graph).ok());
  EXPECT_EQ(store_->GetGraph(report.name()).status().code(), absl::StatusCode::kNotFound);
}

TEST_P(HistoryTest, PruneDeletesTheOldest) {
  for (int i = 0; i < 250; ++i) Import(At(kMonday + i, absl::StrCat("m", i), "x", "main", {{"DT001", "n"}}));
  const auto prune = [&](int64_t before, int64_t max_reports) {
    v1::PruneReportsRequest request;
    if (before > 0) request.mutable_before()->set_seconds(before);
    request.set_max_reports(max_reports);
    v1::PruneReportsResponse response;
    const absl::Status status = Prune(
        *store_, request, [] { return absl::OkStatus(); }, response);
    EXPECT_TRUE(status.ok()) << status;
    return response.deleted();
  };
  EXPECT_EQ(prune(kMonday, 0), 0);
  EXPECT_EQ(prune(kMonday + 120, 0), 120);
  EXPECT_EQ(prune(kMonday + 120, 0), 0);
  EXPECT_EQ(prune(0, 1000), 0);
  EXPECT_EQ(prune(0, 130), 0);
  EXPECT_EQ(prune(0, 10), 120);
  EXPECT_EQ(prune(kMonday + 245, 100), 5);
  EXPECT_THAT(ListPaths(*store_, ""), ElementsAre("m249", "m248", "m247", "m246", "m245"));
  EXPECT_EQ(Fleet("", 1000).entries_size(), 5);
  // Trends keep what they counted.
  EXPECT_EQ(Trends("", kMonday, kMonday).points(0).results(), 250);

  v1::PruneReportsResponse response;
  const auto go_on = [] { return absl::OkStatus(); };
  EXPECT_EQ(Prune(*store_, {}, go_on, response).code(), absl::StatusCode::kInvalidArgument);
  v1::PruneReportsRequest negative;
  negative.set_max_reports(-1);
  EXPECT_EQ(Prune(*store_, negative, go_on, response).code(), absl::StatusCode::kInvalidArgument);
}

TEST_P(HistoryTest, DiffNamesWhatIsNewFixedAndStillThere) {
  Import(At(kMonday, "a", "x@1.0.0", "main", {{"DT001", "n"}, {"NR001", "nn"}}));
  v1::Report later = At(kMonday + 1, "a", "x@2.0.0", "main", {{"DT001", "n"}, {"QS001", "nnn"}});
  *later.add_results() = MakeResult("y@1.0.0", v1::Result::REJECTED, {"NR002"});
  Import(later);
  v1::DiffReportsRequest request;
  request.set_base(NameOf(1));
  request.set_other(NameOf(2));
  v1::DiffReportsResponse diff;
  ASSERT_TRUE(Diff(*store_, request, diff).ok());
  ASSERT_EQ(diff.targets_size(), 2);
  const v1::TargetDiff& x = diff.targets(0);
  EXPECT_EQ(x.target(), "x@2.0.0");
  EXPECT_EQ(x.base_target(), "x@1.0.0");
  ASSERT_EQ(x.new_findings_size(), 1);
  EXPECT_EQ(x.new_findings(0).code(), "QS001");
  ASSERT_EQ(x.fixed_findings_size(), 1);
  EXPECT_EQ(x.fixed_findings(0).code(), "NR001");
  ASSERT_EQ(x.remaining_findings_size(), 1);
  EXPECT_EQ(x.remaining_findings(0).code(), "DT001");
  EXPECT_EQ(diff.targets(1).base_target(), "");
  EXPECT_EQ(diff.targets(1).new_findings_size(), 1);
  EXPECT_EQ(diff.base().results(0).findings_size(), 0);
  EXPECT_EQ(diff.base().name(), NameOf(1));

  // The other way round: what was fixed is new, and nothing is said of a target that was not asked about.
  std::swap(*request.mutable_base(), *request.mutable_other());
  v1::DiffReportsResponse back;
  ASSERT_TRUE(Diff(*store_, request, back).ok());
  ASSERT_EQ(back.targets_size(), 2);
  EXPECT_EQ(back.targets(0).new_findings(0).code(), "NR001");
  EXPECT_EQ(back.targets(1).target(), "");
  EXPECT_EQ(back.targets(1).base_target(), "y@1.0.0");
  EXPECT_EQ(back.targets(1).fixed_findings_size(), 0);

  request.set_other("x");
  EXPECT_EQ(std::string(Diff(*store_, request, diff).message()).substr(0, 7), "other: ");
  request.set_other(NameOf(99));
  EXPECT_EQ(Diff(*store_, request, diff).code(), absl::StatusCode::kNotFound);
}

std::string HistoryKind(const ::testing::TestParamInfo<DatabaseKind>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, HistoryTest,
                         ::testing::Values(DatabaseKind{"Sqlite", MakeSqliteDatabase},
                                           DatabaseKind{"Postgres", MakePostgresDatabase}),
                         HistoryKind);

}  // namespace
}  // namespace quantgate::db
