#include "rules/backends/shared_encoding.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"
#include "rules/operators/op_id.h"

namespace quantgate {
namespace {

// By value; made once, in one walk: a tensor may have as many readers as the graph has nodes.
struct Encodings {
  std::vector<const Operand*> of;
};

// Nodes that are taken out: what one of their sides has, the other has, too.
void PassThroughIdentities(const ResolvedGraph& resolved, Encodings& encodings) {
  std::vector<std::pair<int32_t, int32_t>> sides;
  for (const ResolvedOp& op : resolved.ops()) {
    if (!IsIdentity(resolved, op)) continue;
    sides.emplace_back(resolved.inputs(op)[0].edge_value, resolved.outputs(op)[0].edge_value);
  }
  for (const auto& [in, out] : sides) {
    if (encodings.of[out] == nullptr) encodings.of[out] = encodings.of[in];
  }
  for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
    if (encodings.of[side->first] == nullptr) encodings.of[side->first] = encodings.of[side->second];
  }
}

// What an unbind takes apart, with the encoding of the whole (backends/qualcomm/_passes/annotate_unbind.py).
void PassToParts(const ResolvedGraph& resolved, Encodings& encodings) {
  for (const ResolvedOp& op : resolved.ops()) {
    if (op.op == nullptr || op.op->id != OpId::kUnstack || op.input_count == 0) continue;
    const Operand& whole = resolved.inputs(op)[0];
    const Operand* encoding = whole.quantized || whole.edge_value < 0 ? &whole : encodings.of[whole.edge_value];
    if (encoding == nullptr || !encoding->quantized) continue;
    for (const Operand& part : resolved.outputs(op)) {
      if (part.edge_value >= 0 && encodings.of[part.edge_value] == nullptr) encodings.of[part.edge_value] = encoding;
    }
  }
}

Encodings EncodingsOf(const CheckContext& context) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  Encodings encodings;
  if (graph.origin() != v1::Graph::PT2E || graph.message().specs().empty()) return encodings;
  encodings.of.assign(graph.num_values(), nullptr);
  const auto note = [&](absl::Span<const Operand> operands) {
    for (const Operand& operand : operands) {
      if (!operand.quantized || operand.edge_value < 0) continue;
      const Operand*& encoding = encodings.of[operand.edge_value];
      if (encoding == nullptr) encoding = &operand;
    }
  };
  for (const ResolvedOp& op : resolved.ops()) note(resolved.outputs(op));  // who writes it has the first word
  PassToParts(resolved, encodings);
  for (const ResolvedOp& op : resolved.ops()) note(resolved.inputs(op));
  PassThroughIdentities(resolved, encodings);
  return encodings;
}

}  // namespace

bool IsIdentity(const ResolvedGraph& resolved, const ResolvedOp& op) {
  const bool identity = op.op != nullptr && (op.op->id == OpId::kIdentity || op.op->id == OpId::kDropout);
  return identity && op.input_count > 0 && op.output_count > 0 && resolved.inputs(op)[0].edge_value >= 0 &&
         resolved.outputs(op)[0].edge_value >= 0;
}

const Operand* SharedEncoding(const CheckContext& context, const Operand& operand) {
  const int32_t value = operand.edge_value;
  if (!operand.present || operand.quantized || value < 0 || !IsFloat(operand.type)) return nullptr;
  const Encodings& encodings = context.Once(EncodingsOf);
  return encodings.of.empty() || context.graph().is_constant(value) ? nullptr : encodings.of[value];
}

Operand EncodedAs(const Operand& operand, const Operand& other) {
  Operand encoded = other;
  encoded.value = operand.value;
  encoded.edge_value = operand.edge_value;
  encoded.argument = operand.argument;
  encoded.port = operand.port;
  encoded.is_static = operand.is_static;
  encoded.static_chain = operand.static_chain;
  return encoded;
}

bool SharesEncoding(const CheckContext& context, const ResolvedOp& op) {
  const auto shares = [&](const Operand& operand) { return SharedEncoding(context, operand) != nullptr; };
  return absl::c_any_of(context.resolved().inputs(op), shares) ||
         absl::c_any_of(context.resolved().outputs(op), shares);
}

bool AnySharesEncoding(const CheckContext& context) {
  const ResolvedGraph& resolved = context.resolved();
  const auto is_open = [&context](const Operand& operand) {
    return operand.present && !operand.quantized && operand.edge_value >= 0 && IsFloat(operand.type) &&
           !context.graph().is_constant(operand.edge_value);
  };
  return absl::c_any_of(resolved.unlike_ops(), [&](int32_t number) {
    const ResolvedOp& op = resolved.ops()[number];
    return absl::c_any_of(resolved.inputs(op), is_open) || absl::c_any_of(resolved.outputs(op), is_open);
  });
}

bool TouchesQuantized(const CheckContext& context, const ResolvedOp& op) {
  const auto quantized = [](const Operand& operand) { return operand.quantized; };
  return absl::c_any_of(context.resolved().inputs(op), quantized) ||
         absl::c_any_of(context.resolved().outputs(op), quantized) || SharesEncoding(context, op);
}

}  // namespace quantgate
