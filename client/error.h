// Errors that end the program with one line on stderr, "error[CODE]: message".
#ifndef QUANTGATE_CLIENT_ERROR_H_
#define QUANTGATE_CLIENT_ERROR_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace quantgate {

// A status that carries a stable code of the contract ("FI001").
inline absl::Status CodedError(absl::StatusCode status, absl::string_view code, absl::string_view message) {
  absl::Status result(status, message);
  result.SetPayload("quantgate.code", absl::Cord(code));
  return result;
}

// FI001: the bytes are not what they have to be. FI002: they ask for more than a limit allows.
inline absl::Status UnreadableFile(absl::string_view what) {
  return CodedError(absl::StatusCode::kInvalidArgument, "FI001", what);
}
inline absl::Status BeyondLimit(absl::string_view what) {
  return CodedError(absl::StatusCode::kResourceExhausted, "FI002", what);
}

// The code of an error; the status' own name ("INVALID_ARGUMENT") when it carries none.
inline std::string ErrorCode(const absl::Status& status) {
  if (auto code = status.GetPayload("quantgate.code")) return std::string(*code);
  return absl::StatusCodeToString(status.code());
}

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ERROR_H_
