#include "rules/backends/qnn_htp/one_observer.h"

#include "absl/algorithm/container.h"
#include "rules/soundness/annotated.h"

namespace quantgate::qnn_htp {
namespace {

// The sharing group whose observer finds the numbers; -1: none.
int32_t ObserverOf(const CheckContext& context, const ResolvedOp& op, const BackendTensor& tensor) {
  const SharingGroups& groups = GroupsOf(context);
  const int32_t value = tensor.encoded_as >= 0 ? tensor.encoded_as : tensor.value;
  const auto is_it = [value](const Operand& operand) { return operand.present && operand.value == value; };
  const absl::Span<const Operand> inputs = context.resolved().inputs(op);
  const auto read = absl::c_find_if(inputs, is_it);
  if (read == inputs.end()) return groups.group_at({value, -1});
  const int32_t group = groups.group_at({read->edge_value, op.node});
  // What is read without a spec is read as it is written.
  return group >= 0 ? group : groups.group_at({read->edge_value, -1});
}

}  // namespace

Tri HaveOneObserver(const CheckContext& context, const ResolvedOp& op, const BackendTensor& a, const BackendTensor& b) {
  if (context.stage() != v1::STAGE_ANNOTATED || context.graph().origin() != v1::Graph::PT2E) return Tri::kUnknown;
  const int32_t first = ObserverOf(context, op, a);
  const int32_t second = ObserverOf(context, op, b);
  if (first < 0 || second < 0) return Tri::kUnknown;
  return first == second ? Tri::kYes : Tri::kNo;
}

}  // namespace quantgate::qnn_htp
