#include "rules/backends/folding.h"

#include <initializer_list>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/backends/in_place.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/sharing/annotations.h"

namespace quantgate {
namespace {

// What needs an input's shape alone.
bool IsShapeQuery(OpId id) { return id == OpId::kShape || id == OpId::kSize || id == OpId::kFillLike; }

// Same inputs, other outputs: nothing to fold.
bool IsRandom(OpId id) {
  return id == OpId::kRandom || id == OpId::kRandomLike || id == OpId::kBernoulli || id == OpId::kMultinomial;
}

// Whether an operator of a known kind computes the same from the same numbers.
bool IsDeterministic(const Graph& graph, int32_t node) {
  const OpId id = graph.op(node);
  return id != OpId::kUnknown && id != OpId::kOpaque && id != OpId::kPlaceholder && !IsRandom(id) &&
         (graph.binding(node)->op->traits & kControlFlow) == 0;
}

// ONNX Runtime moves a Transpose in front of the Dequantize, and into the constant there.
bool TurnsConstant(const Graph& graph, const std::vector<bool>& folded, int32_t node) {
  if (graph.op(node) != OpId::kTranspose || graph.num_inputs(node) == 0 || graph.input(node, 0) < 0) return false;
  const int32_t dequantize = graph.producer(graph.input(node, 0));
  const int32_t stored = IsDequantize(graph, dequantize) ? QuantizerInputsOf(graph, dequantize).data : -1;
  return stored >= 0 && folded[stored];
}

bool Computable(const Graph& graph, const std::vector<bool>& folded, Generators generators, Dequantizers dequantizers,
                int32_t node) {
  if (!IsDeterministic(graph, node)) return false;
  const OpId id = graph.op(node);
  if (dequantizers == Dequantizers::kKept && id == OpId::kDequantize) return false;
  if (dequantizers == Dequantizers::kKept && TurnsConstant(graph, folded, node)) return true;
  if (generators == Generators::kKept && (id == OpId::kFillLike || IsFixedGenerator(id))) return false;
  if (IsShapeQuery(id)) {
    return graph.num_inputs(node) > 0 && graph.input(node, 0) >= 0 && graph.has_known_shape(graph.input(node, 0)) &&
           !WritesIntoSelection(graph, node);
  }
  // ExecuTorch lifts what a generator makes into a constant and emits the rest, attention masks and all.
  if (graph.origin() == v1::Graph::PT2E) return IsFixedGenerator(id) && !ComparesArange(id);
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value >= 0 && !folded[value]) return false;
  }
  return true;
}

// Which observers become Quantize operators: those that make integers of a float tensor.
class Quantizing {
 public:
  explicit Quantizing(const Graph& graph) : graph_(graph) {}

  bool operator()(int32_t spec, SpecPlace place) {
    if (!graph_.is_observed(spec) || !IsFloat(graph_.dtype(place.value))) return false;
    if (graph_.spec_kind(spec) == v1::Spec::SHARED) spec = Behind(place);
    return spec >= 0 && IsInteger(graph_.message().specs(spec).dtype());
  }

 private:
  int32_t Behind(SpecPlace place) {
    if (!annotations_.has_value()) annotations_.emplace(graph_);
    const std::optional<SpecResolution> found = annotations_->Resolve(place);
    return found ? found->spec : -1;
  }

  const Graph& graph_;
  std::optional<Annotations> annotations_;  // made for the first shared spec
};

// torchao runs any operator that is not marked as random; of those that no table has, names tell.
bool RunsWhenConverted(const Graph& graph, int32_t node) {
  if (graph.op(node) != OpId::kUnknown) return IsDeterministic(graph, node) && !ComparesArange(graph.op(node));
  const absl::string_view name = graph.op_type(node);
  const auto is_in_name = [name](absl::string_view word) { return absl::StrContains(name, word); };
  return absl::StartsWith(name, "aten.") &&
         absl::c_none_of(std::initializer_list<absl::string_view>{"rand", "normal", "bernoulli", "dropout"},
                         is_in_name);
}

