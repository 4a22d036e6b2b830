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

}  // namespace quantgate
