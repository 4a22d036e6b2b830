#include "rules/backends/qnn_htp/ops/select_condition.h"

namespace quantgate::qnn_htp {

const RuleInfo kSelectCondition = {
    "DT207",
    "select-condition",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The row is in the published table and passes validation, but no kernel exists and the graph "
    "cannot be prepared.",
    "Cast the condition to BOOL_8.",
    "Fires: ElementWiseSelect with an INT_32 condition and UFIXED_POINT_8 data. Does not: a BOOL_8 "
    "condition.",
};

void CheckSelectCondition(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "ElementWiseSelect" || !Input(op, 1).type.quantized) return;
  const BackendTensor& condition = Input(op, 0);
  if (!(condition.type == db::ElementType{v1::DATA_TYPE_INT32, false})) return;
  report.Add(kSelectCondition, In(0), "an INT_32 condition", "quantized data needs a BOOL_8 condition");
}

}  // namespace quantgate::qnn_htp
