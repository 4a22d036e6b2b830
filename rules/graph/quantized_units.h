// Which nodes between Quantize and Dequantize nodes compute on quantized tensors.
//
// A node does when each float tensor that flows in is dequantized for it, and each float output is quantized. Otherwise
// it computes in float, behind a Dequantize and in front of a Quantize that are operators of their own; that is how
// runtimes and converters read QDQ graphs.
#ifndef QUANTGATE_RULES_GRAPH_QUANTIZED_UNITS_H_
#define QUANTGATE_RULES_GRAPH_QUANTIZED_UNITS_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

class QuantizedUnits {
 public:
  // `stored`: by value, not negative for a tensor that is stored quantized. It may grow more so between the calls, of
  // nodes in front of the one that is asked for.
  QuantizedUnits(const Graph& graph, const std::vector<int32_t>& stored)
      : graph_(graph), stored_(stored), unit_(graph.num_nodes(), -1) {}

  bool Computes(int32_t node) {
    if (unit_[node] < 0) unit_[node] = Judge(node) ? 1 : 0;
    return unit_[node] == 1;
  }
  // The Quantize node that a tensor's producer writes through; -1: the producer writes floats.
  int32_t FoldedQuantize(int32_t value);

 private:
  bool Judge(int32_t node) const;
  bool MayBeFloat(int32_t value) const;
  int32_t OnlyQuantizes(int32_t value) const;

  const Graph& graph_;
  const std::vector<int32_t>& stored_;
  std::vector<int8_t> unit_;  // by node; -1: not computed
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QUANTIZED_UNITS_H_
