#include "rules/backends/qnn_htp/executorch/partition.h"

#include <bitset>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/folding.h"
#include "rules/backends/in_place.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn/taken_apart.h"
#include "rules/backends/qnn_htp/executorch/channels_last.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/backends/shared_encoding.h"
#include "rules/engine/toolchain.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/values/lost_writes.h"

namespace quantgate::qnn_htp {
namespace {

// More delegates than a model has. A graph with more is not judged: time would go with their number.
constexpr int kMostDelegates = 256;
using DelegateSet = std::bitset<kMostDelegates>;

// The greedy search of PyTorch's CapabilityBasedPartitioner: from the last node on, each supported one goes into the
// first delegate, oldest first, that it does not reach through a node outside. The two need not be connected.
class Delegates {
 public:
  explicit Delegates(size_t count) : of_op_(count, -1), reached_(count) {}

  // What the others are added before: all that read what they compute.
  void AddOutside(int32_t op, absl::Span<const int32_t> readers) { reached_[op] = ReachedThrough(readers); }

  // The same of one with several results. The node that takes one of them is supported whatever makes them: it goes
  // into a delegate, which is as any other until all are placed, and leaves it in the end.
  void AddTupleOutside(int32_t op, absl::Span<const int32_t> readers) {
    const int delegate = Place(readers);
    reached_[op] = reach_[delegate];
    reached_[op].set(delegate);
  }

  // The delegate that `op` goes into.
  int Add(int32_t op, absl::Span<const int32_t> readers) { return of_op_[op] = Place(readers); }

  // The delegate of a node that `readers` read and that is no operator of the graph.
  int Place(absl::Span<const int32_t> readers) {
    const int delegate = Choice(readers);
    if (delegate == count()) {
      reach_.emplace_back();
      has_input_.push_back(false);
      first_.push_back(-1);
    }
    Reach(delegate, ReachedThrough(readers));
    return delegate;
  }

  // The same, count() for a new one.
  int Choice(absl::Span<const int32_t> readers) const {
    DelegateSet blocked;
    for (int32_t reader : readers) blocked |= Behind(reader);
    int delegate = 0;
    while (delegate < count() && blocked[delegate]) ++delegate;
    return delegate;
  }

  // The one that `op` is in; -1: in none.
  int Of(int32_t op) const { return of_op_[op]; }
  int count() const { return static_cast<int>(reach_.size()); }
  bool full() const { return count() == kMostDelegates; }
  void GiveInput(int delegate) { has_input_[delegate] = true; }
  bool HasInput(int delegate) const { return has_input_[delegate]; }
  // The operator that it is named after, or a constant, where nothing is computed.
  void SetFirst(int delegate, int32_t op) { first_[delegate] = op; }
  int32_t First(int delegate) const { return first_[delegate]; }

 private:
  // Delegates behind the operator, or behind its own.
  DelegateSet Behind(int32_t op) const {
    if (of_op_[op] >= 0) return reach_[of_op_[op]];
    DelegateSet behind = reached_[op];
    for (int i = 0; i < count(); ++i) {
      if (reached_[op][i]) behind |= reach_[i];
    }
    return behind;
  }

  DelegateSet ReachedThrough(absl::Span<const int32_t> readers) const {
    DelegateSet reached;
    for (int32_t reader : readers) {
      reached |= Behind(reader);
      if (of_op_[reader] >= 0) reached.set(of_op_[reader]);
    }
    return reached;
  }

  void Reach(int delegate, DelegateSet reached) {
    reached.reset(delegate);
    if ((reached & ~reach_[delegate]).none()) return;
    reach_[delegate] |= reached;
    for (DelegateSet& other : reach_) {
      if (other[delegate]) other |= reached;
    }
  }

