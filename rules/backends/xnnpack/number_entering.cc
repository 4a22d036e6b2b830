#include "rules/backends/xnnpack/number_entering.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/backends/table_target.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate::xnnpack {

const RuleInfo kNumberEntering = {
    "GS607",
    "number-entering",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} reads {observed}; ExecuTorch needs {allowed}.",
    "ExecuTorch 1.5.1 looks at the first element of each tensor that enters a delegate and is quantized there, to see "
    "how it lies in memory. One without dimensions, as x.mean() gives it on the CPU, has none that can be taken, and "
    "the export ends with \"An error occurred when running the 'ChannelsLastTaggedReshapePass' pass\".",
    "Keep a dimension (x.mean((0, 1), keepdim=True)), or leave the tensor in float.",
    "Fires: a quantized sub of a tensor and its mean over everything. Does not: its mean over all dimensions, which "
    "are kept; both in float; a number that is a constant.",
};

namespace {

bool Enters(const Graph& graph, const Delegates& delegates, int32_t value) {
  const int32_t producer = graph.producer(value);
  return producer >= 0 ? delegates.leaves(producer) : graph.is_graph_input(value);
}

}  // namespace

void CheckNumberEntering(const CheckContext& context, const Delegates& delegates, const Target& target,
                         FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const ResolvedOp& op = context.resolved().ops()[i];
    if (!delegates.takes(op.node)) continue;
    const auto inputs = context.resolved().inputs(op);
    const auto input = absl::c_find_if(inputs, [&](const Operand& operand) {
      return operand.present && operand.quantized && operand.value >= 0 && graph.rank(operand.value) == 0 &&
             !graph.is_constant(operand.value) && Enters(graph, delegates, operand.value);
    });
    if (input == inputs.end()) continue;
    FindingSource source = FromTable(target, v1::Source::MEASURED, result.ops[i].backend_ops.front(),
                                     "ExecuTorch 1.5.1, a quantized tensor less its mean, lowered");
    Place place;
    place.node = op.node;
    place.input = input->argument;
    place.value = input->value;
    sink.Add(kNumberEntering, place, "a quantized tensor without dimensions", "one of at least one dimension",
             std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::xnnpack
