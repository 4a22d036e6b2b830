#include "rules/soundness/tflite.h"

#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"

namespace quantgate {

bool IsTflite(const CheckContext& context) { return context.graph().origin() == v1::Graph::TFLITE; }

Place PlaceOfValue(const Graph& graph, int32_t value) {
  Place place;
  place.value = value;
  place.node = graph.producer(value);
  if (place.node >= 0) place.output = graph.output_index(value);
  return place;
}

bool IsStoredType(v1::DataType type) { return IsInteger(type) && BitWidth(type) <= 16; }

void ForEachWeight(const CheckContext& context,
                   absl::FunctionRef<void(const ResolvedOp& op, const Operand& weight)> visit) {
  for (const ResolvedOp& op : context.resolved().ops()) {
    if (op.op == nullptr || (op.op->traits & kAccumulates) == 0) continue;
    for (const Operand& operand : context.resolved().inputs(op)) {
      if (operand.quantized && operand.is_static && RoleOf(op, operand) == PortRole::kWeight) visit(op, operand);
    }
  }
}

}  // namespace quantgate