  std::vector<int> of_op_;            // by operator; -1: in none
  std::vector<DelegateSet> reached_;  // by operator in none: behind it when it was added
  std::vector<DelegateSet> reach_;    // by delegate: behind it, always
  std::vector<bool> has_input_;
  std::vector<int32_t> first_;
};

// Identities become no operator, and Quantize and Dequantize nodes are folded: what they pass on comes from the
// operator in front of them.
bool IsIdentity(const Graph& graph, int32_t node, const ModuleResult::OpOutcome& op) {
  return op.checked && !op.refused && (op.backend_ops.empty() || IsQuantizer(graph, node));
}

// arange, full and their like: constants, which are in delegates, too. Of an input the shape counts alone.
bool MakesConstant(const Graph& graph, int32_t node) {
  return graph.num_inputs(node) == 0 || graph.op(node) == OpId::kFillLike;
}

// The tensor that folded Quantize and Dequantize nodes make another form of.
int32_t FoldedTensor(const Graph& graph, const ResolvedGraph& resolved, int32_t value) {
  return TensorBehind(graph, value, [&](int32_t node) { return resolved.op_of_node(node) < 0; });
}

// By value: the one that identities pass on as it, itself for all others. What is out of order is not followed.
std::vector<int32_t> PassedOn(const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& result) {
  std::vector<int32_t> passed(graph.num_values());
  std::iota(passed.begin(), passed.end(), 0);
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const int32_t node = resolved.ops()[i].node;
    const bool passes_one = IsIdentity(graph, node, result.ops[i]) && !qnn::PassesOnSeveral(graph, node);
    if (!passes_one || MakesConstant(graph, node)) continue;
    const int32_t read = FoldedTensor(graph, resolved, graph.input(node, 0));
    if (read < 0) continue;
    for (int k = 0; k < graph.num_outputs(node); ++k) {
      if (graph.output(node, k) >= 0) passed[graph.output(node, k)] = passed[read];
    }
  }
  return passed;
}

// Constants that a delegated operator does not read, but whose cast (of integers of 64 bits) or reshape
// (ReshapesOperands) in front of a refused one is delegated.
class PreparedConstants {
 public:
  PreparedConstants(const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& result)
      : graph_(graph), resolved_(resolved), result_(result) {}

  // Whether the refused node has one.
  bool IsLeftBehindBy(int32_t node) {
    const int rank = RankOfOutput(graph_, node);
    const bool reshapes = ReshapesOperands(graph_.op(node)) && rank >= 0;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = FoldedTensor(graph_, resolved_, graph_.input(node, i));
      if (value < 0 || !graph_.is_constant(value)) continue;
      const bool is_cast = graph_.dtype(value) == v1::DATA_TYPE_INT64;
      const bool is_reshaped = reshapes && graph_.rank(value) >= 0 && graph_.rank(value) != rank;
      if (!is_cast && !is_reshaped) continue;
      // Once for all that read it: a graph may have one constant in all of its nodes.
      const int form = is_cast ? kCast : rank;
      const auto [known, is_new] = is_read_.try_emplace({value, form}, false);
      if (is_new) known->second = IsRead(value, form);
      if (!known->second) return true;
    }
    return false;
  }

 private:
  static constexpr int kCast = -1;

  // By a delegated operator, behind its Dequantize or at once. All read one cast, and those of a rank one reshape.
  bool IsRead(int32_t value, int form, bool is_stored = true) const {
    return absl::c_any_of(graph_.uses(value), [&](const Use& use) {
      const int32_t op = resolved_.op_of_node(use.node);
      if (op < 0 && is_stored && IsDequantize(graph_, use.node)) {
        const int32_t read = graph_.num_outputs(use.node) > 0 ? graph_.output(use.node, 0) : -1;
        return read >= 0 && IsRead(read, form, /*is_stored=*/false);
      }
      const bool same =
          form == kCast || (ReshapesOperands(graph_.op(use.node)) && RankOfOutput(graph_, use.node) == form);
      return op < 0 || (!result_.ops[op].refused && same);
    });
  }

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const ModuleResult& result_;
  absl::flat_hash_map<std::pair<int32_t, int>, bool> is_read_;  // by value, and kCast or the rank that it is brought to
};

// It is taken apart: a part that is delegated, such as an arange, computes a mask or a weight from constants alone, and
// the part that compares it is refused.
bool HasOwnMask(const Graph& graph, int32_t node) {
  return graph.op_type(node) == "aten.tril.default" || ComparesArange(graph.op(node)) ||
         WritesIntoSelection(graph, node);
}

// The same, and what reads the comparison is delegated whatever is quantized: the parts in front of it stay alone.
bool HasOwnWeight(const Graph& graph, int32_t node) {
  return graph.op_type(node) == "aten.lerp.Scalar" || absl::StartsWith(graph.op_type(node), "aten.quantile.");
}

// A part that is delegated computes indices from constants alone, and the part that reads with them is refused.
bool HasOwnIndices(const Graph& graph, int32_t node) { return graph.op_type(node) == "aten.upsample_nearest1d.vec"; }

