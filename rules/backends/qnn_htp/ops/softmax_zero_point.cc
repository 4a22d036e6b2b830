#include "rules/backends/qnn_htp/ops/softmax_zero_point.h"

#include "absl/strings/str_format.h"

namespace quantgate::qnn_htp {

const RuleInfo kSoftmaxZeroPoint = {
    "FX203",
    "softmax-zero-point",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "The 8-bit kernel honors the scale and ignores the zero point: probability 0 is written as the "
    "lowest integer, and whoever reads it with another zero point reads another number.",
    "Give the output the lowest value of its type as zero point: 0 for unsigned, -128 for signed.",
    "Fires: a UFIXED_POINT_8 Softmax output with zero point 3. Does not: zero point 0.",
};

void CheckSoftmaxZeroPoint(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "Softmax") return;
  const BackendTensor& output = Output(op, 0);
  if (!IsFixed8(output) || !HasScalarQparams(output)) return;
  const double lowest = output.type.type == v1::DATA_TYPE_INT8 ? -128.0 : 0.0;
  if (ZeroPointOf(output) == lowest) return;
  report.Add(kSoftmaxZeroPoint, Out(0), QparamsText(output),
             absl::StrFormat("the kernel writes with zero point %.7g", lowest));
}

}  // namespace quantgate::qnn_htp
