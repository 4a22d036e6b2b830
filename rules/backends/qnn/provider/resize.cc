// Resize and Upsample: which combinations are taken depends on the rank.
#include <cmath>

#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/graph/elements.h"

namespace quantgate::qnn::provider {
namespace {

constexpr double kScaleTolerance = 1e-5;

absl::string_view TextOr(const NodeView& view, absl::string_view attribute, absl::string_view fallback) {
  const absl::string_view text = view.text({attribute});
  return text.empty() ? fallback : text;
}

Lowering EmitPlanar(const NodeView& view, absl::string_view name, absl::string_view transformation,
                    Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, Layout::kChannelsLast);
  AddOutput(view, view.output(0), emission, Layout::kChannelsLast);
  emission.AddInt("align_corners", transformation == "align_corners" ? 1 : 0);
  emission.AddInt("half_pixel_centers", transformation == "half_pixel" ? 1 : 0);
  return Emitted();
}

// A cubic Resize has to state the very quotients of its sizes, which are what QNN computes with.
bool StatesOtherScales(const NodeView& view, Emission& emission) {
  const Graph& graph = view.graph();
  const int32_t stated = graph.num_inputs(view.node()) > 2 ? graph.input(view.node(), 2) : -1;
  if (stated < 0) return false;
  if (!graph.is_constant(stated) || graph.is_graph_input(stated)) return true;
  *emission.looked_at_constants() = true;
  const RealView scales = RealsOf(graph.value(stated));
  if (scales.empty()) return false;
  const int rank = view.rank(view.input(0));
  for (int axis = 0; axis < rank && axis < static_cast<int>(scales.size()); ++axis) {
    const auto before = static_cast<double>(view.dim(view.input(0), axis));
    const auto after = static_cast<double>(view.dim(view.output(0), axis));
    if (std::abs(scales[axis] - after / before) > kScaleTolerance) return true;
  }
  return false;
}

// Only sizes behind the channels may change.
bool ChangesChannels(const NodeView& view) {
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t before = view.dim(view.input(0), axis);
    const int64_t after = view.dim(view.output(0), axis);
    if (before >= 0 && after >= 0 && before != after) return true;
  }
  return false;
}

Lowering LowerUpsample(const NodeView& view, Emission& emission) {
  const bool nearest = TextOr(view, "mode", "nearest") == "nearest";
  if (view.rank(view.input(0)) == 4) {
    return EmitPlanar(view, nearest ? "ResizeNearestNeighbor" : "ResizeBilinear", "asymmetric", emission);
  }
  emission.Begin("Resize", view.node());
  AddInput(view, view.input(0), emission, Layout::kChannelsLast);
  AddOutput(view, view.output(0), emission, Layout::kChannelsLast);
  // By QNN's numbers: half pixel and round_prefer_floor, asymmetric and linear.
  emission.AddInt("transformation_mode", nearest ? 0 : 3);
  emission.AddInt("interpolation_mode", nearest ? 0 : 1);
  emission.AddInt("exclude_outside", 0);
  if (nearest) emission.AddInt("nearest_mode", 0);
  return Emitted();
}

Lowering LowerNearest(const NodeView& view, absl::string_view name, Emission& emission) {
  const absl::string_view transformation = TextOr(view, "coordinate_transformation_mode", "half_pixel");
  const absl::string_view nearest = TextOr(view, "nearest_mode", "round_prefer_floor");
  if (view.rank(view.input(0)) != 4) {
    const bool taken = transformation == "align_corners"
                           ? nearest == "round_prefer_ceil" || nearest == "floor"
                           : nearest == "floor" && (transformation == "half_pixel" || transformation == "asymmetric");
    return taken ? LowerResize(view, name, emission) : NoCounterpart(kLeft);
  }
  const bool known = transformation == "half_pixel" || transformation == "pytorch_half_pixel" ||
                     transformation == "align_corners" || transformation == "asymmetric";
  if (!known || (transformation == "asymmetric" && (nearest == "ceil" || nearest == "round_prefer_floor"))) {
    return NoCounterpart(kLeft);
  }
  return EmitPlanar(view, "ResizeNearestNeighbor", transformation, emission);
}

}  // namespace

Lowering LowerResizing(const NodeView& view, absl::string_view name, Emission& emission) {
  const int rank = view.rank(view.input(0));
  if (rank < 0) return Unknown("the input's rank is not known");
  if (rank < 3 || rank > 5 || ChangesChannels(view)) return NoCounterpart(kLeft);
  if (view.op_type() == "Upsample") return LowerUpsample(view, emission);
  if (view.integer({"antialias"}).value_or(0) != 0) return NoCounterpart(kLeft);
  if (TextOr(view, "mode", "nearest") == "nearest") return LowerNearest(view, name, emission);
  if (view.text({"mode"}) == "cubic" && StatesOtherScales(view, emission)) return NoCounterpart(kLeft);
  return LowerResize(view, name, emission);
}

}  // namespace quantgate::qnn::provider
