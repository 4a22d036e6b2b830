#include "rules/backends/qnn_htp/executorch/axis_order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn_htp/executorch/channels_last.h"
#include "rules/backends/qnn_htp/executorch/runs.h"

namespace quantgate::qnn_htp {
namespace {

// What the builder reads is all that it gives to QNN, with no axis of its own to reorder.
bool IsElementwise(OpId id) {
  switch (id) {
    case OpId::kBitwiseAnd:
    case OpId::kBitwiseOr:
    case OpId::kBitwiseXor:
    case OpId::kEqual:
    case OpId::kFloorDiv:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kLogicalAnd:
    case OpId::kMaskedFill:
    case OpId::kMaximum:
    case OpId::kMinimum:
    case OpId::kNotEqual:
    case OpId::kWhere:
      return true;
    default:
      return false;
  }
}

// What QNN's TopK is made of.
bool IsTopK(OpId id) { return id == OpId::kTopK || id == OpId::kSort || id == OpId::kArgSort; }

// Whether the layout matters to its builder. Few graphs have one, and the others need no walk.
bool MayMind(OpId id) {
  return IsElementwise(id) || id == OpId::kMatMul || id == OpId::kReduceMin || id == OpId::kSlice || IsTopK(id) ||
         id == OpId::kTile || id == OpId::kTriangle;
}

// HTP takes comparisons (but Less) and logical operators whatever their sizes are (inferred_shape.cc).
bool ComparesSizes(OpId id) {
  return id == OpId::kFloorDiv || id == OpId::kLess || id == OpId::kMaskedFill || id == OpId::kMaximum ||
         id == OpId::kMinimum || id == OpId::kWhere;
}

// The sizes that QNN is given for the value; none: not known.
std::optional<IntVector> Permuted(const Graph& graph, int32_t value) {
  if (value < 0 || !graph.has_known_shape(value)) return std::nullopt;
  const auto& dims = graph.value(value).dims();
  IntVector sizes(dims.begin(), dims.end());
  if (sizes.size() > 2) std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  return sizes;
}

// Writes what the two broadcast to into `sizes`; false: they do not.
bool Broadcast(const IntVector& other, IntVector& sizes) {
  if (other.size() > sizes.size()) sizes.insert(sizes.begin(), other.size() - sizes.size(), 1);
  const size_t offset = sizes.size() - other.size();
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& size = sizes[offset + i];
    if (size == 1) size = other[i];
    if (other[i] != 1 && other[i] != size) return false;
  }
  return true;
}

std::string InBrackets(const IntVector& sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ", "), "]"); }

class Checker {
 public:
  Checker(const CheckContext& context, FindingSink& sink, ModuleResult& result)
      : context_(context), graph_(context.graph()), sink_(sink), result_(result) {}

  void Run() {
    const auto may_mind = [this](int32_t node) {
      const OpId id = graph_.op(node);
      return id == OpId::kSlice ? NamesFromTheEnd(node) : MayMind(id);
    };
    if (absl::c_none_of(graph_.unlike_nodes(), may_mind)) return;
    const std::vector<bool> laid_out = ChannelsLast(graph_, [](int32_t) { return true; });
    const absl::Span<const ResolvedOp> ops = context_.resolved().ops();
    for (size_t i = 0; i < ops.size(); ++i) {
      outcome_ = &result_.ops[i];
      const int32_t node = ops[i].node;
      const OpId id = graph_.op(node);
      if (!MayMind(id)) continue;
      // The builder raises before the library is asked.
      if (laid_out[node] && (HasOperandOfAnotherRank(node) || CountsFromTheEnd(node))) continue;
      if (outcome_->refused) continue;
      if (IsTopK(id)) {
        CheckTopK(ops[i], laid_out[node]);
      } else if (laid_out[node]) {
        if (IsElementwise(id)) CheckElementwise(node);
        if (id == OpId::kTile) CheckTile(ops[i]);
        if (id == OpId::kMatMul) CheckProduct(node);
      }
    }
  }

