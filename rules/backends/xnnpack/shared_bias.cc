#include "rules/backends/xnnpack/shared_bias.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/backends/pattern.h"
#include "rules/backends/table_judge.h"
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
    "the two, or does not load.",
    "Give each use a bias of its own (copy the module or the parameter), or keep the bias in float by leaving the "
    "layer unquantized.",
    "Fires: one Linear called twice, on inputs of other scales. Does not: two layers with a bias each.",
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

// An earlier GEMM with quantized weights that reads the same bias, where input scale x weight scale is not that of
// `node`; -1: none.
int32_t OtherReaderOfBias(const CheckContext& context, int32_t node, int32_t bias) {
  constexpr size_t kMostReaders = 1000;
  const absl::Span<const Use> uses = context.graph().uses(bias);
  const std::optional<Scales> own = ScalesOf(context, node);
  if (!own) return -1;
  for (const Use& use : uses.subspan(0, kMostReaders)) {
    if (use.node >= node) continue;
    const std::optional<Scales> other = use.input == 2 ? ScalesOf(context, use.node) : std::nullopt;
    if (other && !SameProduct(*own, *other)) return use.node;
  }
  return -1;
}

}  // namespace

void CheckSharedBias(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
  if (op.inputs.size() < 3 || op.inputs[2].value < 0 || op.node < 0) return;
  const Graph& graph = context.graph();
  if (!IsGemm(graph.op(op.node)) || op.outputs.empty() || !op.outputs[0].type.quantized) return;
  const int32_t first = OtherReaderOfBias(context, op.node, op.inputs[2].value);
  if (first < 0) return;
  FindingSource source;
  source.kind = v1::Source::MEASURED;
  source.table = target.tables.empty() ? std::string() : target.tables.front();
  source.row = std::string(op.name);
  source.document = "ExecuTorch 1.5.1, models with one bias for two layers, lowered and run";
  FindingDraft draft;
  draft.rule = &kSharedBias;
  draft.place = PlaceOf(op, {PortRef::kInput, 2});
  draft.observed =
      absl::StrCat("the bias of '", graph.node_name(first), "', where input scale x weight scale is another");
  draft.allowed = "a bias of its own";
  draft.source = std::move(source);
  sink.Add(std::move(draft));
}

}  // namespace quantgate::xnnpack
