// A store of a million reports: what a listing, a filter and a trend take at the 99th percentile, in milliseconds.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "db/reports/report_store.h"
#include "db/reports/schema.h"
#include "db/reports/sql_store.h"
#include "db/reports/sqlite_session.h"
#include "tests/benchmarks/ratio.h"

namespace quantgate::benchmarks {
namespace {

constexpr double kGoalMs = 50;
constexpr int kModels = 200;
constexpr int kTargets = 10;
constexpr int kBranches = 50;
constexpr int64_t kFirst = 1'750'000'000;  // seconds since 1970
constexpr int64_t kSeconds = int64_t{400} * 86400;

std::string Target(int i) { return absl::StrCat("qnn_htp/SM", 8000 + 50 * i, "@2.51.0"); }
std::string Model(int i) { return absl::StrCat("vision/model_", i, ".onnx"); }
// Half of the reports are of the main branch.
std::string Branch(int i) { return i % 2 == 0 ? "main" : absl::StrCat("topic-", i % kBranches); }

v1::Report MakeReport(int64_t number, int64_t count, std::mt19937& random) {
  v1::Report report;
  report.set_name(absl::StrFormat("reports/00000000-0000-4000-8000-%012x", number));
  report.mutable_create_time()->set_seconds(kFirst + number * kSeconds / count);
  report.mutable_create_time()->set_nanos(static_cast<int>(number % 1000));
  const int model = static_cast<int>(random() % kModels);
  report.mutable_model()->set_path(Model(model));
  report.mutable_model()->set_sha256(absl::StrFormat("%064x", number));
  report.set_graph_digest(absl::StrFormat("%064x", number / 3));
  report.mutable_labels()->set_repository("example.com/models");
  report.mutable_labels()->set_branch(Branch(static_cast<int>(random() % (2 * kBranches))));
  report.mutable_labels()->set_revision(absl::StrFormat("%040x", number / 2));
  report.mutable_labels()->set_pull_request(absl::StrCat(number % 5000));
  for (int i = 0; i < 2; ++i) {
    v1::Result& result = *report.add_results();
    result.set_target(Target((model + i * 3) % kTargets));
    const int findings = static_cast<int>(random() % 4);
    result.set_verdict(findings == 0 ? v1::Result::ACCEPTED : v1::Result::REJECTED);
    for (int j = 0; j < findings; ++j) {
      v1::Finding& finding = *result.add_findings();
      finding.set_code(absl::StrCat(j % 2 == 0 ? "DT" : "NR", "10", random() % 5));
      finding.set_severity(v1::Finding::ERROR);
      finding.set_message("weights have 8 bits; 4 are allowed here");
      finding.mutable_location()->set_node("conv");
      finding.mutable_location()->set_op("Conv");
      finding.mutable_location()->set_position(j);
    }
  }
  return report;
}

class Store {
 public:
  explicit Store(int64_t count) {
    folder_ = (std::filesystem::temp_directory_path() / "reports_benchmark_XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
    using db::reports::SqliteSession;
    const std::string path = folder_ + "/reports.db";
    auto writer = SqliteSession::Open(path, SqliteSession::Mode::kReadWrite).value();
    // It is thrown away: nothing has to reach the disk.
    if (!PrepareSchema(*writer).ok() || !writer->Configure(0).ok() ||
        !writer->Execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000").ok()) {
      std::abort();
    }
    store_ = db::MakeSqlStore(std::move(writer), SqliteSession::Open(path, SqliteSession::Mode::kReadOnly).value());
    std::mt19937 random(1);
    constexpr int64_t kBatch = 5000;
    for (int64_t i = 0; i < count; i += kBatch) {
      std::vector<v1::Report> reports;
      std::vector<const v1::Report*> pointers;
      for (int64_t j = i; j < std::min(count, i + kBatch); ++j) reports.push_back(MakeReport(j, count, random));
      for (const v1::Report& report : reports) pointers.push_back(&report);
      if (!store_->Import(pointers).ok()) std::abort();
    }
    // As a server finds it: with a cache of its own.
    store_ = db::OpenReportStore("sqlite:" + path).value();
  }
  ~Store() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  db::ReportStore& store() { return *store_; }

 private:
  std::string folder_;
  std::unique_ptr<db::ReportStore> store_;
};

// One query of what a dashboard asks; false: it failed.
bool Ask(db::ReportStore& store, std::mt19937& random) {
  const auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const std::string target = absl::StrCat("target = \"", Target(any(kTargets)), "\"");
  const std::string model = absl::StrCat("model.path = \"", Model(any(kModels)), "\"");
  const std::string branch = absl::StrCat("labels.branch = ", Branch(any(2 * kBranches)));
  const std::string filters[] = {
      "",
      model,
      target,
      branch,
      target + " AND verdict = REJECTED",
      model + " AND " + target + " AND verdict = REJECTED",
      absl::StrCat("code = DT10", any(5)),
      absl::StrCat("code = NR10", any(5), " AND ", target),
      model + " AND " + branch,
      "verdict = REJECTED AND labels.branch = main",
      absl::StrCat("labels.pull_request = ", any(5000)),
      absl::StrFormat("labels.revision = %040x", any(400'000)),
      target + " AND create_time < \"2026-01-01T00:00:00Z\"",
  };
  if (random() % 3 != 0) {
    db::ReportQuery query;
    query.filter = filters[random() % std::size(filters)];
    auto page = store.List(query);
    return page.ok();
  }
  const std::string trends[] = {"", branch, target, model, model + " AND " + target + " AND " + branch};
  v1::GetTrendsRequest request;
  request.set_filter(trends[random() % std::size(trends)]);
  request.mutable_end_time()->set_seconds(kFirst + kSeconds);
  request.set_step(random() % 2 == 0 ? v1::GetTrendsRequest::STEP_DAY : v1::GetTrendsRequest::STEP_WEEK);
  v1::GetTrendsResponse response;
  return store.GetTrends(request, response).ok();
}

void ListP99(benchmark::State& state, Store& store) {
  std::vector<double> times;
  std::mt19937 random(2);
  bool ok = true;
  for (auto _ : state) {
    for (int i = 0; i < 300; ++i) times.push_back(1e3 * Seconds([&] { ok = ok && Ask(store.store(), random); }));
  }
  if (!ok) {
    state.SkipWithError("a query failed");
    return;
  }
  std::sort(times.begin(), times.end());
  // Against a millisecond: the ratio is the time.
  state.counters["ratio"] = times[times.size() * 99 / 100];
  state.counters["measured_us"] = 1e3 * times[times.size() * 99 / 100];
  state.counters["against_us"] = 1e3;
  state.counters["median_ms"] = Median(times);
  state.counters["goal"] = kGoalMs;
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  namespace bench = quantgate::benchmarks;
  benchmark::Initialize(&argc, argv);
  // The first argument that is left, for trying it out: how many reports.
  const int64_t count = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  std::unique_ptr<bench::Store> store;
  benchmark::RegisterBenchmark("report_list_p99_ms_1m", [&](benchmark::State& state) {
    if (store == nullptr) store = std::make_unique<bench::Store>(count);
    bench::ListP99(state, *store);
  })->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
