#include "rules/backends/qnn_htp/ops/signed_operand.h"

namespace quantgate::qnn_htp {

const RuleInfo kSignedOperand = {
    "DT206",
    "signed-matmul-operand",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "The operator passes validation and preparation, and the products are garbage: most outputs "
    "differ, by up to the whole range.",
    "Quantize the second operand to UFIXED_POINT_8, as ExecuTorch does.",
    "Fires: MatMul of rank 4 with UFIXED_POINT_8 and a run-time SFIXED_POINT_8 operand. Does not: "
    "rank 3, or a constant.",
};

void CheckSignedOperand(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "MatMul") return;
  const BackendTensor& second = Input(op, 1);
  if (!IsFixed(Input(op, 0), v1::DATA_TYPE_UINT8) || !IsFixed(second, v1::DATA_TYPE_INT8)) return;
  if (second.static_chain || second.is_static) return;
  if (second.rank < 0) {
    report.NotChecked(kSignedOperand, "the rank of the second operand is not known");
    return;
  }
  if (second.rank != 4) return;
  report.Add(kSignedOperand, In(1), "UFIXED_POINT_8 times a run-time SFIXED_POINT_8 operand of rank 4",
             "a run-time second operand of rank 4 must be UFIXED_POINT_8");
}

}  // namespace quantgate::qnn_htp
