// Numbers of JSON texts. RapidJSON's own conversion reads a zero with an exponent beyond its fast path, "0e212", as any
// number.
#ifndef QUANTGATE_CLIENT_JSON_NUMBER_H_
#define QUANTGATE_CLIENT_JSON_NUMBER_H_

#include "absl/strings/string_view.h"

namespace quantgate {

// What RapidJSON says of a number that is beyond double.
inline constexpr char kNumberTooBig[] = "Number too big to be stored in double.";

// Nearest double of what a JSON reader has found to be a number, or NaN, Inf, Infinity with or without a sign. False:
// it is beyond double.
bool ParseJsonNumber(absl::string_view text, double& number);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_JSON_NUMBER_H_
