// The kernels behind RunKernel, one function for an operator or a group of them.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_

#include "absl/status/status.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

absl::Status Quantize(const Profile& profile, KernelCall& call);
absl::Status Dequantize(const Profile& profile, KernelCall& call);
absl::Status Requantize(const Profile& profile, KernelCall& call);

absl::Status Conv(const Profile& profile, KernelCall& call);  // and depthwise, transposed
absl::Status Linear(const Profile& profile, KernelCall& call);
absl::Status Gemm(const Profile& profile, KernelCall& call);
absl::Status MatMul(const Profile& profile, KernelCall& call);
absl::Status Binary(const Profile& profile, KernelCall& call);  // element-wise, two operands
absl::Status Compare(const Profile& profile, KernelCall& call);
absl::Status Unary(const Profile& profile, KernelCall& call);  // element-wise, one operand
absl::Status Reduce(const Profile& profile, KernelCall& call);
absl::Status MaxPool(const Profile& profile, KernelCall& call);
absl::Status AveragePool(const Profile& profile, KernelCall& call);
absl::Status Softmax(const Profile& profile, KernelCall& call);
absl::Status LogSoftmax(const Profile& profile, KernelCall& call);
absl::Status LayerNorm(const Profile& profile, KernelCall& call);
absl::Status ChannelNorm(const Profile& profile, KernelCall& call);
absl::Status Reshape(const Profile& profile, KernelCall& call);
absl::Status Transpose(const Profile& profile, KernelCall& call);
absl::Status Slice(const Profile& profile, KernelCall& call);
absl::Status Tile(const Profile& profile, KernelCall& call);
absl::Status Pad(const Profile& profile, KernelCall& call);
absl::Status Concat(const Profile& profile, KernelCall& call);
absl::Status Split(const Profile& profile, KernelCall& call);
absl::Status Gather(const Profile& profile, KernelCall& call);
absl::Status DepthToSpace(const Profile& profile, KernelCall& call);
absl::Status ArgMax(const Profile& profile, KernelCall& call);
absl::Status TopK(const Profile& profile, KernelCall& call);
absl::Status Where(const Profile& profile, KernelCall& call);
absl::Status Resize(const Profile& profile, KernelCall& call);

// The attributes of a call; none: empty.
inline const Attributes& AttributesOf(const KernelCall& call) {
  static const Attributes* const none = new Attributes;
  return call.attributes == nullptr ? *none : *call.attributes;
}

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_
