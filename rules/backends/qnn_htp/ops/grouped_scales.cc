#include "rules/backends/qnn_htp/ops/grouped_scales.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"

namespace quantgate::qnn_htp {

const RuleInfo kGroupedScales = {
    "AX207",
    "grouped-scales",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "A transposed convolution in groups has one scale for each output channel of a group. Validation lets it pass; "
    "where these are fewer than the groups, preparation of the graph fails. One channel in, one out for each group "
    "has a kernel as long as one of the strides is 1.",
    "Quantize the weight per tensor, or use fewer groups.",
    "Fires: per-channel weights, 8 channels in 4 groups. Does not: 8 channels in 2 groups; weights per tensor.",
};

void CheckGroupedScales(const BackendOp& op, const Target&, OpReport& report) {
  const BackendTensor& weight = Input(op, 1);
  const int64_t groups = ParamElement(op, "group", 0, 1);
  if (op.name != "TransposeConv2d" || groups <= 1 || !IsPerChannel(weight) || !Input(op, 0).type.quantized) return;
  if (weight.dims.size() != 4 || weight.dims[2] < 0 || weight.dims[3] < 0) {
    report.NotChecked(kGroupedScales, "TransposeConv2d: the sizes of in[1] are not known");
    return;
  }
  const int64_t scales = weight.dims[3];
  const int64_t least_stride = std::min(ParamElement(op, "stride", 0, 1), ParamElement(op, "stride", 1, 1));
  const bool depthwise = weight.dims[2] == groups;
  if (depthwise && scales == 1 && least_stride == 1) return;
  if (scales < groups) {
    report.Add(kGroupedScales, In(1), absl::StrCat("the ", groups, " groups have ", scales, " scales"),
               "as many scales as groups, or more");
  } else if (!depthwise && least_stride > 2) {
    // Some have no kernel, by a rule that is not known.
    report.NotChecked(kGroupedScales, "TransposeConv2d: in groups, with strides of 3 or more");
  }
}

}  // namespace quantgate::qnn_htp
