#include "client/encodings/fields.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/text.h"

namespace quantgate::encodings {
namespace {

// Tensors have fewer dimensions.
constexpr size_t kMaxDepth = 16;

// False: not numbers throughout, or lists of different lengths beside each other.
bool Flatten(JsonValue value, size_t depth, NumberArray& array) {
  if (value.is_number()) {
    array.numbers.push_back(value.number());
    return depth == array.shape.size();
  }
  if (!value.is_array() || depth >= kMaxDepth) return false;
  if (depth == array.shape.size()) {
    if (!array.numbers.empty()) return false;
    array.shape.push_back(value.size());
  }
  if (array.shape[depth] != value.size()) return false;
  bool regular = true;
  value.ForEach([&](absl::string_view, JsonValue element) { return regular = Flatten(element, depth + 1, array); });
  return regular;
}

}  // namespace

void AddProblem(v1::EncodingProblem::Kind kind, absl::string_view field, absl::string_view observed,
                absl::string_view allowed, JsonPlace place, Problems* problems) {
  v1::EncodingProblem& problem = *problems->Add();
  problem.set_kind(kind);
  problem.set_field(ToUtf8(field));
  problem.set_observed(ToUtf8(observed));
  problem.set_allowed(std::string(allowed));
  problem.set_line(place.line);
  problem.set_column(place.column);
}

Fields::Fields(JsonValue object, Problems* problems, absl::string_view of)
    : object_(object), problems_(problems), of_(of) {
  if (!object.is_object()) return;
  absl::flat_hash_set<absl::string_view> keys;
  object.ForEach([&](absl::string_view key, JsonValue value) {
    if (!keys.insert(key).second) {
      AddProblem(v1::EncodingProblem::KIND_REPEATED, absl::StrCat(of_, key),
                 absl::StrCat("the key again, with ", value.Excerpt()), "each key once", value.place(), problems_);
    }
    return true;
  });
}

void Fields::Invalid(absl::string_view name, JsonValue value, absl::string_view allowed) const {
  AddProblem(v1::EncodingProblem::KIND_INVALID, absl::StrCat(of_, name), value.Excerpt(), allowed, value.place(),
             problems_);
}

std::optional<JsonValue> Fields::Find(absl::string_view name, Need need) const {
  const JsonValue::Member member = object_.Find(name);
  if (member.found) return member.value;
  if (need == Need::kRequired) {
    AddProblem(v1::EncodingProblem::KIND_MISSING, absl::StrCat(of_, name), "", "", object_.place(), problems_);
  }
  return std::nullopt;
}

std::optional<double> Fields::Number(absl::string_view name, Need need) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  if (value->is_number()) return value->number();
  Invalid(name, *value, "a number");
  return std::nullopt;
}

std::optional<int64_t> Fields::Integer(absl::string_view name, Need need) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  if (value->is_integer()) return static_cast<int64_t>(value->number());
  Invalid(name, *value, "an integer");
  return std::nullopt;
}

std::optional<std::string> Fields::Text(absl::string_view name, Need need) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::string(value->text());
  Invalid(name, *value, "a text");
  return std::nullopt;
}

std::optional<std::string> Fields::Choice(absl::string_view name, Need need,
                                          std::initializer_list<absl::string_view> choices) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  if (value->is_string() && absl::c_linear_search(choices, value->text())) return std::string(value->text());
  Invalid(name, *value, absl::StrCat("\"", absl::StrJoin(choices, "\" or \""), "\""));
  return std::nullopt;
}

std::optional<bool> Fields::Truth(absl::string_view name, Need need) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  if (value->is_bool()) return value->is_true();
  Invalid(name, *value, "true or false");
  return std::nullopt;
}

std::optional<bool> Fields::TruthOrText(absl::string_view name, Need need) const {
  const JsonValue::Member member = object_.Find(name);
  if (!member.found || !member.value.is_string()) return Truth(name, need);
  const JsonValue& value = member.value;
  if (absl::EqualsIgnoreCase(value.text(), "true")) return true;
  if (absl::EqualsIgnoreCase(value.text(), "false")) return false;
  Invalid(name, value, "true or false");
  return std::nullopt;
}

std::optional<NumberArray> Fields::NumbersIn(absl::string_view name, Need need, bool flat) const {
  const std::optional<JsonValue> value = Find(name, need);
  if (!value) return std::nullopt;
  NumberArray array;
  if (Flatten(*value, 0, array) && !array.numbers.empty() && (!flat || array.shape.size() == 1)) return array;
  Invalid(name, *value, flat ? "a flat list of numbers" : "a number, or lists of numbers of one length");
  return std::nullopt;
}

std::optional<NumberArray> Fields::Numbers(absl::string_view name, Need need) const {
  return NumbersIn(name, need, /*flat=*/false);
}

std::optional<NumberArray> Fields::FlatNumbers(absl::string_view name, Need need) const {
  return NumbersIn(name, need, /*flat=*/true);
}

void Fields::Forbid(std::initializer_list<absl::string_view> names, absl::string_view because) const {
  for (absl::string_view name : names) {
    if (const auto value = Find(name, Need::kOptional)) Invalid(name, *value, absl::StrCat("no ", name, " ", because));
  }
}

}  // namespace quantgate::encodings
