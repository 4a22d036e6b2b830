// Parameters, buffers and constant tensors of an exported program: raw bytes in members of their own.
#ifndef QUANTGATE_CLIENT_PT2_PAYLOADS_H_
#define QUANTGATE_CLIENT_PT2_PAYLOADS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/pt2/archive.h"
#include "client/pt2/json.h"
#include "client/tensor/weight_room.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::pt2 {

// The payloads of one program.
class Payloads {
 public:
  // Reads data/weights/NAME_weights_config.json and data/constants/NAME_constants_config.json below `root`, or finds
  // data/weights/NAME.pt and data/constants/NAME.pt, which PyTorch 2.8 has instead: pickles of all of them. FI001 where
  // both are missing or a configuration is damaged, FI002 beyond a limit.
  // `max_weight_bytes`: ImportOptions has it.
  static absl::StatusOr<Payloads> Open(Archive* archive, const std::string& root, absl::string_view program,
                                       int64_t max_weight_bytes = 0);

  // Fills the constant of `value`, whose type and shape are those of the graph. `fqn`: name of a parameter or buffer,
  // or of a constant ("layer.weight"). `channel_axis`: it is quantized per channel along this axis. What is missing or
  // damaged is a fact of the constant; what was pickled is not read, and nothing is said of it. FI001 where the
  // payload's own type or shape contradicts that of the graph and both have the same size, and where it is said to be
  // pickled and is not.
  absl::Status Read(const std::string& fqn, std::optional<int> channel_axis, v1::Value* value);

 private:
  // Where a tensor lies in its member: elements of `dtype`, `sizes` of them, `strides` apart, from `offset` on, all
  // counted in elements.
  struct Layout {
    v1::DataType dtype = v1::DATA_TYPE_UNSPECIFIED;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    int64_t offset = 0;
  };
  struct Payload {
    std::string path;  // of the member, from the archive's beginning
    bool pickled = false;
    bool readable = false;  // raw bytes of a strided tensor of known sizes
    Layout layout;
  };

  Payloads() = default;
  // What data/KIND below `root` says of the program: of its "weights" or "constants".
  absl::Status AddFolder(const std::string& root, absl::string_view program, absl::string_view kind);
  absl::Status AddConfig(const std::string& path, const Archive::Member& member, const std::string& folder);
  absl::Status CheckPickle(const Payload& payload, const Archive::Member& member);
  absl::Status ReadMember(const Payload& payload, const Archive::Member& member, std::optional<int> channel_axis,
                          v1::Value* value);

  Archive* archive_ = nullptr;
  std::string folder_;
  absl::flat_hash_map<std::string, Payload> payloads_;
  // A pickle of all weights or all constants; "": there is none.
  std::string pickle_;
  // Tensors may share a member, a hostile file's all of them.
  WeightRoom weights_{0};
  int64_t scanned_left_ = 0;
  int64_t listed_left_ = int64_t{1} << 25;
  int64_t axis_entries_left_ = int64_t{1} << 24;
};

}  // namespace quantgate::pt2

#endif  // QUANTGATE_CLIENT_PT2_PAYLOADS_H_
