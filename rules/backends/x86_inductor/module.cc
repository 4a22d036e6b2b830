#include "rules/backends/x86_inductor/module.h"

#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/node_view.h"
#include "rules/backends/tensor.h"
#include "rules/backends/x86_inductor/seven_bits.h"

namespace quantgate::x86_inductor {
namespace {

struct Entry {
  OpId id;
  absl::string_view name;
  bool has_weight = false;
};

constexpr Entry kEntries[] = {
    {OpId::kConv, "QConv", true}, {OpId::kLinear, "QLinear", true}, {OpId::kMaxPool, "QMaxPool2d"},
    {OpId::kConcat, "QCat"},      {OpId::kReshape, "QReshape"},     {OpId::kFlatten, "QReshape"},
};

bool Quantized(const Operand* operand) { return operand != nullptr && operand->present && operand->quantized; }

// Every ATen operator compiles in float; only patterns with quantized data around them become something else.
Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::PT2E) {
    return Unknown("this origin's operators are not translated to TorchInductor yet");
  }
  if (op.op == nullptr) return Unknown("the operator is not known");
  const NodeView view(context, op, emission.looked_at_constants());
  for (const Entry& entry : kEntries) {
    if (entry.id != op.op->id) continue;
    const bool pattern = entry.has_weight ? Quantized(view.input(0)) || Quantized(view.input(1))
                                          : Quantized(view.input(0)) && Quantized(view.output(0));
    if (!pattern) return Folded();
    emission.Begin(entry.name, view.node());
    for (const Operand& input : view.inputs()) {
      if (op.op->inputs[input.port].role != PortRole::kParameter) AddInput(view, &input, emission);
    }
    AddOutput(view, view.output(0), emission);
    return Emitted();
  }
  return Folded();
}

Fate Judge(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
  CheckSevenBits(context, op, target, sink);
  return Fate::kByRule;
}

// Whatever a pattern does not match is compiled in float.
Fate FateOf(const BackendOp&, const Violation& violation) {
  return violation.effect == db::ItemEffect::kRefused ? Fate::kRefused : Fate::kByRule;
}

// Instruction sets by what TorchInductor's users set (ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA).
constexpr CpuVariant kVariants[] = {{"avx2"}, {"avx2_vnni"}, {"avx512"}, {"avx512_vnni"}, {"amx"}};

}  // namespace

std::vector<const RuleInfo*> OwnRules() { return {&kUnclearLowering, &kOlderTable, &kSevenBits}; }

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  return LoadCpuModule({"x86_inductor", "x86_master", kVariants, {Lower, Judge, FateOf}, OwnRules()}, tables);
}

}  // namespace quantgate::x86_inductor
