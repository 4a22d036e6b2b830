// The arguments of Quantize and Dequantize nodes.
#ifndef QUANTGATE_RULES_GRAPH_QUANTIZER_H_
#define QUANTGATE_RULES_GRAPH_QUANTIZER_H_

#include <cstdint>

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

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QUANTIZER_H_
