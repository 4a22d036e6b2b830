#include "db/compiler/source.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "db/compiler/vocabulary.h"
#include "db/sdk_version.h"
#include "db/table_text.h"
#include "db/yaml_document.h"

namespace quantgate::db {
namespace {

// yaml-cpp reports by exception; so does this file, up to ParseSource and no further.
struct SourceError : std::runtime_error {
  SourceError(const YAML::Mark& mark, const std::string& what) : std::runtime_error(what), line(mark.line + 1) {}
  int line;
};

[[noreturn]] void Fail(const YAML::Node& at, const std::string& what) { throw SourceError(at.Mark(), what); }

const std::string& Scalar(const YAML::Node& node, const char* what) {
  if (!node.IsScalar()) Fail(node, absl::StrCat("expected text for ", what));
  return node.Scalar();
}

// Lists may be broken over lines after a comma or bar; YAML folds the break to a blank.
std::string Unfold(const std::string& text) { return absl::StrReplaceAll(text, {{", ", ","}, {"| ", "|"}}); }

std::vector<std::string> Words(const std::string& text) { return absl::StrSplit(text, ' ', absl::SkipEmpty()); }

int Int(const YAML::Node& at, absl::string_view text) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) Fail(at, absl::StrCat("not an integer: \"", text, "\""));
  return value;
}

// A mapping with known keys, each at most once. yaml-cpp itself keeps duplicates silently.
std::map<std::string, YAML::Node> Fields(const YAML::Node& node, const char* what,
                                         const std::vector<std::string>& allowed = {}) {
  if (!node.IsMap()) Fail(node, absl::StrCat("expected a mapping for ", what));
  std::map<std::string, YAML::Node> fields;
  for (const auto& entry : node) {
    const std::string& key = Scalar(entry.first, what);
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      Fail(entry.first, absl::StrCat("unknown key \"", key, "\" in ", what));
    }
    if (!fields.emplace(key, entry.second).second) {
      Fail(entry.first, absl::StrCat("duplicate ", what, " \"", key, "\""));
    }
  }
  return fields;
}

const YAML::Node& Required(const std::map<std::string, YAML::Node>& fields, const std::string& key,
                           const YAML::Node& at) {
  const auto found = fields.find(key);
  if (found == fields.end()) Fail(at, absl::StrCat("missing \"", key, "\""));
  return found->second;
}

void RequireSequence(const YAML::Node& node, const char* what) {
  if (!node.IsSequence()) Fail(node, absl::StrCat("expected a list of ", what));
}

Evidence ParseEvidence(const YAML::Node& node) {
  const std::string& text = Scalar(node, "evidence");
  if (text == "documented") return Evidence::kDocumented;
  if (text == "measured") return Evidence::kMeasured;
  Fail(node, absl::StrCat("evidence is documented or measured, not \"", text, "\""));
}

// "73..", "..79", "73..79"
ArchRange ParseArchs(const YAML::Node& node) {
  const std::vector<std::string> ends = absl::StrSplit(Scalar(node, "archs"), "..");
  if (ends.size() != 2 || (ends[0].empty() && ends[1].empty())) Fail(node, "archs are LO..HI, one may be empty");
  const auto arch = [&](const std::string& end) {
    const int number = end.empty() ? 0 : Int(node, end);
    if (number < (end.empty() ? 0 : 1)) Fail(node, "archs are counted from 1 on");
    return number;
  };
  const ArchRange range{arch(ends[0]), arch(ends[1])};
  if (range.max != 0 && range.min > range.max) Fail(node, "empty arch range");
  return range;
}

// Inclusive, compared as far as the ends go: 2.25.3 is within 2.25..2.25. An empty end is open.
bool SdkWithin(const std::string& sdk, const std::string& from, const std::string& until) {
  const auto starts = [&](const std::string& end) {
    return absl::StartsWith(absl::StrCat(sdk, "."), absl::StrCat(end, "."));
  };
  if (!from.empty() && !starts(from) && SdkVersionLess(sdk, from)) return false;
  return until.empty() || starts(until) || SdkVersionLess(sdk, until);
}

