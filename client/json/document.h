// JSON text of which every value knows its place. Made for files that people and tools write beside a model: reading
// never fails on what the values say, only on text that is no JSON, and a hostile file costs bounded memory.
//
// NaN, Infinity and -Infinity are numbers, as Python writes them. Keys may repeat; JsonValue::Find takes the last, as
// other readers do, and who cares sees both in ForEach.
#ifndef QUANTGATE_CLIENT_JSON_DOCUMENT_H_
#define QUANTGATE_CLIENT_JSON_DOCUMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

// Both from 1; columns count bytes.
struct JsonPlace {
  int32_t line = 0;
  int32_t column = 0;
};

struct JsonLimits {
  int max_depth = 64;
  // Numbers, texts, lists and so on, all together. Each takes 32 bytes while the document lives.
  int64_t max_values = 6'000'000;
};

class JsonDocument;

// One value of a document that outlives it. Cheap to copy.
class JsonValue {
 public:
  JsonKind kind() const;
  bool is_number() const { return kind() == JsonKind::kNumber; }
  bool is_string() const { return kind() == JsonKind::kString; }
  bool is_array() const { return kind() == JsonKind::kArray; }
  bool is_object() const { return kind() == JsonKind::kObject; }
  bool is_bool() const { return kind() == JsonKind::kTrue || kind() == JsonKind::kFalse; }

  // 0 for what is no number.
  double number() const;
  // A number without a fraction that int64 has.
  bool is_integer() const;
  // "" for what is no text. Bytes as they are in the file, escapes resolved; not always UTF-8.
  absl::string_view text() const;
  bool is_true() const { return kind() == JsonKind::kTrue; }

  // Elements of a list, or members of an object; 0 for others.
  int32_t size() const;
  // In order; a list has no keys. Returning false ends it.
  void ForEach(absl::FunctionRef<bool(absl::string_view key, JsonValue value)> visit) const;
  // The last member of that key; `found` false: there is none, or this is no object.
  struct Member;
  Member Find(absl::string_view key) const;

  // "a text", "a number", "null", …
  const char* KindName() const;
  // The value as JSON text, cut after some 40 bytes.
  std::string Excerpt() const;
  JsonPlace place() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, int64_t index) : document_(document), index_(index) {}
  const JsonDocument* document_;
  int64_t index_;
};

struct JsonValue::Member {
  bool found = false;
  JsonValue value;
};

class JsonDocument {
 public:
  // FI001: no JSON, with line and column; FI002: a limit. `bytes` must outlive the document.
  static absl::StatusOr<JsonDocument> Parse(absl::string_view bytes, const JsonLimits& limits = {});

  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;

  JsonValue root() const { return {this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonHandler;
  // A value, and everything inside of it right behind. Members of an object are a text, the key, and the value.
  struct Node {
    double number = 0;
    int64_t end = 0;      // index behind the last value inside
    uint32_t offset = 0;  // of the value's first byte
    uint32_t text = 0;    // first byte in texts_
    uint32_t size = 0;    // bytes of a text, elements of a list, members of an object
    JsonKind kind = JsonKind::kNull;
  };
  JsonDocument() = default;

  absl::string_view bytes_;
  std::vector<Node> nodes_;
  std::string texts_;
  // Where lines begin, made when a place is asked for.
  mutable std::shared_ptr<const std::vector<uint32_t>> lines_;
};

// Line and column of a byte; for those who have an offset and no document.
JsonPlace PlaceOfByte(absl::string_view bytes, size_t offset);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_JSON_DOCUMENT_H_
