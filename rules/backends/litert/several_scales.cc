#include "rules/backends/litert/several_scales.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"

namespace quantgate::litert {

const RuleInfo kScalesAsOne = {
    "AX601",
    "several-scales-as-one",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; LiteRT takes {allowed}.",
    "Only weights of convolutions and fully connected layers, tables and what DEQUANTIZE reads may have a scale for "
    "each channel. Other kernels find a scale of 0 in such a constant: products are 0, moved integers get the scale "
    "of the result, and kernels that compare scales refuse the model or end the process.",
    "Quantize the constant with one scale, or put a DEQUANTIZE behind it.",
    "Fires: an int8 BATCH_MATMUL with a constant of 4 scales, or a GATHER from one. Does not: a float BATCH_MATMUL "
    "with that constant.",
};

namespace {

// Kernels that compare the scale with the result's, or that make a multiplier of it which must not be 0. Others compute
// with 0, or move the integers under the result's one scale.
constexpr absl::string_view kInsistent[] = {
    "BATCH_TO_SPACE_ND",  "DEQUANTIZE", "EQUAL",     "EXPAND_DIMS", "GREATER",    "GREATER_EQUAL", "LESS",
    "LESS_EQUAL",         "MIRROR_PAD", "NOT_EQUAL", "PACK",        "REDUCE_MAX", "REDUCE_MIN",    "SPACE_TO_BATCH_ND",
    "SQUARED_DIFFERENCE", "UNPACK",
};

// Sums and products are wrong in every runtime of the format: per-axis-activation says so.
bool IsSaidAnyway(OpId op) { return op == OpId::kAdd || op == OpId::kSub || op == OpId::kMul; }

// Whether the kernel reads one scale for the whole operand.
bool ReadsOneScale(const Graph& graph, const ResolvedOp& op, const Operand& operand) {
  // Weights have a scale for each channel, and rows of a table one each. The slopes of PRELU are data.
  const PortRole role = RoleOf(op, operand);
  if (role != PortRole::kActivation && op.op->id != OpId::kPRelu) return false;
  if (graph.op_type(op.node) == "DEQUANTIZE") return BitWidth(operand.type) > 8;
  // Products of floats with a constant take the scales of its columns.
  if (op.op->id != OpId::kMatMul) return true;
  const int32_t data = graph.num_inputs(op.node) > 0 ? graph.input(op.node, 0) : -1;
  return data < 0 || !IsFloat(graph.dtype(data));
}

}  // namespace

absl::optional<ScalesAsOne> FindScalesAsOne(const CheckContext& context, const ResolvedOp& op) {
  if (op.op == nullptr || IsSaidAnyway(op.op->id) || (op.op->traits & (kControlFlow | kNoData)) != 0) return {};
  const Graph& graph = context.graph();
  for (const Operand& operand : context.resolved().inputs(op)) {
    if (!operand.present || !operand.is_static || !IsInteger(operand.type) || operand.value < 0) continue;
    const QuantParams* params = context.resolved().qparams(operand);
    if (params == nullptr || params->scales.size() < 2 || !ReadsOneScale(graph, op, operand)) continue;
    const bool refused = absl::c_linear_search(kInsistent, graph.op_type(op.node));
    return ScalesAsOne{operand.argument, refused,
                       absl::StrCat(params->scales.size(), " scales for an operand that is no weight")};
  }
  return {};
}

}  // namespace quantgate::litert
