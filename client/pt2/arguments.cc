#include "client/pt2/arguments.h"

#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/pt2/schema.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

bool IsSymbolic(absl::string_view tag) { return tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool"; }

bool IsSymbolicList(absl::string_view tag) {
  return tag == "as_sym_ints" || tag == "as_sym_floats" || tag == "as_sym_bools";
}

void AddTensors(const Json& list, Operands* operands) {
  for (const Json& member : list.GetArray()) operands->names.push_back(FindText(&member, "name"));
}

void SetReals(const Json& list, v1::Attribute* attribute) {
  v1::FloatList& reals = *attribute->mutable_floats();
  for (const Json& member : list.GetArray()) {
    if (const std::optional<double> real = RealOf(&member)) reals.add_values(*real);
  }
}

void SetIntegers(const Json& list, v1::Attribute* attribute) {
  v1::IntList& integers = *attribute->mutable_ints();
  for (const Json& member : list.GetArray()) {
    const Json* given = member.IsObject() ? TaggedOf(&member).value : &member;
    integers.add_values(IntegerOf(given).value_or(-1));
  }
}

void SetLists(const Json& lists, v1::Attribute* attribute) {
  v1::StringList& strings = *attribute->mutable_strings();
  for (const Json& list : lists.GetArray()) {
    std::string text;
    if (list.IsArray()) {
      text = absl::StrJoin(list.GetArray(), ", ", [](std::string* out, const Json& member) {
        absl::StrAppend(out, RealOf(&member).value_or(-1));
      });
    }
    strings.add_values(absl::StrCat("(", text, ")"));
  }
}

std::string DeviceName(const Json* device) {
  const std::string type = ToUtf8(FindText(device, "type"));
  const std::optional<int64_t> index = IntegerOf(Find(device, "index"));
  return index.has_value() ? absl::StrCat(type, ":", *index) : type;
}

void SetList(absl::string_view tag, const Json& list, v1::Attribute* attribute) {
  if (tag == "as_floats" || tag == "as_sym_floats") return SetReals(list, attribute);
  if (tag == "as_int_lists" || tag == "as_float_lists" || tag == "as_nested_tensors") return SetLists(list, attribute);
  if (tag != "as_strings") return SetIntegers(list, attribute);
  v1::StringList& strings = *attribute->mutable_strings();
  for (const Json& member : list.GetArray()) strings.add_values(ToUtf8(TextOf(&member)));
}

}  // namespace

Operands OperandsOf(const Tagged& argument) {
  Operands operands;
  const auto& [tag, value] = argument;
  if (value == nullptr) return operands;
  if (tag == "as_tensor" || tag == "as_custom_obj") {
    operands.names.push_back(FindText(value, "name"));
  } else if (tag == "as_optional_tensor") {
    if (const Json* tensor = Find(value, "as_tensor")) operands.names.push_back(FindText(tensor, "name"));
  } else if (IsSymbolic(tag)) {
    if (const Json* name = Find(value, "as_name")) operands.names.push_back(TextOf(name));
  } else if (tag == "as_string_to_argument" && value->IsObject()) {
    for (const auto& member : value->GetObject()) {
      const Operands inner = OperandsOf(TaggedOf(&member.value));
      operands.names.insert(operands.names.end(), inner.names.begin(), inner.names.end());
    }
    operands.has_more = true;
  } else if (!value->IsArray()) {
    return operands;
  } else if (tag == "as_tensors") {
    AddTensors(*value, &operands);
  } else if (tag == "as_nested_tensors") {
    for (const Json& list : value->GetArray()) {
      if (list.IsArray()) AddTensors(list, &operands);
    }
  } else if (tag == "as_optional_tensors") {
    for (const Json& member : value->GetArray()) operands.names.push_back(FindText(Find(&member, "as_tensor"), "name"));
  } else if (IsSymbolicList(tag)) {
    for (const Json& member : value->GetArray()) {
      const Json* name = Find(&member, "as_name");
      if (name != nullptr) operands.names.push_back(TextOf(name));
      operands.has_more |= name == nullptr;
    }
  }
  return operands;
}

void SetAttribute(const Tagged& argument, v1::Attribute* attribute) {
  const auto& [tag, value] = argument;
  if (value == nullptr || value->IsNull()) return;
  if (tag == "as_bool") {
    attribute->set_b(IntegerOf(value).value_or(0) != 0);
  } else if (tag == "as_float") {
    // Another kind than the tag says stays what it is, for the rules.
    if (const std::optional<double> real = RealOf(value)) {
      attribute->set_f(*real);
    } else {
      attribute->set_s(ToUtf8(TextOf(value)));
    }
  } else if (tag == "as_string" || tag == "as_operator") {
    attribute->set_s(tag == "as_operator" ? OperatorName(TextOf(value)) : ToUtf8(TextOf(value)));
  } else if (tag == "as_scalar_type") {
    attribute->set_dtype(DataTypeOf(IntegerOf(value).value_or(0)));
  } else if (tag == "as_memory_format") {
    attribute->set_s(MemoryFormatName(IntegerOf(value).value_or(0)));
  } else if (tag == "as_layout") {
    attribute->set_s(LayoutName(IntegerOf(value).value_or(0)));
  } else if (tag == "as_device") {
    attribute->set_s(DeviceName(value));
  } else if (tag == "as_complex") {
    attribute->set_s(
        absl::StrCat("(", RealOf(Find(value, "real")).value_or(0), ",", RealOf(Find(value, "imag")).value_or(0), ")"));
  } else if (value->IsArray()) {
    SetList(tag, *value, attribute);
  } else if (tag == "as_sym_float") {
    attribute->set_f(RealOf(TaggedOf(value).value).value_or(0));
  } else if (const std::optional<int64_t> integer = IntegerOf(IsSymbolic(tag) ? TaggedOf(value).value : value)) {
    attribute->set_i(*integer);
  } else if (const std::optional<double> real = RealOf(value); tag == "as_int" && real.has_value()) {
    attribute->set_f(*real);
  } else {
    attribute->set_s(ToUtf8(value->IsString() ? TextOf(value) : tag));
  }
}

}  // namespace quantgate::pt2
