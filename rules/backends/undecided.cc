#include "rules/backends/undecided.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"

namespace quantgate {

bool IsUndecided(const Graph& graph, const Operand& operand) {
  return graph.message().has_encodings_file() && operand.present && operand.form == Operand::kNoForm &&
         !operand.quantized && IsFloat(operand.type);
}

bool IsMixed(const CheckContext& context, const ResolvedOp& op) {
  if (!context.graph().message().has_encodings_file()) return false;
  bool real = false;
  bool integer = false;
  const auto look = [&](const Operand& operand) {
    real |= operand.present && !operand.quantized && operand.form != Operand::kNoForm;
    integer |= operand.present && operand.quantized;
  };
  for (const Operand& input : context.resolved().inputs(op)) look(input);
  for (const Operand& output : context.resolved().outputs(op)) look(output);
  return real && integer;
}

bool BecomesBias(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  if (!graph.message().has_encodings_file() || op.op == nullptr || op.op->id != OpId::kAdd) return false;
  bool product = false;
  bool vector = false;
  for (const Operand& input : context.resolved().inputs(op)) {
    if (!input.present || input.edge_value < 0) return false;
    const int32_t producer = graph.producer(input.edge_value);
    const bool is_product = producer >= 0 && (graph.op(producer) == OpId::kMatMul || graph.op(producer) == OpId::kGemm);
    product |= is_product && graph.uses(input.edge_value).size() == 1;
    vector |= graph.is_constant(input.edge_value) && graph.rank(input.edge_value) == 1;
  }
  return product && vector;
}

namespace {

// What a bias is added to never is a tensor of its own.
bool IsInsideFullyConnected(const CheckContext& context, const Operand& output) {
  if (output.edge_value < 0 || context.graph().uses(output.edge_value).size() != 1) return false;
  const int32_t reader = context.resolved().op_of_node(context.graph().uses(output.edge_value)[0].node);
  return reader >= 0 && BecomesBias(context, context.resolved().ops()[reader]);
}

}  // namespace

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
    look(input, "input", RoleOf(op, input) == PortRole::kBias);
  }
  for (const Operand& output : context.resolved().outputs(op)) {
    if (!IsInsideFullyConnected(context, output)) look(output, "output", false);
  }
  if (missing.empty()) return true;
  sink.NotChecked(
      &kUnclearLowering, op.node,
      absl::StrCat("the encodings file has nothing for ", missing, ": the converter chooses by calibration"));
  return judged;
}

}  // namespace quantgate