// PyTorch casts an operand of a sum, product or quotient to the type of the result, and the cast is delegated: of these
// types HTP has one. It is joined with all that nothing refused is in front of, and gives that an input.
bool HasDelegatedCast(const Graph& graph, int32_t node) {
  if (!ReshapesOperands(graph.op(node)) || graph.num_outputs(node) == 0 || graph.output(node, 0) < 0 ||
      !quantgate::IsFloat(graph.dtype(graph.output(node, 0)))) {
    return false;
  }
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value < 0 || graph.is_constant(value)) continue;
    const v1::DataType type = graph.dtype(value);
    if (type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_UINT8 || type == v1::DATA_TYPE_BOOL) return true;
  }
  return false;
}

// Whether its mask selects what is not quantized. What is true or false is a mask itself: its readers select by it.
bool SelectsFloats(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const int32_t output = graph.num_outputs(op.node) > 0 ? graph.output(op.node, 0) : -1;
  if (output < 0 || graph.dtype(output) != v1::DATA_TYPE_BOOL || graph.uses(output).empty()) {
    return !TouchesQuantized(context, op);
  }
  return absl::c_any_of(graph.uses(output), [&](const Use& use) {
    const int32_t reader = context.resolved().op_of_node(use.node);
    return reader < 0 || !TouchesQuantized(context, context.resolved().ops()[reader]);
  });
}

}  // namespace

bool IsDelegated(const ModuleResult::OpOutcome& op) { return !op.refused && !op.backend_ops.empty(); }

bool IsInDelegate(const CheckContext& context, const ModuleResult& result, int32_t node) {
  const int32_t op = context.resolved().op_of_node(node);
  return op < 0 || IsDelegated(result.ops[op]) || qnn::IsRemoved(context.graph(), node);
}

const RuleInfo kDelegateWithoutInput = {
    "CV203",
    "delegate-without-input",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Refused nodes cut the graph into delegates. One that computes from constants alone, as an attention mask that is "
    "built in the graph does, has no input, and ExecuTorch 1.5.1 ends with \"No graph inputs present for graph\". So "
    "does the reshape that it puts between a constant and an add, sub, mul or div of a higher rank, and the cast of a "
    "constant of int64, if what reads it is refused; and so does a graph in which nothing depends on an input, or only "
    "an assignment that is lost (GS017).",
    "Give the mask to the model as an input or a constant, or change the refused node behind it so that it is "
    "delegated, too.",
    "Fires: arange, unsqueeze, then an index that HTP refuses; a refused add of a vector that is a constant. Does not: "
    "the same behind an index that HTP takes; a refused add of a constant of the result's rank.",
};

const RuleInfo kWeightOfTwoDelegates = {
    "CV206",
    "weight-of-two-delegates",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} {observed}; {allowed}.",
    "Refused nodes cut the graph into delegates. A constant with a scale for each channel or block that two of them "
    "read goes into neither: ExecuTorch 1.5.1 hands it over dequantized, and ends with \"QNN graph I/O does not match "
    "the delegated program signature\", or with torchao.dequantize_affine, which it cannot delegate.",
    "Give each of the nodes a copy of the weight, quantize it per tensor, or change the refused node in between so "
    "that it is delegated, too.",
    "Fires: a linear with per-channel weights, a refused node, the same linear again. Does not: nothing refused in "
    "between; weights per tensor.",
};

namespace {

// What the search walks over: operators, and who reads them. Identities are none.
class Program {
 public:
  Program(const CheckContext& context, const ModuleResult& result)
      : graph_(context.graph()),
        resolved_(context.resolved()),
        result_(result),
        passed_(PassedOn(graph_, resolved_, result)),
        readers_(result.ops.size()),
        has_input_(result.ops.size(), false) {
    for (int32_t i = 0; i < static_cast<int32_t>(result.ops.size()); ++i) {
      if (!IsIdentity(i) || IsGenerator(i)) Link(i);
    }
  }

  void Partition(Delegates& delegates) const {
    for (size_t i = result_.ops.size(); i-- > 0 && !delegates.full();) {
      const auto op = static_cast<int32_t>(i);
      if (IsIdentity(op) && !IsGenerator(op)) continue;
      if (!IsInside(op)) {
        if (MakesTuple(op)) {
          delegates.AddTupleOutside(op, readers_[i]);
        } else {
          delegates.AddOutside(op, readers_[i]);
        }
        continue;
      }
      const int delegate = delegates.Add(op, readers_[i]);
      if (has_input_[i]) delegates.GiveInput(delegate);
      if (!IsGenerator(op) || (delegates.First(delegate) < 0 && IsOperator(op))) delegates.SetFirst(delegate, op);
    }
    // ExecuTorch casts integer inputs to 32 bits where they enter, ahead of all other nodes.
    for (const auto& [input, readers] : casts_) {
      if (!delegates.full()) delegates.GiveInput(delegates.Place(readers));
    }
  }

