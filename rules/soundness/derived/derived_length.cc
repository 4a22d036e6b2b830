#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/port_role.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/alike_ops.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDerivedLength = {
    "FX005",
    "derived-length",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A derived bias takes its scales from the weight: one per channel of the weight's axis, or, with blocks, "
    "one per block along axis 0 (ExecuTorch takes the largest over the rest). When that is not the number of "
    "biases, convert_pt2e ends with \"The size of tensor a must match the size of tensor b\"; when the bias has a "
    "scheme per tensor, which holds one, with \"only one element tensors can be converted to Python scalars\".",
    "Cut the weight into blocks along its input channels only, give the bias per_channel_symmetric along axis 0 where "
    "the weight has scales per channel, or leave the bias in float.",
    "Blocks of [16, 1, 1, 1] on the weight [128, 32, 1, 1] of a transposed convolution with 32 biases fire it; "
    "[1, 16, 1, 1] on the weight of a convolution does not. So does a bias per tensor beside a weight per channel.",
};

// Scales that are derived from a weight; -1: not known, or one for all.
int64_t DerivedScales(const Graph& graph, int32_t node, const Operand& weight) {
  if (weight.spec < 0 || weight.edge_value < 0 || !graph.value(weight.edge_value).has_shape()) return -1;
  const v1::Spec& spec = graph.message().specs(weight.spec);
  const auto& dims = graph.value(weight.edge_value).dims();
  if (!spec.block_size().empty()) {
    if (dims.empty() || dims[0] < 0 || spec.block_size(0) < 1) return -1;
    return dims[0] / spec.block_size(0);
  }
  if (!IsPerChannel(spec.qscheme()) || !spec.has_axis()) return -1;
  const int64_t axis = spec.axis() < 0 ? spec.axis() + dims.size() : spec.axis();
  if (axis < 0 || axis >= dims.size() || dims[axis] < 0) return -1;
  // Transposed convolutions keep the output channels of one group on axis 1; ExecuTorch repeats them for the others.
  const bool transposed = graph.op(node) == OpId::kConvTranspose && axis == 1;
  return dims[axis] * (transposed ? graph.int_attribute(node, "groups", 1) : 1);
}

void CheckLength(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  const Operand* bias = nullptr;
  const Operand* weight = nullptr;
  for (const Operand& operand : context.resolved().inputs(op)) {
    if (!operand.present) continue;
    const PortRole role = RoleOf(op, operand);
    if (role == PortRole::kBias) bias = &operand;
    if (role == PortRole::kWeight) weight = &operand;
  }
  if (bias == nullptr || weight == nullptr || bias->spec < 0 || bias->edge_value < 0) return;
  if (graph.spec_kind(bias->spec) != v1::Spec::DERIVED || graph.rank(bias->edge_value) != 1) return;
  const int64_t biases = graph.value(bias->edge_value).dims(0);
  const int64_t scales = DerivedScales(graph, op.node, *weight);
  const bool holds_one = !IsPerChannel(graph.message().specs(bias->spec).qscheme());
  if (biases < 0 || scales < 0 || (scales == biases && (scales == 1 || !holds_one))) return;
  Place place;
  place.node = op.node;
  place.input = bias->argument;
  place.value = bias->value;
  sink.Add(kDerivedLength, place, absl::StrCat(scales, " scales are derived from the weight"),
           holds_one ? "one, as its scheme per tensor says" : absl::StrCat(biases, ", one for each bias"));
}

void CheckDerivedLength(const CheckContext& context, FindingSink& sink) {
  if (!IsAnnotation(context)) return;
  ForEachUnlikeOp(context, sink, [&](const ResolvedOp& op) {
    if (op.op != nullptr && (op.op->traits & kAccumulates) != 0) CheckLength(context, op, sink);
  });
}

}  // namespace

Rule DerivedLength() { return {&kDerivedLength, &CheckDerivedLength}; }

}  // namespace quantgate
