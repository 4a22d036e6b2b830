#include "client/encodings/geometry.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace quantgate::encodings {
namespace {

absl::string_view Symbol(const v1::Graph& graph, int32_t id) {
  return id >= 1 && id <= graph.symbols_size() ? absl::string_view(graph.symbols(id - 1)) : absl::string_view();
}

const v1::Attribute* AttributeOf(const v1::Graph& graph, const v1::Node& node, absl::string_view name) {
  for (const v1::Attribute& attribute : node.attributes()) {
    if (Symbol(graph, attribute.name()) == name) return &attribute;
  }
  return nullptr;
}

bool IsSet(const v1::Graph& graph, const v1::Node& node, absl::string_view name) {
  const v1::Attribute* attribute = AttributeOf(graph, node, name);
  return attribute != nullptr && attribute->i() != 0;
}

// The only dimension of that size; 0 when there is none, or more than one.
int AxisOfSize(const v1::Value* value, int64_t size) {
  int axis = -1;
  for (int i = 0; value != nullptr && i < value->dims_size(); ++i) {
    if (value->dims(i) != size) continue;
    if (axis >= 0) return 0;
    axis = i;
  }
  return std::max(axis, 0);
}

int64_t FromFront(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

// [outer, inner] to [inner, outer].
void Transpose(size_t outer, size_t inner, google::protobuf::RepeatedField<double>* numbers) {
  google::protobuf::RepeatedField<double> turned;
  turned.Reserve(numbers->size());
  for (size_t i = 0; i < inner; ++i) {
    for (size_t o = 0; o < outer; ++o) turned.Add(numbers->Get(static_cast<int>(o * inner + i)));
  }
  *numbers = std::move(turned);
}

void SetAxes(std::initializer_list<std::pair<int64_t, int64_t>> axes_and_blocks, v1::QParams* qparams) {
  for (const auto& [axis, block] : axes_and_blocks) {
    qparams->add_axes(static_cast<int32_t>(axis));
    qparams->add_block_sizes(block);
  }
}

// Weights of two dimensions, or filters: channels and what is summed over are the first two.
int64_t Other(int64_t axis) { return axis == 0 ? 1 : 0; }

// Flat lists: [channel, block] for matrices, whatever their layout, and the tensor's own order for filters.
void LayFlatBlocks(const v1::Value* value, int64_t channel_axis, ReadEncoding& encoding) {
  v1::QParams* qparams = encoding.spec.mutable_qparams();
  const std::pair<int64_t, int64_t> channels = {channel_axis, 1};
  const std::pair<int64_t, int64_t> blocks = {Other(channel_axis), encoding.geometry.block_size};
  const bool blocks_first = value != nullptr && value->dims_size() > 2 && blocks.first < channels.first;
  if (encoding.geometry.kind == Geometry::kBlocks && blocks_first) return SetAxes({blocks, channels}, qparams);
  SetAxes({channels, blocks}, qparams);
  // Of nested scales the spec has [channel, block].
  const int scales = qparams->scales_size();
  if (!blocks_first || scales == 0 || qparams->block_scales_size() % scales != 0) return;
  Transpose(static_cast<size_t>(qparams->block_scales_size() / scales), static_cast<size_t>(scales),
            qparams->mutable_block_scales());
}

// Scales as nested lists of the tensor's rank: dimensions with one scale are not divided, the others have a scale for
// each element but for that of the blocks.
void LayBlocks(const v1::Value* value, int64_t axis, ReadEncoding& encoding) {
  v1::QParams* qparams = encoding.spec.mutable_qparams();
  const std::vector<int64_t>& shape = encoding.geometry.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    if (at == axis) {
      SetAxes({{at, encoding.geometry.block_size}}, qparams);
    } else if (shape[i] != 1 ||
               (value != nullptr && at < value->dims_size() && value->dims(static_cast<int>(i)) == 1)) {
      SetAxes({{at, 1}}, qparams);
    }
  }
}

// Factors as nested lists of the tensor's rank; [channel, block] is what the spec has.
void LayNested(int64_t axis, int64_t channel_axis, ReadEncoding& encoding) {
  const std::vector<int64_t>& shape = encoding.geometry.shape;
  v1::QParams* qparams = encoding.spec.mutable_qparams();
  SetAxes({{channel_axis, 1}, {axis, encoding.geometry.block_size}}, qparams);
  const auto [first, second] = std::minmax(axis, channel_axis);
  if (first < 0 || second >= static_cast<int64_t>(shape.size()) || first == second) return;
  const size_t outer = static_cast<size_t>(shape[static_cast<size_t>(first)]);
  const size_t inner = static_cast<size_t>(shape[static_cast<size_t>(second)]);
  const bool others_are_single = outer * inner == static_cast<size_t>(qparams->block_scales_size());
  if (axis < channel_axis && others_are_single) Transpose(outer, inner, qparams->mutable_block_scales());
}

// Lists of as many scales as there should be, and not where: those of the blocks along another axis than the stated
// one.
void CheckShape(const v1::Value* value, int64_t axis, ReadEncoding& encoding) {
  const std::vector<int64_t>& shape = encoding.geometry.shape;
  const int64_t block = encoding.geometry.block_size;
  if (value == nullptr || !value->has_shape() || static_cast<size_t>(value->dims_size()) != shape.size()) return;
  if (axis < 0 || axis >= value->dims_size() || block < 1 || value->dims(static_cast<int>(axis)) % block != 0) return;
  std::vector<int64_t> expected(value->dims().begin(), value->dims().end());
  if (absl::c_any_of(expected, [](int64_t dim) { return dim < 1; })) return;
  expected[static_cast<size_t>(axis)] /= block;
  bool differs = false;
  for (size_t i = 0; i < shape.size(); ++i) differs |= shape[i] != expected[i] && shape[i] != 1;
  // Another number of scales is a rule's to say.
  const auto count = [](const std::vector<int64_t>& dims) {
    return absl::c_accumulate(dims, 1.0, std::multiplies<>());
  };
  if (!differs || count(shape) != count(expected)) return;
  AddProblem(
      v1::EncodingProblem::KIND_INVALID, "axis",
      absl::StrCat(axis, " with scales of shape [", absl::StrJoin(shape, ", "), "]"),
      absl::StrCat("scales of shape [", absl::StrJoin(expected, ", "), "]: blocks of ", block, " along that axis"),
      {encoding.facts.line(), encoding.facts.column()}, encoding.facts.mutable_problems());
}

// Where channels are in the shape of factors: the other dimension that has more than one, if the file does not say.
int64_t ChannelAxisOfShape(const Geometry& geometry, int64_t axis) {
  if (geometry.channel_axis) return FromFront(*geometry.channel_axis, geometry.shape.size());
  for (size_t i = 0; i < geometry.shape.size(); ++i) {
    if (static_cast<int64_t>(i) != axis && geometry.shape[i] > 1) return static_cast<int64_t>(i);
  }
  return Other(axis);
}

// Within what the contract's axes can hold; others are said to be out of range all the same.
int64_t Bounded(int64_t axis) { return std::clamp<int64_t>(axis, INT32_MIN, INT32_MAX); }

int64_t AxisOfBlocks(const Geometry& geometry, int64_t channel_axis) {
  return Bounded(FromFront(geometry.axis.value_or(Other(channel_axis)), geometry.shape.size()));
}

}  // namespace

