#include "client/unfinished_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

absl::Status CannotWrite(const std::string& path, int reason) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be written: ", std::strerror(reason)));
}

// 0, or the errno of what failed.
int WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), std::min<size_t>(bytes.size(), 1 << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path, std::string unfinished)
    : path_(std::move(path)), unfinished_(std::move(unfinished)) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)), unfinished_(std::exchange(other.unfinished_, "")) {}

UnfinishedFile::~UnfinishedFile() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

absl::StatusOr<UnfinishedFile> UnfinishedFile::Write(const std::string& path, absl::string_view bytes) {
  const std::string unfinished = absl::StrCat(path, ".", ::getpid(), ".part");
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = ::open(unfinished.c_str(), kNewFile, 0666);
  if (fd < 0 && errno == EEXIST) {  // of a process that was ended; it had this one's number
    ::unlink(unfinished.c_str());
    fd = ::open(unfinished.c_str(), kNewFile, 0666);
  }
  if (fd < 0) return CannotWrite(path, errno);
  UnfinishedFile file(path, unfinished);
  int error = WriteAll(fd, bytes);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) return CannotWrite(path, error);
  return file;
}

absl::Status UnfinishedFile::Finish() {
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
  unfinished_.clear();
  return absl::OkStatus();
}

}  // namespace quantgate
