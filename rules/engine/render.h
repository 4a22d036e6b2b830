// Drafts into messages of the report: names for ids, one sentence from the rule's template.
#ifndef QUANTGATE_RULES_ENGINE_RENDER_H_
#define QUANTGATE_RULES_ENGINE_RENDER_H_

#include <string>

#include "quantgate/v1/report.pb.h"
#include "rules/engine/finding.h"
#include "rules/graph/graph.h"

namespace quantgate {

// "NR001" and so on with names filled in. `subgraph` is the path of the graph within the model, "" for the main one.
void RenderFinding(const Graph& graph, const std::string& subgraph, const FindingDraft& draft, v1::Finding& finding);

// Node name, or "#i" for a node without one.
std::string NodeName(const Graph& graph, int32_t node);
// The same, into a string of a message.
void SetNodeName(const Graph& graph, int32_t node, std::string& text);

// Asks memory for the name of a node (-1: none) that comes so many nodes later; names are where the parser put them.
inline constexpr size_t kNamesAhead = 16;
inline void FetchName(const Graph& graph, int32_t node) {
  if (node >= 0) __builtin_prefetch(&graph.node_name(node));
}

// A number for `observed` and `allowed`: seven significant digits.
std::string FormatNumber(double number);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_RENDER_H_
