#include "rules/backends/qnn_htp/executorch_layout.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/executorch_partition.h"
#include "rules/engine/render.h"

namespace quantgate::qnn_htp {
namespace {

int RankOfOutput(const Graph& graph, int32_t node) {
  return graph.num_outputs(node) > 0 && graph.output(node, 0) >= 0 ? graph.rank(graph.output(node, 0)) : -1;
}

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

// What is not known to be one ends the walk: the pass may go further, and then nothing is said.
bool IsAgnostic(const Graph& graph, int32_t node) {
  switch (graph.op(node)) {
    case OpId::kMaxDim:
    case OpId::kMinDim:
    case OpId::kReduceMax:
    case OpId::kReduceMean:
    case OpId::kReduceSum:
      return graph.int_attribute(node, "keepdim", 0) != 0;
    // Of a wider tensor its matrix product has reshapes around it.
    case OpId::kLinear:
      return RankOfOutput(graph, node) == 2;
    case OpId::kAbs:
    case OpId::kAdd:
    case OpId::kAsin:
    case OpId::kAtan:
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
    case OpId::kGelu:
    case OpId::kGetItem:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
    case OpId::kHardSigmoid:
    case OpId::kHardSwish:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kLog:
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
    case OpId::kSigmoid:
    case OpId::kSign:
    case OpId::kSlice:
    case OpId::kSort:
    case OpId::kSplit:
    case OpId::kSqrt:
    case OpId::kSub:
    case OpId::kTopK:
    case OpId::kWhere:
    // What is folded into the tensors in front.
    case OpId::kQuantize:
    case OpId::kDequantize:
      return true;
    default:
      return false;
  }
}

// By node: laid out anew. Refused nodes are in no delegate, and nothing goes through them.
class Walk {
 public:
  Walk(const CheckContext& context, const ModuleResult& result)
      : graph_(context.graph()), resolved_(context.resolved()), result_(result), reached_(graph_.num_nodes(), false) {}

  std::vector<bool> Run() {
    for (int32_t node = 0; node < graph_.num_nodes(); ++node) {
      if (IsSensitive(graph_, node)) Reach(node);
    }
    while (!waiting_.empty()) {
      const int32_t node = waiting_.back();
      waiting_.pop_back();
      for (int i = 0; i < graph_.num_inputs(node); ++i) {
        const int32_t value = graph_.input(node, i);
        if (value >= 0 && graph_.producer(value) >= 0) ReachAgnostic(graph_.producer(value));
      }
      for (int i = 0; i < graph_.num_outputs(node); ++i) {
        if (graph_.output(node, i) < 0) continue;
        for (const Use& use : graph_.uses(graph_.output(node, i))) ReachAgnostic(use.node);
      }
    }
    return std::move(reached_);
  }

 private:
  bool InDelegate(int32_t node) const {
    const int32_t op = resolved_.op_of_node(node);
    return op < 0 || IsDelegated(result_.ops[op]);  // a getitem is part of the operator in front
  }
  // Scalars have no layout.
  void ReachAgnostic(int32_t node) {
    if (RankOfOutput(graph_, node) != 0 && IsAgnostic(graph_, node)) Reach(node);
  }
  void Reach(int32_t node) {
    if (reached_[node] || !InDelegate(node)) return;
    reached_[node] = true;
    waiting_.push_back(node);
  }

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const ModuleResult& result_;
  std::vector<bool> reached_;
  std::vector<int32_t> waiting_;
};

// A reader of the node that is laid out anew; -1: there is none.
int32_t ReachedReader(const Graph& graph, int32_t node, const std::vector<bool>& reached) {
  if (graph.num_outputs(node) == 0 || graph.output(node, 0) < 0) return -1;
  for (const Use& use : graph.uses(graph.output(node, 0))) {
    if (reached[use.node]) return use.node;
  }
  return -1;
}

}  // namespace

const RuleInfo kLayoutOfTuple = {
    "EN204",
    "executorch-layout-of-layer-norm",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "The layout pass of ExecuTorch 1.5.1 puts a Transpose behind a layer norm whose reader it lays out anew for a "
    "convolution, a pooling or the like. In its form a layer norm has three results, the Transpose reads all of them, "
    "and the whole lowering ends with \"AttributeError: 'tuple' object has no attribute 'shape'\".",
    "Normalize in the layout of the backend, x.permute(0, 2, 3, 1) in front and the way back behind: a permute stops "
    "the pass.",
    "Fires: aten.layer_norm, relu, then conv2d, with the toolchain executorch. Does not: the same with a permute or a "
    "view in between, or with the toolchain qnn-converter.",
};

void CheckLayout(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  std::vector<bool> reached;
  for (size_t i = 0; i < ops.size(); ++i) {
    const int32_t node = ops[i].node;
    if (graph.op(node) != OpId::kLayerNorm || !IsDelegated(result.ops[i])) continue;
    if (reached.empty()) reached = Walk(context, result).Run();
    const int32_t reader = ReachedReader(graph, node, reached);
    if (reader < 0) continue;
    Place place;
    place.node = node;
    FindingSource source;
    source.kind = v1::Source::MEASURED;
    source.document = "ExecuTorch 1.5.1, run";
    sink.Add(kLayoutOfTuple, place,
             absl::StrCat("its reader '", NodeName(graph, reader), "' is laid out channels-last"),
             "ExecuTorch 1.5.1 cannot put a Transpose between them", std::move(source));
    result.ops[i].ends_export = true;
  }
}

}  // namespace quantgate::qnn_htp
