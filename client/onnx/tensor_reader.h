// TensorProto to v1::Constant.
#ifndef QUANTGATE_CLIENT_ONNX_TENSOR_READER_H_
#define QUANTGATE_CLIENT_ONNX_TENSOR_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/tensor/external_data.h"
#include "client/tensor/weight_room.h"
#include "onnx/onnx.pb.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// The elements of a tensor in the packed layout of its type, wherever the file has them. INVALID_ARGUMENT: it has none
// of them, or a field that does not go with the type; FI002: a limit. What they are worth is not asked: their size may
// not be that of the shape.
absl::StatusOr<std::string> ReadElements(const onnx::TensorProto& tensor, ExternalData* external);

// How the graph uses a constant, which decides what of it is sent.
struct ConstantUse {
  // A scale or a zero point: the elements are sent, however the tensor is shaped.
  bool is_parameter = false;
  // It is quantized per channel along this axis (0-based).
  std::optional<int> channel_axis;
};

// Reads the constants of one model. Keeps the sum of what is listed bounded: beyond the bound a constant has statistics
// only.
class TensorReader {
 public:
  // `max_weight_bytes` and `pack_from`: ImportOptions has them.
  explicit TensorReader(ExternalData* external, int64_t max_weight_bytes = 0, int64_t pack_from = 0)
      : external_(external), weights_(max_weight_bytes), pack_from_(weights_.keeps() ? 0 : pack_from) {}

  // Everything but name, dtype and shape, which belong to the Value. Fails on a limit only (FI002). May take the bytes
  // out of the tensor.
  absl::Status Read(onnx::TensorProto& tensor, const ConstantUse& use, v1::Constant* constant);

 private:
  ExternalData* external_;
  WeightRoom weights_;
  int64_t pack_from_;
  int64_t listed_left_ = int64_t{1} << 25;
  int64_t axis_entries_left_ = int64_t{1} << 24;
};

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_ONNX_TENSOR_READER_H_