 private:
  // PyTorch permutes a tensor by an order of as many axes as it has, or raises.
  bool HasOperandOfAnotherRank(int32_t node) {
    const OpId id = graph_.op(node);
    const int rank = RankOfOutput(graph_, node);
    // It selects by a matrix of its own.
    if (id == OpId::kTriangle && rank > 2) return RefuseOperand(node, 2, rank);
    if (!IsElementwise(id) && id != OpId::kTile && id != OpId::kReduceMin) return false;
    for (int i = 0; i < graph_.num_inputs(node) && rank >= 0; ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0 || graph_.rank(value) <= 1 || graph_.rank(value) == rank) continue;
      return RefuseOperand(node, graph_.rank(value), rank);
    }
    return false;
  }

  bool RefuseOperand(int32_t node, int rank, int laid_out_as) {
    Refuse(kLayoutOfOperands, node,
           absl::StrCat("it reads a tensor of rank ", rank, " and has the layout of one of rank ", laid_out_as),
           "ExecuTorch 1.5.1 permutes all that it reads, by an order of that many axes");
    outcome_->ends_export = outcome_->raises = true;
    return true;
  }

  int64_t DimensionOf(int32_t slice) const { return graph_.int_attribute(slice, "dim", 0); }
  bool NamesFromTheEnd(int32_t slice) const { return DimensionOf(slice) < 0; }

  // The builder of slices alone looks a dimension up before it counts it from the front.
  bool CountsFromTheEnd(int32_t node) {
    if (graph_.op(node) != OpId::kSlice) return false;
    if (!NamesFromTheEnd(node) || qnn::IsRemoved(graph_, node)) return false;
    Refuse(kLayoutOfOperands, node, absl::StrCat("it is along dimension ", DimensionOf(node)),
           "ExecuTorch 1.5.1 finds dimensions from 0 on in the layout that it gets");
    outcome_->ends_export = outcome_->raises = true;
    return true;
  }

  void CheckElementwise(int32_t node) {
    const std::optional<IntVector> wanted = Permuted(graph_, graph_.output(node, 0));
    IntVector sizes;
    std::string operands;
    bool together = true;
    bool has_vector = false;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const std::optional<IntVector> operand = Permuted(graph_, graph_.input(node, i));
      if (!operand) return;
      together = together && Broadcast(*operand, sizes);
      has_vector = has_vector || (operand->size() == 1 && (*operand)[0] != 1);
      absl::StrAppend(&operands, i > 0 ? " and " : "", InBrackets(*operand));
    }
    if (!wanted) return;
    if (ComparesSizes(graph_.op(node)) && (!together || sizes != *wanted)) {
      Refuse(kLayoutOfOperands, node, absl::StrCat("in the layout that it gets its operands are ", operands),
             absl::StrCat("they must broadcast to ", InBrackets(*wanted)));
    } else if (has_vector && wanted->size() > 2) {
      Say(kWrongLayout, node, "a vector meets the channels", "it must meet the last dimension");
    }
  }

  void CheckTile(const ResolvedOp& op) {
    bool looked_at_constants = false;
    const NodeView view(context_, op, &looked_at_constants);
    const std::optional<IntVector> multiples = view.integers({"repeats", "dims"});
    const std::optional<IntVector> in = Permuted(graph_, view.input(0) == nullptr ? -1 : view.input(0)->value);
    const std::optional<IntVector> out = Permuted(graph_, graph_.output(op.node, 0));
    if (!multiples || !in || !out || in->size() != out->size() || multiples->size() > in->size()) return;
    IntVector given = *multiples;
    given.insert(given.begin(), in->size() - given.size(), 1);
    IntVector wanted;
    for (size_t i = 0; i < in->size(); ++i) wanted.push_back((*in)[i] > 0 ? (*out)[i] / (*in)[i] : 1);
    if (given == wanted) return;
    Refuse(kLayoutOfOperands, op.node, absl::StrCat("it gets the multiples ", InBrackets(given)),
           absl::StrCat("in the layout that it gets they must be ", InBrackets(wanted)));
  }

  // A product of transposed matrices.
  void CheckProduct(int32_t node) {
    if (graph_.num_inputs(node) < 2) return;
    const std::optional<IntVector> a = Permuted(graph_, graph_.input(node, 0));
    const std::optional<IntVector> b = Permuted(graph_, graph_.input(node, 1));
    const std::optional<IntVector> out = Permuted(graph_, graph_.output(node, 0));
    if (!a || !b || !out || a->size() != 3 || b->size() != 3 || out->size() != 3) return;
    if ((*a)[2] == (*b)[1] && (*out)[1] == (*a)[1] && (*out)[2] == (*b)[2]) {
      Say(kWrongLayout, node, "transposed matrices are multiplied in their order", "it must be the other way around");
      return;
    }
    Refuse(kLayoutOfOperands, node,
           absl::StrCat("in the layout that it gets its operands are ", InBrackets(*a), " and ", InBrackets(*b)),
           absl::StrCat("their product must be ", InBrackets(*out)));
  }

  // Its builder makes none of one over another axis. An axis that is not stated it does not look at.
  void CheckTopK(const ResolvedOp& op, bool laid_out) {
    bool looked_at_constants = false;
    const NodeView view(context_, op, &looked_at_constants);
    const int rank = view.rank(view.input(0));
    if (rank < 1) return;
    const bool moved = laid_out && rank > 2;
    const std::optional<int64_t> stated = view.integer({"dim"});
    const int64_t axis = Normalize(stated.value_or(-1), rank);
    const int64_t last = moved ? 1 : rank - 1;
    if (axis == last) return;
    if (!stated && graph_.op(op.node) == OpId::kTopK && KeepsAll(view)) {
      Say(kWrongLayout, op.node, "the channels come last", absl::StrCat("dimension ", axis, " must"));
      return;
    }
    Refuse(kTopKAxis, op.node, absl::StrCat("dimension ", axis),
           absl::StrCat("it must be ", last, moved ? ", which comes last in the layout that it gets" : ", the last"));
  }

  // There are as many channels as places along the last dimension, and all are kept: the sizes are right either way.
  static bool KeepsAll(const NodeView& view) {
    const int64_t channels = view.dim(view.input(0), 1);
    const std::optional<int64_t> k = view.integer({"k"});
    return channels > 0 && k == channels && view.dim(view.input(0), view.rank(view.input(0)) - 1) == channels;
  }

  void Refuse(const RuleInfo& rule, int32_t node, std::string observed, std::string allowed) {
    Say(rule, node, std::move(observed), std::move(allowed));
    outcome_->refused = true;
  }

  void Say(const RuleInfo& rule, int32_t node, std::string observed, std::string allowed) {
    Place place;
    place.node = node;
    sink_.Add(rule, place, std::move(observed), std::move(allowed), OfTheRuns());
  }

  const CheckContext& context_;
  const Graph& graph_;
  FindingSink& sink_;
  ModuleResult& result_;
  ModuleResult::OpOutcome* outcome_ = nullptr;
};

}  // namespace

