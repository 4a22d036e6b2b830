// Where the bytes of a tensor are, and what of them is sent.
#ifndef QUANTGATE_CLIENT_TFLITE_TENSOR_READER_H_
#define QUANTGATE_CLIENT_TFLITE_TENSOR_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/tensor/external_data.h"
#include "client/tensor/weight_room.h"
#include "client/tflite/budget.h"
#include "client/tflite/model_generated.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::tflite {

// Reads the constants of one model. Keeps what is listed and what is scanned bounded: beyond the bounds a constant has
// statistics only, or only its size.
class TensorReader {
 public:
  // Model and file must outlive the reader.
  // `max_weight_bytes`: ImportOptions has it.
  TensorReader(const Model& model, absl::string_view file, ExternalData* external, int64_t max_weight_bytes = 0);

  // The file gives the tensor a value: bytes, or a place where bytes should be.
  bool HasData(const Tensor& tensor) const;

  // What does not hold of a sparse constant, as CheckSparsity says it; "" too where the model asks to look at more than
  // one may.
  std::string SparsityProblem(const Tensor& tensor, const v1::Value& value);

  // Fills the constant of `value`, whose type and shape are known. `channel_axis`: it is quantized per channel along
  // this axis. Fails on a limit only (FI002).
  absl::Status Read(const Tensor& tensor, std::optional<int> channel_axis, v1::Value* value);

  // All elements of a tensor in the model file, for scales and zero points; empty when they are not there or too many.
  std::vector<double> Numbers(const Tensor& tensor);

 private:
  // What the file says of the place of a tensor's bytes. Neither: no value.
  struct Place {
    std::optional<absl::string_view> bytes;
    std::optional<v1::ExternalData> elsewhere;
  };
  Place Find(const Tensor& tensor) const;
  Place FindBuffer(uint32_t index) const;
  v1::ExternalData FindExternal(uint32_t id) const;

  const Model& model_;
  const absl::string_view file_;
  ExternalData* external_;
  absl::flat_hash_map<uint32_t, const ExternalBuffer*> external_buffers_;
  Budget scanned_;
  WeightRoom weights_;
  int64_t listed_left_ = int64_t{1} << 25;
  int64_t axis_entries_left_ = int64_t{1} << 24;
};

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CLIENT_TFLITE_TENSOR_READER_H_
