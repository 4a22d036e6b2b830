#include "db/compiler/source.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "db/compiler/vocabulary.h"
#include "db/sdk_version.h"

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
  if (ends.size() != 2) Fail(node, "archs are LO..HI, either may be empty");
  ArchRange range;
  if (!ends[0].empty()) range.min = Int(node, ends[0]);
  if (!ends[1].empty()) range.max = Int(node, ends[1]);
  if (range.max != 0 && range.min > range.max) Fail(node, "empty arch range");
  return range;
}

SourceHead ParseHead(const std::map<std::string, YAML::Node>& fields, const std::string& name_key,
                     const YAML::Node& root) {
  SourceHead head;
  head.name = Scalar(Required(fields, name_key, root), "name");
  const YAML::Node& sdk = Required(fields, "sdk", root);
  head.sdk = Scalar(sdk, "sdk");
  if (!ParseSdkVersion(head.sdk)) Fail(sdk, absl::StrCat("not an SDK version: \"", head.sdk, "\""));
  if (const auto until = fields.find("sdk_until"); until != fields.end()) {
    head.sdk_until = Scalar(until->second, "sdk_until");
    if (!ParseSdkVersion(head.sdk_until)) Fail(until->second, "sdk_until is not an SDK version");
  }
  head.document = Scalar(Required(fields, "document", root), "document");
  head.evidence = ParseEvidence(Required(fields, "evidence", root));
  return head;
}

// Annotations that a row or item in mapping form may carry.
template <typename Entry>
void ReadAnnotations(const std::map<std::string, YAML::Node>& fields, Entry& entry) {
  if (const auto archs = fields.find("archs"); archs != fields.end()) entry.archs = ParseArchs(archs->second);
  if (const auto evidence = fields.find("evidence"); evidence != fields.end()) {
    entry.evidence = ParseEvidence(evidence->second);
  }
  if (const auto source = fields.find("source"); source != fields.end()) {
    entry.source = Scalar(source->second, "source");
  }
}

const DefinitionSource& FindDefinitions(const YAML::Node& wanted, absl::Span<const DefinitionSource> definitions) {
  const auto* found = std::find_if(definitions.begin(), definitions.end(), [&](const DefinitionSource& candidate) {
    return absl::StrCat(candidate.head.name, "@", candidate.head.sdk) == Scalar(wanted, "definitions");
  });
  if (found == definitions.end()) Fail(wanted, absl::StrCat("no definitions \"", wanted.Scalar(), "\""));
  return *found;
}

class ConstraintReader {
 public:
  // For one of the versions that the file speaks for; "" is the one it is named by.
  ConstraintReader(const YAML::Node& root, absl::Span<const DefinitionSource> definitions, const std::string& sdk) {
    const auto fields = Fields(root, "file",
                               {"table", "sdk", "also", "sdk_until", "document", "evidence", "definitions", "sources",
                                "enums", "ops", "families"});
    source_.head = ParseHead(fields, "table", root);
    if (!sdk.empty()) source_.head.sdk = sdk;
    const YAML::Node& wanted = Required(fields, "definitions", root);
    definitions_ = &FindDefinitions(wanted, definitions);
    if (const auto enums = fields.find("enums"); enums != fields.end()) ReadEnums(enums->second);
    for (const auto& [op, node] : Fields(Required(fields, "ops", root), "operator")) ReadOp(op, node);
    if (const auto families = fields.find("families"); families != fields.end()) {
      RequireSequence(families->second, "families");
      for (const YAML::Node& family : families->second) ReadFamily(family);
    }
  }

  ConstraintSource Take() { return std::move(source_); }

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
        enums_[name].emplace(pair[0], Int(values, pair[1]));
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

