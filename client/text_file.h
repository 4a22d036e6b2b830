// Small files that people write, and what they paste: read with a limit, from pipes too.
#ifndef QUANTGATE_CLIENT_TEXT_FILE_H_
#define QUANTGATE_CLIENT_TEXT_FILE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

// The whole file; "-": standard input. INVALID_ARGUMENT: missing or unreadable; RESOURCE_EXHAUSTED: longer than
// `max_bytes`, of which no more than that is read.
absl::StatusOr<std::string> ReadTextFile(const std::string& path, int64_t max_bytes);

// The same of any length: calls `take` with one piece of at most 64 KiB after the other, until that is an error.
absl::Status ReadPieces(const std::string& path, const std::function<absl::Status(absl::string_view piece)>& take);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TEXT_FILE_H_
