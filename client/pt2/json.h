// JSON texts with bounds on memory and depth, and a careful way to look into them: nothing is taken for granted about
// what a file holds where.
#ifndef QUANTGATE_CLIENT_PT2_JSON_H_
#define QUANTGATE_CLIENT_PT2_JSON_H_

#include <rapidjson/document.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate::pt2 {

using Json = rapidjson::Value;

// A parsed text. Strings of the document lie in the text.
class JsonDocument {
 public:
  // FI001: no JSON, with the place (byte offset). FI002: more values or deeper than any program needs.
  static absl::StatusOr<JsonDocument> Parse(std::string text);

  const Json& root() const { return *document_; }

 private:
  JsonDocument() = default;

  std::unique_ptr<std::string> text_;
  std::unique_ptr<rapidjson::Document> document_;
};

// Member of an object; null: it is no object, has no such member, or the member is null.
const Json* Find(const Json* object, absl::string_view name);

// Null: not of that kind.
const Json* FindObject(const Json* object, absl::string_view name);
const Json* FindArray(const Json* object, absl::string_view name);

// The only member of a tagged union ({"as_int": 3}); the first, should there be several.
struct Tagged {
  absl::string_view tag;  // "": no object, or an empty one
  const Json* value = nullptr;
};
Tagged TaggedOf(const Json* object);

// "": no string.
absl::string_view TextOf(const Json* value);
absl::string_view FindText(const Json* object, absl::string_view name);

// A number without a fraction, truth values as 0 and 1. Numbers beyond 63 bits become the nearest that there is.
std::optional<int64_t> IntegerOf(const Json* value);

// A number; PyTorch writes those that JSON does not have as "Infinity", "-Infinity" and "NaN".
std::optional<double> RealOf(const Json* value);

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_JSON_H_
