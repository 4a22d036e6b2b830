#include <cfloat>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/port_role.h"
#include "rules/soundness/described.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kScaleRange = {
    "NR001",
    "scale-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: the scale is {observed}; expected {allowed}",
    "Scale is the size of one step. Zero, negative, infinite or undefined steps stand for no numbers; a denormal one "
    "is flushed to zero on most accelerators. Loaders take such files and compute nonsense.",
    "Calibrate the tensor again; a constant or empty range usually needs a minimum scale.",
    "A scale of 0 fires it; 0.02 does not.",
};

enum class ScaleProblem { kNone, kNegative, kBad };

ScaleProblem Judge(double scale) {
  if (std::isnan(scale) || std::fabs(scale) > FLT_MAX || std::fabs(scale) < FLT_MIN) return ScaleProblem::kBad;
  return scale < 0 ? ScaleProblem::kNegative : ScaleProblem::kNone;
}

// No scale is worse than that of a block of zeros. ONNX Runtime's quantizer writes zero point 0 beside it; beside
// another one the scale of a block with numbers was lost.
bool OnlyZeros(const QuantParams& params, v1::Graph::Origin origin) {
  for (size_t i = 0; i < params.scales.size(); ++i) {
    if (Judge(params.scales[i]) != ScaleProblem::kBad) continue;
    if (params.scales[i] != 0) return false;
    const size_t at = params.zero_points.size() == 1 ? 0 : i;
    const bool is_shifted = at < params.zero_points.size() && params.zero_points[at] != 0;
    if (origin == v1::Graph::ONNX && is_shifted) return false;
  }
  return true;
}

// Whose quantizer writes 0 for a block of zeros; empty: nobody's.
absl::string_view WriterOfZeros(v1::Graph::Origin origin) {
  if (origin == v1::Graph::TFLITE) return "LiteRT";
  return origin == v1::Graph::ONNX ? "ONNX Runtime" : "";
}

// QNN's documents ask for scale 0 and offset 0 at a bias beside per-channel weights: "take it from input and weight".
bool MeansDerived(const Graph& graph, const Described& described) {
  if (graph.origin() != v1::Graph::QNN || described.place.input < 0) return false;
  const Binding* binding = graph.binding(described.place.node);
  if (binding == nullptr) return false;
  const auto is_zero = [](double number) { return number == 0; };
  return RoleAt(*binding, graph.argument(described.place.node, described.place.input)) == PortRole::kBias &&
         absl::c_all_of(described.params->scales, is_zero) && absl::c_all_of(described.params->zero_points, is_zero);
}

bool IsOfOnnxRuntime(const Graph& graph, int32_t node) {
  return node >= 0 && absl::StartsWith(graph.op_type(node), "com.microsoft::");
}

void CheckScaleRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const Described& described : context.Once(DescribedTensors)) {
    const RealView scales = described.params->scales;
    if (MeansDerived(graph, described)) continue;
    int64_t bad = -1;
    int64_t negative = -1;
    int64_t count = 0;
    for (size_t i = 0; i < scales.size(); ++i) {
      const ScaleProblem problem = Judge(scales[i]);
      if (problem == ScaleProblem::kNone) continue;
      ++count;
      int64_t& first = problem == ScaleProblem::kBad ? bad : negative;
      if (first < 0) first = static_cast<int64_t>(i);
    }
    if (count == 0) continue;
    const bool in_blocks = described.params->blocked() && EncodingsOf(context) == nullptr;
    // ONNX Runtime's symmetric block quantizer signs the scale like the block's largest weight; its own operators are
    // made for that.
    if (bad < 0 && in_blocks && IsOfOnnxRuntime(graph, described.place.node)) continue;
    const int64_t index = bad >= 0 ? bad : negative;
    FindingDraft draft;
    draft.rule = &kScaleRange;
    draft.place = described.place;
    if (scales.size() > 1) draft.place.index = index;
    draft.observed = FormatNumber(scales[index]);
    if (described.scale >= 0) absl::StrAppend(&draft.observed, " ('", graph.value(described.scale).name(), "')");
    if (count > 1) absl::StrAppend(&draft.observed, ", and ", count - 1, " more like it");
    draft.allowed = std::isfinite(scales[index]) && std::fabs(scales[index]) > FLT_MAX
                        ? absl::StrCat("at most ", FormatNumber(FLT_MAX), ", the largest float32")
                        : absl::StrCat("a finite number of at least ", FormatNumber(FLT_MIN));
    if (bad < 0 && in_blocks) {
      draft.severity = v1::Finding::WARNING;
      draft.effect = v1::Finding::PRECISION;
      draft.allowed = "positive scales; ONNX Runtime's block kernels take negative ones, most other targets cannot";
    }
    const absl::string_view writer = WriterOfZeros(graph.origin());
    const bool takes_signs = negative < 0 || graph.origin() == v1::Graph::ONNX;
    if (bad >= 0 && in_blocks && takes_signs && !writer.empty() && OnlyZeros(*described.params, graph.origin())) {
      draft.severity = v1::Finding::WARNING;
      draft.effect = v1::Finding::PRECISION;
      draft.allowed =
          absl::StrCat("positive scales; 0 is harmless for a block of zeros, as ", writer, "'s quantizer writes it");
    }
    sink.Add(std::move(draft));
  }
}

}  // namespace

Rule ScaleRange() { return {&kScaleRange, &CheckScaleRange}; }

}  // namespace quantgate
