#include "db/compiler/vocabulary.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "rules/constraints/port.h"
#include "rules/constraints/predicate.h"

namespace quantgate::db {
namespace {

// Arguments whose values are names, whatever the kind. Values of enumerations are named besides by `allowed` of
// param_value.
constexpr absl::string_view kPorts[] = {"port", "over", "by", "when_same_type"};
constexpr absl::string_view kPortsAnd = "when_port_";  // in front of "PORT:..."
constexpr absl::string_view kParameters[] = {"param", "axis_param", "stride"};
constexpr absl::string_view kParametersAnd[] = {"when_param", "unless_param"};  // "PARAMETER:VALUE,..."
constexpr absl::string_view kOperations[] = {"operations", "when_operation", "unless_operation"};

absl::Status Bad(absl::string_view what, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(what, " \"", text, "\""));
}

bool DefinesParameter(const OpDefinition& definition, absl::string_view name) {
  return std::any_of(definition.parameters.begin(), definition.parameters.end(),
                     [&](const Formal& formal) { return formal.name == name; });
}

// "A,B" of parameter `param` becomes "A=0,B=1"; numbers stay.
absl::StatusOr<std::string> ResolveValues(absl::string_view list, absl::string_view param,
                                          const PredicateScope& scope) {
  const auto values = scope.enums->find(absl::StrCat(scope.op, ".", param));
  std::vector<std::string> resolved;
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    if (int64_t number = 0; absl::SimpleAtoi(entry, &number)) {
      resolved.emplace_back(entry);
      continue;
    }
    if (values == scope.enums->end()) return Bad(absl::StrCat("no enumeration ", scope.op, ".", param, " for"), entry);
    const auto value = values->second.find(std::string(entry));
    if (value == values->second.end()) return Bad(absl::StrCat("unknown value of ", scope.op, ".", param), entry);
    resolved.push_back(absl::StrCat(entry, "=", value->second));
  }
  return absl::StrJoin(resolved, ",");
}

// The value with the numbers of the names in it.
absl::StatusOr<std::string> ResolveNames(const Predicate& predicate, absl::string_view argument,
                                         const std::string& value, const PredicateScope& scope) {
  const std::string key = value.substr(0, value.find(':'));
  const auto is_one_of = [&](const auto& names) { return absl::c_linear_search(names, argument); };
  if (is_one_of(kPorts) && !DefinesPort(*scope.definition, value)) return Bad("unknown port", value);
  if (absl::StartsWith(argument, kPortsAnd) && !DefinesPort(*scope.definition, key)) return Bad("unknown port", key);
  if (is_one_of(kParameters) && !DefinesParameter(*scope.definition, value)) return Bad("unknown parameter", value);
  if (is_one_of(kOperations)) return ResolveValues(value, "operation", scope);
  if (is_one_of(kParametersAnd) && key.size() < value.size()) {
    if (!DefinesParameter(*scope.definition, key)) return Bad("unknown parameter", key);
    const absl::StatusOr<std::string> values = ResolveValues(value.substr(key.size() + 1), key, scope);
    if (!values.ok()) return values.status();
    return absl::StrCat(key, ":", *values);
  }
  if (predicate.kind == "param_value" && argument == "allowed") {
    const auto param = absl::c_find_if(predicate.args, [](const auto& other) { return other.first == "param"; });
    return ResolveValues(value, param == predicate.args.end() ? scope.port : param->second, scope);
  }
  return value;
}

}  // namespace

bool DefinesPort(const OpDefinition& definition, absl::string_view port) {
  const absl::StatusOr<PortPattern> wanted = ParsePort(port);
  if (!wanted.ok()) return false;
  if (wanted->kind == PortRef::kParam) return DefinesParameter(definition, port);
  const auto overlaps = [&](const Formal& formal) {
    const absl::StatusOr<PortPattern> defined = ParsePort(formal.name);
    return defined.ok() && defined->kind == wanted->kind && wanted->first <= defined->last &&
           defined->first <= wanted->last;
  };
  return absl::c_any_of(definition.inputs, overlaps) || absl::c_any_of(definition.outputs, overlaps);
}

absl::StatusOr<Predicate> ParsePredicate(absl::string_view text, const PredicateScope& scope) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.empty()) return absl::InvalidArgumentError("empty predicate");
  Predicate predicate;
  predicate.kind = words[0];
  for (size_t i = 1; i < words.size(); ++i) {
    std::pair<std::string, std::string> argument = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    if (argument.second.empty()) return Bad("expected name=value, found", words[i]);
    predicate.args.push_back(std::move(argument));
  }
  for (auto& [name, value] : predicate.args) {
    absl::StatusOr<std::string> resolved = ResolveNames(predicate, name, value, scope);
    if (!resolved.ok()) return resolved.status();
    value = *std::move(resolved);
  }
  const absl::StatusOr<PortPattern> about = ParsePort(scope.port);
  if (!about.ok()) return about.status();
  const absl::StatusOr<CompiledPredicate> compiled = CompiledPredicate::Compile(predicate, *about);
  if (!compiled.ok()) return compiled.status();
  return predicate;
}

}  // namespace quantgate::db
