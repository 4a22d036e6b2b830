#include "rules/engine/outcome.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/render.h"

namespace quantgate {
namespace {

// ExecuTorch delegates the Dequantize of a constant unconditionally, and HTP cannot run it: a refused node with a
// quantized weight or bias takes the whole export down.
bool HasQuantizedConstant(const ResolvedGraph& resolved, const ResolvedOp& op) {
  const absl::Span<const Operand> inputs = resolved.inputs(op);
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Operand& input) { return input.quantized && input.is_static; });
}

bool RunsElsewhere(Toolchain toolchain, const ResolvedGraph& resolved, const ResolvedOp& op) {
  switch (toolchain) {
    case Toolchain::kQnnConverter:
      return false;
    case Toolchain::kOnnxRuntime:
    case Toolchain::kLiteRt:
      return true;
    case Toolchain::kExecuTorch:
      return !HasQuantizedConstant(resolved, op);
  }
  return false;
}

}  // namespace

absl::StatusOr<Toolchain> ResolveToolchain(absl::string_view name, absl::string_view backend,
                                           v1::Graph::Origin origin) {
  const absl::string_view bare = name.substr(0, name.find('@'));
  if (bare == "qnn-converter") return Toolchain::kQnnConverter;
  if (bare == "onnxruntime") return Toolchain::kOnnxRuntime;
  if (bare == "executorch") return Toolchain::kExecuTorch;
  if (bare == "litert") return Toolchain::kLiteRt;
  if (!name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("toolchain '", name.substr(0, 64), "' is not known (known: ",
                                                   "executorch, onnxruntime, qnn-converter, litert)"));
  }
  switch (origin) {
    case v1::Graph::PT2E:
      return Toolchain::kExecuTorch;
    case v1::Graph::TFLITE:
      return Toolchain::kLiteRt;
    case v1::Graph::ONNX:
      return absl::StartsWith(backend, "qnn_") ? Toolchain::kQnnConverter : Toolchain::kOnnxRuntime;
    default:
      return Toolchain::kQnnConverter;
  }
}

void ApplyToolchain(Toolchain toolchain, const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& judged,
                    std::vector<FindingDraft>& findings, v1::Outcome& outcome) {
  std::vector<bool> elsewhere(graph.num_nodes(), false);
  for (size_t i = 0; i < judged.ops.size(); ++i) {
    const ModuleResult::OpOutcome& op = judged.ops[i];
    const int32_t node = resolved.ops()[i].node;
    if (op.backend_ops.empty() && !op.refused) continue;
    v1::NodeOutcome& entry = *outcome.add_nodes();
    entry.set_node(NodeName(graph, node));
    for (const std::string& name : op.backend_ops) entry.add_backend_ops(name);
    entry.set_refused(op.refused);
    if (!op.refused) continue;
    elsewhere[node] = RunsElsewhere(toolchain, resolved, resolved.ops()[i]);
    // The worst fate of any node is that of the model.
    const v1::Outcome::Kind fate = elsewhere[node] ? v1::Outcome::PARTIAL : v1::Outcome::FAILS;
    if (outcome.kind() != v1::Outcome::FAILS) outcome.set_kind(fate);
  }
  for (FindingDraft& finding : findings) {
    const v1::Finding::Effect effect =
        finding.effect != v1::Finding::EFFECT_UNSPECIFIED ? finding.effect : finding.rule->effect;
    if (effect != v1::Finding::REFUSED || finding.place.node < 0 || !elsewhere[finding.place.node]) continue;
    finding.effect = v1::Finding::FALLBACK;
    finding.severity = v1::Finding::WARNING;
  }
}

void FinishOutcome(bool judged_all, v1::Result& result) {
  v1::Outcome& outcome = *result.mutable_outcome();
  if (outcome.kind() == v1::Outcome::KIND_UNSPECIFIED) {
    outcome.set_kind(judged_all ? v1::Outcome::FULL : v1::Outcome::UNKNOWN);
    return;
  }
  const v1::Finding::Effect deciding =
      outcome.kind() == v1::Outcome::FAILS ? v1::Finding::REFUSED : v1::Finding::FALLBACK;
  for (int i = 0; i < result.findings_size(); ++i) {
    if (result.findings(i).effect() != deciding) continue;
    outcome.set_cause(i);
    return;
  }
}

}  // namespace quantgate
