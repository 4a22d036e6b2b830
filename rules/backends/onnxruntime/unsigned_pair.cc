#include "rules/backends/onnxruntime/unsigned_pair.h"

#include <optional>

#include "rules/backends/onnxruntime/values.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {

bool IsMadeUnsigned(const Graph& graph, const std::vector<v1::DataType>& types, int32_t quantizer) {
  const int32_t stored = StoredOf(graph, quantizer);
  const int32_t quantize = stored < 0 ? -1 : graph.producer(stored);
  if (stored < 0 || types[stored] != v1::DATA_TYPE_INT8 || !IsQuantize(graph, quantize)) return false;
  if (graph.is_static(stored)) return false;  // a constant by then, and no pair
  const int32_t dequantize = OnlyUse(graph, stored);
  if (!IsDequantize(graph, dequantize) || graph.num_outputs(dequantize) == 0) return false;
  const int32_t read = graph.output(dequantize, 0);
  if (read < 0 || graph.uses(read).size() + (graph.is_graph_output(read) ? 1 : 0) > 1) return false;
  const auto zero_point = [&graph](int32_t node) {
    const int32_t value = graph.num_inputs(node) > 2 ? graph.input(node, 2) : -1;
    // A body's are looked for in the body alone.
    return value < 0 || graph.is_elsewhere(value) ? std::nullopt : FixedScalar(graph, value);
  };
  const std::optional<double> point = zero_point(quantize);
  return point && zero_point(dequantize) == point;
}

}  // namespace quantgate::onnxruntime
