// What a kernel is called with: a node as it is written, or several that the runtime makes one of.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "rules/engine/finding.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

struct KernelCall {
  absl::string_view op;  // as in Node.op: "QLinearConv", "com.microsoft::QLinearAdd"
  int32_t node = -1;     // that computes; attributes are its own
  bool fused = false;    // of several nodes
  // By the operator's arguments: value ids, -1 for what is left out, and where each is stated.
  std::vector<int32_t> inputs;
  std::vector<Place> places;
  std::vector<int32_t> outputs;

  int32_t input(size_t i) const { return i < inputs.size() ? inputs[i] : -1; }
  void Add(int32_t value, Place place) {
    inputs.push_back(value);
    places.push_back(place);
  }
};

// A node as it is written. `call` is used again from node to node.
void FillCall(const Graph& graph, int32_t node, KernelCall& call);

// Adds input `i` of `node`, left out when the node has fewer.
void AddInput(const Graph& graph, int32_t node, int i, KernelCall& call);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_
