// The members of a zip archive in memory, read with limits. Nothing is ever extracted.
#ifndef QUANTGATE_CLIENT_PT2_ARCHIVE_H_
#define QUANTGATE_CLIENT_PT2_ARCHIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct zip;
struct zip_file;

namespace quantgate::pt2 {

class Archive {
 public:
  // A place in the archive's directory.
  struct Member {
    uint64_t index = 0;
    int64_t size = 0;  // bytes, uncompressed, as the directory says
  };

  // `bytes` must outlive the archive. FI001: no zip archive, or damaged; a name twice; a member that is encrypted or
  // compressed with anything but deflate; members that overlap. FI002: more than 200,000 members, or one of more than
  // 1 MiB that is more than 100 times as long as its compressed bytes.
  static absl::StatusOr<Archive> Open(absl::string_view bytes);

  // Null: there is none of this name.
  const Member* Find(absl::string_view name) const;

  // All names, in the order of the directory.
  const std::vector<std::string>& names() const { return names_; }

  // Passes the member's bytes to `sink` in chunks of a multiple of 16 bytes, the last one excepted. FI001: damaged (its
  // checksum or its length does not hold); the sink may have had some of it by then.
  absl::Status Stream(const Member& member, const std::function<void(absl::string_view)>& sink);

  // The first `count` bytes of the member, all of a shorter one. FI001: damaged.
  absl::StatusOr<std::string> Beginning(const Member& member, int64_t count);

  // The whole member. FI002 when it is longer than `max_bytes`, FI001 as above.
  absl::StatusOr<std::string> Read(const Member& member, int64_t max_bytes);

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  struct Close {
    void operator()(zip_file* file) const;
  };

  Archive() = default;
  absl::Status ReadDirectory(int64_t total_bytes);
  absl::Status AddMember(uint64_t index, int64_t* compressed_bytes_left);

  std::unique_ptr<zip, Discard> zip_;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, Member> members_;
  std::string buffer_;
};

// Whether a name would lead out of the folder that an archive is extracted to: it is absolute, goes up, or has a drive.
bool LeavesFolder(absl::string_view name);

// The error, with the member that it is about in front.
absl::Status InMember(absl::string_view member, const absl::Status& error);

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_ARCHIVE_H_
