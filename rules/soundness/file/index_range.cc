#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kIndexRange = {
    "FI018",
    "index-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A LiteRT file says by number which operator a node is and which subgraph is the body of a loop. A number that "
    "counts nothing leaves the node without a meaning, and a runtime that believes it reads beyond its tables.",
    "Export the model again; the file is damaged or was edited by hand.",
    "Operator code 99 in a file that lists 12 fires it; 11 does not.",
};

void CheckIndexRange(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  const Graph& graph = context.graph();
  const int64_t subgraphs = context.model().subgraphs_size() + 1;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    Place place;
    place.node = node;
    if (graph.node(node).op() == 0) {
      sink.Add(kIndexRange, place, absl::StrCat("operator code ", graph.int_attribute(node, "opcode_index", -1)),
               "an operator code that the file lists");
    }
    for (const v1::Attribute& attribute : graph.node(node).attributes()) {
      const absl::string_view name = graph.symbol(attribute.name());
      // References that hold are graphs; in bodies they stay numbers.
      if (attribute.value_case() != v1::Attribute::kI || !absl::StrContains(name, "subgraph")) continue;
      if (attribute.i() >= 0 && attribute.i() < subgraphs) continue;
      sink.Add(kIndexRange, place, absl::StrCat(name, " ", attribute.i()), absl::StrCat("0 to ", subgraphs - 1));
    }
  }
}

}  // namespace

Rule IndexRange() { return {&kIndexRange, &CheckIndexRange}; }

}  // namespace quantgate
