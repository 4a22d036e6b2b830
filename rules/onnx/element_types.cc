#include "rules/onnx/element_types.h"

#include "absl/strings/string_view.h"
#include "rules/onnx/bodies.h"
#include "rules/onnx/data_type.h"
#include "rules/onnx/defined.h"

namespace quantgate {
namespace {

// Attributes that say the element type of what a node makes, as ONNX numbers them. `fallback`: without the attribute; 0
// where something else says it then.
struct TypeByAttribute {
  absl::string_view op;
  absl::string_view attribute;
  int64_t fallback;
};

constexpr TypeByAttribute kTypesByAttribute[] = {
    {"BitCast", "to", 0},
    {"BlackmanWindow", "output_datatype", 1},
    {"Cast", "to", 0},
    {"EyeLike", "dtype", 0},
    {"HammingWindow", "output_datatype", 1},
    {"HannWindow", "output_datatype", 1},
    {"MelWeightMatrix", "output_datatype", 1},
    {"RandomNormal", "dtype", 1},
    {"RandomUniform", "dtype", 1},
};

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

// What a body of control flow gives is of the type of the node's output.
void FromBodies(const Graph& graph, int32_t node, int64_t opset, std::vector<v1::DataType>& types) {
  if (graph.message().subgraphs().empty()) return;
  for (const BodyTie& tie : BodyTies(graph, node, opset)) {
    const int32_t value = tie.output < 0 ? -1 : graph.output(node, tie.output);
    if (value >= 0 && types[value] == v1::DATA_TYPE_UNSPECIFIED) types[value] = tie.inner->dtype();
  }
}

}  // namespace

v1::DataType StatedType(const Graph& graph, int32_t node) {
  const absl::string_view op_type = graph.op_type(node);
  if (op_type == "ConstantOfShape") {
    const v1::Attribute* value = graph.attribute(node, "value");
    if (value == nullptr) return v1::DATA_TYPE_FLOAT32;
    return value->tensor() > 0 ? graph.dtype(value->tensor() - 1) : v1::DATA_TYPE_UNSPECIFIED;
  }
  for (const TypeByAttribute& by : kTypesByAttribute) {
    if (by.op == op_type) return DataTypeFromOnnx(graph.int_attribute(node, by.attribute, by.fallback));
  }
  return v1::DATA_TYPE_UNSPECIFIED;
}

std::vector<v1::DataType> ElementTypes(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<v1::DataType> types(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) types[value] = graph.dtype(value);
  const std::vector<DefinedOp>& defined = context.Once(DefinedOps);
  if (defined.empty()) return types;
  const int64_t opset = OnnxOpset(context.model());
  for (int32_t node : graph.order()) {
    const Definition* definition = defined[graph.node(node).op()].current;
    if (definition == nullptr || definition->removed) continue;
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      const Parameter* parameter = definition->outputs.at(i);
      if (value < 0 || parameter == nullptr || types[value] != v1::DATA_TYPE_UNSPECIFIED) continue;
      types[value] = TypeOf(parameter->type, graph, node, *definition, types);
      if (types[value] == v1::DATA_TYPE_UNSPECIFIED && i == 0) types[value] = StatedType(graph, node);
    }
    FromBodies(graph, node, opset, types);
  }
  return types;
}

}  // namespace quantgate
