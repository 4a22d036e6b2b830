#include "rules/graph/quantizer.h"

namespace quantgate {

QuantizerInputs QuantizerInputsOf(const Graph& graph, int32_t node) {
  QuantizerInputs found;
  const Binding* binding = graph.binding(node);
  if (binding == nullptr) return found;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    switch (ArgumentAt(*binding, graph.argument(node, i)).role) {
      case ArgRole::kData:
        if (found.data < 0) found.data = value;
        break;
      case ArgRole::kScale:
        if (found.scale < 0) found.scale = value;
        break;
      case ArgRole::kZeroPoint:
        if (found.zero_point < 0) found.zero_point = value;
        break;
      case ArgRole::kOther:
        break;
    }
  }
  return found;
}

int32_t TensorBehind(const Graph& graph, int32_t value, absl::FunctionRef<bool(int32_t node)> is_form) {
  constexpr int kMostForms = 16;  // one pair or two; who has more wants to be slow
  for (int hops = 0; value >= 0 && hops < kMostForms; ++hops) {
    const int32_t producer = graph.producer(value);
    if (!IsQuantizer(graph, producer) || !is_form(producer)) break;
    const int32_t data = QuantizerInputsOf(graph, producer).data;
    if (data < 0) break;
    value = data;
  }
  return value;
}

}  // namespace quantgate
