#include "client/onnx/roles.h"

#include "rules/operators/operator.h"

namespace quantgate {
namespace {

const Binding* Find(absl::string_view op_type) { return FindBinding(v1::Graph::ONNX, op_type); }

}  // namespace

bool IsQuantizedOperator(absl::string_view op_type) {
  const Binding* binding = Find(op_type);
  if (binding == nullptr) return false;
  switch (binding->op->id) {
    case OpId::kQuantize:
    case OpId::kDequantize:
    case OpId::kRequantize:
    case OpId::kDynamicQuantize:
      return true;
    default:
      return binding->integer_operator;
  }
}

bool IsQuantizationParameter(absl::string_view op_type, int input) {
  const Binding* binding = Find(op_type);
  if (binding == nullptr) return false;
  const ArgRole role = ArgumentAt(*binding, input).role;
  return role == ArgRole::kScale || role == ArgRole::kZeroPoint;
}

int OutputZeroPoint(absl::string_view op_type) {
  const Binding* binding = Find(op_type);
  if (binding == nullptr) return -1;
  for (size_t i = 0; i < binding->arguments.size(); ++i) {
    const Argument& argument = binding->arguments[i];
    if (argument.of_output && argument.role == ArgRole::kZeroPoint) return static_cast<int>(i);
  }
  return -1;
}

TypeSource SourceOfType(absl::string_view op_type) {
  const Binding* binding = Find(op_type);
  if (binding == nullptr || binding->integer_operator) return {};
  if ((binding->op->traits & (kMovesData | kSelects)) == 0) return {};
  for (size_t i = 0; i < binding->arguments.size(); ++i) {
    const Argument& argument = binding->arguments[i];
    if (argument.role == ArgRole::kData && !argument.of_output &&
        binding->op->inputs[argument.port].role == PortRole::kActivation) {
      return {static_cast<int>(i), !binding->op->outputs.empty() && binding->op->outputs.back().variadic};
    }
  }
  return {};
}

}  // namespace quantgate
