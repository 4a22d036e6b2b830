// What is PostgreSQL's own: several servers on one database, a database that goes away, addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "db/reports/postgres_session.h"
#include "tests/db/reports/fixture.h"
#include "tests/db/reports/postgres_cluster.h"

namespace quantgate::db {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PostgresStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    cluster_ = PostgresCluster::Get(reason);
    if (cluster_ == nullptr) GTEST_SKIP() << reason;
    database_ = cluster_->CreateDatabase();
  }
  std::unique_ptr<ReportStore> Open() {
    auto store = OpenReportStore(cluster_->Address(database_));
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }
  PostgresCluster* cluster_ = nullptr;
  std::string database_;
};

TEST_F(PostgresStoreTest, ServersThatStartAtOnceMakeTheSchemaOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(OpenReportStore(cluster_->Address(database_)).ok()); });
  for (std::thread& thread : threads) thread.join();
}

// Four servers store reports of the same models at once: sums are as if one had.
TEST_F(PostgresStoreTest, ServersShareOneStore) {
  constexpr int kServers = 4, kReports = 25;
  std::vector<std::unique_ptr<ReportStore>> servers;
  for (int i = 0; i < kServers; ++i) servers.push_back(Open());
  std::vector<std::thread> threads;
  for (int i = 0; i < kServers; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < kReports; ++j) {
        v1::Report report =
            MakeReport("m", {MakeResult("x", v1::Result::REJECTED, {"DT001"}), MakeResult("y", v1::Result::ACCEPTED)});
        const absl::Status status = servers[i]->Put({}, report);
        EXPECT_TRUE(status.ok()) << status;
        v1::Report once = MakeReport("once", {});
        EXPECT_TRUE(servers[i]->Put({absl::StrCat("request ", j), "digest"}, once).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ReportQuery query;
  query.page_size = 1000;
  query.filter = "model.path = m";
  EXPECT_EQ(servers[0]->List(query)->reports.size(), size_t{kServers * kReports});
  query.filter = "model.path = once";
  EXPECT_EQ(servers[1]->List(query)->reports.size(), size_t{kReports});
  v1::GetTrendsResponse trends;
  ASSERT_TRUE(servers[2]->GetTrends({}, trends).ok());
  int64_t results = 0, findings = 0;
  for (const v1::TrendPoint& point : trends.points()) {
    results += point.results();
    for (const v1::FamilyTrend& family : point.families()) findings += family.findings();
  }
  EXPECT_EQ(results, 2 * kServers * kReports);
  EXPECT_EQ(findings, kServers * kReports);
}

TEST_F(PostgresStoreTest, ADatabaseThatGoesAwayAndReturns) {
  auto store = Open();
  v1::Report report = MakeReport("a", {});
  ASSERT_TRUE(store->Put({}, report).ok());
  cluster_->Stop();
  v1::Report lost = MakeReport("b", {});
  EXPECT_EQ(store->Put({}, lost).code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(lost.name().empty());
  EXPECT_EQ(store->Get(report.name()).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store->List({}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(OpenReportStore(cluster_->Address(database_)).status().code(), absl::StatusCode::kUnavailable);
  ASSERT_TRUE(cluster_->Start());
  EXPECT_TRUE(store->Get(report.name()).ok());
  EXPECT_TRUE(store->Put({}, lost).ok());
  EXPECT_EQ(store->List({})->reports.size(), 2u);
  // It came back between two calls: nobody notices.
  cluster_->Stop();
  ASSERT_TRUE(cluster_->Start());
  v1::Report next = MakeReport("c", {});
  EXPECT_TRUE(store->Put({}, next).ok());
  EXPECT_EQ(store->List({})->reports.size(), 3u);
}

// The kernel still acknowledges what is sent to a process that is stopped.
TEST_F(PostgresStoreTest, ABackendThatNeverAnswersIsAsABrokenConnection) {
  auto session = reports::OpenPostgresSession(cluster_->Address(database_), absl::Milliseconds(300));
  ASSERT_TRUE(session.ok()) << session.status();
  const auto pid_of = [&] {
    const auto answer = (*session)->Run("SELECT pg_backend_pid()", {});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? static_cast<pid_t>(answer->rows[0].Int(0)) : pid_t{0};
  };
  const pid_t first = pid_of();
  ASSERT_EQ(kill(first, SIGSTOP), 0);
  const pid_t second = pid_of();  // on another connection
  EXPECT_NE(first, second);
  ASSERT_TRUE((*session)->Begin().ok());
  EXPECT_EQ(pid_of(), second);
  ASSERT_EQ(kill(second, SIGSTOP), 0);
  EXPECT_TRUE(absl::IsUnavailable((*session)->Run("SELECT 1", {}).status()));
  (*session)->Rollback();
  EXPECT_TRUE((*session)->Begin().ok());
  EXPECT_TRUE((*session)->Commit().ok());
  kill(first, SIGCONT);
  kill(second, SIGCONT);
}

// Who comes next does not wait as long as the first one.
TEST_F(PostgresStoreTest, ADatabaseThatLetsEverybodyWaitIsLeftAloneForAWhile) {
  auto session =
      reports::OpenPostgresSession(cluster_->Address(database_) + "&connect_timeout=2", absl::Milliseconds(300));
  ASSERT_TRUE(session.ok()) << session.status();
  const auto answer = (*session)->Run("SELECT pg_backend_pid()", {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto backend = static_cast<pid_t>(answer->rows[0].Int(0));
  pid_t postmaster = 0;  // "PID (postgres) S PARENT ..."
  std::string ignored;
  std::ifstream(absl::StrCat("/proc/", backend, "/stat")) >> ignored >> ignored >> ignored >> postmaster;
  ASSERT_GT(postmaster, 1);
  ASSERT_EQ(kill(postmaster, SIGSTOP), 0);
  ASSERT_EQ(kill(backend, SIGSTOP), 0);
  const auto asked = [&] {
    const absl::Time start = absl::Now();
    EXPECT_TRUE(absl::IsUnavailable((*session)->Run("SELECT 1", {}).status()));
    return absl::Now() - start;
  };
  EXPECT_GE(asked(), absl::Seconds(2));
  EXPECT_LT(asked(), absl::Milliseconds(500));
  kill(postmaster, SIGCONT);
  kill(backend, SIGCONT);
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (!(*session)->Run("SELECT 1", {}).ok()) {
    ASSERT_LT(absl::Now(), end);
    absl::SleepFor(absl::Milliseconds(100));
  }
}

TEST_F(PostgresStoreTest, NewerAndForeignDatabasesAreRefused) {
  Open();
  ASSERT_TRUE(cluster_->Sql(database_, "UPDATE quantgate_report_store SET version = 99"));
  auto newer = OpenReportStore(cluster_->Address(database_));
  EXPECT_EQ(newer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(newer.status().message()), HasSubstr("newer version of this program (schema 99"));
  database_ = cluster_->CreateDatabase();
  ASSERT_TRUE(cluster_->Sql(database_, "CREATE TABLE photos (id INTEGER)"));
  auto foreign = OpenReportStore(cluster_->Address(database_));
  EXPECT_EQ(foreign.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(foreign.status().message()), HasSubstr("another program"));
}

TEST(PostgresAddress, IsCheckedAndItsPasswordStaysIn) {
  for (const char* bad : {"postgresql://user:secret@h/d?nonsense", "postgresql://user:secret@h/d?nonsense=1",
                          "postgresql://user:secret@[::1/d"}) {
    const absl::Status status = OpenReportStore(bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad << ": " << status;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  }
  const absl::Status status = OpenReportStore("postgresql://user:secret@127.0.0.1:1/d").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace quantgate::db
