// What the arguments of an ONNX If, Loop or Scan have in common with its bodies.
#ifndef QUANTGATE_RULES_ONNX_BODIES_H_
#define QUANTGATE_RULES_ONNX_BODIES_H_

#include <cstdint>
#include <vector>

#include "rules/graph/graph.h"

namespace quantgate {

// An argument of the node and an input or output of a body that carry the same tensor, or one step of it.
struct BodyTie {
  int input = -1;   // of the node; -1: an output is meant
  int output = -1;  // of the node
  const v1::Value* inner = nullptr;
  absl::string_view body;  // the attribute
};

// Empty for other operators. Arguments that one side does not have are left out. `opset`: version of the default
// operator set.
std::vector<BodyTie> BodyTies(const Graph& graph, int32_t node, int64_t opset);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_BODIES_H_
