#include "rules/engine/render.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace quantgate {
namespace {

// "Conv node 'c1', input 1 'c1.weight'"; the parts that are known.
std::string SubjectText(const Graph& graph, const Place& place) {
  std::string subject;
  if (place.node >= 0) {
    subject = absl::StrCat(graph.op_type(place.node), " node '", NodeName(graph, place.node), "'");
    if (place.input >= 0) absl::StrAppend(&subject, ", input ", place.input);
    if (place.output >= 0) absl::StrAppend(&subject, ", output ", place.output);
  }
  if (place.value >= 0) {
    const bool port = place.input >= 0 || place.output >= 0;
    absl::StrAppend(&subject,
                    subject.empty() ? "tensor "
                    : port          ? " "
                                    : ", tensor ",
                    "'", graph.value(place.value).name(), "'");
  }
  if (subject.empty()) subject = "the graph";
  if (place.index >= 0) absl::StrAppend(&subject, " [", place.index, "]");
  return subject;
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
    location.set_node(NodeName(graph, place.node));
    location.set_op(std::string(graph.op_type(place.node)));
    const v1::SourceLine& line = graph.node(place.node).source_line();
    if (line.file() > 0) {
      location.set_source_line(line.line() > 0 ? absl::StrCat(graph.symbol(line.file()), ":", line.line())
                                               : std::string(graph.symbol(line.file())));
    }
  }
  if (place.input >= 0) location.set_input(place.input);
  if (place.output >= 0) location.set_output(place.output);
  if (place.value >= 0) location.set_value(graph.value(place.value).name());
  if (place.index >= 0) location.set_index(place.index);
  location.set_subgraph(subgraph);
  finding.set_observed(draft.observed);
  finding.set_allowed(draft.allowed);
  // One pass, so that a name that contains "{allowed}" stays a name.
  finding.set_message(absl::StrReplaceAll(
      rule.message,
      {{"{subject}", SubjectText(graph, place)}, {"{observed}", draft.observed}, {"{allowed}", draft.allowed}}));
  finding.set_fix(draft.fix.empty() ? rule.fix : draft.fix);
  finding.set_group(draft.group);
  v1::Source& source = *finding.mutable_source();
  source.set_kind(draft.source.kind);
  source.set_table(draft.source.table);
  source.set_row(draft.source.row);
  source.set_document(draft.source.document);
}

}  // namespace quantgate
