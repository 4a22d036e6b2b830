#include "client/json/document.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/json/number.h"
#include "client/text.h"
#include "rapidjson/error/en.h"
#include "rapidjson/memorystream.h"
#include "rapidjson/reader.h"

namespace quantgate {
namespace {

constexpr size_t kLargestFile = UINT32_MAX;

// What readers of JSON stumble over before its first byte.
absl::Status CheckStart(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\xef\xbb\xbf")) {
    return UnreadableFile(
        "starts with a UTF-8 byte order mark, which the tools that read it next refuse: save it without one");
  }
  if (absl::StartsWith(bytes, "\xff\xfe") || absl::StartsWith(bytes, "\xfe\xff")) {
    return UnreadableFile("is UTF-16 text: JSON is UTF-8, save it as that");
  }
  return absl::OkStatus();
}

}  // namespace

JsonPlace PlaceOfByte(absl::string_view bytes, size_t offset) {
  const absl::string_view before = bytes.substr(0, offset);
  const size_t last_line = before.rfind('\n');
  JsonPlace place;
  place.line = static_cast<int32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  place.column = static_cast<int32_t>(last_line == absl::string_view::npos ? offset : offset - last_line - 1) + 1;
  return place;
}

// Takes the reader's events down as one flat list. Returning false ends the reading.
class JsonHandler {
 public:
  JsonHandler(const rapidjson::MemoryStream& stream, const JsonLimits& limits, JsonDocument& document)
      : stream_(stream), limits_(limits), document_(document) {}

  bool Null() { return Add(JsonKind::kNull); }
  bool Bool(bool b) { return Add(b ? JsonKind::kTrue : JsonKind::kFalse); }
  // Numbers come as they are written.
  bool Int(int /*number*/) { return false; }
  bool Uint(unsigned /*number*/) { return false; }
  bool Int64(int64_t /*number*/) { return false; }
  bool Uint64(uint64_t /*number*/) { return false; }
  bool Double(double /*number*/) { return false; }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*size*/, bool /*copy*/) {
    if (!Add(JsonKind::kNumber)) return false;
    JsonDocument::Node& node = document_.nodes_.back();
    // The reader's copy of the text has no NaN in it.
    too_big_ = !ParseJsonNumber(document_.bytes_.substr(node.offset, behind_ - node.offset), node.number);
    return !too_big_;
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (!Add(JsonKind::kString)) return false;
    JsonDocument::Node& node = document_.nodes_.back();
    node.text = static_cast<uint32_t>(document_.texts_.size());
    node.size = size;
    document_.texts_.append(text, size);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) { return String(text, size, copy); }
  bool StartObject() { return Open(JsonKind::kObject); }
  bool StartArray() { return Open(JsonKind::kArray); }
  bool EndObject(rapidjson::SizeType members) { return Close(members); }
  bool EndArray(rapidjson::SizeType elements) { return Close(elements); }

  const std::string& limit() const { return limit_; }
  bool too_big() const { return too_big_; }

 private:
  bool Add(JsonKind kind) {
    if (static_cast<int64_t>(document_.nodes_.size()) >= limits_.max_values) {
      limit_ = absl::StrCat("has more than ", limits_.max_values, " JSON values");
      return false;
    }
    // Between two values there is nothing but white space, a comma, a colon, and the ends of lists and objects.
    const absl::string_view bytes = document_.bytes_;
    while (behind_ < bytes.size() && absl::StrContains(" \t\r\n,:]}", bytes[behind_])) ++behind_;
    JsonDocument::Node& node = document_.nodes_.emplace_back();
    node.kind = kind;
    node.offset = static_cast<uint32_t>(behind_);
    node.end = static_cast<int64_t>(document_.nodes_.size());
    behind_ = stream_.Tell();
    return true;
  }

  bool Open(JsonKind kind) {
    if (static_cast<int>(open_.size()) >= limits_.max_depth) {
      limit_ = absl::StrCat("is nested more than ", limits_.max_depth, " deep");
      return false;
    }
    if (!Add(kind)) return false;
    behind_ = document_.nodes_.back().offset + 1;  // the reader has not taken the bracket yet
    open_.push_back(static_cast<int64_t>(document_.nodes_.size()) - 1);
    return true;
  }

  bool Close(rapidjson::SizeType size) {
    JsonDocument::Node& node = document_.nodes_[open_.back()];
    node.end = static_cast<int64_t>(document_.nodes_.size());
    node.size = size;
    open_.pop_back();
    behind_ = stream_.Tell();
    return true;
  }

  const rapidjson::MemoryStream& stream_;
  const JsonLimits& limits_;
  JsonDocument& document_;
  std::vector<int64_t> open_;
  size_t behind_ = 0;  // the last value's end
  std::string limit_;
  bool too_big_ = false;  // the last number
};

