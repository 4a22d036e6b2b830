#include "client/unfinished_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

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

UnfinishedFile::UnfinishedFile(std::string path, std::string unfinished, int fd)
    : path_(std::move(path)), unfinished_(std::move(unfinished)), fd_(fd) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::exchange(other.unfinished_, "")),
      fd_(std::exchange(other.fd_, -1)) {}

UnfinishedFile::~UnfinishedFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

absl::StatusOr<UnfinishedFile> UnfinishedFile::Create(const std::string& path) {
  const std::string unfinished = absl::StrCat(path, ".", ::getpid(), ".part");
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = ::open(unfinished.c_str(), kNewFile, 0666);
  if (fd < 0 && errno == EEXIST) {  // of a process that was ended; it had this one's number
    ::unlink(unfinished.c_str());
    fd = ::open(unfinished.c_str(), kNewFile, 0666);
  }
  if (fd < 0) return CannotWrite(path, errno);
  struct stat present;
  if (::stat(path.c_str(), &present) == 0) (void)::fchmod(fd, present.st_mode & 0777);
  return UnfinishedFile(path, unfinished, fd);
}

absl::StatusOr<UnfinishedFile> UnfinishedFile::Write(const std::string& path, absl::string_view bytes) {
  absl::StatusOr<UnfinishedFile> file = Create(path);
  if (!file.ok()) return file;
  if (absl::Status status = file->Append(bytes); !status.ok()) return status;
  return file;
}

absl::Status UnfinishedFile::Append(absl::string_view bytes) {
  const int error = WriteAll(fd_, bytes);
  return error == 0 ? absl::OkStatus() : CannotWrite(path_, error);
}

absl::Status UnfinishedFile::Finish() {
  if (::close(std::exchange(fd_, -1)) != 0) return CannotWrite(path_, errno);
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) {
    if (errno != EBUSY) return CannotWrite(path_, errno);
    // A file that is mounted there cannot be replaced, only written.
    std::error_code error;
    fs::copy_file(unfinished_, path_, fs::copy_options::overwrite_existing, error);
    return error ? CannotWrite(path_, error.value()) : absl::OkStatus();  // what is left goes with this object
  }
  unfinished_.clear();
  return absl::OkStatus();
}

}  // namespace quantgate
