#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQuantizerArguments = {
    "FI026",
    "quantizer-arguments",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "PyTorch's operators that quantize take numbers of certain kinds, and all of them. A program whose arguments are "
    "others fails when it is loaded or first run, and a reader that is less strict computes with a default.",
    "Export the program again; the file was edited or damaged.",
    "quantize_per_tensor without quant_max fires it, and so does a zero point of 3.5; one with all arguments does not.",
};

// Schemas of PyTorch 2.13.0: T a tensor, f a real number, i an integer, d an element type. Optional ones are left out
// behind the required; those in the middle ("?") may be none.
struct Schema {
  const char* op;
  const char* arguments;
};

constexpr auto kSchemas = std::to_array<Schema>({
    {"quantize_per_tensor.default", "T input f scale i zero_point i quant_min i quant_max d dtype"},
    {"quantize_per_tensor.tensor", "T input T scale T zero_point i quant_min i quant_max d dtype"},
    {"quantize_per_tensor.tensor2", "T input T scale T zero_point T quant_min T quant_max d dtype"},
    {"dequantize_per_tensor.default", "T input f scale i zero_point i quant_min i quant_max d dtype"},
    {"dequantize_per_tensor.tensor", "T input T scale T zero_point i quant_min i quant_max d dtype"},
    {"dequantize_per_tensor.tensor2", "T input T scale T zero_point T quant_min T quant_max d dtype"},
    {"quantize_per_channel.default", "T input T scales T zero_points i axis i quant_min i quant_max d dtype"},
    {"dequantize_per_channel.default", "T input T scales ? zero_points i axis i quant_min i quant_max d dtype"},
    {"fake_quant_per_channel.default", "T input T scales T zero_points i axis i quant_min i quant_max"},
    {"quantize_per_channel_group.default",
     "T input T scales T zero_points i quant_min i quant_max d dtype i group_size"},
    {"dequantize_per_channel_group.default",
     "T input T scales ? zero_points i quant_min i quant_max d dtype i group_size d output_dtype"},
    {"quantize_per_token.default", "T input T scales T zero_points i quant_min i quant_max d dtype"},
    {"dequantize_per_token.default", "T input T scales T zero_points i quant_min i quant_max d dtype d output_dtype"},
    {"choose_qparams.tensor", "T input i quant_min i quant_max f eps d dtype"},
    {"choose_qparams_symmetric.tensor", "T input i quant_min i quant_max f eps d dtype"},
    {"choose_qparams_per_token.default", "T input d dtype"},
    {"choose_qparams_per_token_asymmetric.default", "T input d dtype"},
    {"_choose_qparams_per_token_asymmetric_impl.default", "T input d dtype"},
    {"convert_element_type.no_fuse", "T input d dtype"},
});

struct SchemaParameter {
  char kind;
  absl::string_view name;
};

using SchemaParameters = std::vector<SchemaParameter>;

SchemaParameters ParametersOf(absl::string_view op_type) {
  SchemaParameters parameters;
  for (const Schema& schema : kSchemas) {
    if (op_type != absl::StrCat("quantized_decomposed.", schema.op)) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(schema.arguments, ' ');
    for (size_t i = 0; i + 1 < words.size(); i += 2) parameters.push_back({words[i][0], words[i + 1]});
  }
  return parameters;
}

const char* Allowed(char kind) {
  switch (kind) {
    case 'T':
      return "a tensor";
    case 'f':
      return "a number";
    case 'i':
      return "an integer";
    default:
      return "an element type of PyTorch";
  }
}

// What an attribute is instead of its kind; empty: it is of its kind.
std::string Otherwise(const v1::Attribute& attribute, char kind) {
  switch (attribute.value_case()) {
    case v1::Attribute::kI:
      return kind == 'i' || kind == 'f' ? "" : absl::StrCat("the number ", attribute.i());
    case v1::Attribute::kF:
      return kind == 'f' ? "" : absl::StrCat("the number ", FormatNumber(attribute.f()));
    case v1::Attribute::kDtype:
      if (attribute.dtype() == v1::DATA_TYPE_UNSPECIFIED) return "no known element type";
      return kind == 'd' ? "" : absl::StrCat("the element type ", DataTypeName(attribute.dtype()));
    case v1::Attribute::kS:
      return absl::StrCat("the text '", attribute.s(), "'");
    case v1::Attribute::VALUE_NOT_SET:
      return "no value";
    default:
      return "a value of another kind";
  }
}

void CheckNode(const Graph& graph, int32_t node, const SchemaParameters& parameters, FindingSink& sink) {
  std::vector<bool> given(parameters.size(), false);
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const size_t argument = static_cast<size_t>(graph.argument(node, i));
    if (graph.input(node, i) >= 0 && argument < given.size()) given[argument] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const SchemaParameter& parameter = parameters[i];
    // Integers of a dynamic shape are inputs too.
    if (given[i] || parameter.kind == '?') continue;
    const v1::Attribute* attribute = graph.attribute(node, parameter.name);
    const std::string otherwise = attribute == nullptr ? "left out" : Otherwise(*attribute, parameter.kind);
    if (otherwise.empty()) continue;
    Place place;
    place.node = node;
    sink.Add(kQuantizerArguments, place, absl::StrCat(parameter.name, " is ", otherwise), Allowed(parameter.kind));
  }
}

void CheckQuantizerArguments(const CheckContext& context, FindingSink& sink) {
  // In a live graph PyTorch itself has checked them.
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E || context.model().format_version() == 0) return;
  std::vector<SchemaParameters> schemas;  // by Node.op
  schemas.reserve(static_cast<size_t>(graph.message().symbols_size()) + 1);
  schemas.emplace_back();
  for (absl::string_view symbol : graph.message().symbols()) schemas.push_back(ParametersOf(symbol));
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const SchemaParameters& parameters = schemas[static_cast<size_t>(graph.node(node).op())];
    if (!parameters.empty()) CheckNode(graph, node, parameters, sink);
  }
}

}  // namespace

Rule QuantizerArguments() { return {&kQuantizerArguments, &CheckQuantizerArguments}; }

}  // namespace quantgate
