// Predicates as the compiler reads them: the names in them are the operator's and its enumerations'. What a kind takes
// is asked where it is evaluated (rules/constraints/predicate.h); db/README.md is the vocabulary.
#ifndef QUANTGATE_DB_COMPILER_VOCABULARY_H_
#define QUANTGATE_DB_COMPILER_VOCABULARY_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/table.h"

namespace quantgate::db {

// Values of one enumeration, by name.
using EnumValues = std::map<std::string, int>;

// What a predicate's names can refer to.
struct PredicateScope {
  std::string op;
  std::string port;                                // the item's
  const OpDefinition* definition;                  // never null
  const std::map<std::string, EnumValues>* enums;  // by "Op.parameter"
};

// Is this a port or parameter of the operator? Variadic spellings on either side ("in[0..m]") match by overlap.
bool DefinesPort(const OpDefinition& definition, absl::string_view port);

// Parses "kind name=value name=value", checks it, and writes values of enumerations as NAME=number.
// INVALID_ARGUMENT says what is wrong (without file or line).
absl::StatusOr<Predicate> ParsePredicate(absl::string_view text, const PredicateScope& scope);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_COMPILER_VOCABULARY_H_
