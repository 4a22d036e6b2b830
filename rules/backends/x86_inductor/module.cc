#include "rules/backends/x86_inductor/module.h"

#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/x86_inductor/lowering.h"
#include "rules/backends/x86_inductor/seven_bits.h"
#include "rules/soundness/rules.h"

namespace quantgate::x86_inductor {
namespace {

Fate Judge(const CheckContext& context, const BackendOp& op, const MatchResult&, const Target& target,
           FindingSink& sink) {
  if (IsMatched(op)) CheckSevenBits(context, op, target, sink);
  return Fate::kByRule;
}

// What no pattern matches is compiled in float, right. What one matches goes to its kernel, whatever that takes.
Fate FateOf(const BackendOp& op, const Violation& violation) {
  if (!IsMatched(op)) return Fate::kRefused;
  return violation.effect == db::ItemEffect::kRefused ? Fate::kEndsExport : Fate::kByRule;
}

// Instruction sets by what TorchInductor's users set (ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA).
constexpr Variant kVariants[] = {{"avx2"}, {"avx2_vnni"}, {"avx512"}, {"avx512_vnni"}, {"amx"}};

}  // namespace

std::vector<const RuleInfo*> OwnRules() { return {&kNoBackendOperator, &kUnclearLowering, &kOlderTable, &kSevenBits}; }

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  absl::StatusOr<std::unique_ptr<Module>> module = LoadCpuModule(
      {"x86_inductor", "x86_master", {"instruction set", kVariants}, {Lower, Judge, FateOf}, OwnRules()}, tables);
  if (module.ok()) (*module)->replaces = {SummedAxis().info};  // no pattern matches it: computed in float
  return module;
}

}  // namespace quantgate::x86_inductor
