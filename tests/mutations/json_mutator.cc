#include "tests/mutations/json_mutator.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <vector>

namespace quantgate::mutations {
namespace {

using rapidjson::Document;
using rapidjson::Value;
using Allocator = Document::AllocatorType;

void Collect(Value& value, std::vector<Value*>& all) {
  all.push_back(&value);
  if (value.IsArray()) {
    for (Value& element : value.GetArray()) Collect(element, all);
  } else if (value.IsObject()) {
    for (auto& member : value.GetObject()) Collect(member.value, all);
  }
}

Value AnyScalar(Random& random, Allocator& allocator) {
  switch (random.Below(8)) {
    case 0:
      return Value();
    case 1:
      return Value(random.OneIn(2));
    case 2:
      return Value(rapidjson::kArrayType);
    case 3:
      return Value(rapidjson::kObjectType);
    case 4:
      return Value(random.OneIn(2) ? "True" : "-1", allocator);
    case 5:
      return Value(random.Real());
    default:
      return Value(random.Integer());
  }
}

void ChangeObject(Value& object, Value& other, Random& random, Allocator& allocator) {
  auto member = object.MemberBegin() + static_cast<std::ptrdiff_t>(random.Below(object.MemberCount()));
  switch (random.Below(5)) {
    case 0:
      object.EraseMember(member);
      return;
    case 1: {  // the same key twice
      Value name(member->name, allocator);
      Value value(random.OneIn(2) ? member->value : other, allocator);
      object.AddMember(name, value, allocator);
      return;
    }
    case 2: {
      Value name((member->name.GetString() + std::string("_")).c_str(), allocator);
      member->name = name;
      return;
    }
    case 3: {  // two keys change places
      auto second = object.MemberBegin() + static_cast<std::ptrdiff_t>(random.Below(object.MemberCount()));
      member->value.Swap(second->value);
      return;
    }
    default:
      member->value.CopyFrom(Value(other, allocator), allocator);
  }
}

void ChangeList(Value& list, Value& other, Random& random, Allocator& allocator) {
  const auto at = static_cast<rapidjson::SizeType>(random.Below(list.Size()));
  switch (random.Below(5)) {
    case 0:
      list.Erase(list.Begin() + at);
      return;
    case 1:
      list.PushBack(Value(list[at], allocator), allocator);
      return;
    case 2:
      list.PushBack(Value(other, allocator), allocator);
      return;
    case 3:
      list[at].Swap(list[static_cast<rapidjson::SizeType>(random.Below(list.Size()))]);
      return;
    default:
      list.Erase(list.Begin() + at, list.End());
  }
}

void Change(Document& document, Random& random) {
  std::vector<Value*> all;
  Collect(document, all);
  Value& place = *all[random.Below(all.size())];
  Value& source = *all[random.Below(all.size())];
  // A part of the document, as long as that does not double it.
  Value other = source.IsObject() && source.MemberCount() > 16 ? Value() : Value(source, document.GetAllocator());
  if (place.IsObject() && !place.ObjectEmpty() && !random.OneIn(8)) {
    return ChangeObject(place, other, random, document.GetAllocator());
  }
  if (place.IsArray() && !place.Empty() && !random.OneIn(8)) {
    return ChangeList(place, other, random, document.GetAllocator());
  }
  if (random.OneIn(3)) {
    place = other;
  } else {
    place = AnyScalar(random, document.GetAllocator());
  }
}

}  // namespace

std::string MutateJson(const std::string& text, int changes, Random& random) {
  Document document;
  document.Parse<rapidjson::kParseNanAndInfFlag | rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError()) return text;
  for (int i = 0; i < changes; ++i) Change(document, random);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, rapidjson::CrtAllocator,
                    rapidjson::kWriteNanAndInfFlag>
      writer(buffer);
  document.Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace quantgate::mutations
