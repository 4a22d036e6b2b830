// A file that appears whole or not at all.
#ifndef QUANTGATE_CLIENT_UNFINISHED_FILE_H_
#define QUANTGATE_CLIENT_UNFINISHED_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace quantgate {

// Written beside the place where it will be, and removed again unless Finish puts it there.
class UnfinishedFile {
 public:
  // FAILED_PRECONDITION with the system's reason: the folder is missing or read-only, the disk is full, …
  static absl::StatusOr<UnfinishedFile> Create(const std::string& path);
  // With these bytes.
  static absl::StatusOr<UnfinishedFile> Write(const std::string& path, absl::string_view bytes);

  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  // FAILED_PRECONDITION as above.
  absl::Status Append(absl::string_view bytes);
  // Where the bytes are until Finish: in the same folder.
  const std::string& path() const { return unfinished_; }
  // Takes the place of what is at the path now, and its permissions.
  absl::Status Finish();

 private:
  UnfinishedFile(std::string path, std::string unfinished, int fd);

  std::string path_;
  std::string unfinished_;  // empty: finished, or moved away
  int fd_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_UNFINISHED_FILE_H_
