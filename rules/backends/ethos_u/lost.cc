#include "rules/backends/ethos_u/lost.h"

#include "rules/backends/ethos_u/dilated.h"
#include "rules/backends/ethos_u/padding.h"
#include "rules/backends/ethos_u/used.h"
#include "rules/graph/elements.h"

namespace quantgate::ethos_u {
namespace {

// A TRANSPOSE by a constant that changes the order of axes that are not 1.
bool Reorders(const Graph& graph, int32_t node) {
  if (graph.op_type(node) != "TRANSPOSE" || graph.num_inputs(node) != 2) return false;
  const int32_t data = graph.input(node, 0), order = graph.input(node, 1);
  if (data < 0 || order < 0 || !graph.is_constant(order)) return false;
  const auto& dims = graph.value(data).dims();
  int64_t last = -1;
  for (const int64_t axis : IntegersOf(graph.value(order))) {
    if (axis < 0 || axis >= dims.size() || dims[static_cast<int>(axis)] == 1) continue;
    if (axis < last) return true;
    last = axis;
  }
  return false;
}

// Why the value that `writer` writes goes, where the TRANSPOSE behind it is its one reader; null: it does not.
const char* GoesInto(const Graph& graph, int32_t writer, int32_t value) {
  if (Reorders(graph, writer)) return "between two TRANSPOSE that become one";
  if (graph.op_type(writer) != "RESHAPE" || graph.num_inputs(writer) == 0 || graph.input(writer, 0) < 0) return nullptr;
  const bool moves_nothing = SizesBeyondOne(graph, graph.input(writer, 0)) == SizesBeyondOne(graph, value);
  return moves_nothing ? "between a RESHAPE and a TRANSPOSE that change places" : nullptr;
}

void AddInFrontOfTranspose(const CheckContext& context, const std::vector<bool>& on_cpu, int32_t value,
                           std::vector<LostOutput>& lost) {
  const Graph& graph = context.graph();
  const int32_t writer = graph.producer(value), reader = context.Once(ReadersOf)[value].sole();
  if (writer < 0 || reader < 0 || on_cpu[writer] || on_cpu[reader] || !Reorders(graph, reader)) return;
  if (const char* where = GoesInto(graph, writer, value); where != nullptr) lost.push_back({value, where});
}

void AddPads(const CheckContext& context, const std::vector<bool>& on_cpu, std::vector<LostOutput>& lost) {
  const Graph& graph = context.graph();
  const TakenPads& taken = context.Once(PadsTaken);
  std::vector<bool> gone = taken.gone;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (on_cpu[node] && taken.pad[node] >= 0) gone[taken.pad[node]] = false;
  }
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const int32_t pad = taken.pad[node];
    if (pad < 0 || !gone[pad] || on_cpu[pad]) continue;
    // With a reshape between them, either. Several convolutions make one finding.
    for (const int32_t value : {graph.output(pad, 0), graph.input(node, 0)}) {
      if (value < 0 || !graph.is_graph_output(value)) continue;
      lost.push_back({value, "behind a PAD that becomes the padding of what reads it"});
    }
  }
}

}  // namespace

std::vector<LostOutput> LostOutputs(const CheckContext& context, const std::vector<bool>& on_cpu) {
  const Graph& graph = context.graph();
  std::vector<LostOutput> lost;
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.is_graph_output(value)) AddInFrontOfTranspose(context, on_cpu, value, lost);
  }
  for (const int32_t value : InsideDilated(context)) {
    if (graph.is_graph_output(value)) lost.push_back({value, "inside of a dilated convolution"});
  }
  AddPads(context, on_cpu, lost);
  return lost;
}

}  // namespace quantgate::ethos_u
