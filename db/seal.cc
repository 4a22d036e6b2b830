#include "db/seal.h"

#include <fstream>

#include "absl/status/statusor.h"
#include "db/sha256.h"

namespace quantgate::db {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size < 0) return absl::UnavailableError("cannot be read");
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return absl::UnavailableError("cannot be read");
  }
  return bytes;
}

}  // namespace

absl::Status SealFile(const std::string& path) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  const size_t at = bytes->find(kUnsealed.data(), 0, kUnsealed.size());
  if (at == std::string::npos) return absl::InternalError("there is no place for the seal");
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file << Sha256Hex(*bytes);
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError("cannot be written");
}

absl::Status CheckSeal(const std::string& path, absl::string_view seal) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  const size_t at = seal.size() == kUnsealed.size() ? bytes->find(seal.data(), 0, seal.size()) : std::string::npos;
  if (at == std::string::npos) return absl::DataLossError("it has no digest");
  bytes->replace(at, seal.size(), kUnsealed.data(), kUnsealed.size());
  if (Sha256Hex(*bytes) != seal) return absl::DataLossError("its content was changed: the digest does not match");
  return absl::OkStatus();
}

}  // namespace quantgate::db