 private:
  bool IsIdentity(int32_t op) const { return qnn_htp::IsIdentity(graph_, resolved_.ops()[op].node, result_.ops[op]); }

  bool IsGenerator(int32_t op) const { return IsIdentity(op) && MakesConstant(graph_, resolved_.ops()[op].node); }

  // A node that stands for a parameter or an input makes a constant as well, and is none.
  bool IsOperator(int32_t generator) const {
    const OpId id = graph_.op(resolved_.ops()[generator].node);
    return IsFixedGenerator(id) || id == OpId::kFillLike;
  }

  // A getitem is part of the operator in front, and none of its own.
  int32_t ProducerOf(int32_t value) const {
    int32_t producer = graph_.producer(value);
    if (producer >= 0 && resolved_.op_of_node(producer) < 0 && graph_.op(producer) == OpId::kGetItem &&
        graph_.num_inputs(producer) > 0 && graph_.input(producer, 0) >= 0) {
      producer = graph_.producer(graph_.input(producer, 0));
    }
    return producer < 0 ? -1 : resolved_.op_of_node(producer);
  }

  bool MakesTuple(int32_t op) const {
    const int32_t node = resolved_.ops()[op].node;
    const int32_t result = graph_.num_outputs(node) == 1 ? graph_.output(node, 0) : -1;
    return result >= 0 && !graph_.uses(result).empty() && graph_.op(graph_.uses(result)[0].node) == OpId::kGetItem;
  }

  bool IsInside(int32_t op) const { return IsDelegated(result_.ops[op]) || IsGenerator(op); }

  void Link(int32_t op) {
    const int32_t node = resolved_.ops()[op].node;
    for (int k = 0; k < graph_.num_inputs(node); ++k) {
      const int32_t read = FoldedTensor(graph_, resolved_, graph_.input(node, k));
      const int32_t value = read < 0 ? -1 : passed_[read];
      if (value < 0 || graph_.is_constant(value)) continue;
      const int32_t from = ProducerOf(value);
      if (from >= 0) readers_[from].push_back(op);
      // It is behind what it has its shape from, and takes nothing from it.
      if (IsGenerator(op)) continue;
      if (graph_.is_graph_input(value) && graph_.dtype(value) == v1::DATA_TYPE_INT64) casts_[value].push_back(op);
      // Of the model, from the CPU, or from somewhere that is not known.
      has_input_[op] = has_input_[op] || from < 0 || !IsInside(from);
    }
  }

  const Graph& graph_;
  const ResolvedGraph& resolved_;
  const ModuleResult& result_;
  const std::vector<int32_t> passed_;
  std::vector<std::vector<int32_t>> readers_;  // by operator
  std::vector<bool> has_input_;
  std::map<int32_t, std::vector<int32_t>> casts_;  // by value: readers of it
};

// For its numbers. What a body reads comes from the graph around it.
bool ReadsAnInput(const CheckContext& context) {
  const Graph& graph = context.graph();
  if (context.is_body()) return true;
  return absl::c_any_of(graph.message().inputs(), [&graph](int32_t id) {
    const auto reads = [&graph](const Use& use) { return !MakesConstant(graph, use.node); };
    return graph.is_read_in_body(id - 1) || absl::c_any_of(graph.uses(id - 1), reads);
  });
}

// And the same ones wherever it is put: derived scales are those of one node.
bool IsSpecOfSeveralScales(const CheckContext& context, const Operand& constant) {
  if (constant.spec < 0 || constant.form < 0) return false;
  const v1::Spec& spec = context.graph().message().specs(constant.spec);
  if (spec.kind() == v1::Spec::DERIVED) return false;
  const bool one = spec.qscheme() == v1::Spec::PER_TENSOR_AFFINE || spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC ||
                   spec.qscheme() == v1::Spec::Q_SCHEME_UNSPECIFIED;
  return !one || spec.block_size_size() > 0;
}

bool HasSeveralScales(const QuantParams* params) { return params != nullptr && !params->axes.empty(); }

void CheckWeights(const CheckContext& context, const Delegates& delegates, FindingSink& sink, ModuleResult& result) {
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  // By constant and what it is quantized to: otherwise it is another constant.
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int> delegate_of;
  for (size_t i = 0; i < ops.size(); ++i) {
    const int delegate = delegates.Of(static_cast<int32_t>(i));
    if (delegate < 0) continue;
    for (const Operand& input : context.resolved().inputs(ops[i])) {
      if (!input.quantized || !input.is_static) continue;
      // What a converted graph stores is quantized once, whoever reads it.
      const bool stored = input.quantizer >= 0;
      if (stored ? !HasSeveralScales(context.resolved().qparams(input)) : !IsSpecOfSeveralScales(context, input))
        continue;
      const std::pair<int32_t, int32_t> constant(stored ? StoredValue(context.graph(), input) : input.edge_value,
                                                 stored ? Operand::kNoForm : input.form);
      const int first = delegate_of.try_emplace(constant, delegate).first->second;
      if (first == delegate) continue;
      Place place;
      place.node = ops[i].node;
      place.input = input.argument;
      place.value = input.value;
      sink.Add(kWeightOfTwoDelegates, place, "is read by another delegate as well",
               "ExecuTorch 1.5.1 needs what has several scales to be of one delegate", OfTheRuns());
      result.ops[i].ends_export = true;
    }
  }
}

}  // namespace

