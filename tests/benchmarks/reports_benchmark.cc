// A store of a million reports: what listings, filters, trends and fleets take at the 99th percentile, in milliseconds.
// Usage: reports_benchmark [benchmark options] [--postgres] [REPORTS]
//   --postgres  in a PostgreSQL of its own, not in SQLite
//   REPORTS     so many; default 1,000,000
// Standard error has the time of the fill and a line per kind of query.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "db/reports/report_store.h"
#include "db/reports/schema.h"
#include "db/reports/sql_store.h"
#include "db/reports/sqlite_session.h"
#include "tests/benchmarks/ratio.h"
#include "tests/db/reports/postgres_cluster.h"

namespace quantgate::benchmarks {
namespace {

constexpr double kGoalMs = 50;
constexpr int kModels = 200;
constexpr int kTargets = 10;
constexpr int kBranches = 50;
constexpr int kRare = 50'000;              // one of so many reports has what is rare
constexpr int64_t kFirst = 1'750'000'000;  // seconds since 1970
constexpr int64_t kSeconds = int64_t{400} * 86400;

std::string Target(int i) { return absl::StrCat("qnn_htp/SM", 8000 + 50 * i, "@2.51.0"); }
std::string Model(int i) { return absl::StrCat("vision/model_", i, ".onnx"); }
// Half of the reports are of the main branch.
std::string Branch(int i) { return i % 2 == 0 ? "main" : absl::StrCat("topic-", i % kBranches); }

// What goes together in real stores goes together here: a model has two targets, each target has a code of its own, the
// main branch is hardly ever rejected for errors of one kind (GS101), and some codes and branches are rare.
v1::Report MakeReport(int64_t number, int64_t count, std::mt19937& random) {
  v1::Report report;
  report.set_name(absl::StrFormat("reports/00000000-0000-4000-8000-%012x", number));
  report.mutable_create_time()->set_seconds(kFirst + number * kSeconds / count);
  report.mutable_create_time()->set_nanos(static_cast<int>(number % 1000));
  const bool is_rare = number % kRare == 7;
  const int model = static_cast<int>(random() % kModels);
  report.mutable_model()->set_path(Model(model));
  report.mutable_model()->set_sha256(absl::StrFormat("%064x", number));
  report.set_graph_digest(absl::StrFormat("%064x", number / 3));
  const std::string branch = Branch(static_cast<int>(random() % (2 * kBranches)));
  report.mutable_labels()->set_repository(absl::StrCat("example.com/models-", random() % 3));
  report.mutable_labels()->set_branch(is_rare ? "rare" : branch);
  report.mutable_labels()->set_revision(absl::StrFormat("%040x", number / 2));
  report.mutable_labels()->set_pull_request(absl::StrCat(number % 5000));
  for (int i = 0; i < 2; ++i) {
    const int target = (model + i * 3) % kTargets;
    v1::Result& result = *report.add_results();
    result.set_target(Target(target));
    const auto add = [&](std::string code, v1::Finding::Severity severity) {
      v1::Finding& finding = *result.add_findings();
      finding.set_code(std::move(code));
      finding.set_severity(severity);
      finding.set_message("weights have 8 bits; 4 are allowed here");
      finding.mutable_location()->set_node("conv");
      finding.mutable_location()->set_op("Conv");
      finding.mutable_location()->set_position(result.findings_size());
    };
    const int errors = static_cast<int>(random() % 3);
    for (int j = 0; j < errors; ++j) add(absl::StrCat("NR10", random() % 5), v1::Finding::ERROR);
    if (random() % 4 == 0) add(absl::StrCat("DT10", target), v1::Finding::WARNING);
    if (branch != "main" && random() % 4 == 0) add("GS101", v1::Finding::ERROR);
    if (is_rare) add("AX101", v1::Finding::ERROR);
    add("CV100", v1::Finding::INFO);
    result.set_verdict(errors == 0 ? v1::Result::ACCEPTED_WITH_WARNINGS : v1::Result::REJECTED);
  }
  return report;
}

// Filled through the store's own import, a transaction for each of many reports.
void Fill(db::ReportStore& store, int64_t count) {
  constexpr int64_t kBatch = 50'000;
  std::mt19937 random(1);
  for (int64_t i = 0; i < count; i += kBatch) {
    std::vector<v1::Report> reports;
    std::vector<const v1::Report*> pointers;
    for (int64_t j = i; j < std::min(count, i + kBatch); ++j) reports.push_back(MakeReport(j, count, random));
    for (const v1::Report& report : reports) pointers.push_back(&report);
    const absl::StatusOr<int> imported = store.Import(pointers);
    if (!imported.ok()) std::cerr << imported.status() << "\n";
    if (!imported.ok() || *imported != static_cast<int>(reports.size())) std::abort();
  }
}

class Store {
 public:
  Store(int64_t count, bool in_postgres) {
    std::string address;
    const double seconds = Seconds([&] { address = in_postgres ? FillPostgres(count) : FillSqlite(count); });
    std::cerr << count << " reports in " << seconds << " s\n";
    store_ = db::OpenReportStore(address).value();
  }
  ~Store() {
    store_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  db::ReportStore& store() { return *store_; }

 private:
  std::string FillSqlite(int64_t count) {
    folder_ = (std::filesystem::temp_directory_path() / "reports_benchmark_XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
    using db::reports::SqliteSession;
    const std::string path = folder_ + "/reports.db";
    auto writer = SqliteSession::Open(path, SqliteSession::Mode::kReadWrite).value();
    // It is thrown away: nothing has to reach the disk.
    if (!PrepareSchema(*writer).ok() ||
        !writer->Execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000").ok()) {
      std::abort();
    }
    // Indexes that the fill itself does not need are made when all is there: the same, much sooner.
    SqliteSession& session = *writer;
    const auto indexes = session.Run(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> '' AND name NOT IN "
        "('report_results_by_subject_branch', 'report_problems_by_end')",
        {});
    for (const db::reports::Row& row : indexes.value().rows) {
      if (!session.Execute("DROP INDEX " + row.Bytes(0)).ok()) std::abort();
    }
    const std::unique_ptr<db::ReportStore> store =
        db::MakeSqlStore(std::move(writer), SqliteSession::Open(path, SqliteSession::Mode::kReadOnly).value());
    Fill(*store, count);
    for (const db::reports::Row& row : indexes.value().rows) {
      if (!session.Execute(row.Bytes(1)).ok()) std::abort();
    }
    return "sqlite:" + path;
  }

  static std::string FillPostgres(int64_t count) {
    std::string reason;
    db::PostgresCluster* cluster = db::PostgresCluster::Get(reason);
    if (cluster == nullptr) {
      std::cerr << reason << "\n";
      std::exit(1);
    }
    const std::string database = cluster->CreateDatabase();
    Fill(*db::OpenReportStore(cluster->Address(database)).value(), count);
    // As its own daemon does after so many changes.
    if (!cluster->Sql(database, "VACUUM ANALYZE")) std::abort();
    return cluster->Address(database);
  }

  std::string folder_;
  std::unique_ptr<db::ReportStore> store_;
};

// The kinds of queries that a dashboard asks; the text of one, with random values in the place of its letters: $M
// a model, $T a target, $B a branch, $R a repository, $D a target's code, $P a pull request, $V a revision.
constexpr const char* kFilters[] = {
    "",
    "model.path = $M",
    "target = $T",
    "labels.branch = $B",
    "labels.repository = $R",
    "verdict = REJECTED",
    "verdict = UNKNOWN",
    "code = NR101",
    "code = AX101",
    "labels.pull_request = $P",
    "labels.revision = $V",
    "model.sha256 = $V",
    "target = $T AND verdict = REJECTED",
    "target = $T AND create_time < \"2026-01-01T00:00:00Z\"",
    "model.path = $M AND target = $T",
    "model.path = $M AND target = $T AND verdict = REJECTED",
    "model.path = $M AND target = $T AND verdict = REJECTED AND labels.branch = $B",
    "model.path = $M AND labels.branch = $B",
    "model.path = $M AND verdict = UNKNOWN",
    "model.path = $M AND code = AX101",
    "labels.branch = $B AND verdict = REJECTED",
    "labels.branch = $B AND verdict = UNKNOWN",
    "labels.branch = $B AND target = $T AND verdict = REJECTED",
    "labels.branch = $B AND code = $D",
    "labels.branch = main AND code = GS101",
    "labels.branch = main AND code = AX101",
    "labels.branch = rare AND code = NR101",
    "labels.repository = $R AND code = AX101",
    "labels.repository = $R AND labels.branch = $B AND code = $D",
    "labels.repository = $R AND target = $T AND verdict = REJECTED",
    "target = $T AND code = $D",
    "target = $T AND code = $D AND verdict = REJECTED AND labels.branch = main",
    "target = $T AND code = NR101 AND code = NR102",
    "verdict = ACCEPTED_WITH_WARNINGS AND code = NR103",
    "code != CV100",
    "code != NR101",
    "target = $T AND code != CV100",
    "model.path = $M AND code != CV100",
    "labels.branch = main AND code != CV100",
    "labels.branch = $B AND code != NR101 AND verdict = REJECTED",
    "target != $T AND verdict != REJECTED",
    "labels.branch != main AND labels.repository != $R AND verdict = REJECTED",
};
constexpr const char* kSubjectFilters[] = {
    "",
    "labels.branch = $B",
    "labels.branch = rare",
    "target = $T",
    "model.path = $M",
    "labels.repository = $R",
    "labels.repository = $R AND target = $T",
    "model.path = $M AND target = $T AND labels.branch = $B",
};

std::string WithValues(absl::string_view filter, std::mt19937& random) {
  const auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  const auto quoted = [](const std::string& text) { return absl::StrCat("\"", text, "\""); };
  return absl::StrReplaceAll(filter, {{"$M", quoted(Model(any(kModels)))},
                                      {"$T", quoted(Target(any(kTargets)))},
                                      {"$B", quoted(Branch(any(2 * kBranches)))},
                                      {"$R", quoted(absl::StrCat("example.com/models-", any(3)))},
                                      {"$D", quoted(absl::StrCat("DT10", any(kTargets)))},
                                      {"$P", quoted(absl::StrCat(any(5000)))},
                                      {"$V", quoted(absl::StrFormat("%040x", any(400'000)))}});
}

// A query, and what it took at each time, in milliseconds.
struct Kind {
  std::string name;
  std::function<bool(db::ReportStore&, std::mt19937&)> ask;  // false: it failed
  std::vector<double> times;
};

double P99(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[(times.size() - 1) * 99 / 100];
}

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds;
  for (const char* filter : kFilters) {
    kinds.push_back({absl::StrCat("list ", filter), [filter](db::ReportStore& store, std::mt19937& random) {
                       return store.List({WithValues(filter, random)}).ok();
                     }});
  }
  for (const char* filter : kSubjectFilters) {
    for (const auto step : {v1::GetTrendsRequest::STEP_DAY, v1::GetTrendsRequest::STEP_WEEK}) {
      const std::string name =
          absl::StrCat(step == v1::GetTrendsRequest::STEP_DAY ? "trends of days " : "trends of weeks ", filter);
      kinds.push_back({name, [filter, step](db::ReportStore& store, std::mt19937& random) {
                         v1::GetTrendsRequest request;
                         request.set_filter(WithValues(filter, random));
                         request.mutable_end_time()->set_seconds(kFirst + kSeconds);
                         request.set_step(step);
                         v1::GetTrendsResponse response;
                         return store.GetTrends(request, response).ok();
                       }});
    }
    kinds.push_back({absl::StrCat("fleet ", filter), [filter](db::ReportStore& store, std::mt19937& random) {
                       v1::GetFleetRequest request;
                       request.set_filter(WithValues(filter, random));
                       v1::GetFleetResponse response;
                       return store.GetFleet(request, 100, response).ok();
                     }});
  }
  return kinds;
}

void ListP99(benchmark::State& state, Store& store) {
  constexpr int kRounds = 10;
  std::vector<Kind> kinds = Kinds();
  std::mt19937 random(2);
  std::vector<double> times;
  bool ok = true;
  for (auto _ : state) {
    for (int i = 0; i < kRounds; ++i) {
      for (Kind& kind : kinds) {
        kind.times.push_back(1e3 * Seconds([&] { ok = kind.ask(store.store(), random) && ok; }));
        times.push_back(kind.times.back());
      }
    }
  }
  if (!ok) {
    state.SkipWithError("a query failed");
    return;
  }
  for (const Kind& kind : kinds) {
    std::cerr << absl::StrFormat("%8.2f ms median %8.2f ms p99  %s\n", Median(kind.times), P99(kind.times), kind.name);
  }
  // Against a millisecond: the ratio is the time.
  state.counters["ratio"] = P99(times);
  state.counters["measured_us"] = 1e3 * P99(times);
  state.counters["against_us"] = 1e3;
  state.counters["median_ms"] = Median(times);
  state.counters["goal"] = kGoalMs;
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  namespace bench = quantgate::benchmarks;
  benchmark::Initialize(&argc, argv);
  int64_t count = 1'000'000;
  bool in_postgres = false;
  for (int i = 1; i < argc; ++i) {
    if (absl::string_view(argv[i]) == "--postgres") {
      in_postgres = true;
    } else if (!absl::SimpleAtoi(argv[i], &count) || count < 1) {
      std::cerr << "reports_benchmark: " << argv[i] << " is neither --postgres nor a number of reports\n";
      return 2;
    }
  }
  std::unique_ptr<bench::Store> store;
  benchmark::RegisterBenchmark("report_list_p99_ms_1m", [&](benchmark::State& state) {
    if (store == nullptr) store = std::make_unique<bench::Store>(count, in_postgres);
    bench::ListP99(state, *store);
  })->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
