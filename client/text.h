// Names in files are bytes; names in messages are UTF-8.
#ifndef QUANTGATE_CLIENT_TEXT_H_
#define QUANTGATE_CLIENT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quantgate {

// Length of the longest prefix that is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates).
size_t Utf8Prefix(absl::string_view bytes);

// `bytes` itself when it is well-formed, else with each offending byte written as "\xNN".
std::string ToUtf8(absl::string_view bytes);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TEXT_H_
