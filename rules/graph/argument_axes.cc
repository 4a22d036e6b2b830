#include "rules/graph/argument_axes.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// Weights of an LSTM, [directions, inputs, channels], with a scale for each channel of each direction.
bool HasDirections(const Graph& graph, const DescribedArgument& argument) {
  const v1::Value& tensor = graph.value(argument.tensor);
  return graph.op(argument.node) == OpId::kLstm && argument.scale >= 0 && tensor.dims_size() == 3 &&
         tensor.dims(0) > 1 && static_cast<int64_t>(argument.count) > tensor.dims(0);
}

constexpr int kMostAxes = 64;  // more dimensions than any format allows

// A batch of matrices whose parameters are in their rank, with a row for each: [D, 1, N] beside [D, K, N].
bool EachMatrix(const Graph& graph, const DescribedArgument& argument) {
  const int rank = graph.value(argument.tensor).dims_size();
  const int32_t parameters = argument.scale >= 0 ? argument.scale : argument.zero_point;
  return graph.op(argument.node) == OpId::kMatMul && rank > 2 && rank <= kMostAxes &&
         graph.value(parameters).dims_size() == rank;
}

// ONNX quantizes the left operand of a product by row, the right one by column. ONNX Runtime's own operators say
// columns of both.
bool IsLeftOfProduct(const Graph& graph, const DescribedArgument& argument) {
  return argument.port == 0 && !absl::StartsWith(graph.op_type(argument.node), "com.microsoft::");
}

// Every axis but the one that is summed over.
std::vector<int32_t> RowsOfMatrices(const Graph& graph, const DescribedArgument& argument) {
  std::vector<int32_t> axes(graph.value(argument.tensor).dims_size());
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.end() - (IsLeftOfProduct(graph, argument) ? 1 : 2));
  return axes;
}

// Output channels of a filter or matrix, where per-channel scales of integer operators lie.
int32_t ChannelAxis(const Graph& graph, const DescribedArgument& argument) {
  const v1::Value& tensor = graph.value(argument.tensor);
  const int32_t last = std::max(tensor.dims_size(), 1) - 1;
  switch (graph.op(argument.node)) {
    case OpId::kGemm:
      return graph.int_attribute(argument.node, "transB", 0) != 0 ? 0 : last;
    case OpId::kMatMul:
      return IsLeftOfProduct(graph, argument) ? std::max(last - 1, 0) : last;
    case OpId::kProjectedAttention:
      return last;
    case OpId::kLstm:  // or one of a direction
      return tensor.dims_size() == 3 && tensor.dims(0) > 1 ? 0 : last;
    case OpId::kConvTranspose:
      return 1;
    default:
      return 0;
  }
}

// One for each output of each expert, or for each block of its inputs, which the third axis has bytes of.
ArgumentAxes AxesOfExperts(const PackedExperts& experts) {
  ArgumentAxes found;
  found.axes = experts.in_blocks ? std::vector<int32_t>{0, 1, 2} : std::vector<int32_t>{0, 1};
  found.block_sizes.assign(found.axes.size(), 1);
  if (experts.in_blocks) found.block_sizes[2] = std::max<int64_t>(experts.block_size / experts.per_byte(), 1);
  found.packed_zero_points = experts.per_byte() > 1;
  return found;
}

// com.microsoft::GatherBlockQuantized, where it has blocks; small floats may be without.
int64_t GatheredBlock(const Graph& graph, int32_t node) {
  constexpr int64_t kOfItself = 128;
  return graph.op(node) == OpId::kGather ? graph.int_attribute(node, "block_size", kOfItself) : 0;
}

// Its blocks are along one axis and count numbers, of which a byte has several, as it has of zero points: bytes have
// them along the last axis alone.
ArgumentAxes AxesOfGathered(const Graph& graph, const DescribedArgument& argument) {
  constexpr int kRank = 2;  // where it is not known
  ArgumentAxes found;
  const int64_t bits = graph.int_attribute(argument.node, "bits", 4);
  const int64_t per_byte = argument.type != v1::DATA_TYPE_UINT8 || bits == 8 ? 1 : bits == 2 ? 4 : 2;
  const int rank_of_tensor = argument.tensor < 0 ? -1 : graph.rank(argument.tensor);
  const int64_t rank = rank_of_tensor < 0 ? kRank : rank_of_tensor;
  const int64_t stated = graph.int_attribute(argument.node, "quantize_axis", 1);
  const int64_t axis = stated < 0 ? stated + rank : stated;
  // Another axis than it may have is parameter-range's.
  const bool in_place = argument.type == v1::DATA_TYPE_UINT8 ? axis == rank - 1 : axis >= 0 && axis < rank;
  if (rank > kMostAxes || !in_place) {
    found.known = false;
    return found;
  }
  found.axes.resize(rank);
  std::iota(found.axes.begin(), found.axes.end(), 0);
  found.block_sizes.assign(rank, 1);
  found.block_sizes[axis] = std::max<int64_t>(GatheredBlock(graph, argument.node) / per_byte, 1);
  found.packed_zero_points = per_byte > 1;
  return found;
}

