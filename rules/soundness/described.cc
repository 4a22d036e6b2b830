#include "rules/soundness/described.h"

#include <algorithm>

#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"

namespace quantgate {
namespace {

bool RepeatsItsQuantize(const Graph& graph, const QuantizerInputs& inputs) {
  if (inputs.data < 0) return false;
  const int32_t producer = graph.producer(inputs.data);
  if (!IsQuantize(graph, producer)) return false;
  const QuantizerInputs quantize = QuantizerInputsOf(graph, producer);
  return inputs.scale >= 0 && quantize.scale == inputs.scale && quantize.zero_point == inputs.zero_point;
}

void AddQuantizer(const CheckContext& context, int32_t node, std::vector<Described>& found) {
  const Graph& graph = context.graph();
  const Operand* operand = context.resolved().quantizer(node);
  const QuantParams* params = context.resolved().qparams(*operand);
  const QuantizerInputs inputs = QuantizerInputsOf(graph, node);
  if (params == nullptr) return;
  if (IsDequantize(graph, node) && RepeatsItsQuantize(graph, inputs)) return;
  Described entry;
  entry.place.node = node;
  entry.place.value = IsQuantize(graph, node) ? operand->value : operand->edge_value;
  entry.operand = operand;
  entry.params = params;
  entry.tensor = inputs.data;
  entry.scale = inputs.scale;
  entry.zero_point = inputs.zero_point;
  found.push_back(entry);
}

bool RangeFits(const Operand& operand) {
  return !IsInteger(operand.type) ||
         (operand.quant_min >= MinOf(operand.type) && operand.quant_max <= MaxOf(operand.type) &&
          operand.quant_min < operand.quant_max);
}

bool AxesFit(const QuantParams& params, int rank) {
  return std::all_of(params.axes.begin(), params.axes.end(),
                     [rank](int32_t axis) { return axis >= -rank && axis < rank; });
}

// A spec without any number, with a range that its type has and axes that its tensor has: no rule has anything to say.
// That is nearly every operand of a graph that is only annotated.
bool IsPlainSpec(const Graph& graph, const Operand& operand, const QuantParams& params) {
  if (operand.spec < 0 || !params.scales.empty() || !params.zero_points.empty() || !RangeFits(operand)) return false;
  if (params.axes.empty()) return true;
  const v1::Spec& spec = graph.message().specs(graph.spec_like(operand.spec));
  return spec.block_size().empty() && !params.blocked() && operand.edge_value >= 0 &&
         AxesFit(params, graph.rank(operand.edge_value));
}

// Operands of a compute node whose parameters are its own arguments or a spec.
void AddOperands(const CheckContext& context, const ResolvedOp& op, std::vector<Described>& found) {
  const Graph& graph = context.graph();
  const Binding* binding = graph.binding(op.node);
  const bool integer = binding != nullptr && binding->integer_operator;
  const auto add = [&](const Operand& operand, bool output) {
    const QuantParams* params = context.resolved().qparams(operand);
    if (!operand.present || params == nullptr || operand.quantizer >= 0) return;
    if ((!integer && operand.spec < 0) || IsPlainSpec(graph, operand, *params)) return;
    Described entry;
    entry.place.node = op.node;
    (output ? entry.place.output : entry.place.input) = operand.argument;
    entry.place.value = operand.value;
    entry.operand = &operand;
    entry.params = params;
    entry.tensor = operand.edge_value;
    entry.integer_operator = integer;
    found.push_back(entry);
  };
  for (const Operand& operand : context.resolved().inputs(op)) add(operand, false);
  for (const Operand& operand : context.resolved().outputs(op)) add(operand, true);
}

}  // namespace

std::vector<Described> DescribedTensors(const CheckContext& context) {
  std::vector<Described> found;
  const Graph& graph = context.graph();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (IsQuantize(graph, node) || IsDequantize(graph, node)) {
      AddQuantizer(context, node, found);
      continue;
    }
    const int32_t op = context.resolved().op_of_node(node);
    if (op >= 0) AddOperands(context, context.resolved().ops()[op], found);
  }
  return found;
}

}  // namespace quantgate
