// Changes of a JSON document.
#ifndef QUANTGATE_TESTS_MUTATIONS_JSON_MUTATOR_H_
#define QUANTGATE_TESTS_MUTATIONS_JSON_MUTATOR_H_

#include <string>

#include "tests/mutations/random.h"

namespace quantgate::mutations {

// `text` with `changes` changes: values at boundaries or of another kind, keys dropped, doubled or renamed, lists cut
// or extended. Text that is no JSON is given back as it is.
std::string MutateJson(const std::string& text, int changes, Random& random);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_JSON_MUTATOR_H_
