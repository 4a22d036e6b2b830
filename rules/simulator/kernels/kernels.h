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
absl::Status Unary(const Profile& profile, KernelCall& call);   // element-wise, one operand
absl::Status Reduce(const Profile& profile, KernelCall& call);
absl::Status MaxPool(const Profile& profile, KernelCall& call);
absl::Status AveragePool(const Profile& profile, KernelCall& call);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_
