#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kConstantQParams = {
    "GS005",
    "constant-qparams",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A scale or zero point that is only known at run time cannot be compiled into an integer kernel. Dynamic "
    "quantization is another thing: there a DynamicQuantizeLinear, or choose_qparams, computes both from the data, or "
    "nodes that look for its largest and least element do.",
    "Store the scale and zero point as constants, or use dynamic quantization.",
    "DequantizeLinear with a scale from a Mul node fires it, and so does one in a body with a scale that is an input "
    "of the model; with an initializer it does not.",
};

// Whether a node computes scale and zero point from the data, as dynamic quantization does.
bool IsDynamic(const Graph& graph, int32_t producer) {
  if (graph.op(producer) == OpId::kDynamicQuantize || graph.op(producer) == OpId::kChooseQParams) return true;
  // torch.fx: both are taken from the tuple that choose_qparams returns.
  const int32_t tuple =
      graph.op(producer) == OpId::kGetItem && graph.num_inputs(producer) > 0 ? graph.input(producer, 0) : -1;
  return tuple >= 0 && graph.producer(tuple) >= 0 && graph.op(graph.producer(tuple)) == OpId::kChooseQParams;
}

// Whether it multiplies such a scale, as that of an accumulator is made: DynamicQuantizeLinear gives it for the data.
bool IsDynamicProduct(const Graph& graph, int32_t producer) {
  if (graph.op(producer) != OpId::kMul || graph.num_inputs(producer) != 2) return false;
  bool dynamic = false;
  for (int i : {0, 1}) {
    const int32_t factor = graph.input(producer, i);
    if (factor < 0) return false;
    const int32_t origin = graph.producer(factor);
    if (origin >= 0 && IsDynamic(graph, origin)) {
      dynamic = true;
    } else if (!graph.is_constant(factor)) {
      return false;
    }
  }
  return dynamic;
}

// Tensors of whose largest or least element, or largest magnitude, a value is computed.
absl::flat_hash_set<int32_t> RangesIn(const Graph& graph, int32_t value) {
  constexpr size_t kMaxNodes = 32;
  int inputs_left = 256;
  absl::flat_hash_set<int32_t> found;
  std::vector<int32_t> from = {value};
  for (size_t i = 0; i < from.size() && i < kMaxNodes; ++i) {
    const int32_t producer = graph.producer(from[i]);
    if (producer < 0) continue;
    const OpId op = graph.op(producer);
    if (op == OpId::kReduceMax || op == OpId::kReduceMin) {
      const int32_t of = graph.num_inputs(producer) > 0 ? graph.input(producer, 0) : -1;
      const int32_t behind = of < 0 ? -1 : graph.producer(of);
      const bool is_magnitude = behind >= 0 && graph.op(behind) == OpId::kAbs && graph.num_inputs(behind) > 0;
      if (of >= 0) found.insert(is_magnitude ? graph.input(behind, 0) : of);
      continue;
    }
    for (int j = 0; j < graph.num_inputs(producer) && from.size() < kMaxNodes && inputs_left-- > 0; ++j) {
      if (graph.input(producer, j) >= 0) from.push_back(graph.input(producer, j));
    }
  }
  return found;
}

constexpr int kMaxCopies = 16;

// The node that computes a value, behind copies, casts and fills, which are as good as the constants that they are of;
// -1: there is none.
int32_t ComputedBy(const Graph& graph, int32_t value) {
  for (int hops = 0; value >= 0 && !graph.is_constant(value); ++hops) {
    const int32_t producer = graph.producer(value);
    if (hops == kMaxCopies || producer < 0 || !graph.is_static(value)) return producer;
    const OpId op = graph.op(producer);
    if (op == OpId::kFill) return -1;
    const bool copies = graph.binding(producer) != nullptr && (graph.binding(producer)->op->traits & kMovesData) != 0;
    if (!copies && !IsCast(op)) return producer;
    value = graph.num_inputs(producer) > 0 ? graph.input(producer, 0) : -1;
  }
  return -1;
}

// Looks at the arguments of nodes that are scales and zero points.
class Arguments {
 public:
  Arguments(const CheckContext& context, FindingSink& sink) : context_(context), sink_(sink) {}

  void Check(int32_t node) {
    const Graph& graph = context_.graph();
    const Binding* binding = graph.binding(node);
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      const ArgRole role = ArgumentAt(*binding, graph.argument(node, i)).role;
      if (value < 0 || (role != ArgRole::kScale && role != ArgRole::kZeroPoint)) continue;
      const std::string source = MadeAtRunTime(value);
      if (source.empty()) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      const char* what = role == ArgRole::kScale ? "the scale is " : "the zero point is ";
      sink_.Add(kConstantQParams, place, absl::StrCat(what, source), "a constant");
    }
  }

 private:
  // What a value is that is known at run time only; empty: it is another one, or defined nowhere, which is another
  // finding. A body may take it from a graph around it.
  std::string MadeAtRunTime(int32_t value) {
    const CheckContext* of = &context_;
    while (of->graph().value(value).captured() > 0) {
      value = of->graph().value(value).captured() - 1;
      of = of->around();
      if (of == nullptr) return "";
    }
    const Graph& graph = of->graph();
    const int32_t producer = graph.producer(value);
    // A constant that is also a graph input has a default that a caller may override: still a constant of the file.
    if (graph.is_constant(value)) return "";
    if (producer < 0) return graph.is_graph_input(value) ? "a graph input" : "";
    if (IsDynamic(graph, producer) || IsDynamicProduct(graph, producer)) return "";
    const int32_t computed = ComputedBy(graph, value);
    if (computed < 0 || IsByHand(graph, value)) return "";
    return absl::StrCat("computed by ", graph.op_type(computed), " node '", NodeName(graph, computed), "'");
  }

  // Dynamic quantization written out, as before there was an operator for it: a Quantize reads a number that is made of
  // the range of what it quantizes. Of a graph around a body the Quantize is not seen.
  bool IsByHand(const Graph& graph, int32_t value) {
    const auto [seen, is_new] = by_hand_.try_emplace({&graph, value}, false);
    if (!is_new) return seen->second;
    const absl::flat_hash_set<int32_t> ranges = RangesIn(graph, value);
    const auto quantizes = [&](const Use& use) {
      return IsQuantize(graph, use.node) && ranges.contains(QuantizerInputsOf(graph, use.node).data);
    };
    return seen->second =
               !ranges.empty() && (&graph != &context_.graph() || absl::c_any_of(graph.uses(value), quantizes));
  }

  const CheckContext& context_;
  FindingSink& sink_;
  absl::flat_hash_map<std::pair<const Graph*, int32_t>, bool> by_hand_;
};

void CheckConstantQParams(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  Arguments arguments(context, sink);
  for (int32_t node : graph.quantizers()) arguments.Check(node);
  for (int32_t node : graph.integer_nodes()) arguments.Check(node);
}

}  // namespace

Rule ConstantQParams() { return {&kConstantQParams, &CheckConstantQParams}; }

}  // namespace quantgate
