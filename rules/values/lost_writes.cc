#include "rules/values/lost_writes.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/written_buffer.h"
#include "rules/values/views.h"

namespace quantgate {
namespace {

// What the walk to the tensor goes on at: its views, what has written them, and the Dequantize that makes a copy.
bool IsPassed(const Graph& graph, int32_t node) {
  return IsView(graph, node) || WritesInPlace(graph, node) || IsDequantize(graph, node);
}

// Of its first argument the shape counts, and none of the numbers.
bool ReadsShapeAlone(const Graph& graph, int32_t node) {
  const OpId id = graph.op(node);
  return id == OpId::kShape || id == OpId::kSize || id == OpId::kFillLike || id == OpId::kCopy ||
         graph.op_type(node) == "aten.zero_.default" || graph.op_type(node) == "aten.fill_.Tensor";
}

// An observer stands behind the value. What convert_pt2e makes of it is one tensor for all readers without a spec, of
// their inputs or of what they compute, and one for each of the others.
bool IsObserved(const Graph& graph, int32_t value) {
  const int32_t spec = graph.value_spec(value);
  return graph.is_observed(spec) && !IsFloat(graph.message().specs(spec).dtype());
}

// torchao's DuplicateDQPass copies the Dequantize for every user whose annotation says anything at all.
bool HasSpec(const Graph& graph, int32_t node) {
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    if (graph.output(node, i) >= 0 && graph.value_spec(graph.output(node, i)) >= 0) return true;
  }
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    if (graph.edge_spec(node, i) >= 0) return true;
  }
  return false;
}

// Whether the node reads a copy of its own. prepare_pt2e puts no observer in front of what writes into a buffer.
bool ReadsCopy(const CheckContext& context, int32_t node, const Operand& operand) {
  const Graph& graph = context.graph();
  if (IsWrittenBuffer(graph, node, operand.argument)) return false;
  if (operand.quantized) return true;
  return IsAnnotation(context) && operand.value >= 0 && IsObserved(graph, operand.value) && HasSpec(graph, node);
}

// By value: the last node that reads it, through a Quantize and Dequantize or as it is; num_nodes(): whoever called the
// model, or its next call; -1: none.
struct LastReaders {
  std::vector<int32_t> any;
  // A copy of it that is the reader's own, made where the value is.
  std::vector<int32_t> of_copy;
  // The last copy_ of it into another tensor.
  std::vector<int32_t> copies;
};

// Who reads what the node reads first: of a view, whoever reads that; of what only writes, nobody.
int32_t ReaderOfFirst(const Graph& graph, int32_t node, const LastReaders& last) {
  if (ReadsShapeAlone(graph, node)) return -1;
  const int32_t result = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  // The parts of a tuple are none of its readers here.
  if (result < 0 || graph.rank(result) < 0 || !IsPassed(graph, node)) return node;
  return WritesInPlace(graph, node) && last.any[result] >= 0 ? node : last.any[result];
}

// By value: torchao's ConstantFolder (0.18.0, constant_fold.py) computes nothing of it beforehand, so that what is
// quantized of it is quantized anew at every call. It looks for copy_ and put_ in an operator's name, index_put_ and
// index_copy_ among them, and leaves alone all that leads to the tensor that they write, unless an input of the model
// does too.
std::vector<bool> KeptByFolder(const Graph& graph) {
  std::vector<bool> kept(graph.num_values(), false);
  std::vector<bool> needs_input(graph.num_values(), false);
  for (int32_t value = 0; value < graph.num_values(); ++value) needs_input[value] = graph.is_graph_input(value);
  for (int32_t node : graph.order()) {
    bool any = false;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      any |= graph.input(node, i) >= 0 && needs_input[graph.input(node, i)];
    }
    for (int i = 0; any && i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) needs_input[graph.output(node, i)] = true;
    }
  }
  std::vector<int32_t> open;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const absl::string_view name = graph.op_type(node);
    if (!absl::StrContains(name, "copy_") && !absl::StrContains(name, "put_")) continue;
    if (graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0) open.push_back(graph.input(node, 0));
  }
  while (!open.empty()) {
    const int32_t value = open.back();
    open.pop_back();
    if (kept[value] || needs_input[value]) continue;
    kept[value] = true;
    const int32_t producer = graph.producer(value);
    for (int i = 0; producer >= 0 && i < graph.num_inputs(producer); ++i) {
      if (graph.input(producer, i) >= 0) open.push_back(graph.input(producer, i));
    }
  }
  return kept;
}

