#include "rules/backends/qnn_htp/laid_out_anew.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/provider/provider.h"

namespace quantgate::qnn_htp {

const RuleInfo kLaidOutAnew = {
    "EN208",
    "refused-after-layout",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "ONNX Runtime's QNN provider chooses convolutions, pools and their like before the library is asked about them. "
    "They are laid out channels last then, as no kernel of the CPU is, and only now the library refuses: the node has "
    "nowhere to go, and creating the session ends with \"was inserted using the NHWC format ...\".",
    "Give the node types and encodings that the backend takes (other findings of it say which), or keep it away from "
    "the provider: without its Quantize and Dequantize nodes it is a float one.",
    "Fires: an int8 LRN with the toolchain onnxruntime. Does not: a uint8 LRN; an int8 Neg, which is refused, too; the "
    "int8 LRN with the toolchain qnn-converter.",
};

namespace {

// A provider that does not know every size takes nothing.
bool HasSizes(const NodeView& view, const Operand* operand) {
  const int rank = view.rank(operand);
  for (int axis = 0; axis < rank; ++axis) {
    if (view.dim(operand, axis) < 0) return false;
  }
  return rank >= 0;
}

// The weight of a quantized convolution with a bias; null: it is none.
const Operand* WeightBesideBias(const NodeView& view) {
  const OpId id = view.op().op->id;
  const Operand* weight = view.input(1);
  const Operand* bias = view.input(2);
  if ((id != OpId::kConv && id != OpId::kConvTranspose) || weight == nullptr || bias == nullptr) return nullptr;
  return bias->present && weight->quantized && !qnn::IsApart(view) ? weight : nullptr;
}

constexpr int kRankOfOneDimension = 3;

// The provider requantizes the bias of a convolution whose weight has 4 bits and one scale, and fails at that; along
// one dimension it leaves the bias as it is.
bool HasBiasOfNarrowWeight(const NodeView& view) {
  const Operand* weight = WeightBesideBias(view);
  if (weight == nullptr || view.rank(weight) == kRankOfOneDimension) return false;
  if (weight->type != v1::DATA_TYPE_INT4 && weight->type != v1::DATA_TYPE_UINT4) return false;
  const QuantParams* qparams = view.context().resolved().qparams(*weight);
  return qparams != nullptr && qparams->per_tensor();
}

// Whether the first output is read in the graph, and not one of the graph.
bool GoesOn(const NodeView& view) {
  const Graph& graph = view.graph();
  const int32_t value = graph.num_outputs(view.node()) > 0 ? graph.output(view.node(), 0) : -1;
  return value >= 0 && !graph.is_graph_output(value) && !graph.uses(value).empty();
}

// What the provider itself cannot build once the layout has changed. Empty: nothing of it.
absl::string_view OwnRefusal(const NodeView& view) {
  if (HasBiasOfNarrowWeight(view)) return "a convolution with a bias and a 4-bit weight of one scale";
  if (qnn::HasConvertedChannels(view)) return "a convolution with UFIXED_POINT_16 weights of more than one scale";
  if (view.op().op->id == OpId::kGroupNorm && GoesOn(view)) return "a GroupNormalization with a node behind it";
  return "";
}

}  // namespace

bool FindLaidOutAnew(const CheckContext& context, const ResolvedOp& op, bool refused, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::ONNX || op.op == nullptr) return false;
  const qnn::LaidOut* const laid = qnn::LaidOutAnew(op.op->id);
  if (laid == nullptr) return false;
  const NodeView view(context, op, nullptr);
  // Integer operators and those of other domains have no builder.
  if (context.graph().binding(op.node)->integer_operator || absl::StrContains(view.op_type(), "::")) return false;
  const int rank = view.rank(view.input(0));
  if (rank < laid->lowest_rank || rank > laid->highest_rank) return false;
  if (!HasSizes(view, view.input(0)) || !HasSizes(view, view.output(0))) return false;
  const absl::string_view own = OwnRefusal(view);
  if (!refused && own.empty()) return false;
  Place place;
  place.node = op.node;
  FindingSource source;
  source.kind = v1::Source::MEASURED;
  source.document = "onnxruntime-qnn 2.7.0 with ONNX Runtime 1.31.1, run";
  std::string observed = refused ? absl::StrCat("a node of ", view.op_type(), " that the library refuses")
                                 : absl::StrCat(own, ", which ONNX Runtime's QNN provider does not build");
  sink.Add(kLaidOutAnew, place, std::move(observed),
           "ONNX Runtime has laid it out for the library by then, and creating the session ends", std::move(source));
  return true;
}

}  // namespace quantgate::qnn_htp
