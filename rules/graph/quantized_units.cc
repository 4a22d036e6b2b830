#include "rules/graph/quantized_units.h"

#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/graph/quantizer.h"

namespace quantgate {
namespace {

// Operators whose result is no real number, for files that do not state the type.
bool WritesIntegers(OpId op) {
  switch (op) {
    case OpId::kArgMax:
    case OpId::kArgMin:
    case OpId::kEqual:
    case OpId::kNotEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
    case OpId::kShape:
    case OpId::kNonZero:
      return true;
    default:
      return false;
  }
}

}  // namespace

int32_t QuantizedUnits::FoldedQuantize(int32_t value) {
  if (graph_.quantizers().empty()) return -1;
  const int32_t quantize = OnlyQuantizes(value);
  return quantize >= 0 && graph_.producer(value) >= 0 && !Computes(graph_.producer(value)) ? -1 : quantize;
}

bool QuantizedUnits::Judge(int32_t node) const {
  const Binding* binding = graph_.binding(node);
  if (binding == nullptr || binding->integer_operator || IsQuantize(graph_, node) || IsDequantize(graph_, node)) {
    return true;
  }
  bool dequantized = false;           // reads a tensor at run time through a Dequantize
  bool dequantized_constant = false;  // reads a constant through one
  bool floats = false;                // reads a float tensor as it is
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    const int32_t value = graph_.input(node, i);
    if (value < 0) continue;
    const PortRole role = RoleAt(*binding, graph_.argument(node, i));
    if (role != PortRole::kActivation && role != PortRole::kWeight) continue;
    if (IsDequantize(graph_, graph_.producer(value))) {
      (graph_.is_static(value) ? dequantized_constant : dequantized) = true;
    } else if (MayBeFloat(value) && stored_[value] < 0) {
      floats = true;
    }
  }
  bool quantizes = false;
  bool writes_floats = false;
  for (int i = 0; i < graph_.num_outputs(node); ++i) {
    const int32_t value = graph_.output(node, i);
    if (value < 0 || (graph_.uses(value).empty() && !graph_.is_graph_output(value))) continue;
    if (OnlyQuantizes(value) >= 0) {
      quantizes = true;
    } else if (MayBeFloat(value) && !WritesIntegers(binding->op->id)) {
      writes_floats = true;
    }
  }
  if (!dequantized && !dequantized_constant && !quantizes) return true;  // Q/DQ have no part in it
  // Quantized weights alone, floats everywhere else.
  if (dequantized_constant && floats && !dequantized && !quantizes) {
    return (binding->op->traits & kAccumulates) != 0;
  }
  return !floats && !writes_floats;
}

bool QuantizedUnits::MayBeFloat(int32_t value) const {
  const v1::DataType type = graph_.dtype(value);
  return type == v1::DATA_TYPE_UNSPECIFIED || IsFloat(type);
}

// The first of the Quantize nodes that are the only readers of a tensor; -1: somebody else reads it.
int32_t QuantizedUnits::OnlyQuantizes(int32_t value) const {
  if (graph_.is_graph_output(value) || graph_.uses(value).empty()) return -1;
  for (const Use& use : graph_.uses(value)) {
    if (use.input != 0 || graph_.op(use.node) != OpId::kQuantize) return -1;
  }
  return graph_.uses(value)[0].node;
}

}  // namespace quantgate