SourceHead ParseHead(const std::map<std::string, YAML::Node>& fields, const std::string& name_key,
                     const YAML::Node& root) {
  SourceHead head;
  const YAML::Node& name = Required(fields, name_key, root);
  head.name = Scalar(name, "name");
  const auto names = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (head.name.empty() || !std::all_of(head.name.begin(), head.name.end(), names)) {
    Fail(name, absl::StrCat("a name is of letters, digits and _, not \"", head.name, "\""));
  }
  const YAML::Node& sdk = Required(fields, "sdk", root);
  head.sdk = Scalar(sdk, "sdk");
  if (!ParseSdkVersion(head.sdk)) Fail(sdk, absl::StrCat("not an SDK version: \"", head.sdk, "\""));
  if (const auto until = fields.find("sdk_until"); until != fields.end()) {
    head.sdk_until = Scalar(until->second, "sdk_until");
    if (!ParseSdkVersion(head.sdk_until)) Fail(until->second, "sdk_until is not an SDK version");
    if (!SdkWithin(head.sdk, "", head.sdk_until)) Fail(until->second, "sdk_until is before sdk");
  }
  head.document = Scalar(Required(fields, "document", root), "document");
  head.evidence = ParseEvidence(Required(fields, "evidence", root));
  return head;
}

// Annotations that a row or item in mapping form may carry. `archs`: those that there are, or none known.
template <typename Entry>
void ReadAnnotations(const std::map<std::string, YAML::Node>& fields, const std::set<int>& archs, Entry& entry) {
  if (const auto range = fields.find("archs"); range != fields.end()) {
    entry.archs = ParseArchs(range->second);
    const auto covered = [&](int arch) { return entry.archs.Contains(arch); };
    if (!archs.empty() && std::none_of(archs.begin(), archs.end(), covered)) {
      Fail(range->second, absl::StrCat("no SoC has an arch within ", range->second.Scalar()));
    }
  }
  if (const auto evidence = fields.find("evidence"); evidence != fields.end()) {
    entry.evidence = ParseEvidence(evidence->second);
  }
  if (const auto source = fields.find("source"); source != fields.end()) {
    entry.source = Scalar(source->second, "source");
  }
}

const DefinitionSource& FindDefinitions(const YAML::Node& wanted, absl::Span<const Source> known) {
  const std::string& name = Scalar(wanted, "definitions");
  for (const Source& source : known) {
    const auto* candidate = std::get_if<DefinitionSource>(&source);
    if (candidate != nullptr && absl::StrCat(candidate->head.name, "@", candidate->head.sdk) == name) return *candidate;
  }
  Fail(wanted, absl::StrCat("no definitions \"", name, "\""));
}

// Of the SoCs whose backend the table is of ("qnn_htp_fp16" is one of qnn_htp), by arch and by kernels.
std::set<int> ArchsOf(const std::string& table, absl::Span<const Source> known) {
  std::set<int> archs;
  for (const Source& source : known) {
    const auto* socs = std::get_if<SocSource>(&source);
    if (socs == nullptr || !absl::StartsWith(table, socs->head.name)) continue;
    for (const Soc& soc : socs->socs) {
      if (soc.arch != 0) archs.insert({soc.arch, soc.kernels});
    }
  }
  return archs;
}

class ConstraintReader {
 public:
  // For one of the versions that the file speaks for; "" is the one it is named by.
  ConstraintReader(const YAML::Node& root, absl::Span<const Source> known, const std::string& sdk) {
    const auto fields = Fields(root, "file",
                               {"table", "sdk", "also", "sdk_until", "document", "evidence", "definitions", "sources",
                                "enums", "ops", "families"});
    source_.head = ParseHead(fields, "table", root);
    sdks_.push_back(source_.head.sdk);
    if (const auto also = fields.find("also"); also != fields.end()) {
      for (const std::string& older : Words(Scalar(also->second, "also"))) {
        if (!ParseSdkVersion(older)) Fail(also->second, absl::StrCat("not an SDK version: \"", older, "\""));
        sdks_.push_back(older);
      }
    }
    if (!sdk.empty()) source_.head.sdk = sdk;
    archs_ = ArchsOf(source_.head.name, known);
    definitions_ = &FindDefinitions(Required(fields, "definitions", root), known);
    if (const auto enums = fields.find("enums"); enums != fields.end()) ReadEnums(enums->second);
    for (const auto& [op, node] : Fields(Required(fields, "ops", root), "operator")) ReadOp(op, node);
    if (const auto families = fields.find("families"); families != fields.end()) {
      RequireSequence(families->second, "families");
      for (const YAML::Node& family : families->second) ReadFamily(family);
    }
  }

  ConstraintSource Take() { return std::move(source_); }
  // All versions that the file speaks for; the first is the one it is named by.
  const std::vector<std::string>& sdks() const { return sdks_; }

