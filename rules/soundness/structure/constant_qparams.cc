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
    "quantization is another thing: there a DynamicQuantizeLinear, or choose_qparams, computes both from the data.",
    "Store the scale and zero point as constants, or use dynamic quantization.",
    "DequantizeLinear with a scale from a Mul node fires it; with an initializer it does not.",
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

// Every argument that is a scale or a zero point.
void CheckNode(const Graph& graph, int32_t node, FindingSink& sink) {
  const Binding* binding = graph.binding(node);
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    const ArgRole role = ArgumentAt(*binding, graph.argument(node, i)).role;
    if (value < 0 || (role != ArgRole::kScale && role != ArgRole::kZeroPoint)) continue;
    const int32_t producer = graph.producer(value);
    // A constant that is also a graph input has a default that a caller may override: still a constant of the file.
    if (graph.is_constant(value) || graph.value(value).captured() > 0) continue;
    if (producer >= 0 && (IsDynamic(graph, producer) || IsDynamicProduct(graph, producer))) continue;
    if (producer < 0 && !graph.is_graph_input(value)) continue;  // defined nowhere: another finding
    const int32_t computed = ComputedBy(graph, value);
    if (producer >= 0 && computed < 0) continue;
    Place place;
    place.node = node;
    place.input = i;
    place.value = value;
    const char* what = role == ArgRole::kScale ? "the scale" : "the zero point";
    sink.Add(kConstantQParams, place,
             producer >= 0 ? absl::StrCat(what, " is computed by ", graph.op_type(computed), " node '",
                                          NodeName(graph, computed), "'")
                           : absl::StrCat(what, " is a graph input"),
             "a constant");
  }
}

void CheckConstantQParams(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node : graph.quantizers()) CheckNode(graph, node, sink);
  for (int32_t node : graph.integer_nodes()) CheckNode(graph, node, sink);
}

}  // namespace

Rule ConstantQParams() { return {&kConstantQParams, &CheckConstantQParams}; }

}  // namespace quantgate
