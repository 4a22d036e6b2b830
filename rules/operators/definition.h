// What an ONNX operator set says of an operator's form: how many arguments it takes and gives, which of them have one
// element type, which attributes it has. What an operator means is in operator.h; this is for rules that ask whether a
// node is written as its operator set defines it.
#ifndef QUANTGATE_RULES_OPERATORS_DEFINITION_H_
#define QUANTGATE_RULES_OPERATORS_DEFINITION_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate {

// Newest version of the default operator set that the tables of this folder cover.
constexpr int64_t kNewestOpset = 28;

enum class AttributeKind : uint8_t { kFloat, kInt, kString, kTensor, kGraph, kType, kFloats, kInts, kStrings };

struct AttributeDefinition {
  const char* name;
  AttributeKind kind;
  bool required = false;
};

// One input or output.
struct Parameter {
  enum Presence : uint8_t { kRequired, kOptional, kVariadic };  // variadic: this and all further ones; last only
  // Parameters of one capital letter have one element type. 'i', 'f', 'b': int64, float32, bool. '.': its own affair.
  char type;
  Presence presence;
};

struct Parameters {
  std::vector<Parameter> list;
  int min = 0;  // arguments, left out ones counted
  int max = 0;

  // The parameter of an argument; null beyond the last.
  const Parameter* at(int argument) const {
    const int count = static_cast<int>(list.size());
    if (argument < count) return &list[argument];
    return count > 0 && list.back().presence == Parameter::kVariadic ? &list.back() : nullptr;
  }
};

// The form of an operator from operator set version `since` until the next row of the same operator.
struct Definition {
  int since = 0;
  bool removed = false;  // the operator set has it no longer; nothing below is set
  // More inputs, outputs and attributes may come without a new version (domain com.microsoft).
  bool open = false;
  Parameters inputs;
  Parameters outputs;
  absl::Span<const AttributeDefinition> attributes;

  const AttributeDefinition* attribute(absl::string_view name) const;
};

// All rows of an operator, oldest first; `op_type` is as in Node.op. Empty: not known for certain, judge nothing.
absl::Span<const Definition> DefinitionsOf(absl::string_view op_type);

// The row in force at that operator set version; null when the operator came later.
const Definition* DefinitionAt(absl::Span<const Definition> rows, int64_t version);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_DEFINITION_H_
