#include "rules/backends/qnn_htp/ops/infinite_scale.h"

#include <cmath>

namespace quantgate::qnn_htp {
namespace {

// Of one that is computed: the library does not look at the scale of a constant, nor at how small one is.
bool HasInfiniteScale(const BackendTensor& tensor) {
  return !tensor.is_static && HasScalarQparams(tensor) && !std::isfinite(static_cast<float>(ScaleOf(tensor)));
}

void Look(const BackendTensor& tensor, PortRef port, OpReport& report) {
  if (HasInfiniteScale(tensor)) report.Add(kInfiniteScale, port, QparamsText(tensor), "a tensor needs a finite scale");
}

}  // namespace

const RuleInfo kInfiniteScale = {
    "NR202",
    "infinite-scale",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "Validation lets it pass; then the tensor cannot be made (\"Output def has a bad scale (nan, inf, or too "
    "small)\"), and there is no graph. Masks that are filled with -inf or the lowest number of float32 get such a "
    "scale when they are calibrated.",
    "Fill masks with a number that the softmax behind takes for nothing, such as -100, and calibrate again.",
    "Fires: a UFIXED_POINT_8 output with scale inf. Does not: scale 3e38, or a constant with scale inf.",
};

void CheckInfiniteScale(const BackendOp& op, const Target&, OpReport& report) {
  for (size_t i = 0; i < op.inputs.size(); ++i) Look(Input(op, i), In(static_cast<int>(i)), report);
  for (size_t i = 0; i < op.outputs.size(); ++i) Look(Output(op, i), Out(static_cast<int>(i)), report);
}

}  // namespace quantgate::qnn_htp
