#include "rules/simulator/kernel.h"

#include "absl/strings/str_cat.h"
#include "rules/simulator/kernels/kernels.h"

namespace quantgate::simulator {
namespace {

using Kernel = absl::Status (*)(const Profile&, KernelCall&);

struct Entry {
  OpId op;
  Kernel kernel;
  size_t inputs;  // at least; those are present
};

constexpr Entry kKernels[] = {
    {OpId::kQuantize, Quantize, 1},
    {OpId::kDequantize, Dequantize, 1},
    {OpId::kRequantize, Requantize, 1},
};

}  // namespace

absl::Status RunKernel(const Profile& profile, KernelCall& call) {
  for (const Entry& entry : kKernels) {
    if (entry.op != call.op) continue;
    if (call.inputs.size() < entry.inputs || call.outputs.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(call.inputs.size(), " inputs and ", call.outputs.size(), " outputs"));
    }
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      if (call.inputs[i] == nullptr) {
        if (i < entry.inputs) return absl::InvalidArgumentError(absl::StrCat("input ", i, " is absent"));
        continue;
      }
      if (absl::Status status = Validate(*call.inputs[i]); !status.ok()) {
        return absl::Status(status.code(), absl::StrCat("input ", i, ": ", status.message()));
      }
    }
    return entry.kernel(profile, call);
  }
  return absl::UnimplementedError("no integer kernel for this operator");
}

}  // namespace quantgate::simulator
