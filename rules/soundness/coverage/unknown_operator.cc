#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kUnknownOperator = {
    "CV001",
    "unknown-operator",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: operator {observed}; expected {allowed}",
    "Nobody can say what the node computes: the operator is in no table, and the file imports no operator set that "
    "would define it. LiteRT and PyTorch refuse files with a custom operator that nobody registered.",
    "Correct the operator's name or domain, or import the operator set that has it.",
    "acme.npu::FusedMagic without an import of acme.npu fires it; Conv does not.",
};

constexpr RuleInfo kCustomInfo = {
    "CV002",
    "custom-operator",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: operator {observed}; expected {allowed}",
    "The file imports an operator set of its own that no table here covers, so nothing can be checked about the node.",
    "Use a standard operator, or register a backend module that knows this one.",
    "acme.npu::FusedMagic in a file that imports acme.npu fires it; com.microsoft::QGemm does not.",
};

// Part in front of "::"; "" for the default domain.
absl::string_view Domain(absl::string_view op_type) {
  const size_t colons = op_type.rfind("::");
  return colons == absl::string_view::npos ? absl::string_view() : op_type.substr(0, colons);
}

// Of a domain, and nothing behind it.
bool IsNameless(absl::string_view op_type) { return op_type.empty() || absl::EndsWith(op_type, "::"); }

bool Imported(const v1::Graph& message, absl::string_view domain) {
  for (const v1::OpsetImport& import : message.opset_imports()) {
    if (import.domain() == domain) return true;
  }
  return false;
}

// Operators of PyTorch itself and of libraries that everybody has who runs such programs.
bool IsWidespread(absl::string_view op_type) {
  constexpr auto kNamespaces = std::to_array<absl::string_view>({"aten",
                                                                 "prim",
                                                                 "prims",
                                                                 "higher_order",
                                                                 "operator",
                                                                 "math",
                                                                 "torch",
                                                                 "quantized",
                                                                 "_quantized",
                                                                 "quantized_decomposed",
                                                                 "torchao",
                                                                 "torchvision",
                                                                 "torchaudio",
                                                                 "c10d",
                                                                 "_c10d_functional",
                                                                 "mkldnn",
                                                                 "onednn",
                                                                 "inductor",
                                                                 "streams",
                                                                 "dim_order_ops",
                                                                 "executorch_prim",
                                                                 "llama",
                                                                 "qnn_custom",
                                                                 "call_module",
                                                                 "call_method"});
  const absl::string_view name = op_type.substr(0, op_type.find('.'));
  return std::find(kNamespaces.begin(), kNamespaces.end(), name) != kNamespaces.end();
}

// Formats other than ONNX import nothing: there an operator outside the tables is simply one that nobody here knows. A
// LiteRT file says by its schema which operators there are; what is not among them runs nowhere but in a program that
// registers it, TensorFlow's own ("Flex") in the library that has them all.
//
// An exported program is loaded by a process of its own: PyTorch refuses operators of a library that is not there. What
// is in a live graph is registered where it is.
bool Custom(const Graph& graph, const v1::Graph& model, absl::string_view op_type) {
  if (graph.origin() == v1::Graph::TFLITE) return absl::StartsWith(op_type, "CUSTOM::Flex");
  if (graph.origin() == v1::Graph::PT2E && model.format_version() != 0) return IsWidespread(op_type);
  if (graph.origin() != v1::Graph::ONNX) return true;
  const absl::string_view domain = Domain(op_type);
  return !domain.empty() && !IsNameless(op_type) && Imported(graph.message(), domain);
}

const char* Expected(v1::Graph::Origin origin) {
  if (origin == v1::Graph::TFLITE) return "a builtin operator, or a custom one that LiteRT registers itself";
  if (origin == v1::Graph::PT2E) return "an operator of PyTorch, or of a library that comes with it";
  return "an operator of an imported operator set";
}

// Files without imports of operator sets have other ways out than the rule's.
const char* WayOut(v1::Graph::Origin origin) {
  if (origin == v1::Graph::TFLITE) {
    return "Convert the model again with builtin operators; where the program that runs it registers the operator, "
           "waive the finding.";
  }
  if (origin == v1::Graph::PT2E) {
    return "Correct the operator's name, or export the program again with operators of PyTorch; where the program that "
           "runs it loads the operator's library first, waive the finding.";
  }
  return "";
}

void CheckOperators(const CheckContext& context, FindingSink& sink, bool custom) {
  const Graph& graph = context.graph();
  // Bodies of control flow use the imports of the graph around them.
  const bool body = graph.origin() == v1::Graph::ONNX && graph.message().opset_imports().empty() &&
                    graph.message().format_version() == 0;
  for (int32_t node : graph.unknown_nodes()) {
    const absl::string_view op_type = graph.op_type(node);
    if (op_type.empty() && graph.origin() == v1::Graph::TFLITE) continue;  // an operator code that is not there: FI018
    const bool is_custom =
        Custom(graph, context.model(), op_type) || (body && !Domain(op_type).empty() && !IsNameless(op_type));
    if (is_custom != custom) continue;
    Place place;
    place.node = node;
    if (custom) {
      sink.Add(kCustomInfo, place, absl::StrCat(op_type, " is in no table"), "an operator that a table describes");
    } else {
      const absl::string_view domain = Domain(op_type);
      FindingDraft draft;
      draft.rule = &kUnknownOperator;
      draft.place = place;
      draft.observed = domain.empty() || IsNameless(op_type) || graph.origin() != v1::Graph::ONNX
                           ? absl::StrCat("'", op_type, "' is in no table")
                           : absl::StrCat(op_type, " is in no table and its domain is not imported");
      draft.allowed = Expected(graph.origin());
      draft.fix = WayOut(graph.origin());
      sink.Add(std::move(draft));
    }
  }
}

}  // namespace

Rule UnknownOperator() {
  return {&kUnknownOperator,
          [](const CheckContext& context, FindingSink& sink) { CheckOperators(context, sink, false); }};
}
Rule CustomOperator() {
  return {&kCustomInfo, [](const CheckContext& context, FindingSink& sink) { CheckOperators(context, sink, true); }};
}

}  // namespace quantgate
