#include "client/report/sarif.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/report/confirmation_text.h"
#include "client/report/correction_text.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/simulation_text.h"
#include "client/report/verdict.h"
#include "db/reports/fingerprint.h"
#include "rules/all_rules.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// Plain text messages end with a period (SARIF 2.1.0, 3.11.3); ours are parts of lines elsewhere, and do not.
std::string Sentence(const std::string& text) {
  const bool is_one = text.empty() || absl::StrContains(".!?", text.back());
  return is_one ? text : text + ".";
}

// "scale-range" as what viewers show as a title: "Scale range.".
std::string Title(absl::string_view name) {
  std::string title = absl::StrReplaceAll(name, {{"-", " "}});
  if (!title.empty()) title[0] = absl::ascii_toupper(title[0]);
  return Sentence(title);
}

// A path as a URI reference; a name as a part of one, with '/' written out too.
std::string Encoded(absl::string_view text, bool keep_slash) {
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || absl::StrContains("-._~", c) || (keep_slash && c == '/')) {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string Uri(absl::string_view path) {
  return absl::StrCat(absl::StartsWith(path, "/") ? "file://" : "", Encoded(path, /*keep_slash=*/true));
}

const char* Level(v1::Finding::Severity severity) {
  if (severity == v1::Finding::ERROR) return "error";
  return severity == v1::Finding::WARNING ? "warning" : "note";
}

// Code points, in which the run counts columns.
int Characters(absl::string_view text) { return DisplayWidth(text); }

// Descriptions of the rules that a run mentions, each once, in the order of their codes.
class RuleList {
 public:
  void Mention(const v1::Finding& finding) { rules_.emplace(finding.code(), finding); }

  // Once all are mentioned.
  Json Describe() {
    std::map<std::string, const RuleInfo*> known;
    for (const RuleInfo* rule : AllRules()) known[rule->code] = rule;
    Json list = Json::array();
    for (const auto& [code, finding] : rules_) {
      index_[code] = static_cast<int>(list.size());
      const auto rule = known.find(code);
      // A server may be newer than this program.
      list.push_back(rule == known.end() ? Unknown(finding) : Describe(*rule->second));
    }
    return list;
  }

  int IndexOf(const std::string& code) const { return index_.at(code); }

 private:
  static Json Describe(const RuleInfo& rule) {
    return {{"id", rule.code},
            {"name", rule.name},
            {"shortDescription", {{"text", Title(rule.name)}}},
            {"fullDescription", {{"text", rule.why}}},
            {"help", {{"text", absl::StrCat(rule.why, "\n\n", rule.fix)}, {"markdown", ExplainRule(rule)}}},
            {"defaultConfiguration", {{"level", Level(rule.severity)}}},
            {"properties", {{"effect", v1::Finding::Effect_Name(rule.effect)}}}};
  }

  static Json Unknown(const v1::Finding& finding) {
    return {{"id", finding.code()},
            {"name", finding.rule()},
            {"shortDescription", {{"text", Title(finding.rule())}}},
            {"help", {{"text", finding.fix()}}},
            {"defaultConfiguration", {{"level", Level(finding.severity())}}}};
  }

  std::map<std::string, v1::Finding> rules_;
  std::map<std::string, int> index_;
};

Json LogicalLocations(const v1::Location& where) {
  Json list = Json::array();
  const std::string scope = where.subgraph().empty() ? "" : absl::StrCat(where.subgraph(), "/");
  if (!where.node().empty()) {
    list.push_back(
        {{"name", where.node()}, {"fullyQualifiedName", absl::StrCat(scope, where.node())}, {"kind", "function"}});
  }
  if (!where.value().empty()) {
    list.push_back(
        {{"name", where.value()}, {"fullyQualifiedName", absl::StrCat(scope, where.value())}, {"kind", "variable"}});
  }
  return list;
}

// "net.py:12"; null where there is none.
Json CodeLocation(const std::string& source_line) {
  if (source_line.empty()) return nullptr;
  const size_t colon = source_line.rfind(':');
  const std::string line = colon == std::string::npos ? "" : source_line.substr(colon + 1);
  const bool has_line = !line.empty() && line.size() < 10 && absl::c_all_of(line, absl::ascii_isdigit) && line != "0";
  Json location = {{"artifactLocation",
                    {{"uri", Uri(absl::string_view(source_line).substr(0, has_line ? colon : source_line.size()))}}}};
  if (has_line) location["region"] = {{"startLine", std::stoi(line)}};
  return {{"physicalLocation", std::move(location)}};
}

Json Locations(const std::string& model, const v1::Location& where) {
  // What is about neither a node nor a tensor, as a waiver, is where its line is.
  if (where.node().empty() && where.value().empty() && !where.source_line().empty()) {
    return Json::array({CodeLocation(where.source_line())});
  }
  Json location = {{"physicalLocation", {{"artifactLocation", {{"uri", Uri(model)}}}}}};
  if (Json logical = LogicalLocations(where); !logical.empty()) location["logicalLocations"] = std::move(logical);
  return Json::array({std::move(location)});
}

Json RelatedLocations(const v1::Location& where) {
  Json code = CodeLocation(where.source_line());
  const bool is_primary = where.node().empty() && where.value().empty();
  return code.is_null() || is_primary ? Json() : Json::array({std::move(code)});
}

// The spec that a change is about, below the model.
std::string SpecUri(const std::string& model, const v1::Location& where) {
  std::string uri = absl::StrCat(Uri(model), "#spec");
  if (!where.node().empty()) absl::StrAppend(&uri, "/node/", Encoded(where.node(), false));
  if (where.has_input()) absl::StrAppend(&uri, "/input/", where.input());
  if (where.has_output()) absl::StrAppend(&uri, "/output/", where.output());
  if (where.node().empty()) absl::StrAppend(&uri, "/value/", Encoded(where.value(), false));
  return uri;
}

Json Fix(const std::string& model, const v1::Correction& correction) {
  Json changes = Json::array();
  for (const v1::Change& change : correction.changes()) {
    const auto [before, after] = ChangeTexts(change);
    Json replacement = {
        {"deletedRegion", {{"charOffset", 0}, {"charLength", Characters(before)}, {"snippet", {{"text", before}}}}},
        {"insertedContent", {{"text", after}}}};
    changes.push_back({{"artifactLocation", {{"uri", SpecUri(model, change.location())}}},
                       {"replacements", Json::array({std::move(replacement)})}});
  }
  return {{"description", {{"text", Sentence(correction.summary())}}},
          {"artifactChanges", std::move(changes)},
          {"properties", {{"id", correction.id()}, {"safe", correction.safe()}, {"proven", correction.proven()}}}};
}

// The corrections of a result by their ids.
using Corrections = absl::flat_hash_map<absl::string_view, const v1::Correction*>;

Corrections CorrectionsOf(const v1::Result& result) {
  Corrections corrections;
  for (const v1::Correction& correction : result.corrections()) corrections.emplace(correction.id(), &correction);
  return corrections;
}

// The fix at each finding that it removes. One of many changes for many findings stands at the first alone: a log must
// not grow with their product.
Json FixAt(const std::string& model, const Corrections& corrections, const v1::Finding& finding, int index) {
  constexpr int64_t kMaxRepeatedChanges = 256;
  const auto found = corrections.find(finding.correction());
  if (found == corrections.end()) return nullptr;
  const v1::Correction& correction = *found->second;
  if (correction.fixes().empty() || correction.changes().empty()) return nullptr;
  const bool is_small = int64_t{correction.fixes_size()} * correction.changes_size() <= kMaxRepeatedChanges;
  if (!is_small && *absl::c_min_element(correction.fixes()) != index) return nullptr;
  return Fix(model, correction);
}

Json SourceProperties(const v1::Source& source) {
  Json json = {{"kind", v1::Source::Kind_Name(source.kind())}};
  if (!source.table().empty()) json["table"] = source.table();
  if (!source.row().empty()) json["row"] = source.row();
  if (!source.document().empty()) json["document"] = source.document();
  return json;
}

Json Properties(const v1::Result& result, const v1::Finding& finding) {
  Json json = {{"target", result.target()}, {"effect", v1::Finding::Effect_Name(finding.effect())}};
  const v1::Location& where = finding.location();
  if (!where.op().empty()) json["op"] = where.op();
  if (where.has_input()) json["input"] = where.input();
  if (where.has_output()) json["output"] = where.output();
  if (where.has_index()) json["index"] = where.index();
  if (!finding.observed().empty()) json["observed"] = finding.observed();
  if (!finding.allowed().empty()) json["allowed"] = finding.allowed();
  json["source"] = SourceProperties(finding.source());
  if (!finding.correction().empty()) json["correction"] = finding.correction();
  return json;
}

Json ResultOf(const std::string& model, const v1::Result& result, int index, const Corrections& corrections,
              const std::string& fingerprint, const RuleList& rules, bool has_baseline) {
  const v1::Finding& finding = result.findings(index);
  std::string message = Sentence(absl::StrCat(result.target(), ": ", finding.message()));
  if (!finding.fix().empty()) absl::StrAppend(&message, " ", Sentence(finding.fix()));
  Json json = {{"ruleId", finding.code()},
               {"ruleIndex", rules.IndexOf(finding.code())},
               {"level", Level(finding.severity())},
               {"message", {{"text", message}}},
               {"locations", Locations(model, finding.location())}};
  if (Json related = RelatedLocations(finding.location()); !related.is_null()) {
    json["relatedLocations"] = std::move(related);
  }
  json["partialFingerprints"] = {{"quantgate/v1", fingerprint}};
  if (has_baseline) json["baselineState"] = finding.in_baseline() ? "unchanged" : "new";
  if (finding.has_waiver()) {
    json["suppressions"] = Json::array({{{"kind", "external"},
                                         {"status", "accepted"},
                                         {"justification", StandingText(finding)},
                                         {"properties", {{"expires", finding.waiver().expires()}}}}});
  }
  if (Json fix = FixAt(model, corrections, finding, index); !fix.is_null())
    json["fixes"] = Json::array({std::move(fix)});
  json["properties"] = Properties(result, finding);
  return json;
}

Json Notification(const char* level, const std::string& model, const std::string& text) {
  return {{"level", level}, {"message", {{"text", Sentence(text)}}}, {"locations", Locations(model, v1::Location())}};
}

Json Verdict(const std::string& model, const v1::Report& report, const v1::Result& result) {
  const v1::Coverage& coverage = result.coverage();
  Json json = {{"model", model},
               {"target", result.target()},
               {"verdict", v1::Result::Verdict_Name(result.verdict())},
               {"outcome", v1::Outcome::Kind_Name(result.outcome().kind())},
               {"nodes", coverage.nodes()},
               {"checkedNodes", coverage.checked_nodes()}};
  if (!result.verdict_reason().empty()) json["verdictReason"] = result.verdict_reason();
  if (!report.graph_digest().empty()) json["graphDigest"] = report.graph_digest();
  if (!report.tables_digest().empty()) json["tablesDigest"] = report.tables_digest();
  return json;
}

// The specs that pass on several targets, and which targets exclude each other; null: nothing is said.
Json CommonCorrections(const std::string& model, const v1::Report& report) {
  if (!report.has_common_corrections()) return nullptr;
  const v1::CommonCorrections& common = report.common_corrections();
  Json changes = Json::array(), conflicts = Json::array();
  for (const v1::Change& change : common.changes()) {
    const auto [before, after] = ChangeTexts(change);
    changes.push_back({{"uri", SpecUri(model, change.location())}, {"before", before}, {"after", after}});
  }
  for (const v1::Conflict& conflict : common.conflicts()) {
    conflicts.push_back({{"targets", conflict.targets()}, {"reason", conflict.reason()}});
  }
  return {{"model", model},
          {"targets", common.targets()},
          {"safe", common.safe()},
          {"proven", common.proven()},
          {"changes", std::move(changes)},
          {"conflicts", std::move(conflicts)}};
}

}  // namespace

