#include "rules/backends/qnn/input_encoding.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "rules/backends/shared_encoding.h"

namespace quantgate::qnn {
namespace {

bool SameEncoding(const Operand& a, const Operand& b) {
  return a.type == b.type && a.quant_min == b.quant_min && a.quant_max == b.quant_max;
}

// By graph input, of those that are read quantized in several encodings; few graphs have one.
using FirstReadings = absl::flat_hash_map<int32_t, const Operand*>;

FirstReadings FirstReadingsOf(const CheckContext& context) {
  FirstReadings first;
  if (context.graph().origin() != v1::Graph::PT2E) return first;
  absl::flat_hash_set<int32_t> several;
  for (const ResolvedOp& op : context.resolved().ops()) {
    for (const Operand& input : context.resolved().inputs(op)) {
      if (!input.quantized || input.edge_value < 0 || !context.graph().is_graph_input(input.edge_value)) continue;
      const auto [as, is_first] = first.try_emplace(input.edge_value, &input);
      if (!is_first && !SameEncoding(*as->second, input)) several.insert(input.edge_value);
    }
  }
  absl::erase_if(first, [&](const auto& reading) { return !several.contains(reading.first); });
  return first;
}

}  // namespace

const Operand* FirstReading(const CheckContext& context, const Operand& operand) {
  const FirstReadings& readings = context.Once(FirstReadingsOf);
  if (readings.empty() || !operand.quantized || operand.edge_value < 0) return nullptr;
  const auto first = readings.find(operand.edge_value);
  return first == readings.end() || SameEncoding(*first->second, operand) ? nullptr : first->second;
}

bool ReadsOtherEncoding(const CheckContext& context, const ResolvedOp& op) {
  if (context.Once(FirstReadingsOf).empty()) return false;
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
