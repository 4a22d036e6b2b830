#include "client/report/finding_text.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/pattern.h"
#include "client/report/verdict.h"
#include "rules/engine/subject.h"

namespace quantgate {
namespace {

constexpr size_t kNamesShown = 3;
constexpr size_t kLongText = 120;          // more than this is not said twice
constexpr char kAlternatives[] = "; or ";  // between the alternatives of what a table allows
constexpr int kLabelWidth = 12;

// Distinct non-empty texts of a group, in order of first mention.
template <typename TextOf>
std::vector<std::string> Distinct(const FindingGroup& group, TextOf text_of) {
  std::vector<std::string> texts;
  absl::flat_hash_set<std::string> seen;
  for (const v1::Finding* finding : group.findings) {
    const std::string text(text_of(*finding));
    if (!text.empty() && seen.insert(text).second) texts.push_back(text);
  }
  return texts;
}

// "a, b, c and 93 more".
std::string First(const std::vector<std::string>& texts, const Style& style) {
  const size_t shown = style.verbose || texts.size() == kNamesShown + 1 ? texts.size() : kNamesShown;
  std::string out;
  for (size_t i = 0; i < std::min(shown, texts.size()); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", Printable(texts[i]));
  }
  if (texts.size() > shown) absl::StrAppend(&out, " and ", WithCommas(texts.size() - shown), " more");
  return out;
}

// "input 1", when all findings are about that one; empty otherwise.
std::string CommonPort(const FindingGroup& group) {
  const auto port = [](const v1::Location& location) {
    if (location.has_input()) return absl::StrCat("input ", location.input());
    if (location.has_output()) return absl::StrCat("output ", location.output());
    return std::string();
  };
  const std::string first = port(group.findings.front()->location());
  const bool common = std::all_of(group.findings.begin(), group.findings.end(),
                                  [&](const v1::Finding* finding) { return port(finding->location()) == first; });
  return common ? first : "";
}

std::string OnePlace(const v1::Location& location, const std::string& port) {
  std::vector<std::string> parts;
  if (!location.node().empty()) {
    parts.push_back(Printable(location.node()));
    if (!location.op().empty()) absl::StrAppend(&parts.back(), " (", Printable(location.op()), ")");
  }
  if (!port.empty()) parts.push_back(port);
  if (!location.value().empty()) parts.push_back(absl::StrCat("tensor ", Printable(location.value())));
  if (location.has_index()) parts.push_back(absl::StrCat("index ", location.index()));
  if (!location.subgraph().empty()) parts.push_back(absl::StrCat("in ", Printable(location.subgraph())));
  if (!location.source_line().empty()) parts.push_back(Printable(location.source_line()));
  return parts.empty() ? "the graph" : absl::StrJoin(parts, ", ");
}

size_t PlaceCount(const FindingGroup& group) {
  return Distinct(group, [](const v1::Finding& finding) { return finding.location().SerializeAsString(); }).size();
}

std::string Where(const FindingGroup& group, const Style& style) {
  const std::string port = CommonPort(group);
  if (PlaceCount(group) <= 1) return OnePlace(group.findings.front()->location(), port);
  const auto nodes = Distinct(group, [](const v1::Finding& finding) { return finding.location().node(); });
  const auto values = Distinct(group, [](const v1::Finding& finding) { return finding.location().value(); });
  const auto ops = Distinct(group, [](const v1::Finding& finding) { return finding.location().op(); });
  std::string out;
  if (!port.empty()) absl::StrAppend(&out, port, " of ");
  if (ops.size() > 1) {
    const auto node_and_op = [](const v1::Finding& finding) {
      const v1::Location& location = finding.location();
      return absl::StrCat(location.node(), " (", location.op(), ")");
    };
    return absl::StrCat(out, First(Distinct(group, node_and_op), style));
  }
  if (!ops.empty()) absl::StrAppend(&out, Printable(ops[0]), " ");
  if (nodes.size() > 1) return absl::StrCat(out, NameList(nodes, style));
  if (nodes.size() == 1) absl::StrAppend(&out, Printable(nodes[0]), values.empty() ? "" : ", ");
  if (!values.empty()) absl::StrAppend(&out, values.size() == 1 ? "tensor " : "tensors ", NameList(values, style));
  return out.empty() ? "the graph" : out;
}

// "96 nodes", "4 places in 2 nodes"; empty for one place.
std::string HowMany(const FindingGroup& group) {
  const size_t count = PlaceCount(group);
  if (count <= 1) return "";
  const auto nodes = Distinct(group, [](const v1::Finding& finding) { return finding.location().node(); });
  if (nodes.size() == count) return Count(nodes.size(), "node");
  const std::string places = Count(count, "place");
  return nodes.empty() ? places : absl::StrCat(places, " in ", Count(nodes.size(), "node"));
}

// With '*' for the names of the finding's own node and tensor.
std::string WithoutNames(const v1::Finding& finding, absl::string_view text) {
  return MaskName(MaskName(text, finding.location().node()), finding.location().value());
}

// What findings say, each text once; texts that differ in the names of their places are one.
template <typename TextOf>
std::vector<std::string> Said(const FindingGroup& group, TextOf text_of) {
  std::vector<std::string> texts = Distinct(group, text_of);
  if (texts.size() <= 1) return texts;
  return Distinct(group, [&](const v1::Finding& finding) { return WithoutNames(finding, text_of(finding)); });
}

// What takes the place of the subject where findings of several places are told as one: "input 1 of 20 Conv nodes".
std::string CommonSubject(const FindingGroup& group) {
  const auto nodes = Distinct(group, [](const v1::Finding& finding) { return finding.location().node(); });
  const auto ops = Distinct(group, [](const v1::Finding& finding) { return finding.location().op(); });
  if (nodes.empty()) return absl::StrCat("each of ", Count(PlaceCount(group), "tensor"));
  const std::string op = ops.size() == 1 ? absl::StrCat(ops[0], " ") : "";
  const std::string who = nodes.size() == 1
                              ? absl::StrCat(op, "node '", nodes[0], "'")
                              : absl::StrCat(WithCommas(static_cast<int64_t>(nodes.size())), " ", op, "nodes");
  if (const std::string port = CommonPort(group); !port.empty()) return absl::StrCat(port, " of ", who);
  return absl::StrCat(nodes.size() == 1 ? "each place of " : "each of ", who);
}

// Findings of several places in one sentence about all; the first one's where that would leave little of it.
std::string MessageOfAll(const FindingGroup& group, absl::FunctionRef<std::string(const v1::Finding&)> message) {
  constexpr char kSubject[] = "\x01";
  std::vector<std::string> rests = Said(group, [&](const v1::Finding& finding) {
    return absl::StrReplaceAll(message(finding), {{SubjectText(finding.location()), kSubject}});
  });
  const std::string pattern = CommonPattern(rests);
  const bool complete = absl::c_all_of(rests, [&](const std::string& rest) {
    return absl::StrContains(rest, kSubject) && pattern.size() * 2 >= rest.size();
  });
  if (!complete || !absl::StrContains(pattern, kSubject)) return message(*group.findings.front());
  constexpr size_t kFew = 3;
  const bool few = rests.size() <= kFew && absl::c_count(pattern, '*') == 1;
  return absl::StrReplaceAll(few ? Alternatives(rests) : pattern, {{kSubject, CommonSubject(group)}});
}

// The message once: with both words where targets differ. A long list of what is allowed has lines of its own and is
// not repeated.
std::string Message(const FindingGroup& group) {
  const auto message = [](const v1::Finding& finding) {
    if (finding.allowed().size() <= kLongText) return finding.message();
    return absl::StrReplaceAll(finding.message(), {{finding.allowed(), "what is allowed below"}});
  };
  if (PlaceCount(group) > 1) return Printable(MessageOfAll(group, message));
  const auto messages = Distinct(group, message);
  if (messages.empty()) return "";
  const bool by_target = messages.size() == 2 && absl::c_count(CommonPattern(messages), '*') == 1;
  return Printable(by_target ? Alternatives(messages) : messages[0]);
}

// The table, the rows of all and the evidence: those are the same for all but the row.
std::string SourceText(const FindingGroup& group, const Style& style) {
  const v1::Source& source = group.findings.front()->source();
  const std::string rows =
      First(Distinct(group, [](const v1::Finding& finding) { return finding.source().row(); }), style);
  std::vector<std::string> parts;
  if (!source.table().empty()) parts.push_back(Printable(source.table()));
  if (!rows.empty()) parts.push_back(rows);
  std::string out = absl::StrJoin(parts, " ");
  if (source.kind() != v1::Source::KIND_UNSPECIFIED && v1::Source::Kind_IsValid(source.kind())) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", Readable(v1::Source::Kind_Name(source.kind())));
  }
  if (!source.document().empty()) absl::StrAppend(&out, out.empty() ? "" : ": ", Printable(source.document()));
  return out;
}

// Who reports it and who does not; empty when there is one target, or all report it and are too many to name.
std::string TargetsText(const v1::Report& report, const FindingGroup& group) {
  if (report.results_size() < 2) return "";
  if (static_cast<int>(group.targets.size()) == report.results_size()) {
    return absl::StrCat("all ", report.results_size());
  }
  std::vector<int> others;
  for (int i = 0; i < report.results_size(); ++i) {
    if (!std::binary_search(group.targets.begin(), group.targets.end(), i)) others.push_back(i);
  }
  return absl::StrCat("only ", TargetNames(report, group.targets), "; not ", TargetNames(report, others));
}

// What is allowed, a line for each alternative.
std::vector<std::string> AllowedLines(const FindingGroup& group, const Style& style) {
  const auto allowed = Said(group, [](const v1::Finding& finding) { return finding.allowed(); });
  if (allowed.size() != 1) return {First(allowed, style)};
  std::vector<std::string> lines = absl::StrSplit(Printable(allowed[0]), kAlternatives);
  for (size_t i = 1; i < lines.size(); ++i) lines[i] = absl::StrCat("or ", lines[i]);
  return lines;
}

}  // namespace