std::string RenderSarif(absl::Span<const MatrixRow> rows, int exit_code, bool has_baseline) {
  RuleList rules;
  bool all_read = true;
  std::string version;
  for (const MatrixRow& row : rows) {
    all_read &= row.report != nullptr;
    if (row.report == nullptr) continue;
    version = row.report->tool_version();
    for (const v1::Result& result : row.report->results()) {
      for (const v1::Finding& finding : result.findings()) rules.Mention(finding);
    }
  }
  Json driver = {{"name", "QuantGate"}};
  if (!version.empty()) driver["version"] = version;
  driver["rules"] = rules.Describe();
  Json results = Json::array(), notifications = Json::array(), verdicts = Json::array(), common = Json::array();
  Style style;
  style.unicode = true;
  const Style brief = style;
  style.verbose = true;
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) {
      notifications.push_back(Notification("error", row.model, row.error));
      continue;
    }
    for (const v1::Result& result : row.report->results()) {
      verdicts.push_back(Verdict(row.model, *row.report, result));
      const std::vector<std::string> fingerprints = db::Fingerprints(result);
      const Corrections corrections = CorrectionsOf(result);
      for (int i = 0; i < result.findings_size(); ++i) {
        results.push_back(ResultOf(row.model, result, i, corrections, fingerprints[i], rules, has_baseline));
      }
    }
    if (Json one = CommonCorrections(row.model, *row.report); !one.is_null()) common.push_back(std::move(one));
    const auto note = [&](const std::string& text) -> Json& {
      return notifications.emplace_back(Notification("note", row.model, text));
    };
    for (const v1::Result& result : row.report->results()) {
      const std::string confirmation = RenderConfirmation(result, brief);
      if (!confirmation.empty()) note(confirmation)["properties"]["targets"].push_back(result.target());
    }
    if (row.report->has_simulation()) note(absl::StrCat("simulated: ", SimulationText(row.report->simulation())));
    for (const NotCheckedGroup& group : GroupNotChecked(*row.report)) {
      Json& entry = note(absl::StrCat("not checked: ", NotCheckedText(*row.report, group, style)));
      for (const int target : group.targets)
        entry["properties"]["targets"].push_back(row.report->results(target).target());
    }
  }
  Json invocation = {{"executionSuccessful", all_read}, {"exitCode", exit_code}};
  invocation["toolExecutionNotifications"] = std::move(notifications);
  Json run = {{"tool", {{"driver", std::move(driver)}}},
              {"invocations", Json::array({std::move(invocation)})},
              {"columnKind", "unicodeCodePoints"},
              {"results", std::move(results)},
              {"properties", {{"verdicts", std::move(verdicts)}}}};
  if (!common.empty()) run["properties"]["commonCorrections"] = std::move(common);
  const Json log = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return log.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quantgate
