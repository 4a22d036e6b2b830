// One operator on quantized tensors, with the arithmetic of a profile.
//
// Attributes by operator; names are ONNX's where ONNX has the attribute. Sizes of spatial lists: the spatial rank.
//   kConv, kDepthwiseConv, kConvTranspose  strides, dilations, pads (begin..., end...) or auto_pad ("SAME_UPPER",
//     "SAME_LOWER", "VALID"), group, output_padding, output_shape (spatial sizes), activation.
//     Weights, channels first: (out, in/group, spatial...), transposed (in, out/group, spatial...);
//     channels last: (out, spatial..., in/group); kDepthwiseConv channels last: (1, spatial..., out), LiteRT's order.
//   kLinear (weight (out, in)), kGemm (transA, transB, alpha, beta), kMatMul (transA, transB): activation.
//   kConv, kConvTranspose, kLinear accumulator_bits: what the operator says of sums of int16.
//   kGemm sum_factor: of the sum and its bias together, alpha and beta being equal to it.
//   kAveragePool, kMaxPool   kernel_shape, strides, dilations, pads or auto_pad, ceil_mode, count_include_pad.
//   kAdd, kSub, kMul, kDiv   activation.
//   activation: "relu", "relu6", "relu_n1_to_1", as LiteRT fuses them.
//   kReduceMean, kReduceSum, kReduceMax, kReduceMin, kReduceProd   axes, keepdims, noop_with_empty_axes.
//   No axes: all of them, or with noop_with_empty_axes none.
//   kSoftmax, kLogSoftmax, kConcat, kSplit, kGather, kArgMax, kArgMin, kTopK, kGlu   axis.
//   kSoftmax, kLogSoftmax   flatten: the axes from `axis` on are one.
//   kSoftmax beta; kLeakyRelu, kElu, kHardSigmoid, kCelu, kSelu alpha; kHardSigmoid beta, kSelu gamma; kSwish alpha.
//   kGelu approximate ("tanh"); kClamp min, max; kLayerNorm axis, epsilon; other normalizations epsilon, num_groups.
//   kReshape and its kin: shape (all sizes stated, or one -1); kTranspose perm; kSlice starts, ends, axes, steps;
//   kPad pads, mode ("constant", "reflect", "edge"), value; kTile repeats; kExpand shape; kSplit sizes;
//   kResize* sizes or scales (both: the scales are those of coordinates), mode, coordinate_transformation_mode,
//   nearest_mode, align_corners, half_pixel_centers, cubic_coeff_a, exclude_outside, antialias, roi,
//   extrapolation_value; kDepthToSpace, kSpaceToDepth blocksize, mode. What the origin passes as a constant tensor is
//   an attribute here.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNEL_H_
#define QUANTGATE_RULES_SIMULATOR_KERNEL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/operators/op_id.h"
#include "rules/simulator/attributes.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// What rounding and clamping to the stored outputs cost, beside the real numbers that their sums stand for: sums over
// all outputs of squares, in steps of the output.
struct RoundingError {
  bool known = false;  // by the kernels that have the sums at hand (byte_products.h), where no accumulator can overflow
  double signal = 0;   // of the real numbers
  double noise = 0;    // of what they differ by from what is stored
};

// What the accumulators of a sum of products did.
struct AccumulatorUse {
  int bits_used = 0;        // signed bits that the exact sums needed, over all outputs; 0: the operator has none
  int bits_worst_case = 0;  // signed bits that they can need: worst case over all inputs, from the weights and the bias
  int bits_available = 0;   // signed bits of the profile's accumulator
  int64_t overflows = 0;    // outputs whose exact sum did not fit
  RoundingError rounding;
};

// Order of a tensor with channels: (N, C, spatial...) or (N, spatial..., C).
enum class Layout { kChannelsFirst, kChannelsLast };

struct KernelCall {
  OpId op = OpId::kUnknown;
  Layout layout = Layout::kChannelsFirst;
  const Attributes* attributes = nullptr;  // null: none
  // In the order of the canonical operator's ports; null: an omitted optional input. Valid as Validate() has it.
  absl::Span<const QTensor* const> inputs;
  // Type and quantization are set; the kernel sets dims and data.
  absl::Span<QTensor> outputs;
  AccumulatorUse* use = nullptr;  // null: nobody asks
};

// INVALID_ARGUMENT: what was passed cannot be (shapes that do not meet, a scale that no multiplier can hold); the
// message names the number. UNIMPLEMENTED: no kernel for this operator, these types or this form under this profile;
// the message is the reason, to be shown. Thread-safe.
absl::Status RunKernel(const Profile& profile, KernelCall& call);

// The profile's own way between floats and integers, as its Quantize and Dequantize operators do it. `values` has as
// many elements as `out` has room for; `out` has type, dims and q.
absl::Status QuantizeFloats(const Profile& profile, absl::Span<const float> values, QTensor& out);
// As many elements as `out` has room for, from `first` on.
absl::Status DequantizeTo(const Profile& profile, const QTensor& in, absl::Span<float> out, size_t first = 0);
// Both in one step, with a clamp of the integers to [low, high] between: real numbers to what a tensor of `type` and
// `q` can say. false: not in one step; nothing is done.
bool RoundFloats(const Profile& profile, v1::DataType type, const Quantization& q, int64_t low, int64_t high,
                 absl::Span<float> values);
// Room for all elements is made.
absl::Status DequantizeToFloats(const Profile& profile, const QTensor& in, std::vector<float>& out);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNEL_H_
