#include "client/gate/waivers.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/civil_time.h"
#include "client/gate/glob.h"
#include "client/text.h"
#include "client/text_file.h"
#include "db/yaml_document.h"
#include "rules/all_rules.h"
#include "rules/engine/nearest.h"

namespace quantgate {
namespace {

constexpr int64_t kMaxWaiverBytes = 1 << 20;
constexpr size_t kFamilyLength = 2;

bool MatchesOne(const std::vector<std::string>& patterns, absl::string_view text,
                bool (*matches)(absl::string_view, absl::string_view)) {
  return patterns.empty() || absl::c_any_of(patterns, [&](const std::string& p) { return matches(p, text); });
}

// Reads one file; the first complaint ends it.
class Reader {
 public:
  explicit Reader(const std::string& path) { waivers_.path = path; }

  absl::StatusOr<Waivers> Read(const std::string& text) {
    if (const size_t good = Utf8Prefix(text); good != text.size()) {
      YAML::Mark mark;
      mark.line = static_cast<int>(std::count(text.begin(), text.begin() + good, '\n'));
      mark.column = static_cast<int>(good - (text.rfind('\n', good) + 1));
      Complain(mark, "is not UTF-8");
      return status_;
    }
    try {
      if (const YAML::Node root = db::LoadYamlDocument(text); !root.IsNull()) Root(root);
    } catch (const YAML::DeepRecursion& e) {
      Complain(e.mark, absl::StrCat("is nested more than ", e.depth(), " deep"));
    } catch (const YAML::Exception& e) {
      Complain(e.mark, e.msg);
    }
    if (!status_.ok()) return status_;
    return std::move(waivers_);
  }

 private:
  void Complain(const YAML::Mark& mark, absl::string_view message) {
    if (!status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat("waivers file ", waivers_.path, ": line ", mark.line + 1,
                                                      ", column ", mark.column + 1, ": ", message));
  }