std::string NameList(const std::vector<std::string>& names, const Style& style) {
  std::string list = First(names, style);
  if (names.size() <= kNamesShown + 1) return list;
  const std::string pattern = CommonPattern(names);
  return pattern.empty() ? list : absl::StrCat(Printable(pattern), ": ", list);
}

std::string TargetNames(const v1::Report& report, const std::vector<int>& targets) {
  std::string out;
  for (size_t i = 0; i < targets.size(); ++i) {
    absl::StrAppend(&out,
                    i == 0                    ? ""
                    : i + 1 == targets.size() ? " and "
                                              : ", ",
                    Printable(report.results(targets[i]).target()));
  }
  return out;
}

std::string Label(absl::string_view label, const Style& style) {
  const size_t padding = label.size() < kLabelWidth ? kLabelWidth - label.size() : 1;
  return absl::StrCat("  ", Paint(style, Ink::kDim, label), std::string(padding, ' '));
}

std::string SeverityWord(v1::Finding::Severity severity) {
  return severity == v1::Finding::INFO || !v1::Finding::Severity_IsValid(severity)
             ? "note"
             : Readable(v1::Finding::Severity_Name(severity));
}

std::string StandingText(const v1::Finding& finding) {
  std::vector<std::string> parts;
  if (finding.has_waiver()) {
    parts.push_back(absl::StrCat("waived until ", Printable(finding.waiver().expires()), ": ",
                                 Printable(finding.waiver().reason())));
  }
  if (finding.in_baseline()) parts.push_back("in the baseline");
  return absl::StrJoin(parts, "; ");
}

