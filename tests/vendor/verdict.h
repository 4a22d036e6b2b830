// What of a result counts when it is compared with what the vendor's library did.
#ifndef QUANTGATE_TESTS_VENDOR_VERDICT_H_
#define QUANTGATE_TESTS_VENDOR_VERDICT_H_

#include <set>
#include <string>

#include "quantgate/v1/report.pb.h"
#include "tests/vendor/case.h"

namespace quantgate::vendor {

// A finding says that the vendor's tools will not take it.
bool Refused(const v1::Result& judged);

// Where it says that they stop; `judged` is of toolchain executorch, which delegates what is validated and prepares it
// afterwards.
Step StopsAt(const v1::Result& judged);

// A finding says that the numbers of an output are wrong.
bool OutputNamed(const v1::Result& judged);

// What is said besides: that the numbers are wrong, or that a document is not enforced. "FX101 WRONG_NUMBERS out[0]".
std::set<std::string> Remarks(const v1::Result& judged);

}  // namespace quantgate::vendor

#endif  // QUANTGATE_TESTS_VENDOR_VERDICT_H_