 private:
  // "ElementWiseBinary:ADD" has the ports of ElementWiseBinary.
  const OpDefinition* FindDefinition(const std::string& entry) const {
    const std::string op = entry.substr(0, entry.find(':'));
    for (const OpDefinition& definition : definitions_->ops) {
      if (definition.op == op) return &definition;
    }
    return nullptr;
  }

  void ReadEnums(const YAML::Node& node) {
    for (const auto& [name, values] : Fields(node, "enumeration")) {
      const std::vector<std::string> parts = absl::StrSplit(name, '.');
      const OpDefinition* definition = FindDefinition(parts[0]);
      if (parts.size() != 2 || definition == nullptr || !DefinesPort(*definition, parts[1])) {
        Fail(values, absl::StrCat("enumeration \"", name, "\" is not Operator.parameter"));
      }
      for (const std::string& word : Words(Scalar(values, "enumeration"))) {
        const std::vector<std::string> pair = absl::StrSplit(word, '=');
        if (pair.size() != 2) Fail(values, absl::StrCat("expected NAME=number, found \"", word, "\""));
        if (!enums_[name].emplace(pair[0], Int(values, pair[1])).second) {
          Fail(values, absl::StrCat(name, " names \"", pair[0], "\" twice"));
        }
      }
    }
  }

