#include "rules/simulator/run/as_stored.h"

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"
#include "rules/operators/op_id.h"

namespace quantgate::simulator {
namespace {

// Found by giving the output parameters of its own, with LiteRT 2.3.0, by its three kinds of kernels. What is not here
// rescales (a CONCATENATION of uint8) or is refused then.
constexpr OpId kMoving[] = {
    OpId::kReshape,      OpId::kSqueeze,      OpId::kUnsqueeze,     OpId::kTranspose,
    OpId::kSlice,        OpId::kGather,       OpId::kGatherNd,      OpId::kEmbedding,
    OpId::kPad,          OpId::kTile,         OpId::kExpand,        OpId::kFlip,
    OpId::kDepthToSpace, OpId::kSpaceToDepth, OpId::kWhere,         OpId::kTopK,
    OpId::kMaxPool,      OpId::kAveragePool,  OpId::kReduceMax,     OpId::kReduceMin,
    OpId::kMaximum,      OpId::kMinimum,      OpId::kResizeNearest, OpId::kResizeBilinear,
    OpId::kSliceScatter,
};

// Of int16; those of bytes, and whether int16 are equal, are rescaled.
constexpr OpId kOrders[] = {OpId::kGreater, OpId::kGreaterEqual, OpId::kLess, OpId::kLessEqual};

bool IsStored(const QTensor* port) { return port != nullptr && port->q.quantized(); }

bool IsByOutput(const NodeCall& node, absl::Span<const QTensor* const> ports) {
  const Slot& out = node.step.outputs[0];
  const Quantization& q = node.written[0];
  if (!absl::c_linear_search(kMoving, node.lowered.op) || !out.quantized || q.scales.size() != 1) return false;
  return absl::c_all_of(ports, [&](const QTensor* port) {
    return !IsStored(port) || (port->tensor.type == out.type && port->q.scales.size() == 1);
  });
}

}  // namespace

AsStored AsStoredOf(const NodeCall& node, absl::Span<const QTensor* const> ports) {
  const bool integers = absl::c_any_of(ports, IsStored);
  if (node.profile.family != Family::kLiteRt || !integers || node.step.outputs.empty()) return AsStored::kNo;
  const OpId op = node.lowered.op;
  const bool words = absl::c_any_of(
      ports, [](const QTensor* port) { return IsStored(port) && port->tensor.type == v1::DATA_TYPE_INT16; });
  if (op == OpId::kFloorDiv || op == OpId::kMod || node.reader.op_type() == "CAST" ||
      (words && absl::c_linear_search(kOrders, op))) {
    return AsStored::kPlain;
  }
  return IsByOutput(node, ports) ? AsStored::kByOutput : AsStored::kNo;
}

Reread::Reread(absl::Span<const QTensor* const> ports, const Quantization& q) : ports_(ports.begin(), ports.end()) {
  for (const QTensor*& port : ports_) {
    if (!IsStored(port) || (port->q.scales == q.scales && port->q.zero_points == q.zero_points)) continue;
    own_.push_back(std::make_unique<QTensor>(QTensor{port->tensor, q}));
    port = own_.back().get();
  }
}

}  // namespace quantgate::simulator
