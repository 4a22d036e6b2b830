#include "rules/simulator/profile.h"

namespace quantgate::simulator {
namespace {

constexpr ByWidth kFloat8{Rescale::kFloat, Rescale::kNone};
constexpr ByWidth kLiteRtConv{Rescale::kDoubleRounding, Rescale::kMultiplier15};
// LiteRT's optimized kernels (ruy on x86-64).
constexpr ByWidth kOptimizedConv{Rescale::kDoubleRoundingUp, Rescale::kMultiplier15};
constexpr ByWidth kOptimizedLinear{Rescale::kDoubleRoundingUp, Rescale::kSingleRounding};
constexpr ByWidth kLiteRtLinear{Rescale::kSingleRounding, Rescale::kSingleRounding};
// XNNPACK takes 8 bits and leaves 16 to LiteRT's optimized kernels, which round as the reference.
constexpr ByWidth kXnnpackConv{Rescale::kFloat, Rescale::kMultiplier15};
constexpr ByWidth kXnnpackLinear{Rescale::kFloat, Rescale::kSingleRounding};
constexpr ByWidth kDouble{Rescale::kDoubleRounding, Rescale::kDoubleRounding};
constexpr ByWidth kSingle{Rescale::kSingleRounding, Rescale::kSingleRounding};
constexpr ByWidth kTosa{Rescale::kTosaDouble, Rescale::kTosaDouble};

// Measured with QAIRT 2.51.0: outputs come out under the input's parameters.
constexpr OpId kHtpCopying[] = {OpId::kReshape,   OpId::kFlatten,      OpId::kSqueeze,      OpId::kUnsqueeze,
                                OpId::kTranspose, OpId::kDepthToSpace, OpId::kSpaceToDepth, OpId::kResizeNearest,
                                OpId::kTopK,      OpId::kPad};
constexpr OpId kHtpCopyingUnmoved[] = {OpId::kSlice, OpId::kTile};

// Its parts have parameters each; for what else LiteRT copies see run/as_stored.h.
constexpr OpId kLiteRtCopying[] = {OpId::kSplit};

constexpr Profile kProfiles[] = {
    {.name = "onnxruntime",
     .summary = "ONNX Runtime's QLinear kernels and fused QDQ groups; 16-bit activations and the rest in float",
     .family = Family::kOnnxRuntime,
     .quantize8 = QuantizeForm::kDivideEven,
     .quantize16 = QuantizeForm::kDivideEven,
     .conv = kFloat8,
     .depthwise = kFloat8,
     .linear = kFloat8,
     .matmul = kFloat8,
     .mul = kFloat8,
     .add8 = AddForm::kFusedMultiplyAdd,
     .average_pool = PoolForm::kFloat,
     .nbits_accuracy_level = true},
    {.name = "onnxruntime/no-fusion",
     .summary = "ONNX Runtime with optimizations off: Dequantize, float32 operator, Quantize",
     .quantize8 = QuantizeForm::kDivideEven,
     .quantize16 = QuantizeForm::kDivideEven,
     .nbits_accuracy_level = true},
    {.name = "litert/reference",
     .summary = "LiteRT's reference kernels",
     .reference_kernels = true,
     .family = Family::kLiteRt,
     .quantize8 = QuantizeForm::kDivideAway,
     .quantize16 = QuantizeForm::kDivideAway,
     .conv = kLiteRtConv,
     .depthwise = kLiteRtConv,
     .conv_transpose = kLiteRtConv,
     .linear = kLiteRtLinear,
     .matmul = kLiteRtConv,
     .mul = kDouble,
     .add8 = AddForm::kThreeRoundings,
     .add16 = AddForm::kThreeRoundings,
     .average_pool = PoolForm::kIntegerAway,
     .copying = kLiteRtCopying},
    {.name = "litert/optimized",
     .summary = "LiteRT's optimized built-in kernels without a delegate",
     .family = Family::kLiteRt,
     .quantize8 = QuantizeForm::kReciprocalWraps,
     .quantize16 = QuantizeForm::kReciprocalWraps,
     .dequantize = DequantizeForm::kScaleFused,
     .conv = kOptimizedConv,
     .depthwise = kOptimizedConv,
     .conv_transpose = kLiteRtConv,
     .linear = kOptimizedLinear,
     .matmul = kLiteRtConv,
     .mul = kDouble,
     .add8 = AddForm::kThreeRoundings,
     .add16 = AddForm::kThreeRoundings,
     .average_pool = PoolForm::kIntegerAway,
     .copying = kLiteRtCopying},
    {.name = "litert/xnnpack",
     .summary = "LiteRT with the XNNPACK delegate; what XNNPACK does not take, LiteRT's optimized kernels compute",
     .xnnpack_delegate = true,
     .family = Family::kLiteRt,
     .quantize8 = QuantizeForm::kReciprocalEven,
     .quantize16 = QuantizeForm::kReciprocalWraps,
     .conv = kXnnpackConv,
     .depthwise = kXnnpackConv,
     .conv_transpose = kXnnpackConv,
     .linear = kXnnpackLinear,
     .matmul = kLiteRtConv,
     .mul = {Rescale::kFloat, Rescale::kDoubleRounding},
     .add8 = AddForm::kSharedShift,
     .add16 = AddForm::kThreeRoundings,
     .average_pool = PoolForm::kIntegerAway,
     .copying = kLiteRtCopying},
    {.name = "xnnpack",
     .summary = "XNNPACK by itself, on x86-64",
     .family = Family::kXnnpack,
     .quantize8 = QuantizeForm::kReciprocalEven,
     .quantize16 = QuantizeForm::kReciprocalEven,
     .conv = kFloat8,
     .depthwise = kFloat8,
     .conv_transpose = kFloat8,
     .linear = kFloat8,
     .matmul = kFloat8,
     .mul = kFloat8,
     .add8 = AddForm::kSharedShift,
     .average_pool = PoolForm::kFloat},
    {.name = "torch",
     .summary = "A converted PT2E graph: quantize(float operator(dequantize)), by the reciprocal of the scale",
     .quantize8 = QuantizeForm::kReciprocalEven,
     .quantize16 = QuantizeForm::kReciprocalEven},
    {.name = "torch/x86",
     .summary = "PyTorch's eager quantized engine x86",
     .quantize8 = QuantizeForm::kReciprocalFused,
     .quantize16 = QuantizeForm::kReciprocalFused,
     .conv = kFloat8,
     .depthwise = kFloat8,
     .linear = kFloat8,
     .mul = kFloat8,
     .add8 = AddForm::kFusedDequantize},
    {.name = "torch/onednn",
     .summary = "PyTorch's eager quantized engine onednn",
     .quantize8 = QuantizeForm::kReciprocalFused,
     .quantize16 = QuantizeForm::kReciprocalFused,
     .conv = kFloat8,
     .depthwise = kFloat8,
     .linear = kFloat8,
     .mul = kFloat8,
     .add8 = AddForm::kFusedDequantize},
    {.name = "torch/qnnpack",
     .summary = "PyTorch's eager quantized engine qnnpack",
     .quantize8 = QuantizeForm::kReciprocalFused,
     .quantize16 = QuantizeForm::kReciprocalFused,
     .conv = kFloat8,
     .depthwise = kFloat8,
     .linear = kFloat8,
     .mul = kFloat8},
    {.name = "tosa",
     .summary = "TOSA 1.0 with RESCALE rounding twice, as LiteRT and PT2E graphs are lowered to it",
     .family = Family::kTosa,
     .quantize8 = QuantizeForm::kDivideAway,
     .quantize16 = QuantizeForm::kDivideAway,
     .conv = kTosa,
     .depthwise = kTosa,
     .conv_transpose = kTosa,
     .linear = kTosa,
     .matmul = kTosa,
     .mul = kTosa,
     .add8 = AddForm::kThreeRoundings,
     .add16 = AddForm::kThreeRoundings,
     .average_pool = PoolForm::kIntegerAway,
     .accumulator_bits16 = 48},
    {.name = "qnn_htp",
     .summary = "QNN HTP from V73 on: sums of products rounded once, the rest in float; compared with its library",
     .family = Family::kQnn,
     .quantize8 = QuantizeForm::kReciprocalUp,
     .quantize16 = QuantizeForm::kReciprocalUp,
     .conv = kSingle,
     .depthwise = kSingle,
     .conv_transpose = kSingle,
     .linear = kSingle,
     .matmul = kSingle,
     .copying = kHtpCopying,
     .copying_unmoved = kHtpCopyingUnmoved,
     .prelu16_overflows_to_lowest = true,
     .subtraction_overflows_to_lowest = true,
     .softmax8_from_lowest = true,
     .infinite_negative_roots = true,
     .unary8_zero_point_inside = true},
};

}  // namespace

absl::Span<const Profile> Profiles() { return kProfiles; }

const Profile* FindProfile(absl::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

}  // namespace quantgate::simulator
