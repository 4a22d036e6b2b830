// Changes of a LiteRT file in place, so that the options of operators, which the schema here does not spell out, stay.
#ifndef QUANTGATE_TESTS_MUTATIONS_TFLITE_MUTATOR_H_
#define QUANTGATE_TESTS_MUTATIONS_TFLITE_MUTATOR_H_

#include <string>

#include "tests/mutations/random.h"

namespace quantgate::mutations {

// `file`, a good one, with `changes` changes: fields at boundaries or dropped, offsets and lengths that do not hold,
// tensors, operators and buffers dropped, doubled and swapped.
std::string MutateTflite(std::string file, int changes, Random& random);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_TFLITE_MUTATOR_H_
