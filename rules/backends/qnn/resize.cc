#include "absl/strings/match.h"
#include "rules/backends/qnn/lowerers.h"

namespace quantgate::qnn {
namespace {

// QNN's numbers.
enum Interpolation : int64_t { kNearest = 0, kLinear = 1, kCubic = 2 };
enum Transformation : int64_t { kHalfPixel = 0, kPytorchHalfPixel = 1, kAlignCorners = 2, kAsymmetric = 3 };
enum NearestMode : int64_t { kRoundPreferFloor = 0, kRoundPreferCeil = 1, kFloor = 2, kCeil = 3 };

struct Method {
  int64_t interpolation = kNearest;
  int64_t transformation = kHalfPixel;
  int64_t nearest = kRoundPreferFloor;
  bool expressible = true;
};

Method OnnxMethod(const NodeView& view) {
  Method method;
  const absl::string_view mode = view.text({"mode"});
  if (mode == "linear") method.interpolation = kLinear;
  if (mode == "cubic") method.interpolation = kCubic;
  const absl::string_view transformation = view.text({"coordinate_transformation_mode"});
  if (transformation == "pytorch_half_pixel") {
    method.transformation = kPytorchHalfPixel;
  } else if (transformation == "align_corners") {
    method.transformation = kAlignCorners;
  } else if (transformation == "asymmetric") {
    method.transformation = kAsymmetric;
  } else if (!transformation.empty() && transformation != "half_pixel") {
    method.expressible = false;
  }
  const absl::string_view nearest = view.text({"nearest_mode"});
  if (nearest == "round_prefer_ceil") method.nearest = kRoundPreferCeil;
  if (nearest == "floor") method.nearest = kFloor;
  if (nearest == "ceil") method.nearest = kCeil;
  return method;
}

Method AtenMethod(const NodeView& view) {
  Method method;
  const absl::string_view type = view.op_type();
  if (absl::StrContains(type, "bilinear") || absl::StrContains(type, "linear1d")) method.interpolation = kLinear;
  if (absl::StrContains(type, "bicubic")) method.interpolation = kCubic;
  if (method.interpolation == kNearest) {
    method.transformation = kAsymmetric;
    method.nearest = kFloor;
  } else if (view.integer({"align_corners"}).value_or(0) != 0) {
    method.transformation = kAlignCorners;
  }
  return method;
}

}  // namespace

Lowering LowerResize(const NodeView& view, absl::string_view, Emission& emission) {
  const Method method = view.graph().origin() == v1::Graph::ONNX ? OnnxMethod(view) : AtenMethod(view);
  if (!method.expressible) return NoCounterpart("QNN's Resize does not have this coordinate transformation");
  const int rank = view.rank(view.input(0));
  const Layout layout = view.channels_first() ? Layout::kChannelsLast : Layout::kSame;
  // The two special operators where they say the same, as the toolchains do.
  const bool planar = rank == 4 && method.transformation != kPytorchHalfPixel;
  const bool bilinear = planar && method.interpolation == kLinear;
  const bool nearest =
      planar && method.interpolation == kNearest && method.transformation == kAsymmetric && method.nearest == kFloor;
  emission.Begin(bilinear ? "ResizeBilinear" : nearest ? "ResizeNearestNeighbor" : "Resize", view.node());
  AddInput(view, view.input(0), emission, layout);
  AddOutput(view, view.output(0), emission, layout);
  if (bilinear || nearest) {
    emission.AddInt("align_corners", method.transformation == kAlignCorners ? 1 : 0);
    emission.AddInt("half_pixel_centers", method.transformation == kHalfPixel ? 1 : 0);
    return Emitted();
  }
  emission.AddInt("transformation_mode", method.transformation);
  emission.AddInt("interpolation_mode", method.interpolation);
  emission.AddInt("exclude_outside", view.integer({"exclude_outside"}).value_or(0));
  if (method.interpolation == kNearest) emission.AddInt("nearest_mode", method.nearest);
  if (method.interpolation == kCubic) emission.AddReal("cubic_coeff", view.real({"cubic_coeff_a"}).value_or(-0.75));
  return Emitted();
}

Lowering LowerGridSample(const NodeView& view, absl::string_view name, Emission& emission) {
  const absl::string_view mode = view.text({"mode"});
  const int64_t of_aten = view.integer({"interpolation_mode"}).value_or(0);
  if (mode == "cubic" || mode == "bicubic" || of_aten == 2) return NoCounterpart("QNN's GridSample has no cubic mode");
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, view.channels_first() ? Layout::kChannelsLast : Layout::kSame);
  AddInput(view, view.input(1), emission);
  AddOutput(view, view.output(0), emission, view.channels_first() ? Layout::kChannelsLast : Layout::kSame);
  emission.AddInt("align_corners", view.integer({"align_corners"}).value_or(0));
  emission.AddInt("mode", mode == "nearest" || of_aten == 1 ? 1 : 0);
  const absl::string_view padding = view.text({"padding_mode"});
  emission.AddInt("padding_mode", padding == "border"       ? 1
                                  : padding == "reflection" ? 2
                                                            : view.integer({"padding_mode"}).value_or(0));
  return Emitted();
}

}  // namespace quantgate::qnn