  // "2.51..", "..2.47", "2.47..2.49": inclusive, compared as far as they go.
  bool InThisSdk(const std::map<std::string, YAML::Node>& fields) const {
    const auto sdks = fields.find("sdks");
    if (sdks == fields.end()) return true;
    const std::vector<std::string> ends = absl::StrSplit(Scalar(sdks->second, "sdks"), "..");
    if (ends.size() != 2) Fail(sdks->second, "sdks are LO..HI, either may be empty");
    for (const std::string& end : ends) {
      if (!end.empty() && !ParseSdkVersion(end)) Fail(sdks->second, absl::StrCat("not an SDK version: \"", end, "\""));
    }
    const auto starts = [&](const std::string& end) {
      return absl::StartsWith(absl::StrCat(source_.head.sdk, "."), absl::StrCat(end, "."));
    };
    if (!ends[0].empty() && !starts(ends[0]) && SdkVersionLess(source_.head.sdk, ends[0])) return false;
    return ends[1].empty() || starts(ends[1]) || SdkVersionLess(source_.head.sdk, ends[1]);
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
          ReadAnnotations(fields, row);
        } else {
          ReadTypes(entry, ports, row);
        }
        constraints.rows.push_back(std::move(row));
      }
    }
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
          ReadAnnotations(fields, item);
          if (const auto effect = fields.find("effect"); effect != fields.end()) {
            const auto known = ItemEffectFromName(Scalar(effect->second, "effect"));
            if (!known) Fail(effect->second, "an effect is refused, unprepared, wrong_numbers or not_enforced");
            item.effect = *known;
          }
        } else {
          ReadPredicates(entry, scope, item);
        }
        constraints.items.push_back(std::move(item));
      }
    }
  }

  static void ReadPredicates(const YAML::Node& node, const PredicateScope& scope, Item& item) {
    const auto read = [&](const YAML::Node& text) {
      auto predicate = ParsePredicate(Unfold(Scalar(text, "predicate")), scope);
      if (!predicate.ok()) Fail(text, std::string(predicate.status().message()));
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

DefinitionSource ReadDefinitions(const YAML::Node& root, absl::Span<const DefinitionSource> definitions) {
  const auto fields =
      Fields(root, "file", {"definitions", "sdk", "sdk_until", "document", "evidence", "extends", "ops"});
  DefinitionSource source;
  source.head = ParseHead(fields, "definitions", root);
  if (const auto older = fields.find("extends"); older != fields.end()) {
    source.ops = FindDefinitions(older->second, definitions).ops;
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
      if (!names.insert(name).second) Fail(entry, absl::StrCat("duplicate SoC name \"", name, "\""));
    }
    source.socs.push_back(std::move(soc));
  }
  std::sort(source.socs.begin(), source.socs.end(), [](const Soc& a, const Soc& b) { return a.id < b.id; });
  return source;
}

Source Read(const YAML::Node& root, absl::Span<const DefinitionSource> definitions) {
  if (!root.IsMap()) Fail(root, "expected a mapping");
  if (root["table"]) {
    ConstraintSource source = ConstraintReader(root, definitions, "").Take();
    if (const YAML::Node also = root["also"]) {
      for (const std::string& sdk : Words(Scalar(also, "also"))) {
        if (!ParseSdkVersion(sdk)) Fail(also, absl::StrCat("not an SDK version: \"", sdk, "\""));
        source.also.push_back(ConstraintReader(root, definitions, sdk).Take());
      }
    }
    return source;
  }
  if (root["definitions"]) return ReadDefinitions(root, definitions);
  if (root["socs"]) return ReadSocs(root);
  Fail(root, "expected one of the keys table, definitions, socs");
}

}  // namespace

absl::StatusOr<Source> ParseSource(const std::string& path, const std::string& text,
                                   absl::Span<const DefinitionSource> definitions) {
  try {
    return Read(YAML::Load(text), definitions);
  } catch (const SourceError& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.line, ": ", error.what()));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.mark.line + 1, ": ", error.msg));
  }
}

}  // namespace quantgate::db
