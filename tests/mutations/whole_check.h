// What `quantgate check` does with a file.
#ifndef QUANTGATE_TESTS_MUTATIONS_WHOLE_CHECK_H_
#define QUANTGATE_TESTS_MUTATIONS_WHOLE_CHECK_H_

#include <cstdint>
#include <string>

#include "rules/engine/module.h"

namespace quantgate::mutations {

enum class Outcome { kRefused, kAccepted, kRejected, kUnknown, kFault };

struct Answer {
  Outcome outcome = Outcome::kFault;  // for the target
  std::string fault;                  // kFault: what must not happen
};

// Imports the file, checks it without a target and for `target`, looks for corrections, prints both reports, checks it
// with less known of it in a way that `number` draws, and runs it as far as little memory and time allow. `encodings`
// may be empty.
Answer CheckWhole(const std::string& path, const std::string& encodings, const std::string& target, int64_t number,
                  ModuleRegistry& modules);

}  // namespace quantgate::mutations

#endif  // QUANTGATE_TESTS_MUTATIONS_WHOLE_CHECK_H_
