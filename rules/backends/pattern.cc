#include "rules/backends/pattern.h"

namespace quantgate {
namespace {

// The Dequantize in front of a value; null: there is none.
const Operand* Dequantized(const CheckContext& context, int32_t value) {
  const Graph& graph = context.graph();
  const int32_t producer = value < 0 ? -1 : graph.producer(value);
  if (producer < 0 || graph.op(producer) != OpId::kDequantize) return nullptr;
  return context.resolved().quantizer(producer);
}

}  // namespace

Operand AsRead(const CheckContext& context, const Operand& input) {
  const Operand* stored = input.present && !input.quantized ? Dequantized(context, input.edge_value) : nullptr;
  if (stored == nullptr) return input;
  const Graph& graph = context.graph();
  Operand read = *stored;
  read.argument = input.argument;
  read.port = input.port;
  read.is_static = read.static_chain = stored->edge_value >= 0 && graph.is_static(stored->edge_value);
  return read;
}

Operand AsWritten(const CheckContext& context, const Operand& output) {
  const Graph& graph = context.graph();
  if (!output.present || output.quantized || output.value < 0) return output;
  const Use* use = graph.only_use(output.value);
  if (use == nullptr || graph.op(use->node) != OpId::kQuantize) return output;
  const Operand* stored = context.resolved().quantizer(use->node);
  if (stored == nullptr) return output;
  Operand written = *stored;
  written.value = output.value;
  written.argument = output.argument;
  written.port = output.port;
  return written;
}

}  // namespace quantgate
