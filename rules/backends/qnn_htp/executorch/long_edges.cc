#include "rules/backends/qnn_htp/executorch/long_edges.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
#include "rules/backends/qnn_htp/executorch/runs.h"

namespace quantgate::qnn_htp {

const RuleInfo kLongEdge = {
    "GS208",
    "long-edge",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Within a delegate ExecuTorch computes with 32 bits what is of int64; at its edge the tensor is as the model has "
    "it, and HTP has no form of 64 bits for more than four dimensions. Validation lets it pass, and preparing the "
    "graph ends with \"could not create op: q::*Input5D\", or the library dies.",
    "Give the model int32, x.to(torch.int32), or reshape the tensor to four dimensions outside of what is lowered.",
    "Fires: an add of an input of int64 with shape [1, 2, 1, 3, 6], with the toolchain executorch. Does not: of "
    "int32, or with shape [2, 1, 3, 6].",
};

namespace {

constexpr int kMostDimensions = 4;

bool IsLong(const Graph& graph, const Operand& operand) {
  return operand.present && !operand.quantized && operand.value >= 0 && operand.type == v1::DATA_TYPE_INT64 &&
         graph.rank(operand.value) > kMostDimensions;
}

class LongEdges {
 public:
  LongEdges(const CheckContext& context, FindingSink& sink, ModuleResult& result)
      : context_(context), graph_(context.graph()), sink_(sink), result_(result) {}

  void Check(size_t index) {
    if (!IsDelegated(result_.ops[index])) return;
    const ResolvedOp& op = context_.resolved().ops()[index];
    for (const Operand& input : context_.resolved().inputs(op)) {
      if (IsLong(graph_, input) && ComesFromOutside(input.value, static_cast<int>(index))) {
        return Say(index, input, false);
      }
    }
    for (const Operand& output : context_.resolved().outputs(op)) {
      if (IsLong(graph_, output) && graph_.is_graph_output(output.value)) return Say(index, output, true);
    }
  }

 private:
  bool ComesFromOutside(int32_t value, int reader) {
    value = qnn::BehindRemoved(graph_, value);
    if (value < 0) return false;
    const int32_t producer = graph_.producer(value);
    if (producer < 0) return graph_.is_graph_input(value);
    const int32_t writer = context_.resolved().op_of_node(producer);
    if (writer < 0) return false;
    if (!IsDelegated(result_.ops[writer])) return result_.ops[writer].refused;
    if (!delegates_.has_value()) delegates_ = DelegateOfEach(context_, result_);
    return !delegates_->empty() && (*delegates_)[writer] != (*delegates_)[reader];
  }

  void Say(size_t index, const Operand& operand, bool is_output) {
    Place place;
    place.node = context_.resolved().ops()[index].node;
    (is_output ? place.output : place.input) = operand.argument;
    place.value = operand.value;
    sink_.Add(kLongEdge, place, absl::StrCat("int64 of rank ", graph_.rank(operand.value)),
              absl::StrCat("at the edge of a delegate HTP prepares int64 of rank ", kMostDimensions, " at most"),
              OfTheRuns());
    result_.ops[index].ends_export = true;
  }

  const CheckContext& context_;
  const Graph& graph_;
  FindingSink& sink_;
  ModuleResult& result_;
  std::optional<std::vector<int>> delegates_;  // made when it is asked for
};

}  // namespace

void CheckLongEdges(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  LongEdges edges(context, sink, result);
  for (size_t i = 0; i < result.ops.size(); ++i) edges.Check(i);
}

}  // namespace quantgate::qnn_htp
