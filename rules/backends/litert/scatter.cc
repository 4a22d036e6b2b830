#include "rules/backends/litert/scatter.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/tflite/bodies.h"

namespace quantgate::litert {
namespace {

// The kernel runs no subgraph: it looks which operator is in there.
constexpr absl::string_view kTaken[] = {"STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM",
                                        "STABLEHLO_MINIMUM"};

}  // namespace

std::string OtherUpdate(const v1::Graph& model, const Graph& graph, int32_t node) {
  if (graph.op_type(node) != "STABLEHLO_SCATTER") return "";
  const v1::Graph* update = BodyAt(model, graph, node, "update_computation_subgraph_index");
  if (update == nullptr || update->nodes().empty()) return "";
  if (update->nodes_size() > 1) return absl::StrCat("an update computation of ", update->nodes_size(), " operators");
  const int32_t op = update->nodes(0).op();
  if (op < 1 || op > update->symbols_size()) return "";
  const absl::string_view name = update->symbols(op - 1);
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  return taken ? "" : absl::StrCat("an update computation of one ", name);
}

}  // namespace quantgate::litert
