#include "client/model_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "client/error.h"

namespace quantgate {
FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<std::string> ReadModelFile(const std::string& path, int64_t max_bytes) {
  // Without O_NONBLOCK a named pipe would wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return UnreadableFile(errno == ENOENT ? "no such file" : absl::StrCat("cannot be opened: ", std::strerror(errno)));
  }
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0) return UnreadableFile(absl::StrCat("cannot be read: ", std::strerror(errno)));
  if (S_ISDIR(facts.st_mode)) return UnreadableFile("is a directory, not a model file");
  if (!S_ISREG(facts.st_mode)) return UnreadableFile("is not a regular file");
  if (facts.st_size > max_bytes) {
    return BeyondLimit(absl::StrCat("is ", facts.st_size, " bytes long; the limit is ", max_bytes));
  }
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, std::min<size_t>(bytes.size() - filled, 1 << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return UnreadableFile(absl::StrCat("cannot be read: ", std::strerror(errno)));
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace quantgate