LastReaders FindLastReaders(const CheckContext& context) {
  const Graph& graph = context.graph();
  const std::vector<int32_t> none(graph.num_values(), -1);
  LastReaders last{none, none, none};
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.is_graph_output(value) || graph.is_constant(value)) last.any[value] = graph.num_nodes();
  }
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    for (const Operand& input : context.resolved().inputs(*op)) {
      const int32_t value = input.value;
      if (value < 0) continue;
      const bool is_first = input.argument == 0;
      const int32_t reader = is_first ? ReaderOfFirst(graph, op->node, last) : op->node;
      last.any[value] = std::max(last.any[value], reader);
      if (ReadsCopy(context, op->node, input)) last.of_copy[value] = std::max(last.of_copy[value], reader);
      if (!is_first && graph.op(op->node) == OpId::kCopy) last.copies[value] = std::max(last.copies[value], op->node);
    }
  }
  // convert_pt2e computes what it quantizes of most buffers, and every later call reads that. What it left, it left.
  const std::vector<bool> kept =
      context.stage() == v1::STAGE_CONVERTED ? std::vector<bool>(graph.num_values(), true) : KeptByFolder(graph);
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.is_constant(value) && !kept[value] && last.of_copy[value] >= 0) last.of_copy[value] = graph.num_nodes();
  }
  return last;
}

constexpr int kLongestChain = 64;  // of views

// What the node reads first, without the Quantize and Dequantize in between.
struct Read {
  int32_t value = -1;
  bool is_copy = false;
};

Read FirstOf(const CheckContext& context, int32_t node) {
  const Graph& graph = context.graph();
  const int32_t op = context.resolved().op_of_node(node);
  if (op >= 0) {
    const absl::Span<const Operand> inputs = context.resolved().inputs(context.resolved().ops()[op]);
    if (inputs.empty() || inputs[0].value < 0) return {};
    return {inputs[0].value, ReadsCopy(context, node, inputs[0])};
  }
  return {graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1, false};
}

// What the node writes for, a tensor that somebody reads after it, where a copy parts what is written from what is
// read.
struct Loss {
  int32_t tensor = -1;      // -1: none
  bool is_of_copy = false;  // that is written: the tensor itself stays as it is
};

Loss LossOf(const CheckContext& context, const LastReaders& last_readers, int32_t node) {
  const Graph& graph = context.graph();
  bool is_copy = false;
  int32_t alias = node;
  for (int step = 0; step < kLongestChain; ++step) {
    const Read read = FirstOf(context, alias);
    if (read.value < 0) return {};
    is_copy = is_copy || read.is_copy;
    if ((is_copy ? last_readers.any : last_readers.of_copy)[read.value] > node) return {read.value, is_copy};
    // Somebody sees what is written.
    if (last_readers.any[read.value] > node) return {};
    is_copy = is_copy || IsObserved(graph, read.value);
    alias = graph.producer(read.value);
    if (alias < 0 || !IsPassed(graph, alias)) return {};
  }
  return {};
}

// Whether the result is written into the tensor afterwards, which is judged there: y[i] += z is an add_ into a view of
// y, and a copy_ of what it gives into another one.
bool IsWrittenAgain(const CheckContext& context, const LastReaders& last_readers, int32_t node, int32_t tensor) {
  const Graph& graph = context.graph();
  const int32_t result = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  int32_t alias = result < 0 ? -1 : last_readers.copies[result];
  for (int step = 0; step < kLongestChain && alias >= 0 && IsPassed(graph, alias); ++step) {
    const Read read = FirstOf(context, alias);
    if (read.value == tensor) return true;
    alias = read.value < 0 ? -1 : graph.producer(read.value);
  }
  return false;
}

// Nobody reads what it computes but nodes that are for nothing themselves.
bool IsReadForNothing(const Graph& graph, int32_t node, const std::vector<bool>& for_nothing) {
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    const int32_t output = graph.output(node, i);
    if (output < 0) continue;
    if (graph.is_graph_output(output)) return false;
    if (!absl::c_all_of(graph.uses(output), [&](const Use& use) { return for_nothing[use.node]; })) return false;
  }
  return true;
}

bool IsRead(const Graph& graph, int32_t node) {
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    if (graph.output(node, i) >= 0 && !graph.uses(graph.output(node, i)).empty()) return true;
  }
  return false;
}

}  // namespace

LostWrites::LostWrites(const CheckContext& context) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  if (absl::c_none_of(graph.unlike_nodes(), [&graph](int32_t node) { return Assigns(graph, node); })) return;
  const LastReaders last_readers = FindLastReaders(context);
  std::vector<bool> without_effect(graph.num_nodes(), false);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (!Assigns(graph, node)) continue;
    const Loss loss = LossOf(context, last_readers, node);
    if (loss.tensor < 0 || IsWrittenAgain(context, last_readers, node, loss.tensor)) continue;
    tensors_.emplace_back(node, loss.tensor);
    // A buffer of the model is written all the same, though this call reads it as it was.
    without_effect[node] = loss.is_of_copy || !graph.is_constant(loss.tensor);
  }
  if (tensors_.empty()) return;
  for_nothing_.assign(graph.num_nodes(), false);
  for (int32_t node = graph.num_nodes(); node-- > 0;) {
    // Another one that writes in place is seen, and what nobody reads has an effect that is not known.
    if (!without_effect[node] && (WritesInPlace(graph, node) || !IsRead(graph, node))) continue;
    for_nothing_[node] = IsReadForNothing(graph, node, for_nothing_);
  }
}

LostWrites LostWritesOf(const CheckContext& context) { return LostWrites(context); }

}  // namespace quantgate
