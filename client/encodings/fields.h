// Fields of one JSON object, read as its format wants them. What is missing or of another kind becomes a fact of the
// file (EncodingProblem); the reader goes on with what is there.
#ifndef QUANTGATE_CLIENT_ENCODINGS_FIELDS_H_
#define QUANTGATE_CLIENT_ENCODINGS_FIELDS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/json/document.h"
#include "quantgate/v1/encodings.pb.h"

namespace quantgate::encodings {

using Problems = google::protobuf::RepeatedPtrField<v1::EncodingProblem>;

// A number or lists of numbers inside each other, as one row-major array.
struct NumberArray {
  std::vector<double> numbers;
  std::vector<int64_t> shape;  // empty: a single number
};

enum class Need { kOptional, kRequired };

class Fields {
 public:
  // `object` may be anything; what is no object has no fields. Keys that repeat are noted at once. `of`: in front of
  // field names in problems ("y_scale.").
  Fields(JsonValue object, Problems* problems, absl::string_view of = "");

  std::optional<JsonValue> Find(absl::string_view name, Need need) const;
  std::optional<double> Number(absl::string_view name, Need need) const;
  std::optional<int64_t> Integer(absl::string_view name, Need need) const;
  std::optional<std::string> Text(absl::string_view name, Need need) const;
  // One of these texts.
  std::optional<std::string> Choice(absl::string_view name, Need need,
                                    std::initializer_list<absl::string_view> choices) const;
  std::optional<bool> Truth(absl::string_view name, Need need) const;
  // The texts "True" and "False" that AIMET wrote before 1.0.0 as well.
  std::optional<bool> TruthOrText(absl::string_view name, Need need) const;
  std::optional<NumberArray> Numbers(absl::string_view name, Need need) const;
  // One list of numbers, with no lists inside.
  std::optional<NumberArray> FlatNumbers(absl::string_view name, Need need) const;

  void Invalid(absl::string_view name, JsonValue value, absl::string_view allowed) const;
  // Each of these fields that is there contradicts another one: "no <name> <because>" is expected.
  void Forbid(std::initializer_list<absl::string_view> names, absl::string_view because) const;

 private:
  std::optional<NumberArray> NumbersIn(absl::string_view name, Need need, bool flat) const;

  JsonValue object_;
  Problems* problems_;
  std::string of_;
};

void AddProblem(v1::EncodingProblem::Kind kind, absl::string_view field, absl::string_view observed,
                absl::string_view allowed, JsonPlace place, Problems* problems);

}  // namespace quantgate::encodings

#endif  // QUANTGATE_CLIENT_ENCODINGS_FIELDS_H_
