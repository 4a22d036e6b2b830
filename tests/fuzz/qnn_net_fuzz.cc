// Any bytes: a QNN graph that the rules can judge, or an error with a code. Never a crash, and what comes out can be
// sent.
#include <cstdint>
#include <cstdlib>

#include "client/error.h"
#include "client/qnn_net/net_importer.h"
#include "rules/check.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/resolve.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const quantgate::ImportOptions options{.max_nodes = 10'000};
  const absl::StatusOr<quantgate::v1::Graph> message = quantgate::ImportQnnNet(bytes, options);
  if (!message.ok()) {
    const std::string code = quantgate::ErrorCode(message.status());
    Check(code == "FI001" || code == "FI002");
    return 0;
  }
  quantgate::v1::Graph again;
  Check(again.ParseFromString(message->SerializeAsString()));
  const absl::StatusOr<quantgate::Graph> graph = quantgate::Graph::Build(*message);
  Check(graph.ok());
  const quantgate::ResolvedGraph resolved = quantgate::ResolvedGraph::Resolve(*graph);
  const quantgate::CheckContext context(*graph, resolved, &*message);
  quantgate::FindingSink sink;
  for (const quantgate::Rule& rule : quantgate::SoundnessRules()) rule.check(context, sink);
  return 0;
}
