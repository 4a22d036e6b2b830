#include "rules/backends/qnn_htp/ops/full_width.h"

namespace quantgate::qnn_htp {

const RuleInfo kFullWidth = {
    "QS204",
    "full-width-encoding",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Validation lets it pass; adding the operator to a graph fails (\"Invalid 8bit configuration\"), with any "
    "operator. Outputs and UFIXED_POINT_8 inputs are taken.",
    "State the plain encoding of eight bits.",
    "Fires: a SFIXED_POINT_8 input with a bit-width encoding of 8 bits. Does not: one of 4 bits, or of a plain "
    "encoding.",
};

void CheckFullWidth(const BackendOp& op, const Target&, OpReport& report) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const BackendTensor& tensor = op.inputs[i];
    if (!IsFixed(tensor, v1::DATA_TYPE_INT8) || tensor.encoding != Encoding::kBwPerTensor || tensor.bits != 8) continue;
    report.Add(kFullWidth, In(static_cast<int>(i)), "a bit-width encoding of 8 bits",
               "signed inputs of 8 bits have a plain encoding");
  }
}

}  // namespace quantgate::qnn_htp
