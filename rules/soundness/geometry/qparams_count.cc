#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/argument_axes.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/described.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQParamsCount = {
    "AX001",
    "qparams-count",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Scales and zero points are counted by the geometry: one for the tensor, one for each channel of the axis, or one "
    "for each block. With another count some channels have no scale, or the axis is not the one that was meant.",
    "Correct the axis or block size, or store the right number of scales and zero points.",
    "7 scales for an axis of 8 channels fire it; 8 do not.",
};

// Scales that `params` need for `tensor`; -1: not known, or too many to count.
int64_t Expected(const QuantParams& params, const v1::Value& tensor) {
  if (params.axes.empty()) return 1;
  if (!tensor.has_shape()) return -1;
  int64_t expected = 1;
  for (size_t i = 0; i < params.axes.size(); ++i) {
    int64_t axis = params.axes[i];
    if (axis < 0) axis += tensor.dims_size();
    if (axis < 0 || axis >= tensor.dims_size() || tensor.dims(axis) < 0) return -1;
    const int64_t block = params.blocked() ? params.block_sizes[i] : 1;
    if (block < 1) return -1;  // said by block-size
    // Nested: one scale for all blocks of a channel; the factors of the blocks are in block_scales.
    if (!params.block_scales.empty() && block > 1) continue;
    const int64_t blocks = tensor.dims(axis) / block + (tensor.dims(axis) % block != 0);
    if (__builtin_mul_overflow(expected, blocks, &expected)) return -1;
  }
  return expected;
}

// Whether a size of the tensor is missing to count them by; an axis that it does not have is axis-range's.
bool SizeUnknown(const QuantParams& params, const v1::Value& tensor) {
  if (!tensor.has_shape()) return true;
  return absl::c_any_of(params.axes, [&tensor](int64_t axis) {
    if (axis < 0) axis += tensor.dims_size();
    return axis >= 0 && axis < tensor.dims_size() && tensor.dims(static_cast<int>(axis)) < 0;
  });
}

std::string Geometry(const QuantParams& params, const v1::Value& tensor) {
  if (params.axes.empty()) return "per tensor";
  std::string text = params.axes.size() == 1 ? absl::StrCat("axis ", params.axes[0])
                                             : absl::StrCat("axes [", absl::StrJoin(params.axes, ", "), "]");
  if (params.blocked()) absl::StrAppend(&text, ", blocks of [", absl::StrJoin(params.block_sizes, ", "), "]");
  return absl::StrCat(text, " of shape [", absl::StrJoin(tensor.dims(), ", "), "]");
}

// Zero points of an operator that has no scales, or whose scales are computed.
void CheckAlone(const Graph& graph, const Described& described, FindingSink& sink) {
  const auto count = static_cast<int64_t>(described.params->zero_points.size());
  const v1::Value& tensor = graph.value(described.tensor);
  const int64_t expected = Expected(*described.params, tensor);
  if (count <= 1 || expected < 0 || count == expected) return;
  sink.Add(kQParamsCount, described.place, absl::StrCat(count, " zero points"),
           absl::StrCat("one, or ", expected, " for ", Geometry(*described.params, tensor)));
}

bool HasOneScale(const QuantParams* params) {
  return params != nullptr && params->scales.size() == 1 && params->zero_points.size() <= 1 && !params->blocked();
}

// Whether all that reads the Dequantize adds it to the products with a weight that has one scale, too.
bool IsBiasBesideOneScale(const CheckContext& context, int32_t dequantize) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  const auto reads_as_bias = [&](const Use& use) {
    const int32_t number = resolved.op_of_node(use.node);
    if (number < 0 || resolved.ops()[number].op == nullptr) return false;
    const ResolvedOp& op = resolved.ops()[number];
    constexpr size_t kMostInputs = 8;  // of an operator with a bias
    if (resolved.inputs(op).size() > kMostInputs) return false;
    return absl::c_all_of(resolved.inputs(op), [&](const Operand& input) {
      const PortRole role = RoleOf(op, input);
      if (input.quantizer == dequantize) return role == PortRole::kBias;
      return role != PortRole::kWeight || HasOneScale(resolved.qparams(input));
    });
  };
  const int32_t output = graph.num_outputs(dequantize) == 1 ? graph.output(dequantize, 0) : -1;
  if (output < 0) return false;
  const absl::Span<const Use> uses = graph.uses(output);
  return !uses.empty() && absl::c_all_of(uses, reads_as_bias);
}

// A bias that was derived per channel where the weight had one scale: PyTorch spreads the scale over the channels, and
// HTP takes it from input and weight (ExecuTorch lowers it).
bool IsSpreadOverBias(const CheckContext& context, const Described& described) {
  const Graph& graph = context.graph();
  return graph.origin() == v1::Graph::PT2E && described.params->axes.size() == 1 && HasOneScale(described.params) &&
         IsDequantize(graph, described.place.node) && IsBiasBesideOneScale(context, described.place.node);
}

