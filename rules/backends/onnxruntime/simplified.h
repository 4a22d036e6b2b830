// What the optimizer's first steps leave of a graph, before it puts pairs of QuantizeLinear and DequantizeLinear in:
// nodes that pass a value on, that compute the same as another one, or whose result is reshaped again are gone.
//
// Facts read in core/optimizer/ of ONNX Runtime (noop_elimination.cc, slice_elimination.cc, reshape_fusion.cc,
// common_subexpression_elimination.cc, ensure_unique_dq_for_node_unit.cc), and asked of sessions of 1.31.1.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_SIMPLIFIED_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_SIMPLIFIED_H_

#include <cstdint>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/engine/context.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

// Of a value, and of those that are the same one by another name.
struct Readers {
  int count = 0;       // nodes, once for each input, and the caller, but for QuantizeLinear nodes
  int quantizers = 0;  // QuantizeLinear nodes
  bool body = false;
  bool gone = false;  // a node that is not there any more
  int32_t node = -1;  // the last of them; -1: it is the caller
};

struct Simplified {
  std::vector<int32_t> same_as;  // by value: the one that is left of those that are the same
  std::vector<Readers> readers;  // by value, of those that are left
  std::vector<bool> is_gone;     // by node
};

// `types` by value.
Simplified Simplify(const CheckContext& context, const std::vector<v1::DataType>& types);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_SIMPLIFIED_H_
