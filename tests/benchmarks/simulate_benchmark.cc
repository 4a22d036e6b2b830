// What a simulation costs here: `simulate_benchmark MODEL INPUT.npz` answers each line of standard input, "affine"
// (integers alone), "reference" (with float reference and statistics) or "whole" (with real space as well), with the
// microseconds of one simulation of the graph, which is read before. Time is that of the processor for this thread.
// simulate.py sets them against what ONNX Runtime takes for the same file.
#include <iostream>
#include <string>

#include "client/import.h"
#include "client/npz/npz.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/inputs.h"
#include "rules/simulator/run/simulate.h"
#include "server/memory.h"
#include "tests/benchmarks/ratio.h"

namespace quantgate::benchmarks {
namespace {

int Fail(const absl::Status& status) {
  std::cerr << status << std::endl;
  return 2;
}

int Run(const std::string& model, const std::string& input) {
  constexpr int64_t kMemory = int64_t{4} << 30;
  ImportOptions import;
  import.max_weight_bytes = kMemory;
  const auto imported = ImportModel(model, import);
  if (!imported.ok()) return Fail(imported.status());
  const auto graph = Graph::Build(imported->graph);
  if (!graph.ok()) return Fail(graph.status());
  const auto given = ReadNpz(input, kMemory);
  if (!given.ok()) return Fail(given.status());
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  simulator::SimulateOptions options;
  options.profile = simulator::FindProfile("onnxruntime");
  if (options.profile == nullptr) return 2;
  for (std::string what; std::getline(std::cin, what);) {
    options.statistics = what != "affine";
    options.real_space = what == "whole";
    auto inputs = simulator::TakeInputs(*graph, *given);
    if (!inputs.ok()) return Fail(inputs.status());
    absl::Status status;
    const double seconds =
        ThreadSeconds([&] { status = simulator::Simulate(*graph, resolved, *std::move(inputs), options).status(); });
    if (!status.ok()) return Fail(status);
    std::cout << 1e6 * seconds << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  quantgate::server::KeepFreedMemory();  // as `quantgate serve` does
  return quantgate::benchmarks::Run(argv[1], argv[2]);
}
