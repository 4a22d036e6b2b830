// A file that appears whole or not at all, where it can take the place of what is there.
#ifndef QUANTGATE_CLIENT_UNFINISHED_FILE_H_
#define QUANTGATE_CLIENT_UNFINISHED_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/passing_path.h"

namespace quantgate {

// Whether another file may take its place: it is missing, or a file of this user's own that has no other name. Not so:
// a link, a device, a pipe.
bool IsReplaceable(const std::string& path);

// Written beside the place where it will be, and removed again unless Finish puts it there. Symbolic links are
// followed; what cannot be replaced is written into by Finish.
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
  // Where the bytes are until Finish.
  const std::string& path() const { return unfinished_; }
  // Takes the place of what is at the path now, and its permissions.
  absl::Status Finish();

 private:
  UnfinishedFile(std::string path, std::string unfinished, int fd);
  absl::Status WriteInto();

  std::string path_;        // links followed
  std::string unfinished_;  // empty: finished, or moved away
  std::optional<PassingPath> passing_;
  int fd_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_UNFINISHED_FILE_H_
