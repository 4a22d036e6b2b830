#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/argument_axes.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/infer.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQParamsShape = {
    "AX004",
    "qparams-shape",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Which scale belongs to which elements follows from the shape of the scales. With another shape of as many numbers "
    "they are matched with the wrong channels or blocks, or runtimes stop at the node.",
    "Correct the axis, or store scales and zero points in the shape that the axis and the block size ask for.",
    "Scales of [4, 32] for a tensor of [64, 32] in blocks of 16 along axis 1 fire it; along axis 0 they do not.",
};

bool SameCount(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  const auto count = CountOf(a);
  return count && count == CountOf(b);
}

// Shape that the scales must have. False: it cannot be told.
bool Wanted(const Graph& graph, int32_t node, const Shape& data, const Shape& scale, Dims& wanted) {
  const int64_t block = graph.int_attribute(node, "block_size", 0);
  if (block < 0) return false;
  const bool single = block == 0 && CountOf(scale.dims) == 1;
  if (single) {
    wanted.push_back(1);
    return true;
  }
  if (!data.known && block == 0 && scale.rank() > 1 && CountOf(scale.dims)) {
    wanted.push_back(*CountOf(scale.dims));  // a list, whichever axis it is along
    return true;
  }
  if (!data.known) return false;
  int64_t axis = graph.int_attribute(node, "axis", 1);
  if (axis < 0) axis += data.rank();
  if (axis < 0 || axis >= data.rank()) return false;  // said by axis-range
  if (block == 0) {
    wanted.push_back(data.dims[axis]);
    return true;
  }
  wanted.assign(data.dims.begin(), data.dims.end());
  if (wanted[axis] >= 0) wanted[axis] = wanted[axis] / block + (wanted[axis] % block != 0);
  return true;
}

// Beside a scalar scale, which is one for the tensor however it is used: a scalar, or a list of one.
void SingleZeroPoint(int32_t node, const QuantizerInputs& inputs, absl::Span<const Shape> shapes, FindingSink& sink) {
  if (inputs.zero_point < 0) return;
  const Shape& zero_point = shapes[inputs.zero_point];
  // Another number of them is qparams-count's.
  if (!zero_point.is_static() || zero_point.rank() <= 1 || CountOf(zero_point.dims) != 1) return;
  Place place;
  place.node = node;
  place.value = inputs.data;
  sink.Add(kQParamsShape, place, absl::StrCat("one zero point of shape ", ShapeText(zero_point.dims)), "[] or [1]");
}

void CheckNode(const Graph& graph, int32_t node, absl::Span<const Shape> shapes, FindingSink& sink) {
  const QuantizerInputs inputs = QuantizerInputsOf(graph, node);
  if (inputs.data < 0 || inputs.scale < 0) return;
  const Shape& scale = shapes[inputs.scale];
  const Shape& data = shapes[inputs.data];
  if (graph.int_attribute(node, "block_size", 0) > 0 && scale.known && scale.rank() == 0 && data.known &&
      data.rank() > 0) {
    Place place;
    place.node = node;
    place.value = inputs.data;
    sink.Add(kQParamsShape, place, "blocks and one scale of shape []",
             absl::StrCat("scales of ", data.rank(), " dimensions"));
    return;
  }
  if (!scale.is_static()) return;
  if (scale.rank() == 0) {
    SingleZeroPoint(node, inputs, shapes, sink);
    return;
  }
  Dims wanted;
  if (!Wanted(graph, node, data, scale, wanted)) return;
  const Shape needed{true, wanted};
  Place place;
  place.node = node;
  place.value = inputs.data;
  // Another number of scales is qparams-count's.
  if (needed.is_static() && needed.dims != scale.dims && SameCount(needed.dims, scale.dims)) {
    sink.Add(kQParamsShape, place, absl::StrCat("scales of shape ", ShapeText(scale.dims)), ShapeText(wanted));
    return;
  }
  if (inputs.zero_point < 0) return;
  const Shape& zero_point = shapes[inputs.zero_point];
  // One number may be a scalar or a list of one.
  if (!zero_point.is_static() || zero_point.dims == scale.dims || !SameCount(zero_point.dims, scale.dims)) return;
  if (scale.rank() <= 1 && zero_point.rank() <= 1) return;
  sink.Add(kQParamsShape, place, absl::StrCat("zero points of shape ", ShapeText(zero_point.dims)),
           absl::StrCat(ShapeText(scale.dims), ", that of the scales"));
}