  void ReadOp(const std::string& op, const YAML::Node& node) {
    OpConstraints constraints;
    constraints.op = op;
    const OpDefinition* definition = FindDefinition(op);
    if (definition == nullptr) {
      Fail(node, absl::StrCat("operator \"", op, "\" is not defined in ", definitions_->head.name));
    }
    if (const size_t colon = op.find(':'); colon != std::string::npos) {
      const auto values = enums_.find(absl::StrCat(op.substr(0, colon), ".operation"));
      const auto value =
          values == enums_.end() ? EnumValues::const_iterator() : values->second.find(op.substr(colon + 1));
      if (values == enums_.end() || value == values->second.end()) {
        Fail(node, absl::StrCat("\"", op, "\" names no operation of the enumerations"));
      }
      constraints.operation = value->second;
    }
    const auto fields = Fields(node, "operator", {"ports", "rows", "items", "summary"});
    const auto rows = fields.find("rows");
    if (rows != fields.end()) {
      const YAML::Node& ports = Required(fields, "ports", node);
      const std::vector<std::string> names = Words(Scalar(ports, "ports"));
      for (const std::string& name : names) CheckPort(ports, op, *definition, name);
      if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) Fail(ports, "port named twice");
      ReadRows(rows->second, names, constraints);
    } else if (fields.count("ports") != 0) {
      Fail(node, absl::StrCat("operator ", op, " has ports and no rows"));
    }
    if (const auto items = fields.find("items"); items != fields.end()) {
      ReadItems(items->second, false, *definition, constraints);
    }
    if (const auto items = fields.find("summary"); items != fields.end()) {
      ReadItems(items->second, true, *definition, constraints);
    }
    source_.ops.push_back(std::move(constraints));
  }

  // Items that hold for each of several operators.
  void ReadFamily(const YAML::Node& node) {
    const auto fields = Fields(node, "family", {"ops", "except", "items"});
    const YAML::Node& ops = Required(fields, "ops", node);
    std::vector<std::string> names = Words(Scalar(ops, "operators"));
    if (names == std::vector<std::string>{"*"}) {
      names.clear();
      for (const OpConstraints& constraints : source_.ops) names.push_back(constraints.op);
    }
    if (const auto except = fields.find("except"); except != fields.end()) {
      for (const std::string& op : Words(Scalar(except->second, "operators"))) {
        const auto found = std::find(names.begin(), names.end(), op);
        if (found == names.end()) Fail(except->second, absl::StrCat("operator \"", op, "\" is not in the family"));
        names.erase(found);
      }
    }
    for (const std::string& op : names) {
      const auto found = std::find_if(source_.ops.begin(), source_.ops.end(),
                                      [&](const OpConstraints& constraints) { return constraints.op == op; });
      if (found == source_.ops.end()) Fail(ops, absl::StrCat("operator \"", op, "\" is not in this table"));
      ReadItems(Required(fields, "items", node), false, *FindDefinition(op), *found);
    }
  }

  // "2.51..", "..2.47", "2.47..2.49"
  bool InThisSdk(const std::map<std::string, YAML::Node>& fields) const {
    const auto sdks = fields.find("sdks");
    if (sdks == fields.end()) return true;
    const std::vector<std::string> ends = absl::StrSplit(Scalar(sdks->second, "sdks"), "..");
    if (ends.size() != 2) Fail(sdks->second, "sdks are LO..HI, either may be empty");
    for (const std::string& end : ends) {
      if (!end.empty() && !ParseSdkVersion(end)) Fail(sdks->second, absl::StrCat("not an SDK version: \"", end, "\""));
    }
    const auto within = [&](const std::string& sdk) { return SdkWithin(sdk, ends[0], ends[1]); };
    // It would be a statement for nobody.
    if (std::none_of(sdks_.begin(), sdks_.end(), within)) {
      Fail(sdks->second, absl::StrCat("no version of this table (", absl::StrJoin(sdks_, ", "), ") is within ",
                                      sdks->second.Scalar()));
    }
    return within(source_.head.sdk);
  }

  static void CheckPort(const YAML::Node& at, const std::string& op, const OpDefinition& definition,
                        const std::string& port) {
    if (!DefinesPort(definition, port)) Fail(at, absl::StrCat("operator ", op, " has no port \"", port, "\""));
  }

  void ReadRows(const YAML::Node& node, const std::vector<std::string>& ports, OpConstraints& constraints) const {
    // In the file's order, which is the document's; Fields() only looks for duplicates.
    Fields(node, "configuration");
    for (const auto& group : node) {
      RequireSequence(group.second, "rows");
      for (const YAML::Node& entry : group.second) {
        DtypeRow row;
        row.configuration = group.first.Scalar();
        row.ordinal = static_cast<int>(constraints.rows.size()) + 1;
        row.evidence = source_.head.evidence;
        if (entry.IsMap()) {
          const auto fields = Fields(entry, "row", {"types", "archs", "sdks", "evidence", "source"});
          if (!InThisSdk(fields)) continue;
          ReadTypes(Required(fields, "types", entry), ports, row);
          ReadAnnotations(fields, archs_, row);
        } else {
          ReadTypes(entry, ports, row);
        }
        for (const DtypeRow& other : constraints.rows) {
          if (other.configuration == row.configuration && RowText(other) == RowText(row) && SaidTwice(other, row)) {
            Fail(entry, absl::StrCat("the same as row ", other.ordinal));
          }
        }
        constraints.rows.push_back(std::move(row));
      }
    }
  }

  // Of two statements with the same words. What a document says twice is kept as it is there: its numbers count on.
  template <typename Entry>
  static bool SaidTwice(const Entry& a, const Entry& b) {
    const bool of_documents = a.evidence == Evidence::kDocumented && b.evidence == Evidence::kDocumented;
    return !of_documents && a.archs.min == b.archs.min && a.archs.max == b.archs.max;
  }

  static void ReadTypes(const YAML::Node& node, const std::vector<std::string>& ports, DtypeRow& row) {
    const std::vector<std::string> cells = Words(Unfold(Scalar(node, "row")));
    if (cells.size() != ports.size()) {
      Fail(node, absl::StrCat("row has ", cells.size(), " columns, the operator has ", ports.size(), " ports"));
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == "~") continue;  // this row does not speak of the port
      PortTypes port{ports[i], {}};
      for (absl::string_view name : absl::StrSplit(cells[i], '|')) {
        const auto type = ElementTypeFromName(name);
        if (!type) Fail(node, absl::StrCat("unknown element type \"", name, "\""));
        port.types.push_back(*type);
      }
      row.ports.push_back(std::move(port));
    }
  }

  void ReadItems(const YAML::Node& node, bool summary, const OpDefinition& definition,
                 OpConstraints& constraints) const {
    Fields(node, "item");
    for (const auto& group : node) {
      const std::vector<std::string> key = Words(group.first.Scalar());
      if (key.size() != 2) Fail(group.first, "expected \"CONFIGURATION PORT\"");
      CheckPort(group.first, constraints.op, definition, key[1]);
      const bool known = key[0] == "All" || std::any_of(constraints.rows.begin(), constraints.rows.end(),
                                                        [&](const DtypeRow& r) { return r.configuration == key[0]; });
      if (!known) Fail(group.first, absl::StrCat("no row has configuration \"", key[0], "\""));
      RequireSequence(group.second, "items");
      int ordinal =
          static_cast<int>(std::count_if(constraints.items.begin(), constraints.items.end(), [&](const Item& item) {
            return item.configuration == key[0] && item.port == key[1] && item.summary == summary;
          }));
      for (const YAML::Node& entry : group.second) {
        Item item;
        item.configuration = key[0];
        item.port = key[1];
        item.ordinal = ++ordinal;
        item.summary = summary;
        item.evidence = source_.head.evidence;
        const PredicateScope scope{definition.op, item.port, &definition, &enums_};
        if (entry.IsMap()) {
          const auto fields = Fields(entry, "item", {"predicates", "effect", "archs", "sdks", "evidence", "source"});
          if (!InThisSdk(fields)) {
            --ordinal;
            continue;
          }
          ReadPredicates(Required(fields, "predicates", entry), scope, item);
          ReadAnnotations(fields, archs_, item);
          if (const auto effect = fields.find("effect"); effect != fields.end()) {
            const auto known = ItemEffectFromName(Scalar(effect->second, "effect"));
            if (!known) Fail(effect->second, "an effect is refused, unprepared, wrong_numbers or not_enforced");
            item.effect = *known;
          }
        } else {
          ReadPredicates(entry, scope, item);
        }
        for (const Item& other : constraints.items) {
          if (other.configuration == item.configuration && other.port == item.port &&
              ItemText(other) == ItemText(item) && SaidTwice(other, item)) {
            Fail(entry, absl::StrCat("the same as item ", other.ordinal));
          }
        }
        constraints.items.push_back(std::move(item));
      }
    }
  }

  static void ReadPredicates(const YAML::Node& node, const PredicateScope& scope, Item& item) {
    const auto read = [&](const YAML::Node& text) {
      auto predicate = ParsePredicate(Unfold(Scalar(text, "predicate")), scope);
      if (!predicate.ok()) Fail(text, std::string(predicate.status().message()));
      for (const Predicate& other : item.predicates) {
        if (PredicateText(other) == PredicateText(*predicate)) Fail(text, "the same predicate twice");
      }
      item.predicates.push_back(*std::move(predicate));
    };
    if (!node.IsSequence()) {
      read(node);
      return;
    }
    if (node.size() == 0) Fail(node, "item without predicates");
    for (const YAML::Node& text : node) read(text);
  }

  ConstraintSource source_;
  std::vector<std::string> sdks_;
  std::set<int> archs_;  // empty: what the table's archs count is not known here
  const DefinitionSource* definitions_ = nullptr;
  std::map<std::string, EnumValues> enums_;
};

