// What a PT2E graph costs here: `pt2e_benchmark GRAPH.pb TARGET ROUNDS` prints the median microseconds of the sharing
// groups (of a graph that is built), of a whole check (of the parsed message), and of what of it builds the graph, as
// "groups_us check_us build_us". pt2e.py sets them against what PyTorch and ExecuTorch take for the same graph. Time is
// that of the processor for this thread.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "db/database.h"
#include "google/protobuf/arena.h"
#include "rules/check.h"
#include "rules/graph/graph.h"
#include "rules/graph/sharing/sharing.h"
#include "server/memory.h"
#include "server/rpc/parse.h"
#include "tests/benchmarks/ratio.h"

namespace quantgate::benchmarks {
namespace {

int Run(const std::string& path, const std::string& target, int rounds) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  v1::Graph message;
  if (!message.ParseFromString(bytes)) return 2;
  const auto database = db::Database::Open(QUANTGATE_TABLES_FILE);
  if (!database.ok()) return 2;
  ModuleRegistry modules(**database);
  RegisterBuiltinModules(modules);
  CheckOptions options;
  options.targets = {target};
  std::vector<double> groups;
  std::vector<double> checks;
  std::vector<double> builds;
  bool ok = true;
  for (int i = 0; i < rounds && ok; ++i) {
    // torchao, too, begins with a graph that is built.
    absl::StatusOr<Graph> graph;
    builds.push_back(ThreadSeconds([&] { graph = Graph::Build(message); }));
    ok = graph.ok();
    groups.push_back(ThreadSeconds([&] { ok = ok && ComputeSharingGroups(*graph).num_groups() > 0; }));
    google::protobuf::Arena arena(server::RequestArena());
    auto& report = *google::protobuf::Arena::CreateMessage<v1::Report>(&arena);
    checks.push_back(ThreadSeconds([&] { ok = ok && Check(message, options, modules, report).ok(); }));
  }
  if (!ok) return 2;
  std::cout << 1e6 * Median(groups) << " " << 1e6 * Median(checks) << " " << 1e6 * Median(builds) << std::endl;
  return 0;
}

}  // namespace
}  // namespace quantgate::benchmarks

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  quantgate::server::KeepFreedMemory();  // as `quantgate serve` does
  return quantgate::benchmarks::Run(argv[1], argv[2], std::atoi(argv[3]));
}
