#include "rules/constraints/rules.h"

#include "absl/types/span.h"
#include "rules/constraints/matcher.h"

namespace quantgate {
namespace {

using v1::Finding;

constexpr RuleInfo Refused(const char* code, const char* name, unsigned stages, const char* message, const char* why,
                           const char* fix, const char* example) {
  return {code, name, Finding::REFUSED, Finding::ERROR, stages, message, why, fix, example};
}

}  // namespace

const RuleInfo kDtypeRow = Refused(
    "DT101", "dtype-row", kAtAnyStage,
    "{subject} has {observed}; no dtype row of the backend fits, the closest take {allowed}.",
    "A backend implements each operator for a list of complete element-type combinations. A combination that is not in "
    "the list is refused even when every type in it is fine somewhere else.",
    "Give the ports named the types of one of the closest rows, or keep the operator in float, "
    "where the target computes floats.",
    "Fires: Conv2d with UFIXED_POINT_8 activations and SFIXED_POINT_16 weights. Does not: the same with SFIXED_POINT_8 "
    "weights.");

const RuleInfo kDtypeRowArch = Refused(
    "DT102", "dtype-row-arch", kAtAnyStage,
    "{subject} uses element types that exist for other architectures; this one is {observed}, needed is {allowed}.",
    "The combination is a row of the backend's table, but the hardware of this SoC does not have it.",
    "Use types that this architecture has (usually 8-bit weights), or drop the SoC from the targets.",
    "Fires: Conv2d with 16-bit activations and 16-bit weights on V68 when the row says V73. Does not: the same on "
    "V73.");

const RuleInfo kBitWidth = Refused(
    "DT103", "bit-width", kAtAnyStage, "{subject} is {observed} bits wide; allowed: {allowed}.",
    "Narrow weights need kernels of their own. A width without one is refused, or silently stored in the next wider "
    "type.",
    "Quantize with one of the allowed widths.",
    "Fires: 3-bit weights where 4 or 8 are allowed. Does not: 4-bit weights.");

const RuleInfo kPortType = Refused(
    "DT104", "port-type", kAtAnyStage, "{subject} has element type {observed}; allowed here: {allowed}.",
    "Beyond its dtype rows the backend restricts this port, depending on another port, the rank or the operation.",
    "Use one of the allowed types on this port.",
    "Fires: 16-bit weights with 8-bit activations where they must come with 16-bit ones. Does not: 16-bit weights with "
    "16-bit activations.");

const RuleInfo kMinimumArch =
    Refused("DT105", "minimum-arch", kAtAnyStage, "{subject} is {observed}; that needs {allowed}.",
            "Older hardware has no instructions for this combination of types or encodings, and the tools refuse to "
            "prepare it.",
            "Use a narrower or simpler encoding, or drop the SoC from the targets.",
            "Fires: 16-bit weights with 16-bit activations on V69 when V73 is needed. Does not: the same on V75.");

const RuleInfo kNoFloat = Refused(
    "DT106", "no-float", kAtAnyStage, "{subject} computes {observed}; the backend takes {allowed}.",
    "The HTP of some SoCs has no floating point. Its library then refuses the rows of the float configurations (FP16 "
    "and BF16) as a whole. Rows of the others are there: a Quantize, a Softmax of integers with a float output, "
    "Reshape, Transpose and Cast of FLOAT_32.",
    "Quantize the operator, or leave it to the CPU.",
    "Fires: a FLOAT_32 Add for QCS6490. Does not: the same for SM8350, which is V68, too; a quantized Add.");

const RuleInfo kSymmetry = Refused(
    "QS101", "symmetry", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
    "Kernels for weights and biases leave out the zero-point correction. With another zero point they are refused, or "
    "every output is off by a constant.",
    "Quantize this tensor with the required scheme.",
    "Fires: SFIXED_POINT_32 bias with zero point 3. Does not: zero point 0.");

const RuleInfo kSignedness =
    Refused("QS102", "signedness", kAtAnyStage, "{subject} has element type {observed}; required: {allowed}.",
            "Per-channel and block encodings are defined for signed integers here.",
            "Quantize this tensor to a signed type, with zero point 0.",
            "Fires: UFIXED_POINT_8 per-channel weights. Does not: SFIXED_POINT_8 per-channel weights.");

const RuleInfo kEncoding = Refused(
    "QS103", "encoding", kAtAnyStage, "{subject} has a {observed} encoding; allowed: {allowed}.",
    "The operator has no kernel for this kind of quantization encoding on this port.",
    "Quantize this tensor with one of the allowed encodings.",
    "Fires: a block encoding on a convolution that takes per-tensor and per-channel ones. Does not: per channel.");

const RuleInfo kZeroPoint =
    Refused("QS104", "zero-point", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
            "The kernel has no term for another zero point of this tensor, and the backend refuses what it would "
            "compute wrong.",
            "Quantize the tensor with that zero point.",
            "Fires: a SFIXED_POINT_32 bias with zero point 5 where 0 is required. Does not: zero point 0.");

const RuleInfo kEncodingAxis = Refused(
    "AX101", "encoding-axis", kAtAnyStage, "{subject} is quantized along axis {observed}; the backend takes {allowed}.",
    "One scale per output channel can be applied after the sum. A scale per any other index cannot, so the backend "
    "refuses it or, worse, applies the scales along its own axis.",
    "Quantize per output channel (axes are counted in the backend's layout).",
    "Fires: convolution weights quantized per input channel. Does not: per output channel.");

const RuleInfo kGranularity =
    Refused("AX102", "granularity", kAtAnyStage, "{subject} has a {observed} encoding; allowed: {allowed}.",
            "This port takes one scale for the whole tensor.", "Quantize this tensor per tensor.",
            "Fires: per-channel scales on an activation. Does not: one scale.");

const RuleInfo kFixedQparams = {
    "FX101",
    "fixed-qparams",
    Finding::WRONG_NUMBERS,
    Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; the backend expects {allowed}.",
    "The kernel does not read these parameters: it writes Sigmoid and Tanh integers under parameters of its own, and "
    "derives the scale of a bias from input and weights. Tools refuse others, replace them silently or drop the bias.",
    "Set the scale and zero point that the backend expects.",
    "Fires: a UFIXED_POINT_16 Sigmoid output with scale 1/32768. Does not: scale 1/65536 and zero point 0."};

const RuleInfo kUnequalZeroPoint = Refused(
    "SH101", "unequal-zero-point", kAtAnyStage, "{subject} has {observed}; it must equal {allowed}.",
    "The operator moves integers without looking at them, so input and output must mean the same by them. The backend "
    "compares zero points and refuses the operator.",
    "Let input and output share one set of quantization parameters.",
    "Fires: Gather with zero point 128 at the input and 0 at the output. Does not: 128 at both.");

const RuleInfo kUnequalScale = {
    "SH102",
    "unequal-scale",
    Finding::WRONG_NUMBERS,
    Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; it must equal {allowed}.",
    "The operator moves integers without looking at them: the output's own scale is ignored, and every value comes out "
    "multiplied by the ratio of the two.",
    "Let input and output share one set of quantization parameters.",
    "Fires: Gather with scale 0.02 at the input and 0.04 at the output. Does not: 0.02 at both."};

const RuleInfo kValueRange = {
    "NR101",
    "value-range",
    Finding::WRONG_NUMBERS,
    Finding::ERROR,
    kAtAnyStage,
    "{subject} contains {observed}; values must be {allowed}.",
    "The kernel computes in a type that cannot hold other values; they wrap around without an error.",
    "Keep the values of this constant within the range.",
    "Fires: a UINT_32 constant with 2147483648 where 0 to 2147483647 is supported. Does not: 2147483647."};

const RuleInfo kIndexRange = {
    "NR102",
    "index-range",
    Finding::WRONG_NUMBERS,
    Finding::ERROR,
    kAtAnyStage,
    "{subject} contains index {observed}; indices must be {allowed}.",
    "Negative and too large indices are not checked at run time: the kernel reads whatever lies there.",
    "Write negative indices as positive ones and keep all below the size of the dimension.",
    "Fires: index -1 into a dimension of size 4. Does not: index 3."};

const RuleInfo kDuplicateIndices = {
    "NR103",
    "duplicate-indices",
    Finding::WRONG_NUMBERS,
    Finding::ERROR,
    kAtAnyStage,
    "{subject} contains {observed}; required: {allowed}.",
    "Without a reduction, which of two updates of one element wins depends on the order in which threads get there.",
    "Remove the duplicates, or use a reduction.",
    "Fires: ScatterElements without reduction and indices 0, 2, 2. Does not: 0, 1, 2."};

const RuleInfo kNegativeScale =
    Refused("NR104", "negative-scale", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
            "With a negative scale the smallest integer is the largest number. The backend works the range out from "
            "scale and zero point when the graph is prepared, finds it upside down and gives up.",
            "Quantize with a positive scale.", "Fires: scale -0.02 with zero point 128. Does not: scale 0.02.");

const RuleInfo kRequantizationMultiplier = Refused(
    "NR105", "requantization-multiplier", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
    "An integer kernel turns its accumulator into the output's integers by one factor, the scales of its inputs over "
    "the scale of its output. The backend keeps that factor in a fixed number of bits: for one beyond them it makes no "
    "kernel, or its numbers come out at the other end of the range. A factor that large also says that the output's "
    "range is far smaller than what a product or a sum computes, or that the steps of a quotient are far larger.",
    "Calibrate the output with inputs that exercise the operator: its scale is too small for those of its inputs "
    "or, of a quotient, too large.",
    "Fires: input scale 0.5, weight scale 0.5 and output scale 0.0005, factor 500, where less than 256 is taken. Does "
    "not: output scale 0.005.");

const RuleInfo kScaleLimits = Refused(
    "NR106", "scale-limits", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
    "The kernel turns the tensor's integers into numbers of fixed steps, whatever the scales of its other operands "
    "are. Beyond the limits they do not fit.",
    "Bring the tensor into a range that the kernel can hold (divide both operands by one number), or leave the "
    "operator in float.",
    "Fires: scale 2.5 at an operand of LiteRT's GREATER, which takes scales below 1. Does not: scale 0.5.");

const RuleInfo kMissingPort =
    Refused("GS101", "missing-port", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
            "The operator's definition demands this tensor.", "Give the operator the missing tensor.",
            "Fires: Conv2d without a filter. Does not: Conv2d without a bias, which is optional.");

const RuleInfo kUnsupportedPort =
    Refused("GS102", "unsupported-port", kAtAnyStage, "{subject} has {observed}; supported: {allowed}.",
            "The backend's kernel does not read this optional tensor, or the operator has no such port.",
            "Leave the tensor out, or compute the same with other operators.",
            "Fires: Reshape with a shape tensor as second input. Does not: Reshape with its data input only.");

const RuleInfo kRank = Refused("GS103", "rank", kAtAnyStage, "{subject} has rank {observed}; allowed: {allowed}.",
                               "Kernels exist for a limited number of dimensions.",
                               "Merge or split dimensions with a Reshape before the operator, and undo it behind.",
                               "Fires: rank 5 where at most 4 is supported. Does not: rank 4.");

const RuleInfo kRunTimeQparams = Refused(
    "QS105", "run-time-qparams", kAtAnyStage, "{subject} has {observed}; this form of the operator needs {allowed}.",
    "Static and dynamic quantization are different operators of the backend: one has its output's parameters too, the "
    "other has none and computes the input's at every call.",
    "Quantize the output as well, or ask for dynamic quantization of the input.",
    "Fires: a linear with static int8 input and float output on xnnpack. Does not: the same with is_dynamic.");

const RuleInfo kShape = Refused("GS104", "shape", kAtAnyStage, "{subject} has {observed}; allowed: {allowed}.",
                                "The kernel supports this operator for some sizes only.",
                                "Change the shape, or split the operator into parts of a supported size.",
                                "Fires: InstanceNorm of rank 3 with a batch of 2. Does not: with a batch of 1.");

const RuleInfo kDynamicShape = Refused(
    "GS105", "dynamic-shape", kAtAnyStage, "{subject} has {observed}; required: {allowed}.",
    "The backend lays out memory when the graph is prepared and needs every size.",
    "Export the model with fixed sizes.", "Fires: MatMul with a symbolic batch. Does not: MatMul with a batch of 8.");

const RuleInfo kConstness = Refused(
    "GS106", "backend-constness", kAtAnyStage, "{subject} is {observed}; required: {allowed}.",
    "The backend rearranges these values when the graph is prepared. Values that arrive at run time are refused or "
    "taken as if they had been rearranged.",
    "Make the tensor a constant, or use an encoding that does not need one.",
    "Fires: 4-bit per-channel weights that are an input of the graph. Does not: the same weights as a constant.");

const RuleInfo kParameterValue =
    Refused("GS107", "parameter-value", kAtAnyStage, "{subject} has {observed}; supported: {allowed}.",
            "The backend implements the operator for some values of this parameter only.",
            "Use a supported value, or express the operator with others.",
            "Fires: a dilation of 2 together with a stride of 2. Does not: a dilation of 2 with a stride of 1.");

const RuleInfo kAxisParameter =
    Refused("GS108", "axis-parameter", kAtAnyStage, "{subject} has {observed}; supported: {allowed}.",
            "The kernel runs along a particular dimension of the backend's layout.",
            "Transpose so that the dimension is the supported one.",
            "Fires: Softmax over axis 1 of a tensor of rank 4. Does not: over axis 3.");

const RuleInfo kIgnoredParameter = {
    "GS109",
    "ignored-parameter",
    Finding::ADVICE,
    Finding::INFO,
    kAtAnyStage,
    "{subject} has {observed}, which the backend ignores here ({allowed}).",
    "The parameter changes nothing on this target, so results may differ from another runtime that honors it.",
    "Leave the parameter out, or make sure that its value agrees with what the backend does.",
    "Fires: Lstm of rank 2 with time_major given. Does not: Lstm of rank 3."};

const RuleInfo kTableNote = {
    "GS110",
    "table-note",
    Finding::ADVICE,
    Finding::INFO,
    kAtAnyStage,
    "{subject} has {observed}; the backend takes it as {allowed}.",
    "The table explains how the backend reads this value; a sender that reads it differently gets other numbers.",
    "Give the value in the form that the backend expects.",
    "Fires: pad_constant_value 0.5 on a quantized Pad, where an integer under the input's parameters is expected. Does "
    "not: pad_constant_value 128."};

const RuleInfo kUnknownBackendOp =
    Refused("CV101", "op-not-in-table", kAtAnyStage, "{subject} would become {observed}; allowed: {allowed}.",
            "No table of this backend and SDK version lists the operator, so its tools refuse it.",
            "Replace the operator by ones that the backend has, or let it run elsewhere.",
            "Fires: NonZero on a backend whose tables do not have it. Does not: Relu.");

const RuleInfo kOperationSupport = Refused(
    "CV102", "operation-not-supported", kAtAnyStage, "{subject} is operation {observed}; supported: {allowed}.",
    "The backend has the operator, but not this one of its operations.", "Express the operation with supported ones.",
    "Fires: ElementWiseUnary with RECIPROCAL. Does not: ElementWiseUnary with ABS.");

absl::Span<const RuleInfo* const> ConstraintRules() {
  static constexpr const RuleInfo* kRules[] = {
      &kDtypeRow,
      &kDtypeRowArch,
      &kBitWidth,
      &kPortType,
      &kMinimumArch,
      &kNoFloat,
      &kSymmetry,
      &kSignedness,
      &kEncoding,
      &kEncodingAxis,
      &kGranularity,
      &kFixedQparams,
      &kUnequalZeroPoint,
      &kUnequalScale,
      &kValueRange,
      &kIndexRange,
      &kDuplicateIndices,
      &kMissingPort,
      &kUnsupportedPort,
      &kRank,
      &kShape,
      &kDynamicShape,
      &kConstness,
      &kParameterValue,
      &kAxisParameter,
      &kIgnoredParameter,
      &kTableNote,
      &kUnknownBackendOp,
      &kRunTimeQparams,
      &kOperationSupport,
      &kZeroPoint,
      &kNegativeScale,
      &kRequantizationMultiplier,
      &kScaleLimits,
  };
  return kRules;
}

}  // namespace quantgate