// Dimensions of the scales of QMoE's first product; -1: not known.
int RankOfFirstScales(const Graph& graph, int32_t node) {
  constexpr int kScales = 3;
  return graph.num_inputs(node) > kScales && graph.input(node, kScales) >= 0 ? graph.rank(graph.input(node, kScales))
                                                                             : -1;
}

bool IsQuantizedMoE(const Graph& graph, int32_t node) { return graph.op_type(node) == "com.microsoft::QMoE"; }

}  // namespace

bool FindPackedExperts(const Graph& graph, int32_t node, int32_t port, PackedExperts& experts) {
  if (!IsQuantizedMoE(graph, node)) return false;
  // Other kinds have scales of other layouts, and so may have what an execution provider has prepared.
  const v1::Attribute* kind = graph.attribute(node, "quant_type");
  if (kind != nullptr && kind->s() != "int") return false;
  if (graph.int_attribute(node, "weights_prepacked", -1) == 1) return false;
  const char* own_bits = port == 2   ? "fc1_expert_weight_bits"
                         : port == 4 ? "fc2_expert_weight_bits"
                         : port == 6 ? "fc3_expert_weight_bits"
                                     : nullptr;
  if (own_bits == nullptr) return false;
  experts.bits = graph.int_attribute(node, own_bits, graph.int_attribute(node, "expert_weight_bits", 4));
  experts.block_size = graph.int_attribute(node, "block_size", 0);
  if (experts.block_size > 0) {
    const int rank = RankOfFirstScales(graph, node);
    if (rank < 0) return false;
    experts.in_blocks = rank == 3;
  }
  return experts.bits == 2 || experts.bits == 4 || experts.bits == 8;
}

bool HasUnknownAxes(const Graph& graph, int32_t node) {
  PackedExperts experts;
  return IsQuantizedMoE(graph, node) && !FindPackedExperts(graph, node, PackedExperts::kFirstProduct, experts);
}

ArgumentAxes AxesOf(const Graph& graph, const DescribedArgument& argument) {
  ArgumentAxes found;
  PackedExperts experts;
  if (argument.scale >= 0 && FindPackedExperts(graph, argument.node, argument.port, experts)) {
    return AxesOfExperts(experts);
  }
  if (IsQuantizedMoE(graph, argument.node)) {
    found.known = false;
    return found;
  }
  if (GatheredBlock(graph, argument.node) > 0) return AxesOfGathered(graph, argument);
  const int64_t bits = graph.int_attribute(argument.node, "bits", 0);
  const int64_t block_size = graph.int_attribute(argument.node, "block_size", 0);
  if (block_size > 0) {
    // Packed weights [N, blocks, bytes]: logically [N, K], one scale per `block_size` elements of K.
    found.axes = {0, 1};
    found.block_sizes = {1, block_size};
    found.packed_zero_points = bits < 8 && argument.zero_point >= 0 && IsInteger(graph.dtype(argument.zero_point));
    if (bits == 2) found.type = v1::DATA_TYPE_UINT2;
    if (bits == 4) found.type = v1::DATA_TYPE_UINT4;
    if (bits == 8) found.type = v1::DATA_TYPE_UINT8;
  } else if (HasDirections(graph, argument)) {
    found.axes = {0, 2};
    found.block_sizes = {1, 1};
  } else if (argument.count > 1 && EachMatrix(graph, argument)) {
    found.axes = RowsOfMatrices(graph, argument);
    found.block_sizes.assign(found.axes.size(), 1);
  } else if (argument.count > 1) {
    found.axes = {ChannelAxis(graph, argument)};
  }
  return found;
}

}  // namespace quantgate
