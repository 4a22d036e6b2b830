#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// Operators whose first output has the shape of their first data argument; others too, if there are as many.
bool KeepsShape(const NodeShapes& node) {
  switch (node.graph().op(node.node())) {
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
    case OpId::kHardmax:
    case OpId::kDropout:
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kGroupNorm:
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
    case OpId::kMeanVarianceNorm:
    case OpId::kLocalResponseNorm:
    case OpId::kLpNorm:
    case OpId::kCastLike:
    case OpId::kCumSum:
    case OpId::kCumProd:
    case OpId::kTriangle:
    case OpId::kScatterElements:
    case OpId::kScatterNd:
    case OpId::kReverseSequence:
    case OpId::kRotaryEmbedding:
    case OpId::kDynamicQuantize:
      return true;
    default:
      return false;
  }
}

// Element-wise by their traits, but not as ONNX broadcasts.
bool Excluded(OpId op) {
  switch (op) {
    case OpId::kCastLike:
    case OpId::kBitCast:
    case OpId::kSwiGlu:
    case OpId::kComplexMul:
    case OpId::kComplexMulConj:
    case OpId::kBiasAdd:
    case OpId::kAffine:
      return true;
    default:
      return false;
  }
}

// Of the sizes of a sample, each of these arguments.
void CheckPerElement(NodeShapes& node, const Shape& input, int count) {
  const absl::Span<const int64_t> sample = input.dims.subspan(1);
  for (int i = 1; i < count; ++i) {
    const Shape parameter = node.at(i);
    if (!parameter.known) continue;
    const bool fits = parameter.dims.size() == sample.size() && BroadcastsTo(parameter.dims, sample) &&
                      BroadcastsTo(sample, parameter.dims);
    if (fits) continue;
    node.Conflict(i, absl::StrCat("shape ", ShapeText(parameter.dims)),
                  absl::StrCat(ShapeText(sample), ", one for each element of a sample, with spatial 0"))
        .when_run = true;
  }
}

// Scales and biases of normalizations have one number per channel.
void CheckPerChannel(NodeShapes& node, const Shape& input) {
  // BatchNormalization of a list or a scalar has one channel; InstanceNormalization has no such form.
  const int64_t channels = input.rank() < 2 ? 1 : input.dims[1];
  if (channels < 0 || (input.rank() < 2 && node.graph().op(node.node()) == OpId::kInstanceNorm)) return;
  const int count = static_cast<int>(std::min<size_t>(node.binding().arguments.size(), node.num_inputs()));
  const bool batch = node.graph().op(node.node()) == OpId::kBatchNorm;
  // Operator sets 7 and 8 have a form with one number for each element of a sample.
  if (batch && node.opset() < 9 && node.integer("spatial", 1) == 0 && input.rank() > 2) {
    CheckPerElement(node, input, count);
    return;
  }
  for (int i = 1; i < count; ++i) {
    const Shape parameter = node.at(i);
    if (!parameter.known || (parameter.rank() == 1 && (parameter.dims[0] < 0 || parameter.dims[0] == channels))) {
      continue;
    }
    node.Conflict(i, absl::StrCat("shape ", ShapeText(parameter.dims)),
                  absl::StrCat("[", channels, "], one for each channel"))
        .when_run = !batch || node.opset() < 9;
  }
}

// Scale and bias are often those of the normalized dimensions, and may be any that broadcast to the whole tensor.
void CheckTrailing(NodeShapes& node, const Shape& input) {
  if (node.Axis(node.integer("axis", -1), input.rank()) < 0) return;
  for (int i = 1; i < node.num_inputs(); ++i) {
    const Shape parameter = node.at(i);
    if (!parameter.known || BroadcastsTo(parameter.dims, input.dims)) continue;
    node.Conflict(i, absl::StrCat("shape ", ShapeText(parameter.dims)),
                  absl::StrCat("one that broadcasts to ", ShapeText(input.dims)))
        .when_run = true;
  }
}

void KeepShape(NodeShapes& node) {
  const int argument = node.data(0);
  const Shape input = node.at(argument);
  node.GiveLike(0, input);
  if (!input.known) return;
  switch (node.graph().op(node.node())) {
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
    case OpId::kHardmax:
    case OpId::kLpNorm:
    case OpId::kScatterElements:
      if (input.rank() > 0 && node.has("axis")) node.Axis(node.integer("axis", -1), input.rank());
      break;
    case OpId::kDropout:
      node.GiveLike(1, input);
      break;
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
      if (!node.binding().integer_operator) CheckPerChannel(node, input);
      break;
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
      CheckTrailing(node, input);
      break;
    case OpId::kDynamicQuantize:
      node.Give(1, {});
      node.Give(2, {});
      break;
    default:
      break;
  }
}

}  // namespace

bool BroadcastInto(absl::Span<const int64_t> more, Dims& result) {
  if (more.size() > result.size()) result.insert(result.begin(), more.size() - result.size(), 1);
  const size_t offset = result.size() - more.size();
  for (size_t i = 0; i < more.size(); ++i) {
    int64_t& size = result[offset + i];
    if (more[i] == size || more[i] == 1) continue;
    if (size == 1) {
      size = more[i];
    } else if (size < 0 || more[i] < 0) {
      size = std::max(size, more[i]);  // the other one can only be 1 or the same
    } else {
      return false;
    }
  }
  return true;
}

bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] >= 0 && to[offset + i] >= 0 && from[i] != to[offset + i]) return false;
  }
  return true;
}

bool Broadcast(NodeShapes& node, absl::Span<const int> arguments, Dims& result) {
  bool known = true;
  bool first = true;
  for (int argument : arguments) {
    const Shape shape = node.at(argument);
    if (!shape.known) {
      known = false;
      continue;
    }
    const Dims before = result;
    if (first) {
      result.assign(shape.dims.begin(), shape.dims.end());
      first = false;
    } else if (!BroadcastInto(shape.dims, result)) {
      node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)),
                    absl::StrCat("one that broadcasts with ", ShapeText(before)));
      return false;
    }
  }
  return known && !first;
}

bool InferElementwise(NodeShapes& node) {
  if (KeepsShape(node)) {
    KeepShape(node);
    return true;
  }
  const Operator& op = *node.binding().op;
  if ((op.traits & kElementwise) == 0) return false;
  if (Excluded(op.id)) return true;
  absl::InlinedVector<int, 4> arguments;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Argument argument = ArgumentAt(node.binding(), i);
    if (argument.role != ArgRole::kData) continue;
    const PortRole role = op.inputs[argument.port].role;
    if (role != PortRole::kParameter && role != PortRole::kIndex && node.given(i)) arguments.push_back(i);
  }
  if (arguments.size() == 1) {
    node.GiveLike(0, node.at(arguments[0]));
    return true;
  }
  // Most often all are of one shape.
  const Shape first = arguments.empty() ? Shape() : node.at(arguments[0]);
  const bool alike = first.is_static() && std::all_of(arguments.begin(), arguments.end(), [&](int i) {
                       const Shape shape = node.at(i);
                       return shape.known && shape.dims == first.dims;
                     });
  if (alike) {
    node.GiveLike(0, first);
    return true;
  }
  Dims result;
  if (Broadcast(node, arguments, result)) node.Give(0, std::move(result));
  return true;
}

}  // namespace quantgate