// Of packed weights: a row for each output, or one list of all. Another count is qparams-count's.
void CheckPackedShapes(const Graph& graph, const PackedMatMul& packed, FindingSink& sink) {
  if (!packed.valid()) return;
  const auto check = [&](int32_t value, absl::string_view what, int64_t per_output) {
    if (value < 0 || !graph.is_constant(value) || !graph.has_known_shape(value)) return;
    const auto& dims = graph.value(graph.value_like(value)).dims();
    const absl::Span<const int64_t> shape(dims.data(), dims.size());
    const int64_t rows[] = {packed.n, per_output};
    const absl::optional<int64_t> count = CountOf(shape);
    if (shape.size() == 1 || shape == absl::MakeConstSpan(rows) || !count || count != CountOf(rows)) return;
    Place place;
    place.node = packed.node;
    place.value = value;
    sink.Add(kQParamsShape, place, absl::StrCat(what, " of shape ", ShapeText(shape)),
             absl::StrCat(ShapeText(rows), " or a list of them"));
  };
  check(packed.scale, "scales", packed.blocks());
  check(packed.zero_point, "zero points", packed.zero_points_per_output());
}

// Of a product of matrices: in their rank, with one row, or one column beside the left operand.
void CheckProduct(const Graph& graph, int32_t node, absl::Span<const Shape> shapes, FindingSink& sink) {
  const Binding& binding = *graph.binding(node);
  const bool rows = !absl::StartsWith(graph.op_type(node), "com.microsoft::");  // otherwise columns of both
  const Shape* data[2] = {nullptr, nullptr};
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(binding, graph.argument(node, i));
    if (graph.input(node, i) >= 0 && argument.role == ArgRole::kData && argument.port < 2) {
      data[argument.port] = &shapes[graph.input(node, i)];
    }
  }
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    const Argument argument = ArgumentAt(binding, graph.argument(node, i));
    const bool parameter = argument.role == ArgRole::kScale || argument.role == ArgRole::kZeroPoint;
    if (value < 0 || !parameter || argument.of_output || argument.port > 1 || data[argument.port] == nullptr) continue;
    const Shape& matrices = *data[argument.port];
    const Shape& shape = shapes[value];
    if (!matrices.is_static() || !shape.is_static() || matrices.rank() < 2 || shape.rank() < 2) continue;
    Dims wanted(matrices.dims.begin(), matrices.dims.end());
    wanted[wanted.size() - (rows && argument.port == 0 ? 1 : 2)] = 1;
    // Another number of them is qparams-count's.
    if (shape.dims == absl::MakeConstSpan(wanted) || !SameCount(shape.dims, wanted)) continue;
    Place place;
    place.node = node;
    place.input = i;
    place.value = value;
    sink.Add(kQParamsShape, place, absl::StrCat("parameters of shape ", ShapeText(shape.dims)),
             absl::StrCat(ShapeText(wanted), " for ", ShapeText(matrices.dims)));
  }
}

// Shapes that the scales or zero points of packed weights of experts, [experts, outputs, bytes], may have: a number for
// each output, or for each block. Zero points are packed like the weights.
std::vector<Dims> ExpertShapes(const PackedExperts& experts, const Shape& weights, bool of_scales) {
  const auto in_parts = [](int64_t count, int64_t size) { return count / size + (count % size != 0); };
  const int64_t per_number = of_scales ? 1 : experts.per_byte();
  const int64_t outputs = weights.dims[1];
  if (experts.in_blocks) {
    const int64_t bytes = std::max<int64_t>(experts.block_size / experts.per_byte(), 1);
    return {{weights.dims[0], outputs, in_parts(in_parts(weights.dims[2], bytes), per_number)}};
  }
  std::vector<Dims> shapes = {{weights.dims[0], in_parts(outputs, per_number)}};
  if (of_scales) shapes.push_back({weights.dims[0], outputs, 1});
  return shapes;
}

