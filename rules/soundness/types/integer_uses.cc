#include "rules/soundness/types/integer_uses.h"

#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// Whether the node fails when this argument turns out to be a float: indices, sizes, and what is asserted.
bool NeedsIntegers(const Graph& graph, Use use) {
  const Binding* binding = graph.binding(use.node);
  if (binding == nullptr) return false;
  const Argument argument = ArgumentAt(*binding, graph.argument(use.node, use.input));
  if (argument.role != ArgRole::kData) return false;
  const PortRole role = binding->op->inputs[argument.port].role;
  return role == PortRole::kIndex || role == PortRole::kParameter;
}

}  // namespace

std::vector<bool> MustBeIntegers(const Graph& graph) {
  std::vector<bool> must(graph.num_values(), false);
  for (auto node = graph.order().rbegin(); node != graph.order().rend(); ++node) {
    bool passes_on = false;
    for (int i = 0; i < graph.num_outputs(*node) && graph.op(*node) != OpId::kCast; ++i) {
      const int32_t output = graph.output(*node, i);
      passes_on = passes_on || (output >= 0 && IsInteger(graph.dtype(output)) && must[output]);
    }
    for (int i = 0; i < graph.num_inputs(*node); ++i) {
      const int32_t input = graph.input(*node, i);
      if (input >= 0 && (passes_on || NeedsIntegers(graph, {*node, i}))) must[input] = true;
    }
  }
  return must;
}

}  // namespace quantgate
