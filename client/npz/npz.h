// Arrays in files as numpy writes them: .npz, a zip archive of .npy members.
#ifndef QUANTGATE_CLIENT_NPZ_NPZ_H_
#define QUANTGATE_CLIENT_NPZ_NPZ_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rules/simulator/tensor.h"

struct zip;

namespace quantgate {

// One .npy file: little-endian bool, integers of 8 to 64 bits, float16, float32 and float64, in the order of C or of
// Fortran. Reals become float32. FI001: damaged, or of another type; its sizes do not lie.
absl::StatusOr<simulator::Tensor> ParseNpy(absl::string_view bytes);

// The header and the elements. 4-bit integers have a byte each.
absl::StatusOr<std::string> WriteNpy(const simulator::Tensor& tensor);

// All arrays by name. FI001 as above, with the member's name; FI002: more than `max_bytes`, packed or not.
absl::StatusOr<absl::flat_hash_map<std::string, simulator::Tensor>> ReadNpz(const std::string& path, int64_t max_bytes);

// Writes arrays as they come; what was added is in the file after Close.
class NpzWriter {
 public:
  // RESOURCE_EXHAUSTED from Add when all arrays together take more than `max_bytes`.
  explicit NpzWriter(int64_t max_bytes) : left_(max_bytes), max_bytes_(max_bytes) {}
  // The first of several arrays of one name is kept.
  absl::Status Add(const std::string& name, const simulator::Tensor& tensor);
  // FAILED_PRECONDITION: the file cannot be written.
  absl::Status Close(const std::string& path);

 private:
  std::vector<std::pair<std::string, std::string>> members_;
  absl::flat_hash_set<std::string> names_;
  int64_t left_;
  int64_t max_bytes_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_NPZ_NPZ_H_