void CheckDescribed(const CheckContext& context, const Described& described, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (described.tensor < 0) return;
  if (described.params->scales.empty()) {
    if (described.integer_operator) CheckAlone(graph, described, sink);
    return;
  }
  const v1::Value& tensor = graph.value(described.tensor);
  const QuantParams& params = *described.params;
  const int64_t scales = static_cast<int64_t>(params.scales.size());
  const int64_t zero_points = static_cast<int64_t>(params.zero_points.size());
  // One scale in a .tflite file is the tensor's, whatever axis is stated beside it (axis-range).
  const bool of_tensor = graph.origin() == v1::Graph::TFLITE && scales == 1 && !params.blocked();
  int64_t expected = of_tensor ? 1 : Expected(params, tensor);
  if (expected > 1 && IsSpreadOverBias(context, described)) expected = 1;
  if (expected < 0 && described.scale >= 0 && SizeUnknown(params, tensor)) {
    sink.NotChecked(&kQParamsCount, described.place.node,
                    "the size of the axis that its scales are counted by is not known");
  }
  if (expected >= 0 && scales != expected) {
    std::string observed = absl::StrCat(scales, " scales");
    if (described.scale >= 0) absl::StrAppend(&observed, " ('", graph.value(described.scale).name(), "')");
    sink.Add(kQParamsCount, described.place, std::move(observed),
             absl::StrCat(expected, " for ", Geometry(params, tensor)));
    return;
  }
  // In a .tflite file nothing stands for 0: LiteRT does not load it. Blocks have tensors of their own for them.
  const bool none_needed = graph.origin() != v1::Graph::TFLITE || params.blocked() || params.axes.size() > 1;
  if (zero_points != scales && (zero_points != 0 || !none_needed)) {
    std::string observed = zero_points == 0 ? "no zero point" : absl::StrCat(zero_points, " zero points");
    if (described.zero_point >= 0) absl::StrAppend(&observed, " ('", graph.value(described.zero_point).name(), "')");
    sink.Add(kQParamsCount, described.place, std::move(observed), absl::StrCat(scales, ", one for each scale"));
  }
}

// Elements of a tensor; -1: not known.
int64_t ElementsOf(const v1::Value& shape) {
  if (!shape.has_shape()) return -1;
  int64_t count = 1;
  for (int64_t dim : shape.dims()) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  }
  return count;
}

int64_t LengthOf(const Graph& graph, int32_t value) {
  return value >= 0 && graph.is_constant(value) ? ElementsOf(graph.value(graph.value_like(value))) : -1;
}

void CheckPacked(const Graph& graph, const PackedMatMul& packed, FindingSink& sink) {
  if (!packed.valid()) return;
  const auto check = [&](int32_t value, absl::string_view what, int64_t per_output) {
    const int64_t count = LengthOf(graph, value);
    const int64_t expected = packed.n * per_output;
    if (count < 0 || count == expected) return;
    Place place;
    place.node = packed.node;
    place.value = value;
    FindingDraft draft{.rule = &kQParamsCount};
    draft.place = place;
    draft.observed = absl::StrCat(count, what);
    draft.allowed = absl::StrCat(expected, " for N=", packed.n, ", K=", packed.k, ", block_size=", packed.block_size,
                                 ", bits=", packed.bits);
    if (value == packed.zero_point && packed.packs_zero_points && count == packed.n * packed.blocks()) {
      draft.fix =
          "Pack the zero points as the weights are, the row of each output filled up to a byte, or store them in "
          "the type of the scales.";
    }
    sink.Add(std::move(draft));
  };
  check(packed.scale, " scales", packed.blocks());
  check(packed.zero_point, packed.packs_zero_points ? " bytes of zero points" : " zero points",
        packed.zero_points_per_output());
}

// Scales and zero points of no element: a tensor that says that it is quantized, and not how.
void CheckEmpty(const Graph& graph, FindingSink& sink) {
  const auto is_empty = [&graph](int32_t value) { return ElementsOf(graph.value(value)) == 0; };
  if (absl::c_none_of(graph.unlike_values(), is_empty)) return;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (LengthOf(graph, constant.value) != 0) continue;
    for (const Use& use : graph.uses(constant.value)) {
      const Binding* binding = graph.binding(use.node);
      if (binding == nullptr) continue;
      const ArgRole role = ArgumentAt(*binding, graph.argument(use.node, use.input)).role;
      if (role != ArgRole::kScale && role != ArgRole::kZeroPoint) continue;
      Place place;
      place.node = use.node;
      place.input = use.input;
      place.value = constant.value;
      sink.Add(kQParamsCount, place, role == ArgRole::kScale ? "0 scales" : "0 zero points", "at least one");
    }
  }
}

void CheckQParamsCount(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  CheckEmpty(graph, sink);
  const std::vector<PackedMatMul>& packed = context.Once(PackedMatMuls);
  for (const Described& described : context.Once(DescribedTensors)) {
    if (!Contains(packed, described.place.node)) CheckDescribed(context, described, sink);
  }
  for (const PackedMatMul& each : packed) CheckPacked(graph, each, sink);
  for (int32_t node : graph.integer_nodes()) {
    if (!HasUnknownAxes(graph, node)) continue;
    sink.NotChecked(&kQParamsCount, node, "how the scales of weights of this kind are laid out is not known");
  }
}

}  // namespace

Rule QParamsCount() { return {&kQParamsCount, &CheckQParamsCount}; }

}  // namespace quantgate
