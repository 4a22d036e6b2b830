// The kernels behind RunKernel, one function for an operator or a group of them.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_

#include "absl/status/status.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

absl::Status Quantize(const Profile& profile, KernelCall& call);
absl::Status Dequantize(const Profile& profile, KernelCall& call);
absl::Status Requantize(const Profile& profile, KernelCall& call);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_KERNELS_H_
