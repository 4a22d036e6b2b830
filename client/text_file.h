// Small files that people write, and what they paste: read with a limit, from pipes too.
#ifndef QUANTGATE_CLIENT_TEXT_FILE_H_
#define QUANTGATE_CLIENT_TEXT_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace quantgate {

// The whole file; "-": standard input. INVALID_ARGUMENT: missing or unreadable; RESOURCE_EXHAUSTED: longer than
// `max_bytes`, of which no more than that is read.
absl::StatusOr<std::string> ReadTextFile(const std::string& path, int64_t max_bytes);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TEXT_FILE_H_
