#include "server/rpc/request_size.h"

#include "absl/strings/str_cat.h"
#include "server/status.h"

namespace quantgate::server {
namespace {

constexpr size_t kMaxModelText = 4096;

struct Size {
  int64_t nodes = 0;
  int64_t values = 0;
};

// The parser's own limit on nesting bounds the recursion.
void AddSize(const v1::Graph& graph, Size& size) {
  size.nodes += graph.nodes_size();
  size.values += graph.values_size();
  for (const v1::Graph& subgraph : graph.subgraphs()) AddSize(subgraph, size);
}

}  // namespace

absl::Status CheckGraphSize(const v1::Graph& graph, const Limits& limits) {
  Size size;
  AddSize(graph, size);
  if (size.nodes > limits.max_nodes) {
    return LimitExceeded("max_nodes", limits.max_nodes, absl::StrCat("the graph has ", size.nodes, " nodes"));
  }
  if (size.values > limits.max_values) {
    return LimitExceeded("max_values", limits.max_values, absl::StrCat("the graph has ", size.values, " values"));
  }
  return absl::OkStatus();
}

absl::Status CheckModelInfo(const v1::ModelInfo& model) {
  if (model.path().size() > kMaxModelText || model.sha256().size() > kMaxModelText ||
      model.format().size() > kMaxModelText) {
    return absl::InvalidArgumentError(absl::StrCat("options.model: a text is longer than ", kMaxModelText, " bytes"));
  }
  return absl::OkStatus();
}

}  // namespace quantgate::server
