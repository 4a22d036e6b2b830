#include "tests/mutations/protobuf_mutator.h"

#include <string>
#include <vector>

namespace quantgate::mutations {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The message and all that it holds.
void Collect(const Message& message, std::vector<const Message*>& all) {
  all.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      Collect(reflection.GetMessage(message, field), all);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      Collect(reflection.GetRepeatedMessage(message, field, i), all);
    }
  }
}

// Null: none of this type.
const Message* FindPart(const Message& donor, const google::protobuf::Descriptor* type, Random& random) {
  std::vector<const Message*> all;
  Collect(donor, all);
  const size_t start = random.Below(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const Message* part = all[(start + i) % all.size()];
    if (part->GetDescriptor() == type) return part;
  }
  return nullptr;
}

std::string ChangedText(const std::string& text, const std::string& other, Random& random) {
  switch (random.Below(6)) {
    case 0:
      return "";
    case 1:
      return text + text;
    case 2:
      return text.substr(0, random.Below(text.size()));
    case 3: {
      std::string changed = text;
      if (!changed.empty()) changed[random.Below(changed.size())] = static_cast<char>(random.Below(256));
      return changed;
    }
    default:
      return other;
  }
}

// A text from somewhere in `donor`: most often a name, which then is meant twice.
std::string AnyText(const Message& donor, Random& random) {
  std::vector<const Message*> all;
  Collect(donor, all);
  for (int attempt = 0; attempt < 8; ++attempt) {
    const Message& part = *all[random.Below(all.size())];
    const Reflection& reflection = *part.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(part, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
      if (!field->is_repeated()) return reflection.GetString(part, field);
      const int count = reflection.FieldSize(part, field);
      return reflection.GetRepeatedString(part, field, static_cast<int>(random.Below(static_cast<size_t>(count))));
    }
  }
  return "x";
}

// An integer: often one that the same field has elsewhere in `donor`, so that what refers to something mostly refers to
// something that is there; otherwise one that programs forget about.
int64_t AnyInteger(const Message& donor, const FieldDescriptor* field, Random& random) {
  const Message* part = random.OneIn(2) ? FindPart(donor, field->containing_type(), random) : nullptr;
  if (part == nullptr) return random.Integer();
  const Reflection& reflection = *part->GetReflection();
  const bool wide = field->cpp_type() == FieldDescriptor::CPPTYPE_INT64;
  if (!field->is_repeated()) return wide ? reflection.GetInt64(*part, field) : reflection.GetInt32(*part, field);
  const int count = reflection.FieldSize(*part, field);
  if (count == 0) return random.Integer();
  const int at = static_cast<int>(random.Below(static_cast<size_t>(count)));
  return wide ? reflection.GetRepeatedInt64(*part, field, at) : reflection.GetRepeatedInt32(*part, field, at);
}

// `index` -1: the field is not repeated; its size: an element is added.
void SetValue(Message& message, const FieldDescriptor* field, int index, const Message& donor, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const bool adds = index >= 0 && index == reflection.FieldSize(message, field);
  const auto set = [&](auto set_one, auto set_repeated, auto add, auto value) {
    if (index < 0) {
      (reflection.*set_one)(&message, field, value);
    } else if (adds) {
      (reflection.*add)(&message, field, value);
    } else {
      (reflection.*set_repeated)(&message, field, index, value);
    }
  };
  using R = Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return set(&R::SetInt32, &R::SetRepeatedInt32, &R::AddInt32,
                 static_cast<int32_t>(AnyInteger(donor, field, random)));
    case FieldDescriptor::CPPTYPE_INT64:
      return set(&R::SetInt64, &R::SetRepeatedInt64, &R::AddInt64, AnyInteger(donor, field, random));
    case FieldDescriptor::CPPTYPE_UINT32:
      return set(&R::SetUInt32, &R::SetRepeatedUInt32, &R::AddUInt32, static_cast<uint32_t>(random.Integer()));
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(&R::SetUInt64, &R::SetRepeatedUInt64, &R::AddUInt64, static_cast<uint64_t>(random.Integer()));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return set(&R::SetFloat, &R::SetRepeatedFloat, &R::AddFloat, static_cast<float>(random.Real()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return set(&R::SetDouble, &R::SetRepeatedDouble, &R::AddDouble, random.Real());
    case FieldDescriptor::CPPTYPE_BOOL:
      return set(&R::SetBool, &R::SetRepeatedBool, &R::AddBool, random.OneIn(2));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* values = field->enum_type();
      const size_t value = random.Below(static_cast<size_t>(values->value_count()) + 1);
      const bool known = value < static_cast<size_t>(values->value_count());
      return set(&R::SetEnumValue, &R::SetRepeatedEnumValue, &R::AddEnumValue,
                 known ? values->value(static_cast<int>(value))->number() : static_cast<int>(random.Integer()));
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string old = adds        ? ""
                              : index < 0 ? reflection.GetString(message, field)
                                          : reflection.GetRepeatedString(message, field, index);
      const std::string text = ChangedText(old, AnyText(donor, random), random);
      if (index < 0) {
        reflection.SetString(&message, field, text);
      } else if (adds) {
        reflection.AddString(&message, field, text);
      } else {
        reflection.SetRepeatedString(&message, field, index, text);
      }
      return;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Message* part = FindPart(donor, field->message_type(), random);
      Message* place = index < 0 ? reflection.MutableMessage(&message, field)
                       : adds    ? reflection.AddMessage(&message, field)
                                 : reflection.MutableRepeatedMessage(&message, field, index);
      if (part != nullptr) place->CopyFrom(*part);
      return;
    }
  }
}

void ChangeList(Message& message, const FieldDescriptor* field, const Message& donor, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, field);
  const int at = static_cast<int>(random.Below(static_cast<size_t>(size)));
  switch (size == 0 ? 0 : random.Below(7)) {
    case 0:
      return SetValue(message, field, size, donor, random);
    case 1:
      reflection.SwapElements(&message, field, at, size - 1);
      return reflection.RemoveLast(&message, field);
    case 2:
      return reflection.SwapElements(&message, field, at, static_cast<int>(random.Below(static_cast<size_t>(size))));
    case 3:
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Message* copy = reflection.AddMessage(&message, field);
        return copy->CopyFrom(reflection.GetRepeatedMessage(message, field, at));
      }
      return reflection.RemoveLast(&message, field);
    case 4:
      if (random.OneIn(4)) return reflection.ClearField(&message, field);
      [[fallthrough]];
    default:
      return SetValue(message, field, at, donor, random);
  }
}

}  // namespace

void MutateMessage(Message& message, const Message& donor, Random& random) {
  std::vector<const Message*> all;
  Collect(message, all);
  // All of them are in `message`, which is not const.
  Message& place = const_cast<Message&>(*all[random.Below(all.size())]);
  const Reflection& reflection = *place.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(place, &fields);
  if (fields.empty() || random.OneIn(6)) {  // also what is not there yet
    fields.clear();
    for (int i = 0; i < place.GetDescriptor()->field_count(); ++i) fields.push_back(place.GetDescriptor()->field(i));
  }
  if (fields.empty()) return;
  const FieldDescriptor* field = fields[random.Below(fields.size())];
  if (field->is_repeated()) return ChangeList(place, field, donor, random);
  if (random.OneIn(5)) return reflection.ClearField(&place, field);
  SetValue(place, field, -1, donor, random);
}

}  // namespace quantgate::mutations
