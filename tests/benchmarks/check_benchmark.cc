// What a check costs beside what the request costs anyway: the time of quantgate::Check over that of parsing the same
// request into a fresh arena, one after the other in every iteration. One target, soundness rules included. Time is
// that of the processor for this thread. What a check does before any rule runs, reading the message (Graph::Build) and
// resolving it (ResolvedGraph::Resolve), is timed alone as well: `reading` and `resolving` over parsing.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "db/database.h"
#include "rules/check.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "server/memory.h"
#include "server/rpc/parse.h"
#include "tests/benchmarks/model.h"
#include "tests/benchmarks/ratio.h"

namespace quantgate::benchmarks {
namespace {

using google::protobuf::Arena;

constexpr double kGoal = 0.25;

ModuleRegistry& Modules() {
  static ModuleRegistry* registry = [] {
    auto* modules = new ModuleRegistry(*db::Database::Open(QUANTGATE_TABLES_FILE).value().release());
    RegisterBuiltinModules(*modules);
    return modules;
  }();
  return *registry;
}

void CheckOverParse(benchmark::State& state, v1::ValidateRequest (*model)(int), int nodes, double goal) {
  const std::string bytes = model(nodes).SerializeAsString();
  CheckOptions options;
  options.targets = {kTarget};
  RatioRecorder recorder;
  RatioRecorder reading;
  RatioRecorder resolving;
  size_t findings = 0;
  for (auto _ : state) {
    Arena arena(server::RequestArena());
    auto* request = Arena::CreateMessage<v1::ValidateRequest>(&arena);
    auto* report = Arena::CreateMessage<v1::Report>(&arena);
    bool ok = false;
    const double parse = ThreadSeconds([&] { ok = request->ParseFromString(bytes); });
    const double check = ThreadSeconds([&] { ok = ok && Check(request->graph(), options, Modules(), *report).ok(); });
    if (!ok) {
      state.SkipWithError("the model is not accepted");
      return;
    }
    findings = report->results(0).findings_size();
    state.SetIterationTime(check);
    recorder.Add(check, parse);
    std::optional<Graph> graph;
    reading.Add(ThreadSeconds([&] { graph = *Graph::Build(request->graph()); }), parse);
    std::optional<ResolvedGraph> resolved;
    resolving.Add(ThreadSeconds([&] { resolved = ResolvedGraph::Resolve(*graph); }), parse);
  }
  recorder.Report(goal, state);
  state.counters["reading"] = reading.ratio();
  state.counters["resolving"] = resolving.ratio();
  state.counters["request_kb"] = static_cast<double>(bytes.size()) / 1024;
  state.counters["findings"] = static_cast<double>(findings);
}

// From nothing to a module that can judge, against the 50 ms that are promised.
void OpenAndPrepare(benchmark::State& state) {
  constexpr double kPromisedSeconds = 0.05;
  RatioRecorder recorder;
  for (auto _ : state) {
    bool ok = false;
    const double spent = ThreadSeconds([&] {
      const auto database = db::Database::Open(QUANTGATE_TABLES_FILE);
      if (!database.ok()) return;
      ModuleRegistry modules(**database);
      RegisterBuiltinModules(modules);
      v1::Report report;
      CheckOptions options;
      options.targets = {kTarget};
      v1::Graph nodeless;
      nodeless.set_origin(v1::Graph::ONNX);
      ok = Check(nodeless, options, modules, report).ok();
    });
    if (!ok) {
      state.SkipWithError("the module does not load");
      return;
    }
    state.SetIterationTime(spent);
    recorder.Add(spent, kPromisedSeconds);
  }
  recorder.Report(/*goal=*/1, state);
}

void Register(const std::string& name, v1::ValidateRequest (*model)(int), int nodes, double goal) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { CheckOverParse(state, model, nodes, goal); })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  namespace bench = quantgate::benchmarks;
  quantgate::server::KeepFreedMemory();  // as `quantgate serve` does
  for (int nodes : {1000, 10'000, 100'000}) {
    bench::Register("check_over_parse_" + bench::SizeName(nodes), bench::AnnotatedModel, nodes, bench::kGoal);
  }
  bench::Register("check_over_parse_qdq_10k", bench::QdqModel, 10'000, /*goal=*/0);
  benchmark::RegisterBenchmark("open_and_prepare_over_50ms", bench::OpenAndPrepare)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
