#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/described.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kAxisRange = {
    "AX002",
    "axis-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: axis {observed}; expected {allowed}",
    "The quantized axis is not an axis of the tensor, so no channel can be matched with its scale.",
    "Name an axis that the tensor has, once.",
    "Axis 7 on a tensor of rank 4 fires it, and so do axes 0 and 0; axis 0 does not.",
};

// Scales have one dimension for each axis, so an axis that is there twice asks for more of them than there are
// channels.
void CheckRepeated(const Described& described, int64_t rank, FindingSink& sink) {
  const absl::Span<const int32_t> axes = described.params->axes;
  if (axes.size() < 2) return;
  absl::flat_hash_set<int64_t> seen;
  for (int64_t axis : axes) {
    if (seen.insert(axis < 0 ? axis + rank : axis).second) continue;
    sink.Add(kAxisRange, described.place, absl::StrCat(axis, " twice"), "every axis once");
    return;
  }
}

void CheckAxisRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const Described& described : context.Once(DescribedTensors)) {
    if (described.tensor < 0 || !graph.value(described.tensor).has_shape()) continue;
    const int64_t rank = graph.value(described.tensor).dims_size();
    // LiteRT does not count from the end.
    const int64_t lowest = graph.origin() == v1::Graph::TFLITE ? 0 : -rank;
    const auto check = [&](int64_t axis) {
      if (axis >= lowest && axis < rank) return true;
      sink.Add(kAxisRange, described.place, absl::StrCat(axis),
               rank == 0 ? "no axis: the tensor is a scalar"
                         : absl::StrCat(lowest, " to ", rank - 1, " for a tensor of rank ", rank));
      return false;
    };
    const int32_t node = described.place.node;
    const bool quantizer = node >= 0 && (IsQuantize(graph, node) || IsDequantize(graph, node));
    const bool per_axis = !described.params->axes.empty();
    bool valid = true;
    if (quantizer && per_axis) {
      // As it is stated: the geometry made from it covers every dimension where there are blocks, and its axes are
      // numbers of 32 bits.
      valid = check(graph.int_attribute(node, "axis", graph.origin() == v1::Graph::ONNX ? 1 : 0));
    } else if (!described.params->blocked() || graph.message().has_encodings_file()) {
      for (int32_t axis : described.params->axes) valid = valid && check(axis);
    }
    if (valid) CheckRepeated(described, rank, sink);
  }
}

}  // namespace

Rule AxisRange() { return {&kAxisRange, &CheckAxisRange}; }

}  // namespace quantgate
