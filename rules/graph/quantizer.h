// The arguments of Quantize and Dequantize nodes.
#ifndef QUANTGATE_RULES_GRAPH_QUANTIZER_H_
#define QUANTGATE_RULES_GRAPH_QUANTIZER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "rules/graph/graph.h"

namespace quantgate {

// Value ids of the first data, scale and zero point argument of a node with a binding; -1: absent or omitted.
struct QuantizerInputs {
  int32_t data = -1;
  int32_t scale = -1;
  int32_t zero_point = -1;
};

QuantizerInputs QuantizerInputsOf(const Graph& graph, int32_t node);

inline bool IsQuantize(const Graph& graph, int32_t node) { return node >= 0 && graph.op(node) == OpId::kQuantize; }
inline bool IsDequantize(const Graph& graph, int32_t node) { return node >= 0 && graph.op(node) == OpId::kDequantize; }
inline bool IsQuantizer(const Graph& graph, int32_t node) {
  return IsQuantize(graph, node) || IsDequantize(graph, node);
}

// The tensor that Quantize and Dequantize nodes make another form of, through those that `is_form` is true of.
int32_t TensorBehind(const Graph& graph, int32_t value, absl::FunctionRef<bool(int32_t node)> is_form);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QUANTIZER_H_
