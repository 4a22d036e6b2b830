#include "rules/backends/xnnpack/module.h"

#include "absl/algorithm/container.h"
#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/xnnpack/channels_last.h"
#include "rules/backends/xnnpack/computed_bias.h"
#include "rules/backends/xnnpack/delegates.h"
#include "rules/backends/xnnpack/hardtanh_maximum.h"
#include "rules/backends/xnnpack/kept_whole.h"
#include "rules/backends/xnnpack/lowering.h"
#include "rules/backends/xnnpack/number_entering.h"
#include "rules/backends/xnnpack/shared_bias.h"
#include "rules/backends/xnnpack/shared_dequantize.h"
#include "rules/backends/xnnpack/shared_filter.h"
#include "rules/backends/xnnpack/softmax_layout.h"
#include "rules/backends/xnnpack/volume_convolution.h"
#include "rules/backends/xnnpack/wide_tensor.h"
#include "rules/soundness/rules.h"

namespace quantgate::xnnpack {
namespace {

// Statements with a source of their own are not the partitioner's: the node is delegated, and serializing or loading it
// fails.
Fate FateOf(const BackendOp&, const Violation& violation) {
  if (violation.effect != db::ItemEffect::kRefused) return Fate::kByRule;
  return violation.document.empty() ? Fate::kRefused : Fate::kEndsExport;
}

bool IsTaken(const BackendOp& op, const MatchResult& match) {
  return absl::c_none_of(match.violations,
                         [&](const Violation& violation) { return FateOf(op, violation) == Fate::kRefused; });
}

Fate Judge(const CheckContext& context, const BackendOp& op, const MatchResult& match, const Target& target,
           FindingSink& sink) {
  if (IsFloatOnly(op.name)) NoteRunsInFloat(op, target, sink);
  if (CheckKeptWhole(context, op, target, sink)) return Fate::kEndsExport;
  // What is in the bodies of control flow is not delegated.
  return IsTaken(op, match) && !context.is_body() ? CheckWideTensors(op, target, sink) : Fate::kByRule;
}

// What one node comes to where another reads the same constant, and what is beside the table.
void Finish(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) {
  const Delegates delegates(context, result);
  CheckSharedBias(context, delegates, target, sink, result);
  CheckSharedFilter(context, delegates, target, sink, result);
  NoteComputedBias(context, sink);
  CheckHardtanhMaximum(context, target, sink, result);
  CheckVolumeConvolution(context, target, sink, result);
  // What is in the bodies of control flow is not delegated.
  if (context.is_body()) return;
  CheckNumberEntering(context, delegates, target, sink, result);
  const ChannelsLast layouts(context, delegates, result);
  CheckSoftmaxLayout(context, delegates, layouts, target, sink, result);
  CheckSharedDequantize(context, delegates, layouts, target, sink, result);
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  return {&kNoBackendOperator, &kUnclearLowering,   &kOlderTable,     &kRunsInFloat,     &kSharedBias,
          &kSharedFloatBias,   &kSharedFilter,      &kKeptWhole,      &kHardtanhMaximum, &kSoftmaxLayout,
          &kSharedDequantize,  &kVolumeConvolution, &kNumberEntering, &kWideTensor,      &kWideZeroPoint};
}

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  absl::StatusOr<std::unique_ptr<Module>> module = LoadCpuModule(
      {"xnnpack", "xnnpack_master", {}, {Lower, Judge, FateOf, Generators::kKept, Finish}, OwnRules()}, tables);
  if (module.ok()) (*module)->replaces = {SummedAxis().info};  // not delegated: computed in float
  return module;
}

}  // namespace quantgate::xnnpack
