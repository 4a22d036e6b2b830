#include "rules/backends/qnn_htp/ops/fractional_zero_point.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/render.h"

namespace quantgate::qnn_htp {

const RuleInfo kFractionalZeroPoint = {
    "QS203",
    "fractional-zero-point",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "QNN states an offset as a 32-bit integer. A zero point between two integers, as some encodings of weights have "
    "it, cannot be written down for it.",
    "Quantize the tensor again with an integer zero point; symmetric weights have 0.",
    "Fires: a weight with zero point 3.5. Does not: one with zero point 3.",
};

void CheckFractionalZeroPoint(const BackendOp& op, const Target&, OpReport& report) {
  const auto check = [&](const BackendTensor& tensor, PortRef port) {
    if (!tensor.present || tensor.qparams == nullptr || tensor.qparams->zero_points.are_integers()) return;
    for (double zero_point : tensor.qparams->zero_points) {
      // What is no number at all is said by others.
      if (!std::isfinite(zero_point) || zero_point == std::floor(zero_point)) continue;
      report.Add(kFractionalZeroPoint, port, absl::StrCat("zero point ", FormatNumber(zero_point)),
                 "an offset of QNN is an integer", v1::Source::DEFINITION);
      return;
    }
  };
  for (size_t i = 0; i < op.inputs.size(); ++i) check(op.inputs[i], In(static_cast<int>(i)));
  for (size_t i = 0; i < op.outputs.size(); ++i) check(op.outputs[i], Out(static_cast<int>(i)));
}

}  // namespace quantgate::qnn_htp
