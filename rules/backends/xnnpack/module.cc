#include "rules/backends/xnnpack/module.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/xnnpack/gemm.h"
#include "rules/backends/xnnpack/lowering.h"

namespace quantgate::xnnpack {
namespace {

const RuleInfo kSharedBias = {
    "FX601",
    "shared-bias",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; needed is {allowed}.",
    "ExecuTorch writes a bias once, as integers with the scale of the first layer that reads it: input scale x weight "
    "scale. A second layer of another product reads the same integers, and adds a bias that is wrong by the ratio of "
    "the "
    "two, or does not load.",
    "Give each use a bias of its own (copy the module or the parameter), or keep the bias in float by leaving the "
    "layer "
    "unquantized.",
    "Fires: one Linear called twice, on inputs of other scales. Does not: two layers with a bias each.",
};

void CheckBias(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
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

Fate Judge(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
  if (IsFloatOnly(op.name)) NoteRunsInFloat(op, target, sink);
  CheckBias(context, op, target, sink);
  return Fate::kByRule;
}

// Statements with a source of their own are not the partitioner's: the node is delegated, and serializing or loading it
// fails.
Fate FateOf(const BackendOp&, const Violation& violation) {
  if (violation.effect != db::ItemEffect::kRefused) return Fate::kByRule;
  return violation.document.empty() ? Fate::kRefused : Fate::kEndsExport;
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  return {&kNoBackendOperator, &kUnclearLowering, &kOlderTable, &kRunsInFloat, &kSharedBias};
}

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  return LoadCpuModule({"xnnpack", "xnnpack_master", {}, {Lower, Judge, FateOf}, OwnRules()}, tables);
}

}  // namespace quantgate::xnnpack