std::string FindingFacts(const FindingGroup& group, const Style& style) {
  const v1::Finding& first = *group.findings.front();
  std::vector<std::string> facts = {Printable(first.rule())};
  if (first.effect() != v1::Finding::EFFECT_UNSPECIFIED && v1::Finding::Effect_IsValid(first.effect())) {
    facts.push_back(Readable(v1::Finding::Effect_Name(first.effect())));
  }
  if (std::string count = HowMany(group); !count.empty()) facts.push_back(std::move(count));
  if (first.has_waiver()) facts.push_back("waived");
  if (first.in_baseline()) facts.push_back("known");
  return absl::StrJoin(facts, Dot(style));
}

std::string FindingBody(const v1::Report& report, const FindingGroup& group, const Style& style) {
  const v1::Finding& first = *group.findings.front();
  std::string out;
  const auto line = [&](absl::string_view label, const std::string& text) {
    if (!text.empty()) AppendWrapped(out, Label(label, style), text, style.width);
  };
  if (!first.message().empty()) AppendWrapped(out, "  ", Message(group), style.width);
  line("where", Where(group, style));
  line("observed", First(Said(group, [](const v1::Finding& finding) { return finding.observed(); }), style));
  const std::vector<std::string> allowed = AllowedLines(group, style);
  for (size_t i = 0; i < allowed.size(); ++i) line(i == 0 ? "allowed" : "", allowed[i]);
  line("source", SourceText(group, style));
  line("fix", Printable(first.fix()));
  line("targets", TargetsText(report, group));
  line("known", StandingText(first));
  return out;
}

std::string RenderFindingGroup(const v1::Report& report, const FindingGroup& group, const Style& style) {
  const v1::Finding& first = *group.findings.front();
  const std::string title = absl::StrCat(SeverityWord(first.severity()), "[", Printable(first.code()), "]");
  return absl::StrCat(Paint(style, SeverityInk(first.severity()), title), " ",
                      Paint(style, Ink::kBold, FindingFacts(group, style)), "\n", FindingBody(report, group, style));
}

}  // namespace quantgate
