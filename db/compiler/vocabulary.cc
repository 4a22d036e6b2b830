#include "db/compiler/vocabulary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace quantgate::db {
namespace {

// What the value of an argument is.
enum class Form {
  kInt,
  kInts,
  kNumber,  // decimal or fraction
  kTypes,
  kEncodings,
  kOperations,  // values of the operator's `operation`
  kValues,      // values of the parameter the item is about
  kPort,
  kParam,
  kParamValues,    // name:value,...
  kPortTypes,      // port:T,...
  kPortEncodings,  // port:E,...
  kPortRank,       // port:LO..HI
  kRank,           // LO..HI
  kYesNo,          // yes or no
  kPortYesNo,      // port:yes or port:no
  kWord,
};

struct Argument {
  absl::string_view name;
  Form form;
  bool required = true;
};

struct Kind {
  absl::string_view name;
  std::vector<Argument> arguments;
};

const std::vector<Kind>& Kinds() {
  static const auto* kinds = new std::vector<Kind>{
      {"rank", {{"min", Form::kInt, false}, {"max", Form::kInt, false}}},
      {"dim_value", {{"dim", Form::kInt}, {"value", Form::kInt}}},
      {"static_dims", {}},
      {"power_of_two", {{"dim", Form::kInt}}},
      {"squeezed_rank", {{"max", Form::kInt}}},
      {"integer_upscale", {{"port", Form::kPort}}},
      {"types", {{"allowed", Form::kTypes}}},
      {"port_types", {{"port", Form::kPort}, {"allowed", Form::kTypes}}},
      {"bits", {{"allowed", Form::kInts}}},
      {"encodings", {{"allowed", Form::kEncodings}}},
      {"encoding_unsupported", {{"encodings", Form::kEncodings}}},
      {"encoding_axis", {{"axis", Form::kInt}}},
      {"signed", {}},
      {"symmetric", {}},
      {"asymmetric", {}},
      {"fixed_qparams", {{"scale", Form::kNumber}, {"zero_point", Form::kNumber, false}}},
      {"equal_qparams", {{"port", Form::kPort}}},
      {"equal_scale", {{"port", Form::kPort}}},
      {"equal_zero_point",
       {{"port", Form::kPort}, {"shift", Form::kInt, false}, {"without_encoding", Form::kWord, false}}},
      {"zero_point", {{"value", Form::kNumber, false}, {"min", Form::kNumber, false}, {"max", Form::kNumber, false}}},
      {"run_time_qparams", {{"value", Form::kYesNo}}},
      {"positive_scale", {{"zero_point", Form::kWord}}},
      {"requantization_multiplier",
       {{"over", Form::kPort}, {"by", Form::kPort, false}, {"from", Form::kNumber, false}, {"below", Form::kNumber}}},
      {"same_type", {{"port", Form::kPort}}},
      {"given", {}},
      {"not_given", {}},
      {"port_given", {{"port", Form::kPort}}},
      {"static", {}},
      {"static_chain", {}},
      {"value_range", {{"min", Form::kNumber}, {"max", Form::kNumber}}},
      {"index_range", {{"port", Form::kPort}, {"axis_param", Form::kParam}}},
      {"absent", {}},
      {"input_default", {{"value", Form::kNumber}}},
      {"param_value", {{"allowed", Form::kValues}, {"absent", Form::kWord, false}, {"param", Form::kParam, false}}},
      {"param_default", {}},
      {"param_length", {{"max", Form::kInt}}},
      {"param_range", {{"min", Form::kNumber, false}, {"max", Form::kNumber, false}}},
      {"param_element", {{"index", Form::kInt}, {"value", Form::kInt}, {"param", Form::kParam, false}}},
      {"axis_range", {{"port", Form::kPort}}},
      {"axis_last", {{"port", Form::kPort}}},
      {"dilation_stride",
       {{"stride", Form::kParam},
        {"dims", Form::kInts},
        {"except_dilation", Form::kInts, false},
        {"except_stride", Form::kInts, false},
        {"except_kernel", Form::kInts, false}}},
      {"spatial_area_below", {{"port", Form::kPort}, {"limit", Form::kInt}}},
      {"unique_indices", {{"port", Form::kPort}}},
      {"operation_unsupported", {{"operations", Form::kOperations}}},
      {"block_size", {{"allowed", Form::kInts}}},
      {"max_arch", {{"arch", Form::kInt}}},
      {"min_arch", {{"arch", Form::kInt}}},
      {"unclear", {{"meaning", Form::kWord}}},
      {"ignored", {}},
      {"note", {{"meaning", Form::kWord}}},
  };
  return *kinds;
}

constexpr std::array<Argument, 14> kConditions = {{
    {"when_type", Form::kTypes, false},
    {"when_encoding", Form::kEncodings, false},
    {"when_rank", Form::kRank, false},
    {"when_operation", Form::kOperations, false},
    {"unless_operation", Form::kOperations, false},
    {"when_param", Form::kParamValues, false},
    {"unless_param", Form::kParamValues, false},
    {"when_port_type", Form::kPortTypes, false},
    {"when_port_encoding", Form::kPortEncodings, false},
    {"when_port_rank", Form::kPortRank, false},
    {"when_bits", Form::kInts, false},
    {"when_same_type", Form::kPort, false},
    {"when_static", Form::kYesNo, false},
    {"when_port_static", Form::kPortYesNo, false},
}};

constexpr absl::string_view kEncodings[] = {"per_tensor",     "per_channel", "bw_per_tensor",
                                            "bw_per_channel", "block",       "block_expansion"};

// "in[2]" is in 2..2, "out[0..m]" is out 0..open.
struct PortPattern {
  absl::string_view direction;
  int first = 0;
  int last = 0;
};

std::optional<PortPattern> ParsePort(absl::string_view text) {
  PortPattern pattern;
  if (absl::ConsumePrefix(&text, "in[")) {
    pattern.direction = "in";
  } else if (absl::ConsumePrefix(&text, "out[")) {
    pattern.direction = "out";
  } else {
    return std::nullopt;
  }
  if (!absl::ConsumeSuffix(&text, "]")) return std::nullopt;
  const std::vector<absl::string_view> ends = absl::StrSplit(text, "..");
  if (ends.size() > 2 || !absl::SimpleAtoi(ends[0], &pattern.first) || pattern.first < 0) return std::nullopt;
  pattern.last = pattern.first;
  constexpr int kOpen = 1 << 20;
  if (ends.size() == 2 && !absl::SimpleAtoi(ends[1], &pattern.last)) pattern.last = kOpen;
  return pattern;
}

bool IsInt(absl::string_view text) {
  int64_t value = 0;
  return absl::SimpleAtoi(text, &value);
}

bool IsNumber(absl::string_view text) {
  double value = 0;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(),
                                          [&](absl::string_view part) { return absl::SimpleAtod(part, &value); });
}

