#include "rules/backends/qnn_htp/ops/half_precision_convolution.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {

const RuleInfo kHalfPrecisionConvolution = {
    "DT210",
    "half-precision-convolution",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "With FLOAT_16 activations and quantized weights with a scale per channel, validation takes convolutions of one "
    "group, without dilation, whose input channels fill 32 bits: a multiple of 4 with 8-bit weights, of 8 with 4 bits, "
    "of 16 with 2. FullyConnected has no such limits.",
    "Quantize the activations too, keep the weights in float, or pad the input channels.",
    "Fires: a 1x1 Conv2d from 3 to 8 channels with FLOAT_16 activations and SFIXED_POINT_8 weights per channel. Does "
    "not: from 4 to 8 channels, or with UFIXED_POINT_8 activations.",
};

const RuleInfo kHalfPrecisionBlocks = {
    "DT211",
    "half-precision-blocks",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "With FLOAT_16 activations and weights with scales per block, a convolution of several groups or with dilation is "
    "validated and has no kernel.",
    "Quantize the activations too, or keep the weights in float.",
    "Fires: a 1x1 Conv2d of two groups with FLOAT_16 activations and block scales. Does not: the same of one group.",
};

namespace {

// A 1x1 Conv2d of FLOAT_16 and quantized weights; other filters are refused whatever their channels.
bool IsHalfPrecision(const BackendOp& op) {
  if (op.name != "Conv2d") return false;
  const BackendTensor& weight = Input(op, 1);
  return IsFloat(Input(op, 0)) && IsFixed(weight, v1::DATA_TYPE_INT8) && weight.dims.size() == 4 &&
         weight.dims[0] == 1 && weight.dims[1] == 1;
}

bool IsGrouped(const BackendOp& op) {
  const BackendParam* group = FindParam(op, "group");
  return group != nullptr && group->ints.size() == 1 && group->ints[0] > 1;
}

bool IsDilated(const BackendOp& op) {
  const BackendParam* dilation = FindParam(op, "dilation");
  return dilation != nullptr &&
         std::any_of(dilation->ints.begin(), dilation->ints.end(), [](int64_t d) { return d > 1; });
}

}  // namespace

void CheckHalfPrecisionConvolution(const BackendOp& op, const Target&, OpReport& report) {
  if (!IsHalfPrecision(op)) return;
  const BackendTensor& weight = Input(op, 1);
  if (weight.encoding != Encoding::kPerChannel && weight.encoding != Encoding::kBwPerChannel) return;
  const int bits = IsBitWidth(weight) ? weight.bits : 8;
  if (bits != 8 && bits != 4 && bits != 2) return;  // refused for their width
  const int64_t multiple = 32 / bits;
  const std::string with = absl::StrCat("float activations and ", bits, "-bit weights with a scale per channel");
  const int64_t channels = weight.dims[2];
  if (IsGrouped(op)) {
    report.Add(kHalfPrecisionConvolution, In(1), absl::StrCat(with, " in several groups"), "there must be one group");
  } else if (IsDilated(op)) {
    report.Add(kHalfPrecisionConvolution, In(1), absl::StrCat(with, " and dilation"), "there must be none");
  } else if (channels < 0) {
    report.NotChecked(kHalfPrecisionConvolution, "the number of input channels is not known");
  } else if (channels % multiple != 0) {
    report.Add(kHalfPrecisionConvolution, In(1), absl::StrCat(with, " for ", channels, " input channels"),
               absl::StrCat("their number must be a multiple of ", multiple));
  }
}

void CheckHalfPrecisionBlocks(const BackendOp& op, const Target&, OpReport& report) {
  if (!IsHalfPrecision(op) || Input(op, 1).encoding != Encoding::kBlock) return;
  if (!IsGrouped(op) && !IsDilated(op)) return;
  report.Add(kHalfPrecisionBlocks, In(1),
             absl::StrCat("float activations, weights with scales per block, and ",
                          IsGrouped(op) ? "several groups" : "dilation"),
             "there is no kernel for that");
}

}  // namespace quantgate::qnn_htp