absl::StatusOr<JsonDocument> JsonDocument::Parse(absl::string_view bytes, const JsonLimits& limits) {
  if (absl::Status start = CheckStart(bytes); !start.ok()) return start;
  if (bytes.size() >= kLargestFile) {
    return BeyondLimit(absl::StrCat("is longer than ", kLargestFile));
  }
  JsonDocument document;
  document.bytes_ = bytes;
  rapidjson::MemoryStream stream(bytes.data(), bytes.size());
  JsonHandler handler(stream, limits, document);
  rapidjson::Reader reader;
  // Without recursion: how deep a file is nested is up to the file.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseNanAndInfFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  const bool whole = !result.IsError() && stream.Tell() >= bytes.size();
  if (whole) return document;
  const size_t offset = result.IsError() ? result.Offset() : stream.Tell();
  const JsonPlace place = PlaceOfByte(bytes, std::min(offset, bytes.size()));
  const std::string where = absl::StrCat("line ", place.line, ", column ", place.column);
  if (!handler.limit().empty()) {
    return BeyondLimit(absl::StrCat(handler.limit(), ", at ", where));
  }
  if (result.Code() == rapidjson::kParseErrorDocumentEmpty) return UnreadableFile("is empty, no JSON");
  // rapidjson takes a byte of 0 for the end.
  if (!result.IsError() || result.Code() == rapidjson::kParseErrorDocumentRootNotSingular) {
    return UnreadableFile(absl::StrCat("has something behind the end of its JSON, at ", where));
  }
  if (offset >= bytes.size()) {
    return UnreadableFile(absl::StrCat("ends in the middle of its JSON (was it cut off?), at ", where));
  }
  return UnreadableFile(absl::StrCat("is no JSON, at ", where, ": ",
                                     handler.too_big() ? kNumberTooBig : rapidjson::GetParseError_En(result.Code())));
}

JsonKind JsonValue::kind() const { return document_->nodes_[index_].kind; }

double JsonValue::number() const { return document_->nodes_[index_].number; }

bool JsonValue::is_integer() const {
  constexpr double kBeyond = 9.2e18;
  return is_number() && std::fabs(number()) < kBeyond && number() == std::trunc(number());
}

absl::string_view JsonValue::text() const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  return node.kind != JsonKind::kString ? absl::string_view()
                                        : absl::string_view(document_->texts_).substr(node.text, node.size);
}

int32_t JsonValue::size() const {
  return is_array() || is_object() ? static_cast<int32_t>(document_->nodes_[index_].size) : 0;
}

void JsonValue::ForEach(absl::FunctionRef<bool(absl::string_view, JsonValue)> visit) const {
  if (!is_array() && !is_object()) return;
  const bool keyed = is_object();
  const int64_t end = document_->nodes_[index_].end;
  for (int64_t i = index_ + 1; i < end;) {
    const absl::string_view key = keyed ? JsonValue(document_, i++).text() : absl::string_view();
    if (!visit(key, JsonValue(document_, i))) return;
    i = document_->nodes_[i].end;
  }
}

JsonValue::Member JsonValue::Find(absl::string_view key) const {
  Member found{false, *this};
  if (!is_object()) return found;
  ForEach([&](absl::string_view name, JsonValue value) {
    if (name == key) found = {true, value};
    return true;
  });
  return found;
}

const char* JsonValue::KindName() const {
  switch (kind()) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kFalse:
    case JsonKind::kTrue:
      return "a truth value";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a text";
    case JsonKind::kArray:
      return "a list";
    case JsonKind::kObject:
      return "an object";
  }
  return "";
}

std::string JsonValue::Excerpt() const {
  constexpr size_t kShown = 40;
  if (is_array()) return absl::StrCat("a list of ", size());
  if (is_object()) return absl::StrCat("an object of ", size());
  const size_t begin = document_->nodes_[index_].offset;
  const absl::string_view bytes = document_->bytes_.substr(begin, kShown);
  if (is_string()) {
    const absl::string_view shown = text().substr(0, kShown);
    return absl::StrCat("\"", ToUtf8(shown), shown.size() < text().size() ? "…" : "", "\"");
  }
  return std::string(bytes.substr(0, bytes.find_first_of(" \t\r\n,]}")));
}

JsonPlace JsonValue::place() const {
  if (document_->lines_ == nullptr) {
    auto lines = std::make_shared<std::vector<uint32_t>>(1, 0);
    for (size_t at = document_->bytes_.find('\n'); at != absl::string_view::npos;
         at = document_->bytes_.find('\n', at + 1)) {
      lines->push_back(static_cast<uint32_t>(at) + 1);
    }
    document_->lines_ = std::move(lines);
  }
  const std::vector<uint32_t>& lines = *document_->lines_;
  const uint32_t offset = document_->nodes_[index_].offset;
  const auto line = std::upper_bound(lines.begin(), lines.end(), offset) - 1;
  JsonPlace place;
  place.line = static_cast<int32_t>(line - lines.begin()) + 1;
  place.column = static_cast<int32_t>(offset - *line) + 1;
  return place;
}

}  // namespace quantgate
