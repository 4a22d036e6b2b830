#include "rules/backends/qnn_htp/float_kernels.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {
namespace {

// Measured: validated and not prepared, on V68 alone.
constexpr absl::string_view kWithout[] = {
    "CumulativeSum",   "Elu",       "ElementWiseAtan", "ElementWiseFloorDiv", "ElementWiseRound", "ElementWiseSelect",
    "Gather",          "GatherElements", "GroupNorm",  "L2Norm",              "NonMaxSuppression", "RoiAlign",
    "ScatterNd",       "TransposeConv3d",
};

}  // namespace


const RuleInfo kFloatKernels = {
    "DT205",
    "float-kernel-arch",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "V68 has no floating point unit for most operators. Validation passes, preparation of the graph "
    "then finds no kernel.",
    "Quantize the operator, or drop the SoC from the targets.",
    "Fires: Gather of FLOAT_32 on V68. Does not: Gather of UFIXED_POINT_8 on V68, or of FLOAT_32 on "
    "V69.",
};

void CheckFloatKernels(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.arch != 68) return;
  if (std::find(std::begin(kWithout), std::end(kWithout), op.name) == std::end(kWithout)) return;
  // The condition of a select is no float; its data is.
  const int port = op.name == "ElementWiseSelect" ? 1 : 0;
  if (!IsFloat(Input(op, port))) return;
  report.Add(kFloatKernels, In(port), absl::StrCat(op.name, " of ", TypeText(Input(op, port)), " on V68"),
             "the operator has no float kernel before V69");
}

}  // namespace quantgate::qnn_htp