void CheckExperts(const Graph& graph, int32_t node, absl::Span<const Shape> shapes, FindingSink& sink) {
  const Binding& binding = *graph.binding(node);
  const Shape* weights[256] = {};  // by port
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(binding, graph.argument(node, i));
    if (graph.input(node, i) >= 0 && argument.role == ArgRole::kData) {
      weights[argument.port] = &shapes[graph.input(node, i)];
    }
  }
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    const Argument argument = ArgumentAt(binding, graph.argument(node, i));
    const bool of_scales = argument.role == ArgRole::kScale;
    if (value < 0 || (!of_scales && argument.role != ArgRole::kZeroPoint) || weights[argument.port] == nullptr)
      continue;
    const Shape& packed = *weights[argument.port];
    const Shape& shape = shapes[value];
    PackedExperts experts;
    if (!packed.is_static() || packed.rank() != 3 || !shape.is_static() ||
        !FindPackedExperts(graph, node, argument.port, experts)) {
      continue;
    }
    const std::vector<Dims> wanted = ExpertShapes(experts, packed, of_scales);
    const auto is_shape = [&](const Dims& dims) { return dims == shape.dims; };
    if (absl::c_any_of(wanted, is_shape)) continue;
    // Another number of them is qparams-count's, which cannot count what is packed.
    const auto is_count = [&](const Dims& dims) { return SameCount(dims, shape.dims); };
    if ((of_scales || experts.per_byte() == 1) && absl::c_none_of(wanted, is_count)) continue;
    Place place;
    place.node = node;
    place.input = i;
    place.value = value;
    sink.Add(kQParamsShape, place,
             absl::StrCat(of_scales ? "scales of shape " : "zero points of shape ", ShapeText(shape.dims)),
             absl::StrCat(ShapeText(wanted.front()), " for weights of ", ShapeText(packed.dims), " with ", experts.bits,
                          " bits", experts.in_blocks ? absl::StrCat(", in blocks of ", experts.block_size) : ""));
  }
}

// Zero points of GatherBlockQuantized, packed like its numbers: in the shape of its scales but for that.
void CheckGathered(const Graph& graph, int32_t node, absl::Span<const Shape> shapes, FindingSink& sink) {
  constexpr int kData = 0, kScale = 2, kZeroPoint = 3;
  if (graph.num_inputs(node) <= kZeroPoint) return;
  const int32_t data = graph.input(node, kData), scale = graph.input(node, kScale);
  const int32_t zero_point = graph.input(node, kZeroPoint);
  if (data < 0 || scale < 0 || zero_point < 0 || graph.dtype(data) != v1::DATA_TYPE_UINT8) return;
  if (!shapes[scale].is_static() || shapes[scale].rank() == 0 || !shapes[zero_point].is_static()) return;
  const int64_t bits = graph.int_attribute(node, "bits", 4);
  if (bits != 2 && bits != 4) return;  // otherwise they are counted as scales are
  Dims wanted(shapes[scale].dims.begin(), shapes[scale].dims.end());
  wanted.back() = wanted.back() / (8 / bits) + (wanted.back() % (8 / bits) != 0);
  if (shapes[zero_point].dims == absl::MakeConstSpan(wanted)) return;
  Place place;
  place.node = node;
  place.input = kZeroPoint;
  place.value = zero_point;
  sink.Add(kQParamsShape, place, absl::StrCat("zero points of shape ", ShapeText(shapes[zero_point].dims)),
           absl::StrCat(ShapeText(wanted), " for scales of ", ShapeText(shapes[scale].dims), " with ", bits, " bits"));
}

void CheckQParamsShape(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) CheckPackedShapes(graph, packed, sink);
  const std::vector<Shape>& shapes = context.Once(InferShapes).shapes;
  if (shapes.empty()) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (IsQuantize(graph, node) || IsDequantize(graph, node)) CheckNode(graph, node, shapes, sink);
  }
  for (int32_t node : graph.integer_nodes()) {
    if (graph.op(node) == OpId::kMatMul) CheckProduct(graph, node, shapes, sink);
    if (graph.op(node) == OpId::kGather) CheckGathered(graph, node, shapes, sink);
    if (graph.op(node) == OpId::kMoE) CheckExperts(graph, node, shapes, sink);
  }
}

}  // namespace

Rule QParamsShape() { return {&kQParamsShape, &CheckQParamsShape}; }

}  // namespace quantgate
