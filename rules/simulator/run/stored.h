// Between real numbers and stored integers, the way a profile does it.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_STORED_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_STORED_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// As many parameters as the tensor has channels or blocks, or INVALID_ARGUMENT. Their values are the kernels' affair:
// some runtimes take scales below zero.
absl::Status CheckGeometry(const QTensor& value);

bool SameParameters(const Quantization& a, const Quantization& b);

// Stored integers as float32.
absl::StatusOr<Tensor> Dequantized(const Profile& profile, const QTensor& stored);

// float32 as stored integers of the slot's type with parameters `q`, clamped to the range that the slot states.
absl::StatusOr<QTensor> Quantized(const Profile& profile, const Tensor& reals, const Slot& slot, const Quantization& q);

// A range that begins at zero is a Relu that was folded into the quantizer: real numbers have one too.
bool FoldsRelu(const Slot& slot, const Quantization& q);
void FoldRelu(const Slot& slot, const Quantization& q, absl::Span<float> reals);

// Rounds float32 to what stored integers of a slot's type stand for: FoldRelu, Quantized and Dequantized.
class Grid {
 public:
  // `profile` and `slot` outlive it.
  Grid(const Profile& profile, const Slot& slot, const Quantization& q);

  // Whether a part of a tensor can be rounded alone.
  bool takes_parts() const { return stored_.q.scales.size() == 1 && stored_.q.block == 0; }
  // Some elements, from a multiple of eight on: runtimes quantize eight at a time.
  absl::Status Round(absl::Span<float> part);
  // All of it.
  absl::Status Round(Tensor& reals);

 private:
  const Profile& profile_;
  const Slot& slot_;
  QTensor stored_;
};

void ClampToRange(const Slot& slot, Tensor& tensor);

// The same for small floats, which are kept as real numbers: the quotients, rounded, and the products.
absl::StatusOr<Tensor> ToSmallFloats(const Tensor& reals, v1::DataType type, const Quantization& q);
absl::StatusOr<Tensor> FromSmallFloats(const Tensor& stored, const Quantization& q);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_STORED_H_
