// Any bytes: a quantgate.v1.Graph, and a check of it that ends in a report or in a documented status. What the server
// does with the bytes of a client, without the network.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "db/database.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/check.h"

namespace {

// Lives as long as the process; the registry loads modules on first use, as in the server.
struct Engine {
  std::unique_ptr<quantgate::db::Database> tables;
  std::unique_ptr<quantgate::ModuleRegistry> modules;
};

Engine& TheEngine() {
  static Engine& engine = *[] {
    auto* made = new Engine;
    auto tables = quantgate::db::Database::OpenDefault();
    if (!tables.ok()) std::abort();  // the build is broken, not the input
    made->tables = *std::move(tables);
    made->modules = std::make_unique<quantgate::ModuleRegistry>(*made->tables);
    quantgate::RegisterBuiltinModules(*made->modules);
    return made;
  }();
  return engine;
}

bool IsDocumented(const absl::Status& status) {
  return status.ok() || absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quantgate::v1::Graph graph;
  if (!graph.ParseFromArray(data, static_cast<int>(size))) return 0;
  quantgate::CheckOptions options;
  const std::vector<std::vector<std::string>> asked = {
      {},
      {"qnn_htp/SM8650", "qnn_htp/V68@2.25"},
      {"qnn_lpai/SM8850", "xnnpack", "x86_inductor/avx512_vnni", "onnxruntime/cpu"},
      {"litert/reference", "litert/xnnpack"}};
  for (const std::vector<std::string>& targets : asked) {
    options.targets = targets;
    quantgate::v1::Report report;
    const absl::Status status = quantgate::Check(graph, options, *TheEngine().modules, report);
    if (!IsDocumented(status)) std::abort();
    // What comes out can be sent: every string is UTF-8, whatever went in.
    quantgate::v1::Report again;
    if (status.ok() && !again.ParseFromString(report.SerializeAsString())) std::abort();
  }
  return 0;
}
