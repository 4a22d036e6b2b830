// Float kernels by family, and what they share.
#ifndef QUANTGATE_RULES_SIMULATOR_FLOAT_KERNELS_H_
#define QUANTGATE_RULES_SIMULATOR_FLOAT_KERNELS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/simulator/float/float_kernel.h"

namespace quantgate::simulator {

absl::Status RunUnary(FloatCall& call);
absl::Status RunBinary(FloatCall& call);
absl::Status RunWhere(FloatCall& call);
absl::Status RunCast(FloatCall& call);
absl::Status RunConv(FloatCall& call);
absl::Status RunConvTranspose(FloatCall& call);
absl::Status RunMatMul(FloatCall& call);
absl::Status RunPool(FloatCall& call);
absl::Status RunReduce(FloatCall& call);
absl::Status RunSelection(FloatCall& call);  // argmax, top-k, cumulative sums
absl::Status RunSoftmax(FloatCall& call);
absl::Status RunNormalization(FloatCall& call);
absl::Status RunReshape(FloatCall& call);  // same elements in the same order
absl::Status RunMovement(FloatCall& call);
absl::Status RunBlocks(FloatCall& call);  // what is divided into samples, or written over
absl::Status RunGather(FloatCall& call);
absl::Status RunResize(FloatCall& call);
absl::Status RunCreation(FloatCall& call);
absl::Status RunDifference(FloatCall& call);

// "(2, 3)".
std::string DimsText(absl::Span<const int64_t> dims);
// Product; the tensors that exist are small enough.
int64_t Count(absl::Span<const int64_t> dims);
// INVALID_ARGUMENT unless input `i` is there and float32.
absl::StatusOr<absl::Span<const float>> FloatInput(const FloatCall& call, size_t i);
// Clamps to the activation that is fused in (attribute `activation`).
void Activate(const Attributes& attributes, absl::Span<float> values);
// Integers and conditions as real numbers; what has no kernels stays as it is.
Tensor AsFloat(const Tensor& tensor);
// torch casts what it sums as integers (attribute `to`) before: the first input in that type, where it is of real
// numbers; else `cast` stays unset.
absl::Status CastBeforeSums(const FloatCall& call, Tensor& cast);
// Channels last to channels first and back, by permutation of a float tensor.
Tensor ToChannelsFirst(const Tensor& tensor);
Tensor ToChannelsLast(const Tensor& tensor);
Tensor Permuted(const Tensor& tensor, absl::Span<const int> permutation);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_FLOAT_KERNELS_H_