const RuleInfo kLayoutOfOperands = {
    "EN205",
    "executorch-layout-of-operands",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "ExecuTorch 1.5.1 lays out channels-last what is near a convolution, a pooling or the like. There the builder of "
    "the node permutes all tensors that it reads by the axes of the result: one of another rank ends the lowering "
    "with \"number of dimensions in the tensor input does not match\", a vector stays as it is and meets the "
    "channels, the multiples of a repeat keep their order, matrices are multiplied transposed, and a slice along a "
    "dimension that is counted from the end ends the lowering with \"tuple.index(x): x not in tuple\".",
    "Give every operand the rank of the result with view or unsqueeze, keep reduced dimensions, count dimensions from "
    "0, or put a permute or a view between the node and the convolution: those stop the layout.",
    "Fires: conv2d, then maximum with a vector of the last dimension, repeat along one spatial dimension, or amin "
    "without keepdim, with the toolchain executorch. Does not: the same behind a view, add in the place of maximum, or "
    "with the toolchain qnn-converter.",
};

const RuleInfo kWrongLayout = {
    "EN207",
    "executorch-wrong-layout",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: in the layout that ExecuTorch 1.5.1 gives it {observed}; {allowed}.",
    "Near a convolution, a pooling or the like ExecuTorch 1.5.1 lays tensors out channels-last. There a vector stays "
    "as it is and a bmm keeps its operands' order. Where the sizes happen to fit, and for comparisons whatever they "
    "are, the node is delegated, and computes something else.",
    "Give a vector the rank of the result with view or unsqueeze, or put a permute or a view between the node and the "
    "convolution: those stop the layout.",
    "Fires: conv2d with 8 channels, then maximum with a vector of 8 for the last dimension, with the toolchain "
    "executorch. Does not: the same with the vector's shape [1, 1, 1, 8], or with add in the place of maximum.",
};

const RuleInfo kTopKAxis = {
    "EN206",
    "executorch-top-k-axis",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is over {observed}; {allowed}.",
    "QNN's TopK is over the last dimension. The builders of ExecuTorch 1.5.1 make none of topk and sort over another, "
    "and near a convolution, where tensors are laid out channels-last, that is the dimension of the channels.",
    "Move the dimension there with a permute in front and the way back behind.",
    "Fires: aten.sort over dimension 1 of 3, or over the last of 4 behind conv2d, with the toolchain executorch. Does "
    "not: over the last of 3, or over the channels behind conv2d.",
};

void CheckAxisOrder(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  if (context.graph().origin() == v1::Graph::PT2E) Checker(context, sink, result).Run();
}

}  // namespace quantgate::qnn_htp
