#include "rules/onnx/element_types.h"

#include <array>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/bodies.h"
#include "rules/onnx/data_type.h"
#include "rules/onnx/defined.h"
#include "rules/operators/input_types.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kElementTypes = {
    "FI014",
    "element-types",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "An operator ties the element types of its inputs and outputs to each other. Where the file says otherwise, "
    "loaders refuse it, or read the numbers as something else.",
    "Declare the type that the tensor has, or put a Cast in between.",
    "A DequantizeLinear with a float32 scale and an output declared int8 fires it; with one declared float32 it does "
    "not. A QuantizeLinear that reads truth values fires it as well, and so does an If whose output is declared "
    "float32 with a branch that gives int32.",
};

class Types {
 public:
  Types(const Graph& graph, int64_t opset, FindingSink& sink)
      : graph_(graph),
        opset_(opset),
        sink_(sink),
        types_(graph.num_values()),
        admitted_(graph.message().symbols_size() + 1) {
    for (int32_t value = 0; value < graph.num_values(); ++value) types_[value] = graph.value(value).dtype();
  }

  void CheckElementTypes(int32_t node, const Definition& definition) {
    const Binding* binding = graph_.binding(node);
    const bool integer = binding != nullptr && binding->integer_operator;
    const bool quantized = integer || IsQuantize(graph_, node) || IsDequantize(graph_, node);
    Admitted(node, integer ? binding : nullptr);
    bound_.fill(v1::DATA_TYPE_UNSPECIFIED);
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const Parameter* parameter = definition.inputs.at(i);
      const int32_t value = graph_.input(node, i);
      if (parameter == nullptr || parameter->type == '.' || value < 0) continue;
      const v1::DataType type = types_[value];
      const v1::DataType expected = Expected(parameter->type);
      if (expected == v1::DATA_TYPE_UNSPECIFIED) {
        // An integer operator's data may have its type from an operator in front that is wrong about it: what counts
        // for the output is its own zero point.
        if (!integer || OfOutput(*binding, i)) bound_[parameter->type - 'A'] = type;
        // What stored tensors, scales and zero points have to be is type-mismatch's; which of the floating-point types
        // a scale has is said here.
      } else if (type != v1::DATA_TYPE_UNSPECIFIED && type != expected && !refused_[i] &&
                 (!quantized || (IsScale(node, i) && IsFloat(type) && IsFloat(expected)))) {
        Place place;
        place.node = node;
        place.input = i;
        place.value = value;
        sink_.Add(kElementTypes, place, std::string(DataTypeName(type)),
                  absl::StrCat(DataTypeName(expected), Why(*parameter)));
      }
    }
    if (integer) ZeroPoints(node, *binding);
    if (IsQuantize(graph_, node)) return;
    for (int i = 0; i < graph_.num_outputs(node); ++i) Output(node, i, definition);
    Bodies(node);
  }

 private:
  // What the operator is defined for at all. `integer`: of an operator on stored integers only data that the file
  // states itself; what another such operator or a Quantize writes is of the type of a zero point, which may be wrong.
  void Admitted(int32_t node, const Binding* integer) {
    refused_.assign(graph_.num_inputs(node), false);
    std::optional<InputTypes>& known = admitted_[graph_.node(node).op()];
    if (!known) known.emplace(graph_.op_type(node), opset_);
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0 || known->Admits(i, types_[value])) continue;
      if (integer != nullptr && (ArgumentAt(*integer, i).role != ArgRole::kData || IsStored(value))) continue;
      refused_[i] = true;
      std::vector<absl::string_view> names;
      for (v1::DataType type : known->Admitted(i)) names.push_back(DataTypeName(type));
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink_.Add(kElementTypes, place, std::string(DataTypeName(types_[value])),
                absl::StrCat(absl::StrJoin(names, ", "), ", for which ", graph_.op_type(node), " is defined"));
    }
  }

  v1::DataType Expected(char type) const { return type >= 'A' && type <= 'Z' ? bound_[type - 'A'] : FixedType(type); }

  // Written by what quantizes.
  bool IsStored(int32_t value) const {
    const int32_t producer = graph_.producer(value);
    const Binding* binding = producer < 0 ? nullptr : graph_.binding(producer);
    return IsQuantize(graph_, producer) || (binding != nullptr && binding->integer_operator);
  }

  bool IsScale(int32_t node, int i) const {
    return ArgumentAt(*graph_.binding(node), graph_.argument(node, i)).role == ArgRole::kScale;
  }

  static bool OfOutput(const Binding& binding, int argument) {
    const Argument& found = ArgumentAt(binding, argument);
    return found.of_output && found.role == ArgRole::kZeroPoint;
  }

  // ONNX and ONNX Runtime compute on stored integers of eight bits only; operator set 21 defines QLinearMatMul for
  // float8 as well.
  void ZeroPoints(int32_t node, const Binding& binding) {
    absl::string_view name = graph_.op_type(node);
    absl::ConsumePrefix(&name, "com.microsoft::");
    if (!absl::StartsWith(name, "QLinear") && name != "QGemm" && name != "ConvInteger" && name != "MatMulInteger") {
      return;
    }
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0 || ArgumentAt(binding, i).role != ArgRole::kZeroPoint) continue;
      const v1::DataType type = types_[value];
      if (type == v1::DATA_TYPE_UNSPECIFIED || type == v1::DATA_TYPE_INT8 || type == v1::DATA_TYPE_UINT8) continue;
      if (name == "QLinearMatMul" && IsSmallFloat(type) && BitWidth(type) == 8) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink_.Add(kElementTypes, place, absl::StrCat("the zero point is ", DataTypeName(type)),
                absl::StrCat("int8 or uint8: ", graph_.op_type(node), " has no kernel for others"));
    }
  }

  static const char* Why(const Parameter& parameter) {
    return parameter.type >= 'A' && parameter.type <= 'Z' ? ", the type of another input" : "";
  }

  void Output(int32_t node, int i, const Definition& definition) {
    const Parameter* parameter = definition.outputs.at(i);
    const int32_t value = graph_.output(node, i);
    if (parameter == nullptr || value < 0 || graph_.producer(value) != node) return;
    v1::DataType expected = Expected(parameter->type);
    // From opset 23 on an attribute may say otherwise.
    if (IsDequantize(graph_, node) && parameter->type == '.' && graph_.attribute(node, "output_dtype") == nullptr) {
      const int32_t scale = QuantizerInputsOf(graph_, node).scale;
      if (scale >= 0) expected = types_[scale];
    }
    if (expected == v1::DATA_TYPE_UNSPECIFIED && i == 0) expected = StatedType(graph_, node);
    if (expected == v1::DATA_TYPE_UNSPECIFIED) return;
    v1::DataType& type = types_[value];
    if (type == v1::DATA_TYPE_UNSPECIFIED) {
      type = expected;
    } else if (type != expected) {
      Place place;
      place.node = node;
      place.output = i;
      place.value = value;
      sink_.Add(kElementTypes, place, absl::StrCat("declared ", DataTypeName(type)),
                absl::StrCat(DataTypeName(expected), ", which ", graph_.op_type(node), " makes"));
      type = expected;
    }
  }

  // What a body of control flow takes and gives is of the types of the node's arguments.
  void Bodies(int32_t node) {
    if (graph_.message().subgraphs().empty()) return;
    for (const BodyTie& tie : BodyTies(graph_, node, opset_)) {
      Place place;
      place.node = node;
      place.input = tie.input;
      place.output = tie.output;
      place.value = tie.input >= 0 ? graph_.input(node, tie.input) : graph_.output(node, tie.output);
      const v1::DataType inner = tie.inner->dtype();
      if (place.value < 0 || inner == v1::DATA_TYPE_UNSPECIFIED) continue;
      v1::DataType& type = types_[place.value];
      if (type == v1::DATA_TYPE_UNSPECIFIED && tie.output >= 0) type = inner;
      if (type == v1::DATA_TYPE_UNSPECIFIED || type == inner) continue;
      sink_.Add(kElementTypes, place, std::string(DataTypeName(type)),
                absl::StrCat(DataTypeName(inner), ", as '", tie.inner->name(), "' in ", tie.body));
    }
  }

  const Graph& graph_;
  const int64_t opset_;
  FindingSink& sink_;
  std::vector<v1::DataType> types_;                  // by value id
  std::vector<std::optional<InputTypes>> admitted_;  // by symbol
  std::array<v1::DataType, 26> bound_{};             // by letter, of one node
  std::vector<bool> refused_;                        // by input of one node: no type that the operator takes
};

void CheckElementTypes(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  if (ops.empty()) return;
  Types types(graph, OnnxOpset(context.model()), sink);
  for (int32_t node : graph.order()) {
    const Definition* definition = ops[graph.node(node).op()].current;
    if (definition != nullptr && !definition->removed) types.CheckElementTypes(node, *definition);
  }
}

}  // namespace

Rule ElementTypes() { return {&kElementTypes, &CheckElementTypes}; }

}  // namespace quantgate
