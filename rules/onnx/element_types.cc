#include "rules/onnx/element_types.h"

#include "rules/onnx/defined.h"

namespace quantgate {
namespace {

// The type of an output whose parameter has this letter (rules/operators/definition.h).
v1::DataType TypeOf(char letter, const Graph& graph, int32_t node, const Definition& definition,
                    const std::vector<v1::DataType>& types) {
  if (const v1::DataType fixed = FixedType(letter); fixed != v1::DATA_TYPE_UNSPECIFIED || letter == '.') return fixed;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const Parameter* parameter = definition.inputs.at(i);
    const int32_t value = graph.input(node, i);
    if (parameter == nullptr || parameter->type != letter || value < 0) continue;
    if (types[value] != v1::DATA_TYPE_UNSPECIFIED) return types[value];
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

}  // namespace

std::vector<v1::DataType> ElementTypes(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<v1::DataType> types(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) types[value] = graph.dtype(value);
  const std::vector<DefinedOp>& defined = context.Once(DefinedOps);
  if (defined.empty()) return types;
  for (int32_t node : graph.order()) {
    const Definition* definition = defined[graph.node(node).op()].current;
    if (definition == nullptr || definition->removed) continue;
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      const Parameter* parameter = definition->outputs.at(i);
      if (value < 0 || parameter == nullptr || types[value] != v1::DATA_TYPE_UNSPECIFIED) continue;
      types[value] = TypeOf(parameter->type, graph, node, *definition, types);
    }
  }
  return types;
}

}  // namespace quantgate