Formal ParseFormal(const YAML::Node& node) {
  const std::vector<std::string> words = Words(Unfold(Scalar(node, "port")));
  if (words.size() < 3) Fail(node, "expected NAME required|optional TYPES [default=V] [same_as=PORT]");
  Formal formal;
  formal.name = words[0];
  if (words[1] != "required" && words[1] != "optional") Fail(node, "a port is required or optional");
  formal.mandatory = words[1] == "required";
  formal.dtype = words[2];
  for (absl::string_view type : absl::StrSplit(formal.dtype, '|')) {
    if (type != "backend" && !ElementTypeFromName(type)) {
      Fail(node, absl::StrCat("unknown element type \"", type, "\""));
    }
  }
  for (size_t i = 3; i < words.size(); ++i) {
    const std::vector<std::string> pair = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    if (pair.size() == 2 && pair[0] == "default") {
      formal.default_value = pair[1];
    } else if (pair.size() == 2 && pair[0] == "same_as") {
      formal.same_type_as = pair[1];
    } else {
      Fail(node, absl::StrCat("unknown attribute \"", words[i], "\""));
    }
  }
  return formal;
}

DefinitionSource ReadDefinitions(const YAML::Node& root, absl::Span<const Source> known) {
  const auto fields =
      Fields(root, "file", {"definitions", "sdk", "sdk_until", "document", "evidence", "extends", "ops"});
  DefinitionSource source;
  source.head = ParseHead(fields, "definitions", root);
  if (const auto older = fields.find("extends"); older != fields.end()) {
    source.ops = FindDefinitions(older->second, known).ops;
  }
  for (const auto& [op, node] : Fields(Required(fields, "ops", root), "operator")) {
    const auto has_name = [&name = op](const OpDefinition& older) { return older.op == name; };
    if (std::any_of(source.ops.begin(), source.ops.end(), has_name)) {
      Fail(node, absl::StrCat("operator \"", op, "\" is defined in what this file extends"));
    }
    OpDefinition definition;
    definition.op = op;
    std::set<std::string> names;
    const auto roles = Fields(node, "operator", {"inputs", "parameters", "outputs"});
    const auto read = [&](const char* role, std::vector<Formal>& formals) {
      const auto list = roles.find(role);
      if (list == roles.end()) return;
      RequireSequence(list->second, role);
      for (const YAML::Node& entry : list->second) {
        formals.push_back(ParseFormal(entry));
        if (!names.insert(formals.back().name).second) {
          Fail(entry, absl::StrCat("duplicate port \"", formals.back().name, "\""));
        }
      }
    };
    read("inputs", definition.inputs);
    read("parameters", definition.parameters);
    read("outputs", definition.outputs);
    source.ops.push_back(std::move(definition));
  }
  return source;
}

