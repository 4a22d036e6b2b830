#include "rules/backends/qnn_htp/ops/narrowed_operand.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kNarrowedOperand = {
    "DT209",
    "narrowed-matmul-operand",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "On the way from ONNX the toolchains convert a 16-bit operand that is computed at run time to 8 "
    "bits, without telling the graph. Executed, the outputs were off by up to 214 steps of their "
    "16-bit scale, on every arch; the library itself, asked for the same product, was off by one.",
    "Quantize that operand to 8 bits yourself, so that calibration knows, or make the converter keep "
    "16 bits (needs V73).",
    "Fires: ONNX MatMul of two run-time uint16 tensors. Does not: uint16 by uint8, or by constant "
    "int16 weights.",
};

void CheckNarrowedOperand(const BackendOp& op, const Target& target, OpReport& report) {
  // The lowering's own Convert: its output has no parameters yet, and it stands for the same tensor.
  if (op.name != "Convert" || !IsFixed16(Input(op, 0)) || !IsFixed(Output(op, 0), v1::DATA_TYPE_UINT8)) return;
  if (Output(op, 0).qparams != nullptr || Input(op, 0).argument != 1 || Input(op, 0).qparams == nullptr) return;
  report.Add(kNarrowedOperand, In(0), absl::StrCat(TypeText(Input(op, 0)), " and computed at run time"),
             "the toolchain converts it to UFIXED_POINT_8");
}

}  // namespace quantgate::qnn_htp
