// Bytes of files, read with a limit.
#ifndef QUANTGATE_CLIENT_MODEL_FILE_H_
#define QUANTGATE_CLIENT_MODEL_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

// An open file descriptor; closed when it goes out of scope.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// The whole file. Only regular files are opened, and opening one never blocks. FI001: missing, unreadable, a directory
// or a device; FI002: longer than `max_bytes`. Read rather than mapped: a file that shrinks while it is in use must not
// end the process.
absl::StatusOr<std::string> ReadModelFile(const std::string& path, int64_t max_bytes);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_MODEL_FILE_H_
