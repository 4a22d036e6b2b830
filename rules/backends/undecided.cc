#include "rules/backends/undecided.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/graph/data_type.h"

namespace quantgate {

bool IsUndecided(const Graph& graph, const Operand& operand) {
  return graph.message().has_encodings_file() && operand.present && !operand.quantized && IsFloat(operand.type);
}

bool NoteUndecided(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!graph.message().has_encodings_file()) return true;
  bool judged = true;
  // Without names: what is said of one operator is said of others that are alike.
  std::string missing;
  const auto look = [&](const Operand& operand, const char* what, bool is_bias) {
    if (!IsUndecided(graph, operand)) return;
    absl::StrAppend(&missing, missing.empty() ? "" : " and ", what, " ", operand.argument);
    judged = judged && is_bias;
  };
  for (const Operand& input : context.resolved().inputs(op)) {
    const bool is_bias =
        op.op != nullptr && input.port < op.op->inputs.size() && op.op->inputs[input.port].role == PortRole::kBias;
    look(input, "input", is_bias);
  }
  for (const Operand& output : context.resolved().outputs(op)) look(output, "output", false);
  if (missing.empty()) return true;
  sink.NotChecked(
      &kUnclearLowering, op.node,
      absl::StrCat("the encodings file has nothing for ", missing, ": the converter chooses by calibration"));
  return judged;
}

}  // namespace quantgate