// Marks what convert_pt2e computes: all that leads from constants to Quantize operators, and to nothing else. What
// makes a tensor of no other (arange, full) it leaves alone, with all that is computed from it. An observer on the way
// ends it, because torchao leaves the Dequantize operator behind it in the graph.
void FoldIntoQuantized(const Graph& graph, std::vector<bool>& folded) {
  std::vector<bool> computable(graph.num_nodes());
  std::vector<bool> made(graph.num_nodes());  // of nothing, or computed from what is
  for (int32_t node : graph.static_nodes()) {
    bool plain = RunsWhenConverted(graph, node);
    made[node] = graph.num_inputs(node) == 0;
    for (int i = 0; plain && i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0) continue;
      plain = !graph.is_observed(graph.edge_spec(node, i)) && !graph.is_observed(graph.value_spec(value)) &&
              (graph.producer(value) < 0 || computable[graph.producer(value)]);
      made[node] = made[node] || (graph.producer(value) >= 0 && made[graph.producer(value)]);
    }
    computable[node] = plain;
  }
  Quantizing is_quantizing(graph);
  // What nobody reads is gone, whatever makes it.
  const auto quantized = [&](int32_t value) {
    const bool is_made = made[graph.producer(value)];
    if (!is_made && is_quantizing(graph.value_spec(value), {value, -1})) return true;
    return !graph.is_graph_output(value) && absl::c_all_of(graph.uses(value), [&](const Use& use) {
      return (!is_made && is_quantizing(graph.edge_spec(use.node, use.input), {value, use.node})) ||
             IsFolded(graph, folded, use.node);
    });
  };
  const absl::Span<const int32_t> nodes = graph.static_nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    bool all = computable[*node];
    for (int i = 0; all && i < graph.num_outputs(*node); ++i) {
      all = graph.output(*node, i) < 0 || quantized(graph.output(*node, i));
    }
    for (int i = 0; all && i < graph.num_outputs(*node); ++i) {
      if (graph.output(*node, i) >= 0) folded[graph.output(*node, i)] = true;
    }
  }
}

// Of all others ExecuTorch folds nodes of these kinds alone, and most models have none.
bool MayFoldNodes(const Graph& graph) {
  return absl::c_any_of(graph.unlike_nodes(), [&graph](int32_t node) {
    return IsShapeQuery(graph.op(node)) || IsFixedGenerator(graph.op(node));
  });
}

std::vector<bool> FoldedOf(const CheckContext& context) { return FoldedValues(context.graph()); }

}  // namespace

bool ComparesArange(OpId id) { return id == OpId::kEye || id == OpId::kLinspace; }

std::vector<bool> FoldedValues(const Graph& graph, Generators generators, Dequantizers dequantizers) {
  std::vector<bool> folded(graph.num_values());
  // A QNN graph is what the toolchain has left: the library takes its nodes as they are.
  if (graph.origin() == v1::Graph::QNN) return folded;
  if (graph.origin() == v1::Graph::PT2E) {
    for (const Graph::ConstantRecord& constant : graph.constants()) {
      folded[constant.value] = !graph.is_graph_input(constant.value);
    }
    if (graph.message().stage() != v1::STAGE_CONVERTED) FoldIntoQuantized(graph, folded);
    if (!MayFoldNodes(graph)) return folded;
  } else {
    for (int32_t value = 0; value < graph.num_values(); ++value) {
      const bool given = dequantizers == Dequantizers::kKept ? graph.is_constant(value) : graph.is_static(value);
      folded[value] = given && !graph.is_graph_input(value);
    }
  }
  const size_t ordered = graph.order().size() - graph.num_cyclic();
  for (int32_t node : graph.order().subspan(0, ordered)) {
    if (!Computable(graph, folded, generators, dequantizers, node)) continue;
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) folded[graph.output(node, i)] = true;
    }
  }
  return folded;
}

bool IsComputedByConvert(const CheckContext& context, const Operand& operand) {
  return context.graph().origin() == v1::Graph::PT2E && operand.quantized && operand.static_chain &&
         !operand.is_static && operand.edge_value >= 0 && context.Once(FoldedOf)[operand.edge_value];
}

bool IsFolded(const Graph& graph, const std::vector<bool>& folded, int32_t node) {
  bool any = false;
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    const int32_t value = graph.output(node, i);
    if (value < 0) continue;
    if (!folded[value]) return false;
    any = true;
  }
  return any;
}

}  // namespace quantgate
