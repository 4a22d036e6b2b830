// The bounds that a fused activation puts on an output.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_ACTIVATION_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_ACTIVATION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernel.h"

namespace quantgate::simulator {

struct Bounds {
  int64_t low = 0, high = 0;
};

// In integers of the output, which has one scale. Bounds outside of the type are the type's.
inline Bounds ActivationBounds(const Attributes& attributes, const QTensor& out) {
  Bounds bounds{MinOf(out.tensor.type), MaxOf(out.tensor.type)};
  if (!out.q.quantized()) return bounds;
  const auto at = [&](float real) {
    const double steps = std::round(static_cast<double>(real / out.q.scales[0]));
    return std::clamp(static_cast<int64_t>(std::clamp(steps, -1e9, 1e9)) + out.q.zero_point(), MinOf(out.tensor.type),
                      MaxOf(out.tensor.type));
  };
  const absl::string_view activation = attributes.Text("activation", "none");
  if (activation == "relu" || activation == "relu6") bounds.low = at(0);
  if (activation == "relu6") bounds.high = at(6);
  if (activation == "relu_n1_to_1") bounds = {at(-1), at(1)};
  return bounds;
}

// Of the real numbers, in steps of the output; a range that begins at zero is a Relu that was folded into it.
struct RealBounds {
  float least = -std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::infinity();
};
inline RealBounds RealActivationBounds(const Attributes& attributes, const QTensor& out) {
  RealBounds bounds;
  const absl::string_view activation = attributes.Text("activation", "none");
  if (activation == "relu" || activation == "relu6" || out.q.zero_point() == MinOf(out.tensor.type)) bounds.least = 0;
  if (activation == "relu6") bounds.most = 6 / out.q.scales[0];
  if (activation == "relu_n1_to_1") {
    bounds.least = std::max(bounds.least, -1 / out.q.scales[0]);
    bounds.most = 1 / out.q.scales[0];
  }
  return bounds;
}

// The same on a float.
inline float Activated(const Attributes& attributes, float x) {
  const absl::string_view activation = attributes.Text("activation", "none");
  if (activation == "relu") return std::max(x, 0.0f);
  if (activation == "relu6") return std::clamp(x, 0.0f, 6.0f);
  if (activation == "relu_n1_to_1") return std::clamp(x, -1.0f, 1.0f);
  return x;
}

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_ACTIVATION_H_
