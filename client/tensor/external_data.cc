#include "client/tensor/external_data.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = 1 << 17;  // a multiple of 16

// Absolute here or on Windows, where the same model may be used.
bool IsAbsolute(absl::string_view location) {
  return absl::StartsWith(location, "/") || absl::StartsWith(location, "\\") ||
         (location.size() >= 3 && absl::ascii_isalpha(location[0]) && location[1] == ':' &&
          (location[2] == '\\' || location[2] == '/'));
}

}  // namespace

bool LeadsInside(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

ExternalData::ExternalData(const std::string& folder, int64_t max_total_bytes, int64_t max_scanned_bytes)
    : max_total_bytes_(max_total_bytes), scans_left_(max_scanned_bytes) {
  std::error_code error;
  if (!folder.empty()) folder_ = fs::canonical(folder, error);
  if (error) folder_.clear();
}

ExternalRegion ExternalData::Open(int64_t natural_size, v1::ExternalData* fact) const {
  const auto fail = [fact](v1::ExternalData::Status status) {
    fact->set_status(status);
    return ExternalRegion{};
  };
  const std::string& location = fact->location();
  if (location.empty()) return fail(v1::ExternalData::NO_LOCATION);
  if (IsAbsolute(location)) return fail(v1::ExternalData::ABSOLUTE_PATH);
  if (absl::StrContains(location, '\0')) return fail(v1::ExternalData::UNREADABLE);
  if (folder_.empty()) {
    // Nothing can be opened; what the path alone says is still said.
    const fs::path plain = fs::path(location).lexically_normal();
    const bool leaves = !plain.empty() && *plain.begin() == "..";
    return fail(leaves ? v1::ExternalData::OUTSIDE_MODEL_FOLDER : v1::ExternalData::MISSING);
  }
  std::error_code error;
  // Links are followed by this call alone, so that what is compared with the folder is what will be opened.
  const fs::path path = fs::weakly_canonical(folder_ / location, error);
  if (error) return fail(v1::ExternalData::UNREADABLE);
  if (!LeadsInside(folder_, path)) return fail(v1::ExternalData::OUTSIDE_MODEL_FOLDER);
  if (fact->offset() < 0 || fact->length() < -1) return fail(v1::ExternalData::BAD_RANGE);

  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0) return fail(errno == ENOENT ? v1::ExternalData::MISSING : v1::ExternalData::UNREADABLE);
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return fail(v1::ExternalData::UNREADABLE);
  if (fact->offset() > facts.st_size) return fail(v1::ExternalData::BAD_RANGE);
  const int64_t available = facts.st_size - fact->offset();
  if (fact->length() > available) return fail(v1::ExternalData::BAD_RANGE);
  int64_t size = fact->length();
  if (size < 0) size = natural_size >= 0 ? std::min(natural_size, available) : available;
  fact->set_status(v1::ExternalData::READ);
  return {std::move(file), fact->offset(), size};
}

absl::Status ExternalData::Verify(const ExternalRegion& region, const std::string& location, absl::string_view sha1) {
  if (sha1.size() != 40 || !absl::c_all_of(sha1, absl::ascii_isxdigit)) return absl::OkStatus();
  const auto [digest, inserted] = digests_.try_emplace(location);
  if (inserted) {
    struct stat facts;
    if (::fstat(region.file.get(), &facts) != 0) return absl::OkStatus();
    ExternalRegion whole{FileDescriptor(::dup(region.file.get())), 0, facts.st_size};
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    EVP_DigestInit_ex(hash.get(), EVP_sha1(), nullptr);
    v1::ExternalData read;
    absl::Status status = Stream(
        whole, [&](absl::string_view bytes) { EVP_DigestUpdate(hash.get(), bytes.data(), bytes.size()); }, &read);
    if (!status.ok()) return status;
    if (read.status() == v1::ExternalData::UNREADABLE) return absl::OkStatus();  // said where the tensor is read
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(hash.get(), bytes, &size);
    digest->second = absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(bytes), size));
  }
  if (digest->second.empty() || absl::EqualsIgnoreCase(digest->second, sha1)) return absl::OkStatus();
  return CodedError(absl::StatusCode::kInvalidArgument, "FI005",
                    absl::StrCat("external data '", location, "' has SHA-1 ", digest->second, ", the model says ",
                                 absl::AsciiStrToLower(sha1), ": it belongs to another model, or is damaged"));
}

bool ExternalData::Scans(const ExternalRegion& region, v1::ExternalData* fact) {
  if (region.size <= scans_left_) {
    scans_left_ -= region.size;
    return true;
  }
  fact->set_status(v1::ExternalData::STATUS_UNSPECIFIED);
  return false;
}

absl::Status ExternalData::Stream(const ExternalRegion& region, const std::function<void(absl::string_view)>& sink,
                                  v1::ExternalData* fact) {
  if (region.size > max_total_bytes_ - total_bytes_) {
    return BeyondLimit(absl::StrCat("more than ", max_total_bytes_, " bytes of external data"));
  }
  total_bytes_ += region.size;
  buffer_.resize(kChunk);
  int64_t done = 0;
  while (done < region.size) {
    const size_t wanted = static_cast<size_t>(std::min<int64_t>(kChunk, region.size - done));
    size_t filled = 0;
    while (filled < wanted) {
      const ssize_t got = ::pread(region.file.get(), buffer_.data() + filled, wanted - filled,
                                  region.offset + done + static_cast<int64_t>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        fact->set_status(v1::ExternalData::UNREADABLE);
        return absl::OkStatus();
      }
      filled += static_cast<size_t>(got);
    }
    sink(absl::string_view(buffer_.data(), filled));
    done += static_cast<int64_t>(filled);
  }
  return absl::OkStatus();
}

}  // namespace quantgate
