#include "client/same_file.h"

#include <filesystem>
#include <system_error>

namespace quantgate {

namespace fs = std::filesystem;

bool IsSameFile(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const fs::file_status there = fs::status(a, error);
  if (fs::exists(there)) return fs::is_regular_file(there) && fs::equivalent(a, b, error);
  // A name that is not there stays relative, in whatever folder it would be.
  const fs::path one = fs::weakly_canonical(fs::absolute(a, error), error);
  if (error) return a == b;
  const fs::path other = fs::weakly_canonical(fs::absolute(b, error), error);
  return error ? a == b : one == other;
}

}  // namespace quantgate
