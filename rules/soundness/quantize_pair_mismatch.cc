#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQuantizePairMismatch = {
    "GS009",
    "quantize-pair-mismatch",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The stored integers are written under one scale and zero point and read under another, so every number changes on "
    "the way.",
    "Give the DequantizeLinear the scale and zero point of the QuantizeLinear that feeds it.",
    "Quantize with scale 0.02 and Dequantize with 0.03 fires it; 0.02 in both does not.",
};

// First entry that differs; -1: none. Both empty or unknown counts as equal.
int64_t FirstDifference(const RealView& a, const RealView& b) {
  const size_t count = std::min(a.size(), b.size());
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return static_cast<int64_t>(i);
  }
  return a.size() == b.size() ? -1 : static_cast<int64_t>(count);
}

std::string At(const RealView& numbers, int64_t i) {
  return i < static_cast<int64_t>(numbers.size()) ? FormatNumber(numbers[i]) : "none";
}

void CheckQuantizePairMismatch(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) {
    if (!IsDequantize(graph, node)) continue;
    const QuantizerInputs read = QuantizerInputsOf(graph, node);
    if (read.data < 0 || !IsQuantize(graph, graph.producer(read.data))) continue;
    const int32_t quantize = graph.producer(read.data);
    const QuantParams* reads = context.resolved().qparams(*context.resolved().quantizer(node));
    const QuantParams* writes = context.resolved().qparams(*context.resolved().quantizer(quantize));
    if (reads == nullptr || writes == nullptr || reads->scales.empty() || writes->scales.empty()) continue;
    Place place;
    place.node = node;
    place.value = read.data;
    const std::string writer = absl::StrCat(" by which '", NodeName(graph, quantize), "' writes");
    const int64_t scale = FirstDifference(writes->scales, reads->scales);
    if (scale >= 0) {
      if (writes->scales.size() > 1) place.index = scale;
      sink.Add(kQuantizePairMismatch, place, absl::StrCat("is read with scale ", At(reads->scales, scale)),
               absl::StrCat(At(writes->scales, scale), writer));
      continue;
    }
    // An absent zero point is 0.
    const size_t count = std::max(writes->zero_points.size(), reads->zero_points.size());
    for (size_t i = 0; i < count; ++i) {
      const auto at = [i](const RealView& zero_points) { return i < zero_points.size() ? zero_points[i] : 0.0; };
      const double written = at(writes->zero_points);
      const double expected = at(reads->zero_points);
      if (written == expected) continue;
      if (count > 1) place.index = static_cast<int64_t>(i);
      sink.Add(kQuantizePairMismatch, place, absl::StrCat("is read with zero point ", FormatNumber(expected)),
               absl::StrCat(FormatNumber(written), writer));
      break;
    }
  }
}

}  // namespace

Rule QuantizePairMismatch() { return {&kQuantizePairMismatch, &CheckQuantizePairMismatch}; }

}  // namespace quantgate
