#include "rules/backends/qnn/input_encoding.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "rules/backends/shared_encoding.h"

namespace quantgate::qnn {
namespace {

// By graph input, of those that are read quantized.
using FirstReadings = absl::flat_hash_map<int32_t, const Operand*>;

FirstReadings FirstReadingsOf(const CheckContext& context) {
  FirstReadings first;
  for (const ResolvedOp& op : context.resolved().ops()) {
    for (const Operand& input : context.resolved().inputs(op)) {
      if (!input.quantized || input.edge_value < 0 || !context.graph().is_graph_input(input.edge_value)) continue;
      first.try_emplace(input.edge_value, &input);
    }
  }
  return first;
}

}  // namespace

const Operand* FirstReading(const CheckContext& context, const Operand& operand) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || !operand.quantized || operand.edge_value < 0) return nullptr;
  if (!graph.is_graph_input(operand.edge_value)) return nullptr;
  const FirstReadings& readings = context.Once(FirstReadingsOf);
  const auto first = readings.find(operand.edge_value);
  if (first == readings.end()) return nullptr;
  const Operand& as = *first->second;
  const bool same = as.type == operand.type && as.quant_min == operand.quant_min && as.quant_max == operand.quant_max;
  return same ? nullptr : &as;
}

bool ReadsOtherEncoding(const CheckContext& context, const ResolvedOp& op) {
  return absl::c_any_of(context.resolved().inputs(op),
                        [&](const Operand& input) { return FirstReading(context, input) != nullptr; });
}

std::vector<Operand> InputsAsRead(const CheckContext& context, const ResolvedOp& op) {
  if (!ReadsOtherEncoding(context, op)) return {};
  const absl::Span<const Operand> stated = context.resolved().inputs(op);
  std::vector<Operand> inputs(stated.begin(), stated.end());
  for (Operand& input : inputs) {
    if (const Operand* first = FirstReading(context, input); first != nullptr) input = EncodedAs(input, *first);
  }
  return inputs;
}

}  // namespace quantgate::qnn
