#include "rules/backends/wide_integers.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "rules/backends/extreme_places.h"

namespace quantgate {
namespace {

// They find or count in 64 bits, whatever they read.
constexpr OpId kMakesWide[] = {OpId::kTopK,       OpId::kSort,    OpId::kArgSort, OpId::kReduceSum,
                               OpId::kReduceProd, OpId::kMaxPool, OpId::kNonZero, OpId::kAdaptiveMaxPool};

// A cast of the result to 32 bits is put behind these, or behind the last of what they are taken apart into.
constexpr OpId kNarrows[] = {OpId::kArgMax, OpId::kArgMin, OpId::kCumSum,   OpId::kRange,   OpId::kFill,
                             OpId::kMaxDim, OpId::kMinDim, OpId::kFillLike, OpId::kFloorDiv};

// The builders of what is addressed by an index convert it; a cast reads either, and one to int64 is none.
bool Converts(OpId id, int port, bool writes_long) {
  switch (id) {
    case OpId::kCast:
    case OpId::kCastLike:
      return !writes_long;
    case OpId::kFloorDiv:
      return true;
    case OpId::kGather:
    case OpId::kGatherElements:
    case OpId::kScatterElements:
    case OpId::kScatterReduce:
      return port == 1;
    case OpId::kIndex:
    case OpId::kIndexPut:
      return port > 0;
    default:
      return false;
  }
}

OpId IdOf(const ResolvedOp& op) { return op.op == nullptr ? OpId::kUnknown : op.op->id; }

// As one of its results, or as the part of a tuple of them.
bool Writes(const Graph& graph, int32_t node, int32_t value) {
  const int32_t producer = graph.producer(value);
  if (producer < 0 || producer == node) return producer == node;
  const bool is_part = graph.op(producer) == OpId::kGetItem && graph.num_inputs(producer) > 0;
  return is_part && graph.input(producer, 0) >= 0 && graph.producer(graph.input(producer, 0)) == node;
}

// By value; empty: none.
using WideValues = std::vector<bool>;

bool ReadsWide(const WideValues& wide, const ResolvedGraph& resolved, const ResolvedOp& op, const Operand& input) {
  const absl::Span<const Operand> outputs = resolved.outputs(op);
  const bool writes_long = !outputs.empty() && outputs[0].type == v1::DATA_TYPE_INT64;
  return input.value >= 0 && input.value < std::ssize(wide) && wide[input.value] &&
         !Converts(IdOf(op), input.port, writes_long);
}

WideValues WideValuesOf(const CheckContext& context) {
  WideValues wide;
  if (context.graph().origin() != v1::Graph::PT2E) return wide;
  const ResolvedGraph& resolved = context.resolved();
  for (const ResolvedOp& op : resolved.ops()) {
    const OpId id = IdOf(op);
    const bool makes = absl::c_linear_search(kMakesWide, id) || KeepsPlaces(context.graph(), op.node);
    if (!makes && (wide.empty() || absl::c_linear_search(kNarrows, id))) continue;
    const bool is_wide = makes || absl::c_any_of(resolved.inputs(op), [&](const Operand& input) {
                           return ReadsWide(wide, resolved, op, input);
                         });
    if (!is_wide) continue;
    for (const Operand& output : resolved.outputs(op)) {
      if (output.value < 0 || output.type != v1::DATA_TYPE_INT64) continue;
      if (wide.empty()) wide.resize(context.graph().num_values());
      wide[output.value] = true;
    }
  }
  return wide;
}

}  // namespace

bool IsWide(const CheckContext& context, const ResolvedOp& op, const Operand& operand) {
  if (operand.type != v1::DATA_TYPE_INT64 || operand.quantized) return false;
  const OpId id = IdOf(op);
  if (!ReadsWide(context.Once(WideValuesOf), context.resolved(), op, operand)) return false;
  // The builders of what makes them write 32 bits.
  return !absl::c_linear_search(kMakesWide, id) || !Writes(context.graph(), op.node, operand.value);
}

bool AnyTouchesWide(const CheckContext& context) { return !context.Once(WideValuesOf).empty(); }

bool TouchesWide(const CheckContext& context, const ResolvedOp& op) {
  const auto is_wide = [&](const Operand& operand) { return IsWide(context, op, operand); };
  return absl::c_any_of(context.resolved().inputs(op), is_wide) ||
         absl::c_any_of(context.resolved().outputs(op), is_wide);
}

}  // namespace quantgate
