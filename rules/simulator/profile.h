// How a runtime rounds: the arithmetic of its kernels, as data.
#ifndef QUANTGATE_RULES_SIMULATOR_PROFILE_H_
#define QUANTGATE_RULES_SIMULATOR_PROFILE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/operators/op_id.h"

namespace quantgate::simulator {

// Float to integer.
enum class QuantizeForm {
  kDivideEven,       // rint(x / s) + z
  kDivideAway,       // round(x / s) + z, ties away from zero; a float beyond int32 wraps before the clamp
  kReciprocalEven,   // rint(x * (1 / s)) + z
  kReciprocalWraps,  // the same, but a float beyond int32 wraps before the clamp, and the last size % 8 elements are
                     // divided in double, ties away from zero
  kReciprocalFused,  // rint(fma(x, 1 / s, z)): the zero point inside the rounding
  kReciprocalUp,     // floor(x * (1 / s) + 1/2) + z: ties up
};

// Integer to float.
enum class DequantizeForm {
  kScaleDifference,  // s * (q - z)
  kScaleFused,       // s * q - s * z; s * (q - z) for the last size % 8 elements
};

// Accumulator to output, before the zero point is added and the type's range clamps.
enum class Rescale {
  kNone,              // no integer kernel
  kFloat,             // rint(float(acc) * M), M = sx * sw / sy in float32, left to right
  kDoubleRounding,    // 31-bit multiplier, two roundings (gemmlowp)
  kDoubleRoundingUp,  // the same, ties of the second one up (ruy)
  kSingleRounding,    // 31-bit multiplier, one rounding, ties up
  kMultiplier15,      // 15-bit multiplier, one rounding, ties up, 64-bit accumulator
  kMultiplier24,      // the float32 multiplier's 24 bits, one rounding, ties up (XNNPACK rndnu)
  kTosaDouble,        // TOSA RESCALE, DOUBLE_ROUND
};

// Sum of two quantized tensors.
enum class AddForm {
  kNone,
  kThreeRoundings,    // each operand, then the sum, by 31-bit multipliers (LiteRT)
  kSharedShift,       // 21-bit multipliers, one rounding of the sum (XNNPACK)
  kFusedMultiplyAdd,  // float32 fused multiply-adds with the zero points inside (ONNX Runtime)
  kFusedDequantize,   // float32 sum of fma(s, q, -s * z), by the reciprocal of the output's scale (PyTorch eager)
};

enum class PoolForm {
  kNone,
  kIntegerAway,  // integer sum / taps, half away from zero; no rescale
  kFloat,        // float32 sum of products by one scale, ties to even
};

// Kernels of an operator group for the two widths of activations.
struct ByWidth {
  Rescale bits8 = Rescale::kNone;
  Rescale bits16 = Rescale::kNone;
};

// Operators without an integer kernel are computed in float between Dequantize and Quantize.
enum class Family { kDecomposed, kOnnxRuntime, kLiteRt, kXnnpack, kTosa, kQnn };

struct Profile {
  absl::string_view name;     // "litert/reference"
  absl::string_view summary;  // one line
  // Where runtimes of one family differ in more than rounding.
  bool reference_kernels = false;  // LiteRT without its optimized kernels
  bool xnnpack_delegate = false;   // LiteRT with XNNPACK for 8 bits
  Family family = Family::kDecomposed;
  QuantizeForm quantize8 = QuantizeForm::kDivideEven;  // to 8 bits and less
  QuantizeForm quantize16 = QuantizeForm::kDivideEven;
  DequantizeForm dequantize = DequantizeForm::kScaleDifference;
  ByWidth conv;
  ByWidth depthwise;
  ByWidth conv_transpose;
  ByWidth linear;
  ByWidth matmul;  // both operands dynamic
  ByWidth mul;
  AddForm add8 = AddForm::kNone;
  AddForm add16 = AddForm::kNone;
  PoolForm average_pool = PoolForm::kNone;
  // Operators that copy the integers of their input, whatever the parameters of the output say. kPad stands for what is
  // not filled with a constant.
  absl::Span<const OpId> copying;
  // Operators that do so where they move nothing: they are taken out of the graph, and their parameters with them.
  absl::Span<const OpId> copying_unmoved;
  // A PRelu into 16 bits whose output has no smaller scale gives the lowest value where the highest one is exceeded.
  bool prelu16_overflows_to_lowest = false;
  // A subtraction whose zero points, in steps of the output, add up to more than its range gives the lowest value alone
  // where both operands have less than half of the output's scale.
  bool subtraction_overflows_to_lowest = false;
  // A Softmax into 8 bits counts from the type's lowest value, whatever the output's zero point is.
  bool softmax8_from_lowest = false;
  bool infinite_negative_roots = false;  // roots of negative numbers are infinite; otherwise they are not a number
  // Functions of one operand of 8 bits round with the zero point inside, as QuantizeForm::kReciprocalFused.
  bool unary8_zero_point_inside = false;
  // ONNX Runtime's MatMulNBits looks at accuracy_level.
  bool nbits_accuracy_level = false;
  int accumulator_bits8 = 32;   // of sums of products of 8-bit activations
  int accumulator_bits16 = 64;  // of 16-bit activations
};

// All profiles, in the order in which documentation lists them.
absl::Span<const Profile> Profiles();
// Null: no profile has the name.
const Profile* FindProfile(absl::string_view name);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_PROFILE_H_
