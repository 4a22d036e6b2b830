// How definitions are written down. Internal to rules/operators.
#ifndef QUANTGATE_RULES_OPERATORS_DEFINITION_ROW_H_
#define QUANTGATE_RULES_OPERATORS_DEFINITION_ROW_H_

#include <initializer_list>

#include "absl/types/span.h"
#include "rules/operators/definition.h"

namespace quantgate {

struct DefinitionRow {
  const char* name;  // as in Node.op
  int since;
  // One character per parameter (Parameter::type), "?" behind an optional one, "*" or "+" behind a variadic one that
  // may be empty or not. Null: removed.
  const char* inputs;
  const char* outputs;
  std::initializer_list<AttributeDefinition> attributes = {};
};

constexpr AttributeDefinition Float(const char* name) { return {name, AttributeKind::kFloat}; }
constexpr AttributeDefinition Int(const char* name) { return {name, AttributeKind::kInt}; }
constexpr AttributeDefinition String(const char* name) { return {name, AttributeKind::kString}; }
constexpr AttributeDefinition Tensor(const char* name) { return {name, AttributeKind::kTensor}; }
constexpr AttributeDefinition Body(const char* name) { return {name, AttributeKind::kGraph}; }
constexpr AttributeDefinition Type(const char* name) { return {name, AttributeKind::kType}; }
constexpr AttributeDefinition Floats(const char* name) { return {name, AttributeKind::kFloats}; }
constexpr AttributeDefinition Ints(const char* name) { return {name, AttributeKind::kInts}; }
constexpr AttributeDefinition Strings(const char* name) { return {name, AttributeKind::kStrings}; }
constexpr AttributeDefinition Required(AttributeDefinition attribute) {
  attribute.required = true;
  return attribute;
}

// Rows of one operator stand together, oldest first; a version that changes nothing here has no row.
absl::Span<const DefinitionRow> OnnxDefinitions();         // default domain
absl::Span<const DefinitionRow> OnnxContribDefinitions();  // com.microsoft

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_DEFINITION_ROW_H_
