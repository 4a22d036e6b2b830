// What the contract says of effects and severities.
#ifndef QUANTGATE_TESTS_RULES_EFFECTS_H_
#define QUANTGATE_TESTS_RULES_EFFECTS_H_

#include "quantgate/v1/report.pb.h"

namespace quantgate::testing {

// What the target refuses, computes otherwise or can make nothing of is an error; nothing else is.
inline bool AgreeWithContract(v1::Finding::Effect effect, v1::Finding::Severity severity) {
  const bool ends =
      effect == v1::Finding::REFUSED || effect == v1::Finding::WRONG_NUMBERS || effect == v1::Finding::UNSOUND;
  return ends == (severity == v1::Finding::ERROR) &&
         (effect != v1::Finding::FALLBACK || severity == v1::Finding::WARNING);
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_EFFECTS_H_
