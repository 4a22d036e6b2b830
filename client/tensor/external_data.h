// Tensor bytes in files next to the model.
#ifndef QUANTGATE_CLIENT_TENSOR_EXTERNAL_DATA_H_
#define QUANTGATE_CLIENT_TENSOR_EXTERNAL_DATA_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/model_file.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Whether `path` is the folder or in it. Both are canonical: links were followed, "." and ".." are gone.
bool LeadsInside(const std::filesystem::path& folder, const std::filesystem::path& path);

// A region that was found: open, inside the folder, inside the file.
struct ExternalRegion {
  FileDescriptor file;
  int64_t offset = 0;
  int64_t size = 0;  // bytes
};

// Opens files inside one folder and nowhere else, symbolic links resolved.
class ExternalData {
 public:
  // `folder` "" : there is none and nothing is opened. `max_scanned_bytes`: see Scans.
  ExternalData(const std::string& folder, int64_t max_total_bytes, int64_t max_scanned_bytes);

  // Fills `fact->status` (READ when the region exists) from location, offset and length. `natural_size` is what the
  // tensor's shape and type ask for, used when the file states no length; -1: unknown, to the end of the file.
  ExternalRegion Open(int64_t natural_size, v1::ExternalData* fact) const;

  // FI005 when the file of `region` is not the one that the model was written with: `sha1` is what the model says of
  // the whole file, in hex; a text that is no SHA-1 says nothing. Each file is read once.
  absl::Status Verify(const ExternalRegion& region, const std::string& location, absl::string_view sha1);

  // Whether the region is to be read for what its elements are; takes it off what may be read so. false: it lies
  // beyond, and `fact` has no status: gigabytes of weights are found, and not read.
  bool Scans(const ExternalRegion& region, v1::ExternalData* fact);

  // Passes the region to `sink` in chunks of a multiple of 16 bytes (the last one excepted). FI002 when all regions
  // together exceed the limit. A file that shrinks meanwhile or fails to be read leaves `fact` UNREADABLE.
  absl::Status Stream(const ExternalRegion& region, const std::function<void(absl::string_view)>& sink,
                      v1::ExternalData* fact);

 private:
  std::filesystem::path folder_;  // canonical; empty: none
  const int64_t max_total_bytes_;
  int64_t total_bytes_ = 0;
  int64_t scans_left_;
  absl::flat_hash_map<std::string, std::string> digests_;  // by location
  std::string buffer_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TENSOR_EXTERNAL_DATA_H_
