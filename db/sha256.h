#ifndef QUANTGATE_DB_SHA256_H_
#define QUANTGATE_DB_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quantgate {

// Lower-case hex, 64 digits.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace quantgate

#endif  // QUANTGATE_DB_SHA256_H_
