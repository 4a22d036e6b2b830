#include "client/pt2/json.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/json/number.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

// A graph has about 70 values for each node.
constexpr int64_t kMaxValues = 4'000'000;
// Each body of control flow takes eight levels.
constexpr int kMaxDepth = 256;

constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                            rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseValidateEncodingFlag;

// Hands events on to the document that is made, until there are too many.
class Limiter {
 public:
  explicit Limiter(rapidjson::Document* document) : document_(*document) {}

  bool Null() { return Take() && document_.Null(); }
  bool Bool(bool value) { return Take() && document_.Bool(value); }
  // Numbers come as they are written.
  bool Int(int /*value*/) { return false; }
  bool Uint(unsigned /*value*/) { return false; }
  bool Int64(int64_t /*value*/) { return false; }
  bool Uint64(uint64_t /*value*/) { return false; }
  bool Double(double /*value*/) { return false; }
  bool RawNumber(const char* start, rapidjson::SizeType size, bool /*copy*/) {
    const absl::string_view text(start, size);
    if (!Take()) return false;
    int64_t integer = 0;
    uint64_t natural = 0;
    if (absl::SimpleAtoi(text, &integer)) return document_.Int64(integer);
    if (absl::SimpleAtoi(text, &natural)) return document_.Uint64(natural);
    double number = 0;
    too_big_ = !ParseJsonNumber(text, number);
    return !too_big_ && document_.Double(number);
  }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return Take() && document_.String(text, size, copy);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) { return Take() && document_.Key(text, size, copy); }
  bool StartObject() { return Enter() && document_.StartObject(); }
  bool StartArray() { return Enter() && document_.StartArray(); }
  bool EndObject(rapidjson::SizeType count) { return Leave() && document_.EndObject(count); }
  bool EndArray(rapidjson::SizeType count) { return Leave() && document_.EndArray(count); }

  bool too_big() const { return too_big_; }

 private:
  bool Take() { return --values_left_ >= 0; }
  bool Enter() { return Take() && ++depth_ <= kMaxDepth; }
  bool Leave() {
    --depth_;
    return true;
  }

  rapidjson::Document& document_;
  int64_t values_left_ = kMaxValues;
  int depth_ = 0;
  bool too_big_ = false;  // the last number
};

// A key that an object has twice, of which readers take different ones; null: there is none. kMaxDepth bounds the
// recursion.
const Json* RepeatedKey(const Json& value) {
  if (value.IsArray()) {
    for (const Json& element : value.GetArray()) {
      if (const Json* key = RepeatedKey(element)) return key;
    }
  }
  if (!value.IsObject()) return nullptr;
  absl::flat_hash_set<absl::string_view> keys;
  for (const auto& member : value.GetObject()) {
    // Most objects are tagged unions, of one member.
    if (value.MemberCount() > 1 && !keys.insert(TextOf(&member.name)).second) return &member.name;
    if (const Json* key = RepeatedKey(member.value)) return key;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string text) {
  // RapidJSON takes as many bytes as the first one of a character announces, also behind the end of the text. Of a
  // whole file none of the last two is such a byte: the text is not copied.
  const absl::string_view end = absl::string_view(text).substr(text.size() - std::min<size_t>(text.size(), 2));
  if (absl::c_any_of(end, [](char c) { return !absl::ascii_isascii(static_cast<unsigned char>(c)); })) {
    text.append(2, '\0');
  }
  JsonDocument json;
  json.text_ = std::make_unique<std::string>(std::move(text));
  json.document_ = std::make_unique<rapidjson::Document>();
  rapidjson::ParseResult result;
  bool too_big = false;
  const auto generate = [&](rapidjson::Document& document) {
    rapidjson::InsituStringStream stream(json.text_->data());
    rapidjson::Reader reader;
    Limiter limiter(&document);
    result = reader.Parse<kFlags>(stream, limiter);
    too_big = limiter.too_big();
    return !result.IsError();
  };
  json.document_->Populate(generate);
  if (!result.IsError()) {
    const Json* repeated = RepeatedKey(json.root());
    if (repeated == nullptr) return json;
    return UnreadableFile(absl::StrCat("has the key '", ToUtf8(TextOf(repeated)), "' twice in one object"));
  }
  if (result.Code() == rapidjson::kParseErrorTermination && !too_big) {
    return BeyondLimit(absl::StrCat("has more than ", kMaxValues, " values, or is deeper than ", kMaxDepth, " levels"));
  }
  return UnreadableFile(absl::StrCat("is no JSON (was it cut off?): at byte ", result.Offset(), ": ",
                                     too_big ? kNumberTooBig : rapidjson::GetParseError_En(result.Code())));
}

const Json* Find(const Json* object, absl::string_view name) {
  if (object == nullptr || !object->IsObject()) return nullptr;
  for (const auto& member : object->GetObject()) {
    if (TextOf(&member.name) == name) return member.value.IsNull() ? nullptr : &member.value;
  }
  return nullptr;
}

const Json* FindObject(const Json* object, absl::string_view name) {
  const Json* found = Find(object, name);
  return found != nullptr && found->IsObject() ? found : nullptr;
}

const Json* FindArray(const Json* object, absl::string_view name) {
  const Json* found = Find(object, name);
  return found != nullptr && found->IsArray() ? found : nullptr;
}

Tagged TaggedOf(const Json* object) {
  if (object == nullptr || !object->IsObject() || object->MemberCount() != 1) return {};
  const auto& member = *object->MemberBegin();
  return {TextOf(&member.name), &member.value};
}

absl::string_view TextOf(const Json* value) {
  if (value == nullptr || !value->IsString()) return "";
  return {value->GetString(), value->GetStringLength()};
}

absl::string_view FindText(const Json* object, absl::string_view name) { return TextOf(Find(object, name)); }

std::optional<int64_t> IntegerOf(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->IsBool()) return value->GetBool() ? 1 : 0;
  if (value->IsInt64()) return value->GetInt64();
  if (!value->IsNumber()) return std::nullopt;
  const double real = value->GetDouble();
  if (real != std::trunc(real)) return std::nullopt;  // NaN as well
  constexpr double kBeyond = 0x1p63;
  if (real >= kBeyond) return std::numeric_limits<int64_t>::max();
  if (real < -kBeyond) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(real);
}

std::optional<double> RealOf(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->IsNumber()) return value->GetDouble();
  const absl::string_view text = TextOf(value);
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace quantgate::pt2
