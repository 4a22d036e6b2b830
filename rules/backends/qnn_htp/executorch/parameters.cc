#include "rules/backends/qnn_htp/executorch/parameters.h"

#include <initializer_list>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/folding.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/graph/qscheme.h"
#include "rules/soundness/annotated.h"

namespace quantgate::qnn_htp {

const RuleInfo kComputedParameter = {
    "EN221",
    "executorch-computed-parameter",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builders of ExecuTorch 1.5.1 look up the values of the filter and bias of a convolution, of the weight and "
    "bias of a norm, of the slope of prelu and of the table of an embedding. convert computes those that follow from "
    "constants, as a weight norm does, but not beyond a Quantize: where one of the nodes in front is quantized, as in "
    "weight standardization (BiT), where the node itself is not, or where an input of the model is read, the lowering "
    "ends with \"Expect ... to be parameter, buffer, get_attr, or lifted tensor constant\".",
    "Compute the parameter before the model is exported.",
    "Fires: a filter that batch_norm computes from a constant, with a uint8 spec in front of batch_norm; the weight of "
    "layer_norm as an input of the model; torch.ones as that of a float layer_norm; with the toolchain executorch. "
    "Does not: the filter without that spec, or a parameter that is a constant.",
};

const RuleInfo kComputedScales = {
    "EN232",
    "executorch-computed-scales",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "convert stores a parameter that is a constant quantized; of one that is computed, from quantized constants or "
    "from an input of the model, the Quantize is left in the graph. ExecuTorch 1.5.1 reads one scale there: a scale "
    "per channel or block ends its pass AnnotateQuantAttrs, and no node is asked about.",
    "Compute the parameter before the model is exported, or quantize it per tensor.",
    "Fires: aten.linear.default per channel by a slice of a larger weight, where slice is annotated, or by an input of "
    "the model, with the toolchain executorch. Does not: the same per tensor, or by the transpose of a constant.",
};

const RuleInfo kTableToFloats = {
    "EN234",
    "executorch-table-to-floats",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 converts an embedding's table that has a scale per channel to the encoding of the "
    "output. Where the output has none, as of an embedding whose table alone is annotated and whose readers state none "
    "either, it looks the encoding up all the same, and the whole lowering ends with \"KeyError: 'dtype'\" (before "
    "QNN 2.48 with \"KeyError: 'quant_attrs'\").",
    "Annotate the output of the embedding, too, or quantize its table per tensor.",
    "Fires: a per-channel table of an embedding with an output in float, with the toolchain executorch. Does not: a "
    "quantized output, or one that is read with an encoding; a table with one scale.",
};

const RuleInfo kBiasOfInput = {
    "EN235",
    "executorch-bias-of-an-input",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "ExecuTorch 1.5.1 puts a Quantize behind an input of the model. That to the 32 bits of a bias has no kernel "
    "(\"could not create op: q::Quantize\"), and the lowering ends with \"Failed to generate Qnn context binary\".",
    "Make the bias a constant, or add it behind the linear: x @ w + b.",
    "Fires: aten.linear.default with one scale for its weight and a bias that is an input of the model, with the "
    "toolchain executorch. Does not: a bias that is a constant, or that another annotated node computes.",
};

namespace {

struct ParametersOf {
  OpId op;
  std::initializer_list<int> ports;
};
constexpr ParametersOf kLookedUp[] = {
    {OpId::kConv, {1, 2}},      {OpId::kDepthwiseConv, {1, 2}},   {OpId::kConvTranspose, {1, 2}},
    {OpId::kLayerNorm, {1, 2}}, {OpId::kGroupNorm, {1, 2}},       {OpId::kInstanceNorm, {1, 2}},
    {OpId::kRmsNorm, {1}},      {OpId::kBatchNorm, {1, 2, 3, 4}}, {OpId::kPRelu, {1}},
    {OpId::kEmbedding, {0}},
};

// Of what stands between constants and a Quantize. convert leaves what a generator makes out of nothing, and what is
// computed from that.
std::vector<bool> ComputedByConvert(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<bool> computed = FoldedValues(graph, Generators::kKept);
  std::vector<bool> generated(graph.num_values());
  for (int32_t node : graph.static_nodes()) {
    bool any = graph.num_inputs(node) == 0 && IsFixedGenerator(graph.op(node));
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      any = any || (graph.input(node, i) >= 0 && generated[graph.input(node, i)]);
    }
    for (int i = 0; any && i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0) continue;
      generated[value] = true;
      computed[value] = false;
    }
  }
  return computed;
}

