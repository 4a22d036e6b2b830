#include "rules/backends/onnxruntime/values.h"

#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {

std::optional<double> FixedScalar(const Graph& graph, int32_t value) {
  if (value < 0 || !graph.is_constant(value) || graph.is_graph_input(value)) return std::nullopt;
  const RealView numbers = NumbersOf(graph.value(value));
  return numbers.size() == 1 ? std::optional<double>(numbers[0]) : std::nullopt;
}

const v1::Value* FixedValue(const CheckContext& context, int32_t value) {
  const Graph& graph = context.graph();
  if (value < 0) return nullptr;
  const v1::Value& message = graph.value(value);
  if (const int32_t outer = message.captured(); outer > 0) {
    return context.around() == nullptr ? nullptr : FixedValue(*context.around(), outer - 1);
  }
  return graph.is_constant(value) && !graph.is_graph_input(value) ? &message : nullptr;
}

bool MayBeOne(const Graph& graph, int32_t value) {
  if (value < 0 || graph.rank(value) <= 0) return true;
  return graph.rank(value) == 1 && graph.value(value).dims(0) <= 1;
}

int32_t OnlyUse(const Graph& graph, int32_t value) {
  if (value < 0) return -1;
  const Use* use = graph.only_use(value);
  return use != nullptr && use->input == 0 ? use->node : -1;
}

int32_t StoredOf(const Graph& graph, int32_t quantizer) {
  if (IsDequantize(graph, quantizer)) return InputAt(graph, quantizer, 0);
  return graph.output(quantizer, 0);
}

}  // namespace quantgate::onnxruntime
