// Changes of an exported program's archive.
#ifndef QUANTGATE_TESTS_MUTATIONS_PT2_MUTATOR_H_
#define QUANTGATE_TESTS_MUTATIONS_PT2_MUTATOR_H_

#include <map>
#include <string>

#include "tests/mutations/random.h"

namespace quantgate::mutations {

// Name to bytes.
using Members = std::map<std::string, std::string>;

// Ends the process when `file` is no zip archive.
Members Unzip(const std::string& file);

// An archive of `members` with `changes` changes: JSON (as MutateJson), bytes of tensors cut or overwritten, members
// dropped, doubled or renamed.
std::string MutatePt2(Members members, int changes, Random& random);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_PT2_MUTATOR_H_
