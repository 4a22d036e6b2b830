#include "rules/backends/qnn_htp/gathered_table.h"

#include "rules/backends/node_view.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/operators/op_id.h"

namespace quantgate::qnn_htp {
namespace {

// What the Convert of an embedding is made for, or the one reader of a Convert that the graph states.
bool IsGathered(const Graph& graph, int32_t node) {
  if (graph.op(node) == OpId::kEmbedding) return true;
  const int32_t value = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  const Use* use = value < 0 ? nullptr : graph.only_use(value);
  return use != nullptr && use->input == 0 && graph.op(use->node) == OpId::kGather;
}

}  // namespace

Tri JoinsGather(const Graph& graph, const BackendOp& op) {
  const BackendTensor& table = Input(op, 0);
  const bool may = op.name == "Convert" && IsFixed16(Output(op, 0)) && IsFixed8(table) &&
                   table.encoding == Encoding::kPerChannel && (table.is_static || table.static_chain) &&
                   IsGathered(graph, op.node);
  if (!may || (table.rank >= 0 && table.rank != 2) || table.axis > 0) return Tri::kNo;
  return table.rank < 0 || table.axis < 0 ? Tri::kUnknown : Tri::kYes;
}

}  // namespace quantgate::qnn_htp
