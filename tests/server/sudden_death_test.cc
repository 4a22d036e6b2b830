// Servers that are killed: what they acknowledged is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/remote/remote.h"
#include "tests/db/reports/fixture.h"
#include "tests/db/reports/postgres_cluster.h"
#include "tests/server/process.h"

namespace quantgate {
namespace {

int Volume(int quick, int standard, int full) {
  const char* volume = getenv("QUANTGATE_TEST_VOLUME");
  if (volume == nullptr) return quick;
  const std::string name = volume;
  return name == "full" ? full : name == "quick" ? quick : standard;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sudden_death_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Clients that send small graphs without a pause and note what was acknowledged.
class Load {
 public:
  Load(const std::string& address, int clients, int attempts, absl::Duration timeout) {
    for (int i = 0; i < clients; ++i) {
      threads_.emplace_back([this, address, i, attempts, timeout] {
        RemoteOptions options;
        options.address = address;
        options.attempts = attempts;
        options.timeout = timeout;
        const Remote remote = *Remote::Create(options);
        for (int sent = 0; !stop_; ++sent) Send(remote, absl::StrCat("client ", i, " graph ", sent));
      });
    }
  }
  ~Load() { Stop(); }

  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  int64_t acknowledged() const { return count_; }
  // Names; after Stop.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<absl::Status>& errors() const { return errors_; }

 private:
  void Send(const Remote& remote, const std::string& name) {
    v1::Graph graph;
    graph.set_name(name);
    v1::ValidateOptions options;
    options.mutable_model()->set_path(absl::StrCat("model of ", name.substr(0, 8)));
    options.set_request_id(absl::StrCat(name, " ", reinterpret_cast<uintptr_t>(this), " ", unique_));
    const absl::StatusOr<v1::Report> report = remote.Validate(graph, options);
    const std::lock_guard lock(mutex_);
    if (report.ok()) {
      names_.push_back(report->name());
      ++count_;
    } else {
      errors_.push_back(report.status());
    }
  }

  const uint32_t unique_ = std::random_device()();
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> count_{0};
  std::mutex mutex_;
  std::vector<std::string> names_;    // guarded by mutex_
  std::vector<absl::Status> errors_;  // guarded by mutex_
  std::vector<std::thread> threads_;
};

int64_t CountFound(const Remote& remote, const std::vector<std::string>& names) {
  int64_t found = 0;
  for (const std::string& name : names) {
    const absl::StatusOr<v1::Report> report = remote.GetReport(name);
    EXPECT_TRUE(report.ok()) << name << ": " << report.status();
    found += report.ok() && report->name() == name;
  }
  return found;
}

Remote Connect(const std::string& address) {
  RemoteOptions options;
  options.address = address;
  return *Remote::Create(options);
}

class SuddenDeathTest : public ::testing::TestWithParam<db::DatabaseKind> {};

TEST_P(SuddenDeathTest, WhatWasAcknowledgedIsThere) {
  std::string reason;
  const std::unique_ptr<db::TestDatabase> database = GetParam().make(reason);
  if (database == nullptr) GTEST_SKIP() << reason;
  const Folder folder;
  const int kills = Volume(10, 30, 200);
  std::mt19937 random(kills);
  std::vector<std::string> acknowledged;
  int64_t unanswered = 0;
  const auto start = [&] {
    return std::make_unique<Process>(std::vector<std::string>{QUANTGATE_SERVE_FIXTURE, "serve", "--listen",
                                                              "127.0.0.1:0", "--store", database->Address()},
                                     folder / "log");
  };
  for (int i = 0; i < kills; ++i) {
    const std::unique_ptr<Process> server = start();
    const std::string address = server->LineAfter("listening on ");
    ASSERT_FALSE(address.empty()) << server->Output();
    Load load(address, /*clients=*/4, /*attempts=*/1, absl::Seconds(20));
    // Once the first report is in, at any moment.
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (load.acknowledged() == 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(1));
    absl::SleepFor(absl::Milliseconds(random() % 60));
    EXPECT_EQ(server->Kill(SIGKILL), -SIGKILL);
    load.Stop();
    unanswered += static_cast<int64_t>(load.errors().size());
    EXPECT_GT(load.names().size(), 0u);
    acknowledged.insert(acknowledged.end(), load.names().begin(), load.names().end());
  }
  const std::unique_ptr<Process> server = start();
  const int64_t found = CountFound(Connect(server->LineAfter("listening on ")), acknowledged);
  EXPECT_EQ(found, static_cast<int64_t>(acknowledged.size()));
  std::printf("%s: %d kills, %zu reports acknowledged, %lld found; %lld calls ended without an answer\n",
              GetParam().name, kills, acknowledged.size(), static_cast<long long>(found),
              static_cast<long long>(unanswered));
}

INSTANTIATE_TEST_SUITE_P(All, SuddenDeathTest,
                         ::testing::Values(db::DatabaseKind{"Sqlite", db::MakeSqliteDatabase},
                                           db::DatabaseKind{"Postgres", db::MakePostgresDatabase}),
                         [](const auto& info) { return info.param.name; });

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// deploy/balancer/haproxy.cfg with the addresses of this test in the place of its own.
TEST(SeveralServersPostgresTest, OneOfThreeDiesUnderLoad) {
  std::string reason;
  const std::unique_ptr<db::TestDatabase> database = db::MakePostgresDatabase(reason);
  if (database == nullptr) GTEST_SKIP() << reason;
  const std::string haproxy = "/usr/sbin/haproxy";
  if (access(haproxy.c_str(), X_OK) != 0) GTEST_SKIP() << "HAProxy is not installed";
  const Folder folder;
  std::string config = ReadText(QUANTGATE_DEPLOY "/balancer/haproxy.cfg");
  ASSERT_FALSE(config.empty());
  std::vector<std::unique_ptr<Process>> servers;
  for (int i = 1; i <= 3; ++i) {
    servers.push_back(
        std::make_unique<Process>(std::vector<std::string>{QUANTGATE_SERVE_FIXTURE, "serve", "--listen", "127.0.0.1:0",
                                                           "--http", "127.0.0.1:0", "--store", database->Address()},
                                  folder / absl::StrCat("server", i)));
    const std::string address = servers.back()->LineAfter("listening on ");
    const std::string http = servers.back()->LineAfter("metrics on http://");
    ASSERT_FALSE(address.empty() || http.empty()) << servers.back()->Output();
    config = absl::StrReplaceAll(
        config, {{absl::StrCat("quantgate-", i, ":50051"), address},
                 {absl::StrCat("port 9464 #", i),
                  absl::StrCat("port ", http.substr(http.find(':') + 1, http.find('/') - http.find(':') - 1))}});
  }
  // A socket of this test's folder: no port of the machine is taken.
  const std::string socket = folder / "balancer.sock";
  config = absl::StrReplaceAll(config, {{"bind :50051", absl::StrCat("bind unix@", socket)}});
  EXPECT_THAT(config, ::testing::Not(::testing::HasSubstr("quantgate-")));
  std::ofstream(folder / "haproxy.cfg") << config;
  Process balancer({haproxy, "-db", "-f", folder / "haproxy.cfg"}, folder / "balancer");
  const absl::Time up = absl::Now() + absl::Seconds(20);
  while (!std::filesystem::exists(socket) && absl::Now() < up) absl::SleepFor(absl::Milliseconds(5));
  ASSERT_TRUE(std::filesystem::exists(socket)) << balancer.Output();

  const std::string address = "unix:" + socket;
  Load load(address, /*clients=*/6, /*attempts=*/8, absl::Seconds(30));
  const int64_t enough = Volume(100, 200, 2000);
  const auto wait_for = [&](int64_t count) {
    const absl::Time end = absl::Now() + absl::Seconds(60);
    while (load.acknowledged() < count && absl::Now() < end) absl::SleepFor(absl::Milliseconds(2));
  };
  wait_for(enough);
  EXPECT_EQ(servers[1]->Kill(SIGKILL), -SIGKILL);
  const int64_t before = load.acknowledged();
  wait_for(before + enough);
  load.Stop();
  EXPECT_GE(load.acknowledged(), before + enough);
  EXPECT_THAT(load.errors(), ::testing::IsEmpty());
  const int64_t found = CountFound(Connect(address), load.names());
  EXPECT_EQ(found, load.acknowledged());
  std::printf("three servers, one killed after %lld reports: %lld acknowledged, %lld found, %zu errors\n",
              static_cast<long long>(before), static_cast<long long>(load.acknowledged()),
              static_cast<long long>(found), load.errors().size());
}

}  // namespace
}  // namespace quantgate
