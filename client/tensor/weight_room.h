// Room for the bytes of constants that a graph takes along.
#ifndef QUANTGATE_CLIENT_TENSOR_WEIGHT_ROOM_H_
#define QUANTGATE_CLIENT_TENSOR_WEIGHT_ROOM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/error.h"

namespace quantgate {

class WeightRoom {
 public:
  // 0: no bytes are taken along.
  explicit WeightRoom(int64_t max_bytes) : max_bytes_(max_bytes), left_(max_bytes) {}

  bool keeps() const { return max_bytes_ > 0; }

  // FI002 when all constants together take more than there is room for.
  absl::Status Take(int64_t bytes) {
    if (!keeps()) return absl::OkStatus();
    if (bytes > left_) {
      return BeyondLimit(absl::StrCat("its constants take more than ", max_bytes_, " bytes"));
    }
    left_ -= bytes;
    return absl::OkStatus();
  }

 private:
  int64_t max_bytes_;
  int64_t left_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_TENSOR_WEIGHT_ROOM_H_
