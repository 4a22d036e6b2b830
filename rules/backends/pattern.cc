#include "rules/backends/pattern.h"

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace quantgate {
namespace {

const ResolvedOp* OpOf(const CheckContext& context, int32_t node) {
  const int32_t index = node < 0 ? -1 : context.resolved().op_of_node(node);
  return index < 0 ? nullptr : &context.resolved().ops()[index];
}

const Operand* Found(absl::Span<const Operand> operands, absl::Span<const Operand>::iterator found) {
  return found == operands.end() ? nullptr : &*found;
}

// What the annotation says of the value where it is written: everybody reads it dequantized.
const Operand* AnnotatedOutput(const CheckContext& context, int32_t value) {
  const ResolvedOp* op = IsAnnotation(context) ? OpOf(context, context.graph().producer(value)) : nullptr;
  if (op == nullptr) return nullptr;
  const absl::Span<const Operand> outputs = context.resolved().outputs(*op);
  return Found(outputs, absl::c_find_if(outputs, [value](const Operand& output) {
                 return output.quantized && output.edge_value == value;
               }));
}

// What the annotation says of the place where the value is read.
const Operand* AnnotatedInput(const CheckContext& context, const Use& use) {
  const ResolvedOp* op = IsAnnotation(context) ? OpOf(context, use.node) : nullptr;
  if (op == nullptr) return nullptr;
  const absl::Span<const Operand> inputs = context.resolved().inputs(*op);
  // Parameters of run time are found beside the Quantize, by another reader.
  return Found(inputs, absl::c_find_if(inputs, [&use](const Operand& input) {
                 return input.quantized && input.argument == use.input && input.is_dynamic != Tri::kYes;
               }));
}

// The Dequantize in front of a value; null: there is none.
const Operand* Dequantized(const CheckContext& context, int32_t value) {
  const Graph& graph = context.graph();
  const int32_t producer = value < 0 ? -1 : graph.producer(value);
  if (producer < 0) return nullptr;
  return graph.op(producer) == OpId::kDequantize ? context.resolved().quantizer(producer)
                                                 : AnnotatedOutput(context, value);
}

// The Quantize that a reader of a value is; null: it is none.
const Operand* Quantized(const CheckContext& context, const Use& use) {
  return context.graph().op(use.node) == OpId::kQuantize ? context.resolved().quantizer(use.node)
                                                         : AnnotatedInput(context, use);
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
  const Operand* stored = use == nullptr ? nullptr : Quantized(context, *use);
  if (stored == nullptr) return output;
  Operand written = *stored;
  written.value = output.value;
  written.argument = output.argument;
  written.port = output.port;
  return written;
}

}  // namespace quantgate
