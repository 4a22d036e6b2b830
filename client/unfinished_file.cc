#include "client/unfinished_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

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

// Where a link leads, missing or not. What is no file is written under the name that it was given by: what a link to a
// pipe says is no path.
fs::path Followed(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::exists(there) && !fs::is_regular_file(there)) return path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// A folder in which there are files only, or the one for passing ones: a device's has others.
fs::path FolderFor(const fs::path& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  return fs::exists(there) && !fs::is_regular_file(there) ? fs::temp_directory_path(error) : path.parent_path();
}

}  // namespace

bool IsReplaceable(const std::string& path) {
  struct stat there;
  if (::lstat(path.c_str(), &there) != 0) return errno == ENOENT;
  return S_ISREG(there.st_mode) && there.st_nlink == 1 && there.st_uid == ::geteuid() &&
         ::access(path.c_str(), W_OK) == 0;
}

UnfinishedFile::UnfinishedFile(std::string path, std::string unfinished, int fd)
    : path_(std::move(path)), unfinished_(std::move(unfinished)), passing_(unfinished_), fd_(fd) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : path_(std::move(other.path_)),
      unfinished_(std::exchange(other.unfinished_, "")),
      passing_(std::move(other.passing_)),
      fd_(std::exchange(other.fd_, -1)) {}

UnfinishedFile::~UnfinishedFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

absl::StatusOr<UnfinishedFile> UnfinishedFile::Create(const std::string& path) {
  const fs::path place = Followed(path);
  // A name may be as long as the file system takes one; what is behind it here has to fit as well.
  const std::string ending = absl::StrCat(".", ::getpid(), ".part");
  const std::string name = absl::StrCat(place.filename().string().substr(0, NAME_MAX - ending.size()), ending);
  const std::string unfinished = (FolderFor(place) / name).string();
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = ::open(unfinished.c_str(), kNewFile, 0666);
  if (fd < 0 && errno == EEXIST) {  // of a process that was ended; it had this one's number
    ::unlink(unfinished.c_str());
    fd = ::open(unfinished.c_str(), kNewFile, 0666);
  }
  if (fd < 0) return CannotWrite(path, errno);
  struct stat present;
  if (::stat(path.c_str(), &present) == 0 && S_ISREG(present.st_mode)) (void)::fchmod(fd, present.st_mode & 0777);
  return UnfinishedFile(place.string(), unfinished, fd);
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
  if (!IsReplaceable(path_)) return WriteInto();
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0) {
    // A file that is mounted there cannot be replaced either.
    return errno == EBUSY ? WriteInto() : CannotWrite(path_, errno);
  }
  passing_.reset();
  unfinished_.clear();
  return absl::OkStatus();
}

absl::Status UnfinishedFile::WriteInto() {
  const int from = ::open(unfinished_.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) return CannotWrite(path_, errno);
  const int to = ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  int error = to < 0 ? errno : 0;
  std::vector<char> chunk(size_t{1} << 20);
  while (error == 0) {
    const ssize_t size = ::read(from, chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) break;
    error = size < 0 ? errno : WriteAll(to, absl::string_view(chunk.data(), static_cast<size_t>(size)));
  }
  ::close(from);
  if (to >= 0 && ::close(to) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : CannotWrite(path_, error);  // what is left goes with this object
}

}  // namespace quantgate