// "", "68", "V68"
bool ReadsAsNumber(const std::string& name) {
  const size_t digits = name.empty() || absl::ascii_tolower(name[0]) != 'v' ? 0 : 1;
  return std::all_of(name.begin() + digits, name.end(), absl::ascii_isdigit);
}

SocSource ReadSocs(const YAML::Node& root) {
  const auto fields = Fields(root, "file", {"socs", "sdk", "sdk_until", "document", "evidence", "rows"});
  SocSource source;
  source.head = ParseHead(fields, "socs", root);
  const YAML::Node& rows = Required(fields, "rows", root);
  RequireSequence(rows, "SoCs");
  std::set<int> ids;
  std::set<std::string> names;
  for (const YAML::Node& entry : rows) {
    const std::vector<std::string> words = Words(Scalar(entry, "SoC"));
    if (words.size() < 3) Fail(entry, "expected ID NAME|- ARCH [vtcm=MB] [alias=NAME,...] [kernels=ARCH] [float=no]");
    Soc soc;
    soc.id = Int(entry, words[0]);
    if (words[1] != "-") soc.name = words[1];
    // The first arch with an HTP is V68; what older DSPs report is no HTP arch.
    constexpr int kFirstHtpArch = 68;
    const int arch = Int(entry, words[2]);
    if (arch >= kFirstHtpArch) soc.arch = arch;
    soc.kernels = soc.arch;
    for (size_t i = 3; i < words.size(); ++i) {
      const std::vector<std::string> pair = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
      if (pair.size() == 2 && pair[0] == "vtcm") {
        soc.vtcm_mb = Int(entry, pair[1]);
      } else if (pair.size() == 2 && pair[0] == "alias") {
        soc.aliases = absl::StrSplit(pair[1], ',');
      } else if (pair.size() == 2 && pair[0] == "kernels") {
        soc.kernels = Int(entry, pair[1]);
        if (soc.arch == 0 || soc.kernels < soc.arch) Fail(entry, "kernels are those of the SoC's arch or a later one");
      } else if (words[i] == "float=no") {
        soc.has_float = false;
      } else {
        Fail(entry, absl::StrCat("unknown attribute \"", words[i], "\""));
      }
    }
    if (!ids.insert(soc.id).second) Fail(entry, absl::StrCat("duplicate SoC id ", soc.id));
    std::vector<std::string> own = soc.aliases;
    if (!soc.name.empty()) own.push_back(soc.name);
    for (const std::string& name : own) {
      if (ReadsAsNumber(name)) Fail(entry, absl::StrCat("\"", name, "\" reads as an arch or an id, not as a name"));
      // Names of targets are looked up whatever their case.
      if (!names.insert(absl::AsciiStrToLower(name)).second) {
        Fail(entry, absl::StrCat("duplicate SoC name \"", name, "\""));
      }
    }
    source.socs.push_back(std::move(soc));
  }
  std::sort(source.socs.begin(), source.socs.end(), [](const Soc& a, const Soc& b) { return a.id < b.id; });
  return source;
}

Source Read(const YAML::Node& root, absl::Span<const Source> known) {
  if (!root.IsMap()) Fail(root, "expected a mapping");
  if (root["table"]) {
    ConstraintReader newest(root, known, "");
    ConstraintSource source = newest.Take();
    for (size_t i = 1; i < newest.sdks().size(); ++i) {
      source.also.push_back(ConstraintReader(root, known, newest.sdks()[i]).Take());
    }
    return source;
  }
  if (root["definitions"]) return ReadDefinitions(root, known);
  if (root["socs"]) return ReadSocs(root);
  Fail(root, "expected one of the keys table, definitions, socs");
}

}  // namespace

absl::StatusOr<Source> ParseSource(const std::string& path, const std::string& text, absl::Span<const Source> known) {
  try {
    return Read(LoadYamlDocument(text), known);
  } catch (const SourceError& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.line, ": ", error.what()));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.mark.line + 1, ": ", error.msg));
  }
}

}  // namespace quantgate::db
