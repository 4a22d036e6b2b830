#include "rules/backends/qnn_htp/ops/zero_point_equality.h"

#include "absl/strings/str_format.h"

namespace quantgate::qnn_htp {

const RuleInfo kZeroPointEquality = {
    "SH201",
    "equal-zero-points",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "The operator moves integers, and validation compares the zero points of input and output (never "
    "the scales).",
    "Let input and output share one set of quantization parameters.",
    "Fires: Tile with zero point 128 at the input and 0 at the output. Does not: 128 at both.",
};

void CheckZeroPointEquality(const BackendOp& op, const Target& target, OpReport& report) {
  if (!Is(op, {"Gather", "GatherElements", "GatherNd", "TopK", "Tile", "UnPack", "BatchToSpace", "SpaceToBatch",
               "ChannelShuffle"})) {
    return;
  }
  const BackendTensor& input = Input(op, 0);
  if (!HasScalarQparams(input)) return;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const BackendTensor& output = op.outputs[i];
    if (!HasScalarQparams(output)) continue;
    // Gather also turns signed into unsigned; the same numbers then have a zero point 128 higher.
    const bool flips =
        op.name == "Gather" && IsFixed(input, v1::DATA_TYPE_INT8) && IsFixed(output, v1::DATA_TYPE_UINT8);
    const double expected = ZeroPointOf(input) + (flips ? 128.0 : 0.0);
    if (ZeroPointOf(output) == expected) continue;
    report.Add(kZeroPointEquality, Out(static_cast<int>(i)), absl::StrFormat("zero point %.7g", ZeroPointOf(output)),
               absl::StrFormat("it must have the input's, %.7g", expected));
  }
}

}  // namespace quantgate::qnn_htp
