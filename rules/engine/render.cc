#include "rules/engine/render.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/engine/subject.h"

namespace quantgate {
namespace {

// The rule's message with its places filled in, in one pass: a name that contains "{allowed}" stays a name.
std::string Filled(absl::string_view text, absl::string_view subject, const FindingDraft& draft) {
  const std::pair<absl::string_view, absl::string_view> places[] = {
      {"{subject}", subject}, {"{observed}", draft.observed}, {"{allowed}", draft.allowed}};
  std::string filled;
  filled.reserve(text.size() + subject.size() + draft.observed.size() + draft.allowed.size());
  while (!text.empty()) {
    const size_t plain = std::min(text.find('{'), text.size());
    absl::StrAppend(&filled, text.substr(0, plain));
    text.remove_prefix(plain);
    const auto* place = absl::c_find_if(places, [&](const auto& each) { return absl::StartsWith(text, each.first); });
    if (place != std::end(places)) {
      absl::StrAppend(&filled, place->second);
      text.remove_prefix(place->first.size());
    } else if (!text.empty()) {
      filled += '{';
      text.remove_prefix(1);
    }
  }
  return filled;
}

// In torch.fx inputs and constants are nodes, too, called as their values are. A constant is one of two kinds, by how
// the model was exported, which the graph does not say.
void SetFxNode(const Graph& graph, int32_t value, v1::Location& location) {
  const bool is_node = graph.is_graph_input(value) || graph.is_constant(value);
  if (graph.origin() != v1::Graph::PT2E || graph.producer(value) >= 0 || graph.is_elsewhere(value) || !is_node) return;
  if (graph.value(value).name().empty()) return;
  location.set_node(graph.value(value).name());
  if (graph.is_graph_input(value)) location.set_op("placeholder");
}

}  // namespace

std::string FormatNumber(double number) { return absl::StrFormat("%.7g", number); }

std::string NodeName(const Graph& graph, int32_t node) {
  const std::string& name = graph.node_name(node);
  return name.empty() ? absl::StrCat("#", node) : name;
}

void SetNodeName(const Graph& graph, int32_t node, std::string& text) {
  const std::string& name = graph.node_name(node);
  if (name.empty()) {
    text = NodeName(graph, node);
  } else {
    text = name;
  }
}

void RenderFinding(const Graph& graph, const std::string& subgraph, const FindingDraft& draft, v1::Finding& finding) {
  const RuleInfo& rule = *draft.rule;
  const Place& place = draft.place;
  finding.set_code(rule.code);
  finding.set_rule(rule.name);
  finding.set_severity(draft.severity != v1::Finding::SEVERITY_UNSPECIFIED ? draft.severity : rule.severity);
  finding.set_effect(draft.effect != v1::Finding::EFFECT_UNSPECIFIED ? draft.effect : rule.effect);
  v1::Location& location = *finding.mutable_location();
  if (place.node >= 0) {
    SetNodeName(graph, place.node, *location.mutable_node());
    location.set_op(graph.op_type(place.node).data(), graph.op_type(place.node).size());
    const v1::SourceLine& line = graph.node(place.node).source_line();
    if (line.file() > 0) {
      location.set_source_line(line.line() > 0 ? absl::StrCat(graph.symbol(line.file()), ":", line.line())
                                               : std::string(graph.symbol(line.file())));
    }
  }
  if (place.node < 0 && place.value >= 0) SetFxNode(graph, place.value, location);
  if (place.input >= 0) location.set_input(place.input);
  if (place.output >= 0) location.set_output(place.output);
  if (place.value >= 0) location.set_value(graph.value(place.value).name());
  if (place.index >= 0) location.set_index(place.index);
  // Setting a field to "" says nothing and takes memory.
  if (!subgraph.empty()) location.set_subgraph(subgraph);
  finding.set_observed(draft.observed);
  finding.set_allowed(draft.allowed);
  finding.set_message(Filled(rule.message, SubjectText(location), draft));
  finding.set_fix(draft.fix.empty() ? rule.fix : draft.fix);
  finding.set_group(draft.group);
  v1::Source& source = *finding.mutable_source();
  source.set_kind(draft.source.kind);
  if (!draft.source.table.empty()) source.set_table(draft.source.table);
  if (!draft.source.row.empty()) source.set_row(draft.source.row);
  if (!draft.source.document.empty()) source.set_document(draft.source.document);
}

}  // namespace quantgate
