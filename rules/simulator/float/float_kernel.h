// Operators on real numbers: the reference that quantized arithmetic is compared with, and what runs where a runtime
// has no integer kernel. Reals are float32. Indices, shapes and conditions are integers and flow through as they are.
//
// Attributes are those of kernel.h, and these:
//   kCast to (a v1::DataType); kShape start, end, to; kFill shape; kRange to, and range or three inputs;
//   kGatherNd, kGatherElements as ONNX; kCumSum axis, exclusive, reverse; kTriangle upper, diagonal;
//   kTopK k, largest; kArgMax, kArgMin to; kSelect axis, index; kFlip axes;
//   kSpaceToBatch block, pads; kBatchToSpace block, crops (all that are in front, then all behind); kSliceScatter
//   starts; kOneHot depth, axis, from_end, on, off, to; kDiff axis, n; kReduce* to; kAdd, kSub alpha; kDiv
//   rounding_mode, real; kLpPool p, of_mean.
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_FLOAT_KERNEL_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_FLOAT_KERNEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/operators/op_id.h"
#include "rules/simulator/attributes.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

using Dims = std::vector<int64_t>;

struct FloatCall {
  OpId op = OpId::kUnknown;
  Layout layout = Layout::kChannelsFirst;
  const Attributes& attributes;
  // In the order of the canonical operator's ports; null: omitted.
  absl::Span<const Tensor* const> inputs;
  // Empty; the kernel sets type, dims and data.
  absl::Span<Tensor> outputs;
  // No output may be larger.
  int64_t max_bytes = int64_t{1} << 32;
  // The first output goes through a Relu afterwards. Kernels that have done so set it to false.
  bool relu = false;

  // Null: omitted.
  const Tensor* input(size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }
  // Makes room for an output. RESOURCE_EXHAUSTED names the bytes that were too many.
  absl::Status Make(size_t output, v1::DataType type, const Dims& dims);
  // The same for a kernel that writes every element: they are not set.
  absl::Status MakeUnset(size_t output, v1::DataType type, const Dims& dims);
};

// UNIMPLEMENTED: no kernel for the operator or its form. INVALID_ARGUMENT: shapes or types that do not go together.
absl::Status RunFloatKernel(FloatCall& call);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_FLOAT_KERNEL_H_
