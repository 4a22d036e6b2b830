// A decoded log for programs.
#ifndef QUANTGATE_CLIENT_DECODE_JSON_H_
#define QUANTGATE_CLIENT_DECODE_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/decode/decode.h"

namespace quantgate {

// Name of a rule of this build; empty when there is none of that code.
std::string DecodedRuleName(const std::string& code);

// {"lines": 3, "messages": [{line, count, text, tool, means, rules, change, source}], "unknown": [{line, text}],
// "unknownCount": 1}, indented, with a newline at the end.
std::string LogJson(const DecodedLog& log);

// The same of a log's text, by the messages that are part of this program. INVALID_ARGUMENT: there is no text.
// Thread-safe.
absl::StatusOr<std::string> DecodeToJson(absl::string_view text);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_DECODE_JSON_H_
