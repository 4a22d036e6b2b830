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
  const IntegerView axes = IntegersOf(graph.value(order));
  // No order of these axes. Many nodes may share a long one.
  if (axes.size() != static_cast<size_t>(dims.size())) return false;
  int64_t last = -1;
  for (const int64_t stated : axes) {
    const int64_t axis = stated < 0 ? stated + dims.size() : stated;
    if (axis < 0 || axis >= dims.size() || dims[static_cast<int>(axis)] == 1) continue;
    if (axis < last) return true;
    last = axis;
  }
  return false;
}

bool MovesNothing(const Graph& graph, int32_t node) {
  return graph.op_type(node) == "RESHAPE" && OnlyMovesOnes(graph, node);
}

// The value's one reader, which the NPU takes; -1: there is none.
int32_t ReaderOnNpu(const CheckContext& context, const std::vector<bool>& on_cpu, int32_t value) {
  const int32_t reader = context.Once(ReadersOf)[value].sole();
  return reader >= 0 && !on_cpu[reader] ? reader : -1;
}

// A RESHAPE that moves nothing goes behind the TRANSPOSE behind it, which may meet another one then.
void AddInFrontOfTranspose(const CheckContext& context, const std::vector<bool>& on_cpu, int32_t value,
                           std::vector<LostOutput>& lost) {
  const Graph& graph = context.graph();
  const int32_t writer = graph.producer(value), reader = ReaderOnNpu(context, on_cpu, value);
  if (writer < 0 || reader < 0 || on_cpu[writer]) return;
  const bool over_reshape = MovesNothing(graph, reader);
  const int32_t last = over_reshape ? ReaderOnNpu(context, on_cpu, graph.output(reader, 0)) : reader;
  if (last < 0 || !Reorders(graph, last)) return;
  if (Reorders(graph, writer)) {
    lost.push_back({value, "between two TRANSPOSE that become one"});
  } else if (!over_reshape && MovesNothing(graph, writer)) {
    lost.push_back({value, "between a RESHAPE and a TRANSPOSE that change places"});
  }
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
