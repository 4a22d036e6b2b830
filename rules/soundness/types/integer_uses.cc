#include "rules/soundness/types/integer_uses.h"

#include <algorithm>

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

bool ReadsIntegers(const Graph& graph, int32_t node) {
  return graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0 && IsInteger(graph.dtype(graph.input(node, 0)));
}

// Whether output `i` is made of the elements that the node reads.
bool IsMadeOfItsInputs(const Graph& graph, int32_t node, int i, IntegerCasts casts) {
  if (IsCast(graph.op(node))) return casts == IntegerCasts::kPassOn && ReadsIntegers(graph, node);
  const Binding* binding = graph.binding(node);
  if (binding == nullptr || binding->op->outputs.empty()) return true;
  const size_t port = std::min<size_t>(i, binding->op->outputs.size() - 1);
  return binding->op->outputs[port].role != PortRole::kIndex;
}

}  // namespace

std::vector<bool> MustBeIntegers(const Graph& graph, IntegerCasts casts) {
  std::vector<bool> must(graph.num_values(), false);
  for (auto node = graph.order().rbegin(); node != graph.order().rend(); ++node) {
    bool passes_on = false;
    for (int i = 0; i < graph.num_outputs(*node); ++i) {
      const int32_t output = graph.output(*node, i);
      const bool needed = output >= 0 && IsInteger(graph.dtype(output)) && must[output];
      passes_on = passes_on || (needed && IsMadeOfItsInputs(graph, *node, i, casts));
    }
    // Behind the first input of a cast is the tensor whose type it takes.
    const int inputs = IsCast(graph.op(*node)) ? std::min(graph.num_inputs(*node), 1) : graph.num_inputs(*node);
    for (int i = 0; i < inputs; ++i) {
      const int32_t input = graph.input(*node, i);
      if (input >= 0 && (passes_on || NeedsIntegers(graph, {*node, i}))) must[input] = true;
    }
  }
  return must;
}

}  // namespace quantgate