Consumers::Consumers(const v1::Graph& graph) : graph_(graph), uses_(static_cast<size_t>(graph.values_size()) + 1) {
  for (int32_t node = 0; node < graph.nodes_size(); ++node) {
    for (int32_t i = 0; i < graph.nodes(node).inputs_size(); ++i) {
      const int32_t value = graph.nodes(node).inputs(i);
      if (value > 0 && value <= graph.values_size()) uses_[value].push_back({node, i});
    }
  }
}

int Consumers::ChannelAxis(int32_t value, int hops) const {
  if (value <= 0 || hops == 0) return -1;
  const int rank = graph_.values(value - 1).dims_size();
  for (const Use& use : uses_[value]) {
    const int axis = AxisFor(use, rank, hops);
    if (axis >= 0 && axis < std::max(rank, 1)) return axis;
  }
  return -1;
}

int Consumers::AxisFor(Use use, int rank, int hops) const {
  const v1::Node& node = graph_.nodes(use.node);
  const absl::string_view op = Symbol(graph_, node.op());
  const bool weight = use.input == 1;
  if (op == "Conv") return use.input >= 1 ? 0 : -1;
  if (op == "ConvTranspose") return weight ? 1 : use.input == 2 ? 0 : -1;
  if (op == "Gemm" && use.input == 2) return rank - 1;
  if (op == "Gemm") return weight == IsSet(graph_, node, weight ? "transB" : "transA") ? (weight ? 0 : -1) : rank - 1;
  if (op == "MatMul") return weight ? rank - 1 : -1;
  if (op == "Transpose" && node.outputs_size() == 1) {
    const int axis = ChannelAxis(node.outputs(0), hops - 1);
    const v1::Attribute* perm = AttributeOf(graph_, node, "perm");
    if (axis < 0 || perm == nullptr) return axis < 0 ? -1 : rank - 1 - axis;
    return axis < perm->ints().values_size() ? static_cast<int>(perm->ints().values(axis)) : -1;
  }
  if ((op == "Identity" || op == "Cast") && node.outputs_size() == 1) return ChannelAxis(node.outputs(0), hops - 1);
  return -1;
}

void Lay(const v1::Value* value, int channel_axis, ReadEncoding& encoding) {
  const Geometry& geometry = encoding.geometry;
  v1::QParams* qparams = encoding.spec.mutable_qparams();
  const int64_t by_use = std::max(channel_axis, 0);
  switch (geometry.kind) {
    case Geometry::kPerTensor:
      return;
    case Geometry::kPerChannel: {
      const int64_t guess = channel_axis >= 0 ? channel_axis : AxisOfSize(value, qparams->scales_size());
      qparams->add_axes(static_cast<int32_t>(Bounded(geometry.axis.value_or(guess))));
      encoding.spec.set_axis(qparams->axes(0));
      return;
    }
    case Geometry::kBlocks:
      if (geometry.shape.size() < 2) return LayFlatBlocks(value, by_use, encoding);
      CheckShape(value, AxisOfBlocks(geometry, by_use), encoding);
      return LayBlocks(value, AxisOfBlocks(geometry, by_use), encoding);
    case Geometry::kNested: {
      if (geometry.shape.size() < 2) return LayFlatBlocks(value, by_use, encoding);
      const int64_t axis = AxisOfBlocks(geometry, by_use);
      CheckShape(value, axis, encoding);
      return LayNested(axis, Bounded(ChannelAxisOfShape(geometry, axis)), encoding);
    }
  }
}

}  // namespace quantgate::encodings
