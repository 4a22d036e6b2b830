#include "rules/soundness/structure/weight_ranks.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quantgate {
namespace {

// Value of the operand at a position; -1: there is none.
int32_t OperandAt(const Graph& graph, int32_t node, int position) {
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (graph.argument(node, i) == position) return graph.input(node, i);
  }
  return -1;
}

// The rank of a weight that is stored, quantized or not; -1: not known. PyTorch does not go by the shapes that a
// program declares of what it computes.
int StoredRank(const Graph& graph, int32_t value) {
  if (value < 0) return -1;
  const int32_t producer = graph.producer(value);
  if (producer >= 0 && graph.op(producer) == OpId::kDequantize) value = OperandAt(graph, producer, 0);
  return value >= 0 && graph.is_constant(value) ? graph.rank(value) : -1;
}

// conv2d and conv_transpose2d have two axes; 0: not told by the name.
int AxesOfConvolution(absl::string_view op_type) {
  absl::ConsumePrefix(&op_type, "aten.conv_transpose");
  absl::ConsumePrefix(&op_type, "aten.conv");
  return op_type.size() > 1 && op_type[1] == 'd' && op_type[0] >= '1' && op_type[0] <= '3' ? op_type[0] - '0' : 0;
}

// A vector as the weight gives one number for each row of the input, to which a bias of a number for each of the
// layer's outputs cannot be added. Without a bias it is computed, and so it is where the numbers happen to agree.
bool IsVectorWithABias(const Graph& graph, int32_t node, int rank) {
  const int32_t input = OperandAt(graph, node, 0);
  const int32_t bias = OperandAt(graph, node, 2);
  if (rank != 1 || input < 0 || bias < 0 || !graph.is_constant(bias) || graph.rank(bias) != 1) return false;
  const int input_rank = graph.rank(input);
  if (input_rank < 2) return false;
  const int64_t outputs = graph.value(bias).dims(0);
  const int64_t rows = graph.value(input).dims(input_rank - 2);
  return input_rank == 2 || (outputs > 1 && rows >= 0 && rows != outputs);
}

// Which rank is asked for instead; "": the weight may be good.
std::string WantedRank(const Graph& graph, int32_t node, int rank) {
  const OpId op = graph.op(node);
  if (op == OpId::kLinear) {
    return rank > 2 || IsVectorWithABias(graph, node, rank) ? "rank 2" : "";
  }
  if (op != OpId::kConv && op != OpId::kConvTranspose) return "";
  const int axes = AxesOfConvolution(graph.op_type(node));
  return axes > 0 && rank != axes + 2 ? absl::StrCat("rank ", axes + 2) : "";
}

}  // namespace

void CheckWeightRanks(const Graph& graph, const RuleInfo& rule, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.binding(node) == nullptr || !absl::StartsWith(graph.op_type(node), "aten.")) continue;
    const int32_t weight = OperandAt(graph, node, 1);
    const int rank = StoredRank(graph, weight);
    if (rank < 0) continue;
    std::string wanted = WantedRank(graph, node, rank);
    if (wanted.empty()) continue;
    Place place;
    place.node = node;
    place.input = 1;
    place.value = weight;
    sink.Add(rule, place, absl::StrCat("rank ", rank), std::move(wanted));
  }
}

}  // namespace quantgate