// Whether its values are known when the graph is lowered: it is stored, convert computes it for the Quantize behind
// it, or it is one of these but for nodes that are taken out.
bool HasKnownValues(const CheckContext& context, const Operand& operand) {
  const Graph& graph = context.graph();
  if (!operand.present || operand.is_static) return true;
  const auto is_known = [&](int32_t value) {
    return value < 0 || graph.is_constant(value) || (operand.quantized && context.Once(ComputedByConvert)[value]);
  };
  if (is_known(operand.edge_value)) return true;
  const int32_t value = qnn::BehindRemoved(graph, operand.edge_value);
  if (is_known(value)) return true;
  // Of a chain that has no end nothing is said.
  return graph.producer(value) >= 0 && qnn::IsRemoved(graph, graph.producer(value));
}

bool HasScales(const CheckContext& context, const Operand& operand) {
  if (!operand.quantized) return false;
  if (operand.spec < 0) {  // of a converted graph
    const QuantParams* qparams = context.resolved().qparams(operand);
    return qparams != nullptr && !qparams->axes.empty();
  }
  const v1::Spec& spec = context.graph().message().specs(operand.spec);
  return quantgate::IsPerChannel(spec.qscheme()) || !spec.block_size().empty();
}

Place AtOperand(const ResolvedOp& op, const Operand& operand) {
  Place place;
  place.node = op.node;
  place.input = operand.argument;
  place.value = operand.value;
  return place;
}

}  // namespace

bool FindComputedParameter(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const OpId id = context.graph().op(op.node);
  const auto* looked_up = absl::c_find_if(kLookedUp, [id](const ParametersOf& row) { return row.op == id; });
  if (looked_up == std::end(kLookedUp) || context.graph().origin() != v1::Graph::PT2E) return false;
  const NodeView view(context, op, nullptr);
  for (int port : looked_up->ports) {
    const Operand* operand = view.input(port);
    if (operand == nullptr || HasKnownValues(context, *operand)) continue;
    sink.Add(kComputedParameter, AtOperand(op, *operand),
             absl::StrCat("a parameter that is ", operand->static_chain ? "computed" : "known at run time alone"),
             "ExecuTorch 1.5.1 needs its values", OfTheRuns());
    return true;
  }
  return false;
}

// convert puts a Quantize behind what is read with an encoding: ExecuTorch takes that one then.
bool IsReadQuantized(const Graph& graph, int32_t value) {
  return value >= 0 && absl::c_any_of(graph.uses(value), [&](const Use& use) {
           return graph.is_observed(graph.edge_spec(use.node, use.input));
         });
}

bool FindTableToFloats(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || graph.op(op.node) != OpId::kEmbedding) return false;
  const NodeView view(context, op, nullptr);
  const Operand* table = view.input(0);
  const Operand* output = view.output(0);
  if (table == nullptr || !HasScales(context, *table) || output == nullptr || output->quantized) return false;
  if (IsReadQuantized(graph, output->edge_value)) return false;
  sink.Add(kTableToFloats, AtOperand(op, *table), "a table with a scale per channel and an output without encoding",
           "ExecuTorch 1.5.1 converts the table to the output's", OfTheRuns());
  return true;
}

bool FindComputedScales(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::PT2E) return false;
  for (const Operand& operand : context.resolved().inputs(op)) {
    if (!HasScales(context, operand) || HasKnownValues(context, operand)) continue;
    sink.Add(kComputedScales, AtOperand(op, operand), "computed and has several scales",
             "ExecuTorch 1.5.1 reads one of what is no constant", OfTheRuns());
    return true;
  }
  return false;
}

bool FindBiasOfInput(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || graph.op(op.node) != OpId::kLinear) return false;
  const Operand* bias = NodeView(context, op, nullptr).input(2);
  if (bias == nullptr || !bias->quantized || bias->value < 0 || !graph.is_graph_input(bias->value)) return false;
  if (HasScales(context, *bias) || qnn::ReadingOf(context, *bias) != nullptr) return false;
  sink.Add(kBiasOfInput, AtOperand(op, *bias), "an input of the model, which is quantized there to 32 bits",
           "ExecuTorch 1.5.1 needs a bias that is a constant", OfTheRuns());
  return true;
}

}  // namespace quantgate::qnn_htp
