#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/defined.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/structure/window_arguments.h"

namespace quantgate {
namespace {

constexpr RuleInfo kOpAttributes = {
    "GS010",
    "op-attributes",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Attributes are part of what an operator computes. One that its operator set does not define, of another type, "
    "given twice or left out although there is no default makes loaders refuse the file, or guess.",
    "Write the attributes as the operator set defines them.",
    "Concat without `axis` fires it, and so does Conv with `group` as a string, or a LiteRT CONV_2D with activation "
    "99; Conv without `group` does not.",
};

const char* KindName(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kFloat:
      return "a float";
    case AttributeKind::kInt:
      return "an integer";
    case AttributeKind::kString:
      return "a string";
    case AttributeKind::kTensor:
      return "a tensor";
    case AttributeKind::kGraph:
      return "a graph";
    case AttributeKind::kType:
      return "a type";
    case AttributeKind::kFloats:
      return "a list of floats";
    case AttributeKind::kInts:
      return "a list of integers";
    case AttributeKind::kStrings:
      return "a list of strings";
  }
  return "something else";
}

// What the message's value can mean; `kind` itself when it fits.
const char* Given(const v1::Attribute& attribute, AttributeKind kind, int64_t ir_version) {
  const auto is = [kind](AttributeKind given) { return given == kind ? nullptr : KindName(given); };
  switch (attribute.value_case()) {
    case v1::Attribute::kI:
    case v1::Attribute::kB:
    case v1::Attribute::kDtype:  // element types are numbers in ONNX
      return is(AttributeKind::kInt);
    case v1::Attribute::kF:
      return is(AttributeKind::kFloat);
    case v1::Attribute::kS:
      return is(AttributeKind::kString);
    case v1::Attribute::kInts:
      return is(AttributeKind::kInts);
    case v1::Attribute::kFloats:
      return is(AttributeKind::kFloats);
    case v1::Attribute::kStrings:
      return is(AttributeKind::kStrings);
    case v1::Attribute::kGraph:
      return is(AttributeKind::kGraph);
    case v1::Attribute::kTensor:
      return is(AttributeKind::kTensor);
    case v1::Attribute::VALUE_NOT_SET:
      // Graph has no value for types of sequences and optionals, and files of IR version 1 state no type for an empty
      // list.
      if (kind == AttributeKind::kType || (kind >= AttributeKind::kFloats && ir_version < 2)) return nullptr;
      return "empty, or of no type";
  }
  return nullptr;
}

class Attributes {
 public:
  Attributes(const Graph& graph, int64_t ir_version, FindingSink& sink)
      : graph_(graph), ir_version_(ir_version), sink_(sink) {}

  void CheckOpAttributes(int32_t node, const DefinedOp& op) {
    node_ = node;
    const Definition& definition = *op.current;
    uint64_t seen = 0;  // no operator has more than 64
    for (const v1::Attribute& attribute : graph_.node(node).attributes()) {
      const absl::string_view name = graph_.symbol(attribute.name());
      const AttributeDefinition* known = definition.attribute(name);
      if (known == nullptr) {
        Unknown(op, name);
        continue;
      }
      const uint64_t bit = uint64_t{1} << (known - definition.attributes.data());
      if ((seen & bit) != 0) Add(absl::StrCat("attribute ", name, " is given again"), "each attribute once");
      seen |= bit;
      if (const char* given = Given(attribute, known->kind, ir_version_)) {
        Add(absl::StrCat("attribute ", name, " is ", given), KindName(known->kind));
      }
    }
    for (size_t i = 0; i < definition.attributes.size(); ++i) {
      const AttributeDefinition& known = definition.attributes[i];
      if (!known.required || (seen & uint64_t{1} << i) != 0) continue;
      Add(absl::StrCat("attribute ", known.name, " is left out"),
          absl::StrCat(KindName(known.kind), "; ", graph_.op_type(node), " has no default for it"));
    }
  }

 private:
  void Unknown(const DefinedOp& op, absl::string_view name) {
    // Names that begin so are tools' own, by convention of the ONNX checker.
    if (op.current->open || absl::StartsWith(name, "__")) return;
    // Attributes of other versions are operator-version's.
    for (const Definition& row : op.rows) {
      if (row.since > op.version && row.attribute(name) != nullptr) return;
    }
    Add(absl::StrCat("attribute ", name, " is none of ", graph_.op_type(node_)),
        absl::StrCat("an attribute that operator set ", op.version, " defines"));
  }

  void Add(std::string observed, std::string allowed) {
    Place place;
    place.node = node_;
    sink_.Add(kOpAttributes, place, std::move(observed), std::move(allowed));
  }

  const Graph& graph_;
  const int64_t ir_version_;
  FindingSink& sink_;
  int32_t node_ = -1;
};

// An operator of a LiteRT file with another operator's table of parameters: it runs with whatever their bytes come to.
void CheckOptionsTables(const Graph& graph, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const v1::Attribute* table = graph.attribute(node, "builtin_options");
    if (table == nullptr) continue;
    Place place;
    place.node = node;
    sink.Add(kOpAttributes, place, absl::StrCat("carries ", table->s()),
             absl::StrCat("the options of ", graph.op_type(node)));
  }
}

// A number of a type that the schema does not have. LiteRT loads no file with one, but for UNIQUE, which reads any
// number but that of int64 as int32.
void CheckStatedTypes(const Graph& graph, FindingSink& sink) {
  constexpr absl::string_view kTypes[] = {"out_type",      "output_type", "quantized_bias_type", "in_data_type",
                                          "out_data_type", "key_dtype",   "value_dtype"};
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (const v1::Attribute& attribute : graph.node(node).attributes()) {
      if (attribute.value_case() != v1::Attribute::kI || attribute.name() == 0) continue;
      const absl::string_view name = graph.symbol(attribute.name());
      if (!absl::c_linear_search(kTypes, name)) continue;
      Place place;
      place.node = node;
      sink.Add(kOpAttributes, place, absl::StrCat(name, " ", attribute.i()), "an element type of the schema");
    }
  }
}

// A number of an activation that the schema does not have: those that it has are imported by name. LiteRT runs the
// operator without any.
void CheckActivations(const Graph& graph, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const v1::Attribute* stated = graph.attribute(node, "fused_activation_function");
    if (stated == nullptr || stated->value_case() != v1::Attribute::kI) continue;
    Place place;
    place.node = node;
    sink.Add(kOpAttributes, place, absl::StrCat("fused_activation_function ", stated->i()),
             "NONE, RELU, RELU_N1_TO_1, RELU6, TANH or SIGN_BIT, which are 0 to 5");
  }
}

void CheckOpAttributes(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::TFLITE) {
    CheckOptionsTables(graph, sink);
    CheckStatedTypes(graph, sink);
    CheckActivations(graph, sink);
  }
  if (graph.origin() == v1::Graph::PT2E && context.model().format_version() != 0) {
    CheckWindowArguments(graph, kOpAttributes, sink);
  }
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  if (ops.empty()) return;
  Attributes attributes(graph, context.model().format_version(), sink);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const DefinedOp& op = ops[graph.node(node).op()];
    if (op.current != nullptr && !op.current->removed) attributes.CheckOpAttributes(node, op);
  }
}

}  // namespace

Rule OpAttributes() { return {&kOpAttributes, &CheckOpAttributes}; }

}  // namespace quantgate
