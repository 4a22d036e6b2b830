// The seal of a constraint database: SHA-256, hex, over the bytes of its file, which itself is in the file (and is
// hashed as kUnsealed). Reading a file is faster than reading every row of every table.
#ifndef QUANTGATE_DB_SEAL_H_
#define QUANTGATE_DB_SEAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace quantgate::db {

// What stands in the place of the seal until the file is closed: as long, and nowhere else. No digit of a digest is in
// it: what is in front of it in the file is one.
inline constexpr absl::string_view kUnsealed = "unsealedunsealedunsealedunsealedunsealedunsealedunsealedunsealed";

// Writes the seal where kUnsealed is.
absl::Status SealFile(const std::string& path);

// DATA_LOSS unless the file has that seal. Reads the file once; memory of its size, which the caller bounds.
absl::Status CheckSeal(const std::string& path, absl::string_view seal);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_SEAL_H_
