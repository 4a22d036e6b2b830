#include "rules/backends/undecided.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"

namespace quantgate {

bool IsUndecided(const Graph& graph, const Operand& operand) {
  return graph.message().has_encodings_file() && operand.present && operand.form == Operand::kNoForm &&
         !operand.quantized && IsFloat(operand.type);
}

namespace {

bool StaysReal(const Operand& operand) {
  return operand.present && !operand.quantized && operand.form != Operand::kNoForm;
}

bool HasIntegers(const CheckContext& context, const ResolvedOp& op) {
  const auto integer = [](const Operand& operand) { return operand.present && operand.quantized; };
  return absl::c_any_of(context.resolved().inputs(op), integer) ||
         absl::c_any_of(context.resolved().outputs(op), integer);
}

}  // namespace

bool IsRealBias(const CheckContext& context, const ResolvedOp& op, const Operand& operand) {
  if (!context.graph().message().has_encodings_file() || !StaysReal(operand)) return false;
  const auto is_its = [&](const Operand& input) {
    return input.edge_value == operand.edge_value && RoleOf(op, input) == PortRole::kBias;
  };
  return absl::c_any_of(context.resolved().inputs(op), is_its) && HasIntegers(context, op);
}

bool IsMixed(const CheckContext& context, const ResolvedOp& op) {
  if (!context.graph().message().has_encodings_file() || !HasIntegers(context, op)) return false;
  const auto is_real_input = [&](const Operand& input) {
    return StaysReal(input) && RoleOf(op, input) != PortRole::kBias;
  };
  return absl::c_any_of(context.resolved().inputs(op), is_real_input) ||
         absl::c_any_of(context.resolved().outputs(op), StaysReal);
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
    product |= is_product && graph.only_use(input.edge_value) != nullptr;
    vector |= graph.is_constant(input.edge_value) && graph.rank(input.edge_value) == 1;
  }
  return product && vector;
}

namespace {

// What a bias is added to never is a tensor of its own.
bool IsInsideFullyConnected(const CheckContext& context, const Operand& output) {
  const Use* use = output.edge_value < 0 ? nullptr : context.graph().only_use(output.edge_value);
  const int32_t reader = use == nullptr ? -1 : context.resolved().op_of_node(use->node);
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
    if (!IsUndecided(graph, operand) && !(is_bias && IsRealBias(context, op, operand))) return;
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
      absl::StrCat("the encodings file has no integers for ", missing, ": the converter chooses by calibration"));
  return judged;
}

}  // namespace quantgate
