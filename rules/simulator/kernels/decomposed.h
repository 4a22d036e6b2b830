// Operators as Dequantize, float32 operator, Quantize.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_DECOMPOSED_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_DECOMPOSED_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

// The output of a float operator: quantized as the profile does, or stored as float32.
inline absl::Status StoreFloats(const Profile& profile, absl::Span<const int64_t> dims, absl::Span<const float> values,
                                QTensor& out) {
  if (out.q.quantized()) {
    out.tensor.dims = std::vector<int64_t>(dims.begin(), dims.end());
    return QuantizeFloats(profile, values, out);
  }
  if (out.tensor.type != v1::DATA_TYPE_FLOAT32) {
    return absl::UnimplementedError("an output that is neither quantized nor float32");
  }
  if (absl::Status status = Allocate(dims, out.tensor); !status.ok()) return status;
  std::copy(values.begin(), values.end(), out.tensor.as<float>().begin());
  return absl::OkStatus();
}

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_DECOMPOSED_H_