std::vector<int> DelegateOfEach(const CheckContext& context, const ModuleResult& result) {
  if (absl::c_none_of(result.ops, [](const ModuleResult::OpOutcome& op) { return op.refused; })) return {};
  Delegates delegates(result.ops.size());
  Program(context, result).Partition(delegates);
  std::vector<int> of_each(result.ops.size());
  std::iota(of_each.begin(), of_each.end(), 0);
  if (delegates.full()) return of_each;
  for (size_t i = 0; i < of_each.size(); ++i) of_each[i] = delegates.Of(static_cast<int32_t>(i));
  return of_each;
}

void CheckDelegates(const CheckContext& context, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  const bool is_cut = absl::c_any_of(result.ops, [](const ModuleResult::OpOutcome& op) { return op.refused; });
  if (!is_cut && ReadsAnInput(context) && context.Once(LostWritesOf).tensors().empty()) return;
  Delegates delegates(result.ops.size());
  Program(context, result).Partition(delegates);
  if (delegates.full()) {
    sink.NotChecked(&kDelegateWithoutInput, -1, absl::StrCat("the graph has ", kMostDelegates, " delegates or more"));
    return;
  }
  const absl::Span<const ResolvedOp> ops = resolved.ops();
  std::vector<bool> is_alone(ops.size(), false);
  for (int delegate = 0; delegate < delegates.count(); ++delegate) {
    const int32_t first = delegates.First(delegate);
    if (first < 0 || delegates.HasInput(delegate)) continue;
    // What makes a constant is folded where nothing is refused.
    is_alone[first] = is_cut || IsDelegated(result.ops[first]);
  }
  PreparedConstants constants(graph, resolved, result);
  for (size_t i = 0; i < ops.size(); ++i) {
    const auto op = static_cast<int32_t>(i);
    const int32_t node = ops[i].node;
    const bool has_mask = result.ops[i].refused && HasOwnMask(graph, node);
    const bool has_indices = result.ops[i].refused && HasOwnIndices(graph, node);
    const int joined = result.ops[i].refused ? delegates.Choice({&op, 1}) : 0;
    const bool has_input = joined < delegates.count() && delegates.HasInput(joined);
    // Where all is float the selection by the mask is delegated, and joined with all that is left.
    const bool selects_floats = has_mask && SelectsFloats(context, ops[i]);
    const bool left_behind =
        result.ops[i].refused && (selects_floats || HasOwnWeight(graph, node) ||
                                  (!has_input && (has_mask || has_indices ||
                                                  (!HasDelegatedCast(graph, node) && constants.IsLeftBehindBy(node)))));
    if (!is_alone[i] && !left_behind) continue;
    Place place;
    place.node = node;
    sink.Add(kDelegateWithoutInput, place,
             is_alone[i]   ? "the delegate that begins here computes from constants alone"
             : has_mask    ? "what computes its mask is a delegate of its own"
             : has_indices ? "what computes its indices is a delegate of its own"
                           : "what brings its constant to the type or rank of the result is a delegate of its own",
             "ExecuTorch 1.5.1 needs an input for each", OfTheRuns());
    result.ops[i].ends_export = true;
  }
  CheckWeights(context, delegates, sink, result);
}

}  // namespace quantgate::qnn_htp
