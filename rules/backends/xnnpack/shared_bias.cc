#include "rules/backends/xnnpack/shared_bias.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/backends/pattern.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/table_target.h"
#include "rules/backends/xnnpack/gemm.h"

namespace quantgate::xnnpack {

const RuleInfo kSharedBias = {
    "FX601",
    "shared-bias",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; needed is {allowed}.",
    "ExecuTorch writes a bias once, as integers with the scale of the first layer that reads it: input scale x weight "
    "scale. A second layer of another product reads the same integers, and adds a bias that is wrong by the ratio of "
    "the two.",
    "Give each use a bias of its own (copy the module or the parameter), or keep the bias in float by leaving the "
    "layer unquantized.",
    "Fires: one Linear called twice, on inputs of other scales. Does not: two layers with a bias each.",
};

const RuleInfo kSharedFloatBias = {
    "FX602",
    "shared-float-bias",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; needed is {allowed}.",
    "A static quantized layer adds a bias of integers, and everything else reads it as it is, in float. ExecuTorch "
    "writes it once for both, as its first reader wants it, and XNNPACK does not load the other.",
    "Give each use a bias of its own (copy the module or the parameter), or quantize both layers alike.",
    "Fires: one convolution called twice, of which only the first call is quantized. Does not: two quantized calls, or "
    "a node between them that is not delegated.",
};

namespace {

struct Scales {
  double input = 0;
  const QuantParams* weight = nullptr;
};

// Of a GEMM that computes on integers; nullopt: it does not, or they are not known yet.
std::optional<Scales> ScalesOf(const CheckContext& context, int32_t node) {
  const ResolvedOp* op = GemmAt(context, node);
  if (op == nullptr) return std::nullopt;
  const Operand *input = context.resolved().input(*op, 0), *weight = context.resolved().input(*op, 1);
  if (input == nullptr || weight == nullptr) return std::nullopt;
  const QuantParams* of_input = context.resolved().qparams(AsRead(context, *input));
  const QuantParams* of_weight = context.resolved().qparams(AsRead(context, *weight));
  if (of_input == nullptr || of_weight == nullptr || of_input->scales.size() != 1 || of_weight->scales.empty()) {
    return std::nullopt;
  }
  return Scales{of_input->scales[0], of_weight};
}

bool SameProduct(const Scales& a, const Scales& b) {
  if (a.weight->scales.size() != b.weight->scales.size()) return false;
  for (size_t i = 0; i < a.weight->scales.size(); ++i) {
    if (static_cast<float>(a.input * a.weight->scales[i]) != static_cast<float>(b.input * b.weight->scales[i])) {
      return false;
    }
  }
  return true;
}

bool IsBiasOf(const CheckContext& context, const Use& use) {
  const ResolvedOp* op = GemmAt(context, use.node);
  const Operand* bias = op == nullptr ? nullptr : context.resolved().input(*op, 2);
  return bias != nullptr && bias->argument == use.input;
}

// What `other` does with the bias of the static layer `node`, in the same delegate.
enum class Conflict : uint8_t {
  kNone,
  kUnclear,  // whether they come to one delegate is not known
  kScale,    // it adds integers of another scale, and was there first
  kFloat,    // it reads real numbers
};

Conflict ConflictWith(const CheckContext& context, const Delegates& delegates, int32_t node, const Use& other) {
  if (other.node == node || delegates.leaves(other.node)) return Conflict::kNone;
  const bool together = delegates.together(node, other.node);
  if (!IsBiasOf(context, other)) {
    // What comes first keeps out of the delegate where the layer reads it.
    return together && other.node > node ? Conflict::kFloat : Conflict::kUnclear;
  }
  if (!ComputesOnIntegers(context, other.node)) return together ? Conflict::kFloat : Conflict::kUnclear;
  if (other.node > node) return Conflict::kNone;
  const std::optional<Scales> own = ScalesOf(context, node), first = ScalesOf(context, other.node);
  if (!own || !first || SameProduct(*own, *first)) return Conflict::kNone;
  return together ? Conflict::kScale : Conflict::kUnclear;
}

void AddConflict(const CheckContext& context, const ResolvedOp& op, absl::string_view kernel, Conflict conflict,
                 int32_t other, const Target& target, FindingSink& sink) {
  if (conflict == Conflict::kUnclear) {
    sink.NotChecked(&kSharedFloatBias, op.node,
                    absl::StrCat("whether it comes to one delegate with '", context.graph().node_name(other),
                                 "', which reads the same bias, is not known"));
    return;
  }
  FindingSource source = FromTable(target, v1::Source::MEASURED, kernel,
                                   "ExecuTorch 1.5.1, models with one bias for two layers, lowered and run");
  Place place;
  place.node = op.node;
  const Operand& bias = *context.resolved().input(op, 2);
  place.input = bias.argument;
  place.value = bias.edge_value;
  sink.Add(conflict == Conflict::kFloat ? kSharedFloatBias : kSharedBias, place,
           absl::StrCat("the bias of '", context.graph().node_name(other), "', ",
                        conflict == Conflict::kFloat ? "which reads it in float"
                                                     : "where input scale x weight scale is another"),
           "a bias of its own", std::move(source));
}

// Each is compared with all others.
constexpr size_t kMostReaders = 100;

}  // namespace

void CheckSharedBias(const CheckContext& context, const Delegates& delegates, const Target& target, FindingSink& sink,
                     ModuleResult& result) {
  const Graph& graph = context.graph();
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const ResolvedOp& op = context.resolved().ops()[i];
    if (!IsGemm(graph.op(op.node))) continue;
    const Operand* bias = context.resolved().input(op, 2);
    if (bias == nullptr || bias->edge_value < 0 || graph.uses(bias->edge_value).size() < 2) continue;
    if (!delegates.takes(op.node) || !ComputesOnIntegers(context, op.node)) continue;
    Conflict worst = Conflict::kNone;
    int32_t with = -1;
    const absl::Span<const Use> readers = graph.uses(bias->edge_value);
    if (readers.size() > kMostReaders) {
      sink.NotChecked(&kSharedBias, op.node, "more layers read its bias than are compared with each other");
      continue;
    }
    for (const Use& use : readers) {
      const Conflict conflict = ConflictWith(context, delegates, op.node, use);
      if (conflict <= worst) continue;
      worst = conflict;
      with = use.node;
    }
    if (worst == Conflict::kNone) continue;
    AddConflict(context, op, result.ops[i].backend_ops.front(), worst, with, target, sink);
    if (worst == Conflict::kFloat) result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::xnnpack
