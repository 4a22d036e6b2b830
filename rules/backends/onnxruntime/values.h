// What the optimizer asks of values: whether one is a constant number, and which node alone reads it.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_VALUES_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_VALUES_H_

#include <cstdint>
#include <optional>

#include "rules/engine/context.h"
#include "rules/graph/graph.h"

namespace quantgate::onnxruntime {

// The value at a place of a node; -1: there is none.
inline int32_t InputAt(const Graph& graph, int32_t node, int i) {
  return i < graph.num_inputs(node) ? graph.input(node, i) : -1;
}
inline int32_t FirstOutput(const Graph& graph, int32_t node) {
  return graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
}

// One number of a constant; nullopt when it is none, or has several. An initializer that is an input of the graph is no
// constant to the optimizer: a caller may give another one.
std::optional<double> FixedScalar(const Graph& graph, int32_t value);

// The constant behind a value, in a body also one of a graph around it; null: there is none, or the caller may give
// another.
const v1::Value* FixedValue(const CheckContext& context, int32_t value);

// A scalar or a list of one, or nothing; true where the shape is not known.
bool MayBeOne(const Graph& graph, int32_t value);

// The node that reads the value as its first input, where nothing else does; -1: there is none.
int32_t OnlyUse(const Graph& graph, int32_t value);

// The integers: what a DequantizeLinear reads, or a QuantizeLinear writes.
int32_t StoredOf(const Graph& graph, int32_t quantizer);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_VALUES_H_
