#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "GS017",
    "lost-assignment",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An exported program assigns to a part of a tensor by an operator that writes into a view of it. Where the tensor "
    "or "
    "the view is quantized, convert_pt2e puts a Quantize and a Dequantize there, and what comes out of them is another "
    "tensor: the assignment goes to that one, and whoever reads the first tensor never sees it. Nothing fails.",
    "Say it without writing in place: torch.cat of slices, torch.where with a mask, or torch.select_scatter and "
    "torch.slice_scatter; or annotate neither the tensor nor its views.",
    "y = x * 2; y[:, 0] = z; return y fires it where y is quantized: copy_ writes into select(y), and y is returned. "
    "The same with y left float, or y.add_(1), whose result is what is read later, does not.",
};

// Operators whose result is memory of their first input; those that may copy instead are none.
constexpr absl::string_view kViews[] = {
    "aten.alias.default",     "aten.detach.default",  "aten.diagonal.default", "aten.expand.default",
    "aten.movedim.int",       "aten.narrow.default",  "aten.permute.default",  "aten.select.int",
    "aten.slice.Tensor",      "aten.squeeze.default", "aten.squeeze.dim",      "aten.squeeze.dims",
    "aten.swapaxes.default",  "aten.t.default",       "aten.transpose.int",    "aten.unflatten.int",
    "aten.unsqueeze.default", "aten.view.default",    "aten.chunk.default",    "aten.split.Tensor",
    "aten.unbind.int",        "aten.view_as.default", "aten.split.sizes",      "aten.split_with_sizes.default",
};

bool IsAlias(const Graph& graph, int32_t node) {
  return graph.op(node) == OpId::kGetItem || absl::c_linear_search(kViews, graph.op_type(node)) ||
         WritesInPlace(graph, node);
}

// What the walk to the tensor goes on at: views, and the Dequantize that makes a copy of it.
bool IsPassed(const Graph& graph, int32_t node) { return IsAlias(graph, node) || IsDequantize(graph, node); }

// An observer stands behind the value. What convert_pt2e makes of it is one tensor for all readers without a spec of
// their own, and one for each of the others.
bool IsObserved(const Graph& graph, int32_t value) {
  const int32_t spec = graph.value_spec(value);
  return spec >= 0 && graph.spec_kind(spec) != v1::Spec::EXPLICIT_NONE && !IsFloat(graph.message().specs(spec).dtype());
}

// By value: the last node that reads it, through a Quantize and Dequantize or as it is; num_nodes(): whoever called the
// model; -1: none.
struct LastReaders {
  std::vector<int32_t> any;
  // A copy of it that is the reader's own, made where the value is.
  std::vector<int32_t> of_copy;
};

// Who reads what the node reads first: of a view, whoever reads that; of what only writes, nobody.
int32_t ReaderOfFirst(const Graph& graph, int32_t node, const LastReaders& last) {
  const int32_t result = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  // The parts of a tuple are none of its readers here.
  if (result < 0 || graph.rank(result) < 0 || !IsPassed(graph, node)) return node;
  return WritesInPlace(graph, node) && last.any[result] >= 0 ? node : last.any[result];
}

LastReaders FindLastReaders(const CheckContext& context) {
  const Graph& graph = context.graph();
  LastReaders last{std::vector<int32_t>(graph.num_values(), -1), std::vector<int32_t>(graph.num_values(), -1)};
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.is_graph_output(value)) last.any[value] = graph.num_nodes();
  }
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const absl::Span<const Operand> inputs = context.resolved().inputs(*op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int32_t value = inputs[i].value;
      if (value < 0) continue;
      const int32_t reader = i == 0 ? ReaderOfFirst(graph, op->node, last) : op->node;
      last.any[value] = std::max(last.any[value], reader);
      if (inputs[i].quantized) last.of_copy[value] = std::max(last.of_copy[value], reader);
    }
  }
  return last;
}

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
    return {inputs[0].value, inputs[0].quantized};
  }
  return {graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1, false};
}

// The tensor that the node writes for, which somebody reads after it, where a copy parts what is written from what is
// read; -1: none.
int32_t LosesWriteTo(const CheckContext& context, const LastReaders& last_readers, int32_t node) {
  constexpr int kLongestChain = 64;
  const Graph& graph = context.graph();
  bool is_copy = false;
  int32_t alias = node;
  for (int step = 0; step < kLongestChain; ++step) {
    const Read read = FirstOf(context, alias);
    if (read.value < 0) return -1;
    // prepare_pt2e puts no observer in front of what writes into a buffer.
    is_copy = is_copy || (read.is_copy && (step > 0 || !IsWrittenBuffer(graph, node, 0)));
    if ((is_copy ? last_readers.any : last_readers.of_copy)[read.value] > node) return read.value;
    // Somebody sees what is written.
    if (last_readers.any[read.value] > node) return -1;
    is_copy = is_copy || IsObserved(graph, read.value);
    alias = graph.producer(read.value);
    if (alias < 0 || !IsPassed(graph, alias)) return -1;
  }
  return -1;
}

// y[i] += z writes into a view, and then the result into y.
bool IsWrittenAgain(const Graph& graph, int32_t node) {
  const int32_t result = graph.num_outputs(node) == 1 ? graph.output(node, 0) : -1;
  return result >= 0 && absl::c_any_of(graph.uses(result), [&graph](const Use& use) {
           return use.input == 1 && graph.op_type(use.node) == "aten.copy_.default";
         });
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  if (absl::c_none_of(graph.unlike_nodes(), [&graph](int32_t node) { return WritesInPlace(graph, node); })) return;
  const LastReaders last_readers = FindLastReaders(context);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.num_inputs(node) == 0 || !WritesInPlace(graph, node) || IsWrittenAgain(graph, node)) continue;
    const int32_t value = LosesWriteTo(context, last_readers, node);
    if (value < 0) continue;
    Place place;
    place.node = node;
    place.input = 0;
    place.value = graph.input(node, 0);
    sink.Add(kInfo, place,
             absl::StrCat("what it writes never reaches '", graph.value(value).name(),
                          "', which is read later: quantization puts a copy in between"),
             "an assignment that later readers see");
  }
}

}  // namespace

Rule LostAssignment() { return {&kInfo, &Check}; }

}  // namespace quantgate
