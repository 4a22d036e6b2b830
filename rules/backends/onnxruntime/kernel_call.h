// What a kernel is called with: a node as it is written, or several that the runtime makes one of.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"
#include "rules/engine/finding.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

struct KernelCall {
  absl::string_view op;  // as in Node.op: "QLinearConv", "com.microsoft::QLinearAdd"
  int32_t node = -1;     // that computes; attributes are its own
  bool fused = false;    // of several nodes
  // Of MatMul: the weight is the transposed one. The runtime moves the Transpose into the constant before it fuses.
  bool turned = false;
  // By the operator's arguments: value ids, -1 for what is left out, where each is stated, and its element type, which
  // is not always that of the file.
  std::vector<int32_t> inputs;
  std::vector<Place> places;
  std::vector<v1::DataType> types;
  std::vector<int32_t> outputs;
  std::vector<v1::DataType> output_types;

  int32_t input(size_t i) const { return i < inputs.size() ? inputs[i] : -1; }
  void Add(int32_t value, Place place, v1::DataType type) {
    inputs.push_back(value);
    places.push_back(place);
    types.push_back(type);
  }
  void AddOutput(int32_t value, v1::DataType type) {
    outputs.push_back(value);
    output_types.push_back(type);
  }
  void Clear();
};

// A node as it is written. `types` by value; `call` is used again from node to node.
void FillCall(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, KernelCall& call);

// Adds input `i` of `node`, left out when the node has fewer.
void AddInput(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, int i, KernelCall& call);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_KERNEL_CALL_H_