bool IsRank(absl::string_view text) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, "..");
  if (ends.size() != 2 || (ends[0].empty() && ends[1].empty())) return false;
  return std::all_of(ends.begin(), ends.end(), [](absl::string_view end) { return end.empty() || IsInt(end); });
}

absl::Status Bad(absl::string_view what, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(what, " \"", text, "\""));
}

template <typename Accept>
absl::Status CheckEach(absl::string_view list, absl::string_view what, Accept accept) {
  for (absl::string_view entry : absl::StrSplit(list, ',')) {
    if (!accept(entry)) return Bad(absl::StrCat("unknown ", what), entry);
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(absl::string_view list) {
  return CheckEach(list, "element type", [](absl::string_view name) { return ElementTypeFromName(name).has_value(); });
}

absl::Status CheckEncodings(absl::string_view list) {
  return CheckEach(list, "encoding", [](absl::string_view name) {
    return std::find(std::begin(kEncodings), std::end(kEncodings), name) != std::end(kEncodings);
  });
}

absl::Status CheckYesNo(absl::string_view text) {
  return text == "yes" || text == "no" ? absl::OkStatus() : Bad("not yes or no:", text);
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
    if (IsInt(entry)) {
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

// Checks "port:rest" and hands the rest to `check`.
template <typename Check>
absl::Status CheckPortAnd(absl::string_view value, const PredicateScope& scope, Check check) {
  const std::vector<absl::string_view> parts = absl::StrSplit(value, absl::MaxSplits(':', 1));
  if (parts.size() != 2) return Bad("expected PORT:..., found", value);
  if (!DefinesPort(*scope.definition, parts[0])) return Bad("unknown port", parts[0]);
  return check(parts[1]);
}

absl::StatusOr<std::string> CheckValue(Form form, absl::string_view value, const PredicateScope& scope) {
  absl::Status status;
  switch (form) {
    case Form::kInt:
      if (!IsInt(value)) status = Bad("not an integer:", value);
      break;
    case Form::kInts:
      status = CheckEach(value, "integer", IsInt);
      break;
    case Form::kNumber:
      if (!IsNumber(value)) status = Bad("not a number:", value);
      break;
    case Form::kTypes:
      status = CheckTypes(value);
      break;
    case Form::kEncodings:
      status = CheckEncodings(value);
      break;
    case Form::kOperations:
      return ResolveValues(value, "operation", scope);
    case Form::kValues:
      return ResolveValues(value, scope.port, scope);
    case Form::kPort:
      if (!DefinesPort(*scope.definition, value)) status = Bad("unknown port", value);
      break;
    case Form::kParam:
      if (!DefinesParameter(*scope.definition, value)) status = Bad("unknown parameter", value);
      break;
    case Form::kParamValues: {
      const std::vector<absl::string_view> parts = absl::StrSplit(value, absl::MaxSplits(':', 1));
      if (parts.size() != 2) return Bad("expected PARAMETER:..., found", value);
      if (!DefinesParameter(*scope.definition, parts[0])) return Bad("unknown parameter", parts[0]);
      auto resolved = ResolveValues(parts[1], parts[0], scope);
      if (!resolved.ok()) return resolved.status();
      return absl::StrCat(parts[0], ":", *resolved);
    }
    case Form::kPortTypes:
      status = CheckPortAnd(value, scope, CheckTypes);
      break;
    case Form::kPortEncodings:
      status = CheckPortAnd(value, scope, CheckEncodings);
      break;
    case Form::kPortRank:
      status = CheckPortAnd(value, scope, [](absl::string_view rank) {
        return IsRank(rank) ? absl::OkStatus() : Bad("not LO..HI:", rank);
      });
      break;
    case Form::kRank:
      if (!IsRank(value)) status = Bad("not LO..HI:", value);
      break;
    case Form::kYesNo:
      status = CheckYesNo(value);
      break;
    case Form::kPortYesNo:
      status = CheckPortAnd(value, scope, CheckYesNo);
      break;
    case Form::kWord:
      break;
  }
  if (!status.ok()) return status;
  return std::string(value);
}

const Argument* FindArgument(const Kind& kind, absl::string_view name) {
  for (const Argument& argument : kind.arguments) {
    if (argument.name == name) return &argument;
  }
  for (const Argument& condition : kConditions) {
    if (condition.name == name) return &condition;
  }
  return nullptr;
}

}  // namespace

bool DefinesPort(const OpDefinition& definition, absl::string_view port) {
  const auto wanted = ParsePort(port);
  if (!wanted) return DefinesParameter(definition, port);
  const auto overlaps = [&](const Formal& formal) {
    const auto defined = ParsePort(formal.name);
    return defined && defined->direction == wanted->direction && wanted->first <= defined->last &&
           defined->first <= wanted->last;
  };
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), overlaps) ||
         std::any_of(definition.outputs.begin(), definition.outputs.end(), overlaps);
}

absl::StatusOr<Predicate> ParsePredicate(absl::string_view text, const PredicateScope& scope) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.empty()) return absl::InvalidArgumentError("empty predicate");
  const auto kind = std::find_if(Kinds().begin(), Kinds().end(), [&](const Kind& k) { return k.name == words[0]; });
  if (kind == Kinds().end()) return Bad("unknown predicate kind", words[0]);

  Predicate predicate;
  predicate.kind = std::string(words[0]);
  for (size_t i = 1; i < words.size(); ++i) {
    const std::vector<absl::string_view> parts = absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[1].empty()) return Bad("expected name=value, found", words[i]);
    const Argument* argument = FindArgument(*kind, parts[0]);
    if (argument == nullptr) return Bad(absl::StrCat(kind->name, " has no argument"), parts[0]);
    for (const auto& [name, unused] : predicate.args) {
      if (name == parts[0]) return Bad("argument given twice:", name);
    }
    auto value = CheckValue(argument->form, parts[1], scope);
    if (!value.ok()) return value.status();
    predicate.args.emplace_back(std::string(parts[0]), *std::move(value));
  }
  bool any = kind->arguments.empty();
  for (const Argument& argument : kind->arguments) {
    const bool given = std::any_of(predicate.args.begin(), predicate.args.end(),
                                   [&](const auto& arg) { return arg.first == argument.name; });
    if (argument.required && !given) return Bad(absl::StrCat(kind->name, " needs"), argument.name);
    any |= given;
  }
  if (!any) return Bad(absl::StrCat(kind->name, " needs one of its arguments, found"), text);
  return predicate;
}

}  // namespace quantgate::db
