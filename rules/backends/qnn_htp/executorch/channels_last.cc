#include "rules/backends/qnn_htp/executorch/channels_last.h"

#include <utility>

#include "rules/backends/qnn/removed.h"
#include "rules/engine/toolchain.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn_htp {
namespace {

// Softmax has to have its axis last.
bool IsOverAnotherAxis(const Graph& graph, int32_t node) {
  const int64_t axis = graph.int_attribute(node, "dim", -1);
  const int rank = RankOfOutput(graph, node);
  return rank > 0 && axis != -1 && axis != rank - 1;
}

bool IsSensitive(const Graph& graph, int32_t node) {
  switch (graph.op(node)) {
    // One spatial axis is made two by reshapes around the operator, and those stop the pass.
    case OpId::kConv:
    case OpId::kDepthwiseConv:
    case OpId::kConvTranspose:
    case OpId::kMaxPool:
    case OpId::kAveragePool:
    case OpId::kAdaptiveAveragePool:
    case OpId::kAdaptiveMaxPool:
      return RankOfOutput(graph, node) >= 4;
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kGroupNorm:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kResizeNearest:
    case OpId::kResizeBilinear:
    case OpId::kResizeBicubic:
    case OpId::kGridSample:
      return true;
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
      return IsOverAnotherAxis(graph, node);
    default:
      return false;
  }
}

// What is not known to be one ends the walk: the pass may go further, and then nothing is said. Casts do end it: in an
// edge program they are dim_order_ops._to_dim_order_copy, which the pass does not list; and so do powers, whose
// exponent is a tensor by then.
bool IsAgnostic(const Graph& graph, int32_t node) {
  if (qnn::IsRemoved(graph, node)) return true;
  switch (graph.op(node)) {
    // aten.amin goes on whether the dimension is kept or not: the pass asks of the others alone.
    case OpId::kMaxDim:
    case OpId::kMinDim:
    case OpId::kReduceMax:
    case OpId::kReduceMean:
    case OpId::kReduceSum:
      return graph.int_attribute(node, "keepdim", 0) != 0;
    // Of a wider tensor its matrix product has reshapes around it.
    case OpId::kLinear:
      return RankOfOutput(graph, node) == 2;
    case OpId::kMatMul:
      return graph.op_type(node) == "aten.bmm.default";
    case OpId::kScatterReduce:
      return graph.op_type(node) == "aten.scatter_add.default" || graph.op_type(node) == "aten.scatter_reduce.two";
    case OpId::kAbs:
    case OpId::kAdd:
    case OpId::kAsin:
    case OpId::kAtan:
    case OpId::kBitwiseAnd:
    case OpId::kBitwiseOr:
    case OpId::kBitwiseXor:
    case OpId::kCeil:
    case OpId::kClamp:
    case OpId::kConcat:
    case OpId::kCumSum:
    case OpId::kDiv:
    case OpId::kElu:
    case OpId::kEqual:
    case OpId::kExp:
    case OpId::kFlip:
    case OpId::kFloor:
    case OpId::kFloorDiv:
    case OpId::kGelu:
    case OpId::kGetItem:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
    case OpId::kHardSigmoid:
    case OpId::kHardSwish:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kLog:
    case OpId::kLogicalAnd:
    case OpId::kLogicalNot:
    case OpId::kMaskedFill:
    case OpId::kMaximum:
    case OpId::kMinimum:
    case OpId::kMul:
    case OpId::kNeg:
    case OpId::kNotEqual:
    case OpId::kPRelu:
    case OpId::kPad:
    case OpId::kReduceMin:
    case OpId::kReflectionPad:
    case OpId::kRelu:
    case OpId::kRelu6:
    case OpId::kRound:
    case OpId::kScatterElements:
    case OpId::kSigmoid:
    case OpId::kSign:
    case OpId::kSlice:
    case OpId::kSort:
    case OpId::kArgSort:
    case OpId::kSplit:
    case OpId::kSqrt:
    case OpId::kSub:
    case OpId::kTile:
    case OpId::kTopK:
    case OpId::kTriangle:
    case OpId::kWhere:
      return true;
    default:
      return false;
  }
}

// That reshape stops the pass.
bool IsReshapedFor(const Graph& graph, int32_t value, int32_t reader) {
  return ReshapesOperands(graph.op(reader)) && graph.rank(value) != RankOfOutput(graph, reader);
}

// Quantize and Dequantize nodes are folded into the tensors in front before the pass runs. What reads one reads what
// computes the tensor behind all of them; where that is an input or a constant, or stops the pass, its readers have
// nothing to do with each other.
class Walk {
 public:
  Walk(const Graph& graph, absl::FunctionRef<bool(int32_t node)> there)
      : graph_(graph), there_(there), reached_(graph.num_nodes(), false), source_(graph.num_values(), -1) {
    for (int32_t node : graph.order()) {
      const bool folded = IsFolded(node);
      const int32_t data = folded ? QuantizerInputsOf(graph, node).data : -1;
      const int32_t source = !folded ? node : data >= 0 ? source_[data] : -1;
      for (int i = 0; i < graph.num_outputs(node); ++i) {
        if (graph.output(node, i) >= 0) source_[graph.output(node, i)] = source;
      }
    }
  }

  std::vector<bool> Run() {
    for (int32_t node = 0; node < graph_.num_nodes(); ++node) {
      if (IsSensitive(graph_, node)) Reach(node);
    }
    while (!waiting_.empty()) {
      const int32_t node = waiting_.back();
      waiting_.pop_back();
      // A folded node is on the way from what computes its tensor, and reached with that.
      if (!IsFolded(node)) GoUp(node);
      for (int i = 0; i < graph_.num_outputs(node); ++i) {
        const int32_t value = graph_.output(node, i);
        if (value < 0) continue;
        for (const Use& use : graph_.uses(value)) GoDown(value, use.node);
      }
    }
    return std::move(reached_);
  }

 private:
  bool IsFolded(int32_t node) const { return IsQuantizer(graph_, node) && there_(node); }

  void GoUp(int32_t node) {
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0 || source_[value] < 0 || IsReshapedFor(graph_, value, node)) continue;
      ReachAgnostic(source_[value]);
    }
  }

  void GoDown(int32_t value, int32_t reader) {
    if (IsFolded(reader)) {
      if (QuantizerInputsOf(graph_, reader).data == value) Reach(reader);
    } else if (!IsReshapedFor(graph_, value, reader)) {
      ReachAgnostic(reader);
    }
  }

  // Scalars have no layout.
  void ReachAgnostic(int32_t node) {
    if (RankOfOutput(graph_, node) != 0 && IsAgnostic(graph_, node)) Reach(node);
  }
  void Reach(int32_t node) {
    if (reached_[node] || !there_(node)) return;
    reached_[node] = true;
    waiting_.push_back(node);
  }

  const Graph& graph_;
  absl::FunctionRef<bool(int32_t node)> there_;
  std::vector<bool> reached_;
  std::vector<int32_t> source_;  // by value: what computes the tensor; -1: an input or a constant
  std::vector<int32_t> waiting_;
};

}  // namespace

int RankOfOutput(const Graph& graph, int32_t node) {
  return graph.num_outputs(node) > 0 && graph.output(node, 0) >= 0 ? graph.rank(graph.output(node, 0)) : -1;
}

std::vector<bool> ChannelsLast(const Graph& graph, absl::FunctionRef<bool(int32_t node)> there) {
  return Walk(graph, there).Run();
}

}  // namespace quantgate::qnn_htp