  // Calls visit(key, value) for the entries of a map whose keys are among `keys`.
  template <typename Visit>
  void ForEach(const YAML::Node& map, const std::vector<std::string>& keys, Visit visit) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!status_.ok()) return;
      if (!entry.first.IsScalar()) {
        return Complain(entry.first.Mark(), "a key must be a word");
      }
      const std::string& key = entry.first.Scalar();
      if (!keys.empty() && !absl::c_linear_search(keys, key)) {
        Complain(entry.first.Mark(), absl::StrCat("unknown key '", key, "'", DidYouMean(key, keys),
                                                  " (known: ", absl::StrJoin(keys, ", "), ")"));
      } else if (!seen.insert(key).second) {
        Complain(entry.first.Mark(), absl::StrCat("'", key, "' is set twice"));
      } else {
        visit(entry.first, entry.second);
      }
    }
  }

  void Root(const YAML::Node& root) {
    if (!root.IsMap()) return Complain(root.Mark(), "must be a map with 'waivers' and 'severities'");
    ForEach(root, {"waivers", "severities"}, [&](const YAML::Node& key, const YAML::Node& value) {
      if (value.IsNull()) return;  // "waivers:" with nothing below
      if (key.Scalar() == "severities") {
        Severities(value);
      } else if (!value.IsSequence()) {
        Complain(value.Mark(), "'waivers' must be a list");
      } else {
        for (const YAML::Node& entry : value) Entry(entry);
      }
    });
  }

  void Entry(const YAML::Node& node) {
    if (!node.IsMap()) return Complain(node.Mark(), "a waiver must be a map with 'rule', 'reason' and 'expires'");
    WaiverEntry entry;
    entry.line = node.Mark().line + 1;
    ForEach(node, {"rule", "model", "node", "targets", "reason", "expires"},
            [&](const YAML::Node& key, const YAML::Node& value) {
              const std::string& name = key.Scalar();
              if (name == "rule") {
                Words(value, name, [&](const YAML::Node& word) { entry.rules.push_back(Rule(word)); });
              } else if (name == "reason") {
                entry.reason = std::string(absl::StripAsciiWhitespace(Word(value, name)));
              } else if (name == "expires") {
                Date(value, entry);
              } else {
                std::vector<std::string>& patterns = name == "model"  ? entry.models
                                                     : name == "node" ? entry.nodes
                                                                      : entry.targets;
                Words(value, name, [&](const YAML::Node& word) { patterns.push_back(word.Scalar()); });
              }
            });
    if (entry.rules.empty()) Complain(node.Mark(), "a waiver needs a 'rule': a code, a name or a family");
    if (entry.reason.empty()) Complain(node.Mark(), "a waiver needs a 'reason'");
    if (entry.expires.empty()) Complain(node.Mark(), "a waiver needs a date, 'expires: YYYY-MM-DD'");
    waivers_.entries.push_back(std::move(entry));
  }

  void Severities(const YAML::Node& map) {
    if (!map.IsMap()) return Complain(map.Mark(), "'severities' must be a map, as in 'DT105: warning'");
    ForEach(map, {}, [&](const YAML::Node& key, const YAML::Node& value) {
      v1::Finding::Severity severity = v1::Finding::SEVERITY_UNSPECIFIED;
      const std::string word = Word(value, key.Scalar());
      if (!v1::Finding::Severity_Parse(absl::AsciiStrToUpper(word), &severity) ||
          severity == v1::Finding::SEVERITY_UNSPECIFIED) {
        Complain(value.Mark(), absl::StrCat("'", word, "' is no severity: error, warning or info"));
      }
      if (!waivers_.severities.emplace(Rule(key), severity).second) {
        Complain(key.Mark(), absl::StrCat("'", key.Scalar(), "' is set twice"));
      }
    });
  }

  std::string Word(const YAML::Node& node, absl::string_view what) {
    if (node.IsScalar()) return node.Scalar();
    Complain(node.Mark(), absl::StrCat("'", what, "' takes one value"));
    return "";
  }

  // One word, or a list of them.
  template <typename Visit>
  void Words(const YAML::Node& node, absl::string_view what, Visit visit) {
    if (node.IsSequence() && node.size() > 0) {
      for (const YAML::Node& word : node) {
        if (!word.IsScalar() || word.Scalar().empty()) {
          return Complain(word.Mark(), absl::StrCat("'", what, "' takes words"));
        }
        visit(word);
      }
    } else if (node.IsScalar() && !node.Scalar().empty()) {
      visit(node);
    } else {
      Complain(node.Mark(), absl::StrCat("'", what, "' takes a word or a list of words"));
    }
  }

  // Its code, or its family.
  std::string Rule(const YAML::Node& node) {
    const std::string& wanted = node.Scalar();
    std::vector<std::string> names;
    for (const RuleInfo* rule : AllRules()) {
      std::string family(rule->code, kFamilyLength);
      if (absl::EqualsIgnoreCase(family, wanted)) return family;
      if (absl::EqualsIgnoreCase(rule->code, wanted) || absl::EqualsIgnoreCase(rule->name, wanted)) return rule->code;
      names.insert(names.end(), {rule->code, rule->name});
    }
    Complain(node.Mark(),
             absl::StrCat("no rule has the code, name or family '", wanted, "'", DidYouMean(wanted, names)));
    return "";
  }

  void Date(const YAML::Node& node, WaiverEntry& entry) {
    const std::string text = Word(node, "expires");
    absl::CivilDay day;
    // FormatCivilTime writes the one form that is meant: neither 2027-1-5 nor the 30th of February.
    if (!absl::ParseCivilTime(text, &day) || absl::FormatCivilTime(day) != text || text.size() != 10) {
      return Complain(node.Mark(), absl::StrCat("'", text, "' is no date; expected YYYY-MM-DD"));
    }
    entry.expires = text;
    entry.valid_until = absl::FromCivil(day + 1, absl::UTCTimeZone());
  }

  Waivers waivers_;
  absl::Status status_;
};

}  // namespace

bool WaiverEntry::ConcernsModel(absl::string_view path) const { return MatchesOne(models, path, PathMatches); }

bool WaiverEntry::ConcernsTarget(absl::string_view target) const { return MatchesOne(targets, target, TargetMatches); }

bool WaiverEntry::Matches(const v1::Finding& finding) const {
  const auto names = [&](const std::string& rule) {
    return rule == finding.code() || (rule.size() == kFamilyLength && absl::StartsWith(finding.code(), rule));
  };
  const v1::Location& where = finding.location();
  return absl::c_any_of(rules, names) &&
         MatchesOne(nodes, where.node().empty() ? where.value() : where.node(), GlobMatches);
}

v1::Finding::Severity Waivers::SeverityOf(const std::string& code) const {
  auto found = severities.find(code);
  if (found == severities.end()) found = severities.find(code.substr(0, kFamilyLength));
  return found == severities.end() ? v1::Finding::SEVERITY_UNSPECIFIED : found->second;
}

absl::StatusOr<Waivers> ParseWaivers(const std::string& path, const std::string& text) {
  return Reader(path).Read(text);
}

absl::StatusOr<Waivers> ReadWaivers(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path, kMaxWaiverBytes);
  if (!text.ok()) return absl::Status(text.status().code(), absl::StrCat("waivers file ", text.status().message()));
  return ParseWaivers(path, *text);
}

}  // namespace quantgate
