#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/data_type.h"
#include "rules/onnx/defined.h"
#include "rules/operators/input_types.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnknownType = {
    "FI011",
    "unknown-type",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Stored numbers without an element type, or with one that no version of the format defines, cannot be read: every "
    "rule about them would have to guess.",
    "Write the tensor again with its element type.",
    "An initializer with data_type 0 fires it, and so do Cast with to=99 and a model input of elem_type 99 or of no "
    "type at all; data_type FLOAT and to=1 do not.",
};

// The attribute in which an operator takes an element type as a number; empty: none.
absl::string_view TypeAttribute(absl::string_view op_type) {
  if (op_type == "Cast" || op_type == "BitCast") return "to";
  if (op_type == "QuantizeLinear" || op_type == "DequantizeLinear") return "output_dtype";
  for (absl::string_view made : {"EyeLike", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
                                 "Bernoulli", "Multinomial", "SequenceEmpty"}) {
    if (op_type == made) return "dtype";
  }
  return {};
}

void CheckAttributes(const Graph& graph, FindingSink& sink) {
  std::vector<absl::string_view> names;  // by symbol of the operator
  for (absl::string_view symbol : graph.message().symbols()) names.push_back(TypeAttribute(symbol));
  if (absl::c_all_of(names, [](absl::string_view name) { return name.empty(); })) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const int op = graph.node(node).op();
    if (op <= 0 || names[op - 1].empty()) continue;
    const v1::Attribute* attribute = graph.attribute(node, names[op - 1]);
    if (attribute == nullptr || attribute->value_case() != v1::Attribute::kI) continue;
    // The output type of a Quantize or Dequantize is 0 where it follows from the inputs.
    const bool follows = attribute->i() == 0 && names[op - 1] == "output_dtype";
    if (follows || DataTypeFromOnnx(attribute->i()) != v1::DATA_TYPE_UNSPECIFIED) continue;
    Place place;
    place.node = node;
    sink.Add(kUnknownType, place,
             absl::StrCat("attribute ", names[op - 1], " is ", attribute->i(), ", no element type"),
             "an element type of ONNX");
  }
}

// A tensor of LiteRT without an element type is a handle (RESOURCE, VARIANT), or of a type that no schema defines. Only
// operators that are known by name alone, and control flow, deal in handles.
void CheckTensors(const Graph& graph, FindingSink& sink) {
  std::vector<bool> said(graph.num_values(), false);
  const auto check = [&](int32_t node, int32_t value) {
    if (value < 0 || said[value] || graph.dtype(value) != v1::DATA_TYPE_UNSPECIFIED) return;
    // Constants are said already; what has no shape either is a tensor that does not exist.
    if (graph.is_constant(value) || !graph.value(value).has_shape()) return;
    said[value] = true;
    Place place;
    place.node = node;
    place.value = value;
    sink.Add(kUnknownType, place, "no known element type", "an element type of the format");
  };
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const Binding* binding = graph.binding(node);
    if (binding == nullptr || binding->op->id == OpId::kOpaque || (binding->op->traits & kControlFlow) != 0) continue;
    for (int i = 0; i < graph.num_inputs(node); ++i) check(node, graph.input(node, i));
    for (int i = 0; i < graph.num_outputs(node); ++i) check(node, graph.output(node, i));
  }
}

// QNN's versions add types (of 2 bits, bfloat16) whose numbers are not published: such a tensor is not known to be
// wrong.
void SkipUnknownNumbers(const Graph& graph, FindingSink& sink) {
  std::vector<bool> said(graph.num_values(), false);
  const auto check = [&](int32_t node, int32_t value) {
    if (value < 0 || said[value] || graph.dtype(value) != v1::DATA_TYPE_UNSPECIFIED) return;
    if (!graph.value(value).has_shape()) return;  // no tensor has that name
    said[value] = true;
    sink.NotChecked(&kUnknownType, node,
                    absl::StrCat("the number of the data type of tensor '", graph.value(value).name(),
                                 "' is none that is known here"));
  };
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) check(node, graph.input(node, i));
    for (int i = 0; i < graph.num_outputs(node); ++i) check(node, graph.output(node, i));
  }
}

// A tensor that an exported program declares without a type; what has no shape is no tensor.
void CheckDeclared(const Graph& graph, FindingSink& sink) {
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.dtype(value) != v1::DATA_TYPE_UNSPECIFIED || !graph.value(value).has_shape()) continue;
    sink.Add(kUnknownType, PlaceOfValue(graph, value), "declared without a known element type",
             "an element type of PyTorch");
  }
}

// Whether an operator that is defined for tensors alone reads it.
bool IsReadAsTensor(const Graph& graph, int64_t opset, int32_t value) {
  constexpr size_t kMostLooked = 64;  // one is enough, and one tensor may be read everywhere
  const absl::Span<const Use> uses = graph.uses(value);
  return absl::c_any_of(uses.subspan(0, kMostLooked),
                        [&](const Use& use) { return InputTypes(graph.op_type(use.node), opset).IsTensor(use.input); });
}

// ONNX Runtime refuses a tensor in the signature with a number that is no element type, and an input of the model of no
// type at all. One without a shape may be a sequence or a map, whose types Graph does not have; the inputs of a body
// have their types from its node.
void CheckSignature(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const bool is_model = !context.is_body();
  const int64_t opset = OnnxOpset(context.model());
  const auto check = [&](int32_t value, bool is_input) {
    if (graph.dtype(value) != v1::DATA_TYPE_UNSPECIFIED || graph.is_constant(value)) return;
    if (!graph.value(value).has_shape() && !(is_input && is_model && IsReadAsTensor(graph, opset, value))) return;
    Place place;
    place.value = value;
    sink.Add(kUnknownType, place, "declared without a known element type", "an element type of ONNX");
  };
  for (int32_t id : graph.message().inputs()) check(id - 1, /*is_input=*/true);
  // What a node writes has the node's type, stated or not.
  for (int32_t id : graph.message().outputs()) {
    if (graph.producer(id - 1) < 0) check(id - 1, /*is_input=*/false);
  }
}

void CheckUnknownType(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::TFLITE) CheckTensors(graph, sink);
  if (graph.origin() == v1::Graph::QNN) SkipUnknownNumbers(graph, sink);
  if (graph.origin() == v1::Graph::PT2E && context.model().format_version() != 0) CheckDeclared(graph, sink);
  if (graph.origin() == v1::Graph::ONNX) CheckSignature(context, sink);
  // Other formats have element types that Graph has no name for, and say so by leaving it out.
  if (graph.origin() != v1::Graph::ONNX && graph.origin() != v1::Graph::TFLITE) return;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    if (graph.dtype(constant.value) != v1::DATA_TYPE_UNSPECIFIED) continue;
    Place place;
    place.value = constant.value;
    sink.Add(kUnknownType, place, "a stored tensor of no known element type", "an element type of the format");
  }
  CheckAttributes(graph, sink);
}

}  // namespace

Rule UnknownType() { return {&kUnknownType, &CheckUnknownType}; }

}  // namespace quantgate
