#include "rules/backends/onnxruntime/form.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/defined.h"

namespace quantgate::onnxruntime {

const RuleInfo kUnlikeTypes = {
    "DT505",
    "unlike-types",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; the operator is defined for {allowed}.",
    "Arguments of one type parameter have one element type. The session ends with a type error when they differ.",
    "Cast or quantize the tensor to the type of the others.",
    "Fires: QLinearAdd of a uint8 and an int8 tensor, and a DequantizeLinear of a uint8 tensor with an int8 zero "
    "point. Does not: of two uint8 tensors.",
};

const RuleInfo kUnknownAttribute = {
    "GS503",
    "unknown-contrib-attribute",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; this version of ONNX Runtime knows {allowed}.",
    "Attributes are checked against the runtime's own schema of the operator when the model is loaded.",
    "Remove the attribute, or use the version of ONNX Runtime that brought it.",
    "Fires: com.microsoft.DequantizeLinear with block_size. Does not: with axis.",
};

const RuleInfo kUnknownArgument = {
    "GS507",
    "unknown-contrib-argument",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; this version of ONNX Runtime knows {allowed}.",
    "Arguments are counted against the runtime's own schema of the operator when the model is loaded, those that are "
    "left out at the end included.",
    "Remove the argument, or use the version of ONNX Runtime that brought it.",
    "Fires: com.microsoft.DequantizeLinear with a fourth input, empty or not. Does not: with an empty third one.",
};

const RuleInfo kFusedAttribute = {
    "GS505",
    "fused-operator-attribute",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} stands between DequantizeLinear and QuantizeLinear nodes with {observed}; {allowed}.",
    "The optimizer gives the integer operator that it makes of such a group all attributes of the node, whether its "
    "schema has them or not, and the session ends with INVALID_GRAPH: \"Unrecognized attribute\". Without the fusion "
    "(session option session.disable_quant_qdq, or no optimization) the same file runs in float.",
    "Remove the attribute where it says what holds without it, or make the session with session.disable_quant_qdq.",
    "Fires: a quantized AveragePool with dilations, also of 1. Does not: one without; a float one.",
};

namespace {

// Attributes and numbers of arguments, which differ between versions of the runtime in its own domain alone.
bool CheckSchema(const Graph& graph, int32_t node, const Definition& definition, const FindingSource& source,
                 FindingSink& sink) {
  bool refused = false;
  Place place;
  place.node = node;
  for (const v1::Attribute& attribute : graph.node(node).attributes()) {
    const absl::string_view name = graph.symbol(attribute.name());
    if (definition.attribute(name) != nullptr) continue;
    sink.Add(kUnknownAttribute, place, absl::StrCat("an attribute ", name), "others", source);
    refused = true;
  }
  const auto count = [&](int given, int known, const char* what) {
    if (given <= known) return;
    sink.Add(kUnknownArgument, place, absl::StrCat(given, what), absl::StrCat(known), source);
    refused = true;
  };
  count(graph.num_inputs(node), definition.inputs.max, " inputs");
  count(graph.num_outputs(node), definition.outputs.max, " outputs");
  return refused;
}

bool CheckTypes(const Graph& graph, const std::vector<v1::DataType>& types, int32_t node, const Definition& definition,
                const FindingSource& source, FindingSink& sink) {
  bool refused = false;
  absl::flat_hash_map<char, v1::DataType> bound;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const Parameter* parameter = definition.inputs.at(i);
    const int32_t value = graph.input(node, i);
    if (parameter == nullptr || value < 0 || !absl::ascii_isupper(parameter->type)) continue;
    const v1::DataType type = types[value];
    if (type == v1::DATA_TYPE_UNSPECIFIED) continue;
    const auto [entry, first] = bound.emplace(parameter->type, type);
    if (first || entry->second == type) continue;
    Place place;
    place.node = node;
    place.input = i;
    place.value = value;
    sink.Add(kUnlikeTypes, place, std::string(DataTypeName(type)), std::string(DataTypeName(entry->second)), source);
    refused = true;
  }
  return refused;
}

}  // namespace

bool CheckForm(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t node,
               const FindingSource& source, FindingSink& sink) {
  const Graph& graph = context.graph();
  const std::vector<DefinedOp>& defined = context.Once(DefinedOps);
  if (defined.empty()) return false;
  const Definition* definition = defined[graph.node(node).op()].current;
  if (definition == nullptr) return false;
  bool refused = definition->open && CheckSchema(graph, node, *definition, source, sink);
  // Of other nodes of the default domain the general rules say it.
  const Binding* binding = graph.binding(node);
  const bool stored = IsDequantize(graph, node) || (binding != nullptr && binding->integer_operator);
  if (definition->open || stored) refused |= CheckTypes(graph, types, node, *definition, source, sink);
  return refused;
}

bool CheckFusedForm(const Graph& graph, int32_t node, absl::string_view fused, const FindingSource& source,
                    FindingSink& sink) {
  const Definition* definition = DefinitionAt(DefinitionsOf(fused), /*version=*/1);
  // Of a Gemm it leaves out what QGemm does not have.
  if (definition == nullptr || !absl::StartsWith(fused, "com.microsoft::") || fused == "com.microsoft::QGemm") {
    return false;
  }
  bool refused = false;
  for (const v1::Attribute& attribute : graph.node(node).attributes()) {
    const absl::string_view name = graph.symbol(attribute.name());
    if (definition->attribute(name) != nullptr) continue;
    Place place;
    place.node = node;
    sink.Add(kFusedAttribute, place, absl::StrCat("an attribute ", name),
             absl::StrCat(fused, ", into which it is fused, has none"), source);
    refused = true;
  }
  return refused;
}

}  // namespace quantgate::onnxruntime
