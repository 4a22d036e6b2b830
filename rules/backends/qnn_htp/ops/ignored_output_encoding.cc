#include "rules/backends/qnn_htp/ops/ignored_output_encoding.h"

#include "absl/strings/str_cat.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

enum class Part { kNone, kBoth, kScale, kZeroPoint };

struct IgnoredOutput {
  absl::string_view op;
  Part ignored;
};

// Executed: the very same integers came out. Where only one of scale and zero point is listed, validation refuses the
// other (equal-zero-points) or the kernel honors it.
constexpr IgnoredOutput kRows[] = {
    {"Reshape", Part::kBoth},
    {"Transpose", Part::kBoth},
    {"Squeeze", Part::kBoth},
    {"ExpandDims", Part::kBoth},
    {"SpaceToDepth", Part::kBoth},
    {"DepthToSpace", Part::kBoth},
    {"ResizeNearestNeighbor", Part::kBoth},
    {"ScatterElements", Part::kBoth},
    {"ScatterNd", Part::kZeroPoint},
    {"Cast", Part::kBoth},
    {"ExtractPatches", Part::kBoth},
    {"GatherElements", Part::kScale},
    {"GatherNd", Part::kScale},
    {"TopK", Part::kScale},
    {"BatchToSpace", Part::kScale},
};

Part IgnoredBy(const BackendOp& op, const BackendTensor& output) {
  for (const IgnoredOutput& row : kRows) {
    if (row.op == op.name) return row.ignored;
  }
  // These depend on the type.
  if (op.name == "Pack" && IsFixed(output, v1::DATA_TYPE_INT8)) return Part::kBoth;
  if (op.name == "SpaceToBatch" && IsFixed(output, v1::DATA_TYPE_INT8)) return Part::kScale;
  // Filled with a constant, scheme 0, a Pad requantizes; with elements of its own it copies.
  if (op.name == "Pad") {
    const BackendParam* scheme = FindParam(op, "scheme");
    if (scheme != nullptr && !scheme->ints.empty() && scheme->ints[0] != 0) return Part::kBoth;
  }
  if (op.name == "Split" && IsFixed(output, v1::DATA_TYPE_INT32)) return Part::kBoth;
  return Part::kNone;
}

}  // namespace

const RuleInfo kIgnoredOutputEncoding = {
    "SH202",
    "ignored-output-encoding",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} has {observed}; {allowed}.",
    "The operator passes every check of the vendor, and its integers come out exactly as they went "
    "in: the declared scale and zero point of the output are ignored. Every value that follows is off "
    "by the ratio of the scales.",
    "Let input and output share one set of quantization parameters; where they must differ, put a "
    "Convert behind.",
    "Fires: Reshape with scale 0.02 at the input and 0.04 at the output. Does not: Concat, which "
    "requantizes, or equal scales.",
};

void CheckIgnoredOutputEncoding(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.outputs.empty()) return;
  const BackendTensor& input = Input(op, 0);
  const BackendTensor& first = op.outputs[0];
  // A Cast between types is asked to reinterpret.
  if (!HasScalarQparams(input)) return;
  const Part ignored = IgnoredBy(op, first);
  if (ignored == Part::kNone) return;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const BackendTensor& output = op.outputs[i];
    if (!HasScalarQparams(output) || !(output.type == input.type)) continue;
    const bool scale = ignored != Part::kZeroPoint && !SameScale(ScaleOf(input), ScaleOf(output));
    const bool zero_point = ignored != Part::kScale && ZeroPointOf(input) != ZeroPointOf(output);
    if (!scale && !zero_point) continue;
    report.Add(kIgnoredOutputEncoding, Out(static_cast<int>(i)), QparamsText(output),
               absl::StrCat(op.name, " writes the input's integers, ", QparamsText(input)));
  }
}

}  // namespace quantgate::qnn_htp
