// What a convolution reads for each of its outputs.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_GEOMETRY_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_GEOMETRY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/window.h"

namespace quantgate::simulator {

// One spatial axis: for each output index and tap, the input index that meets them; -1: none.
struct AxisMap {
  int64_t input = 1, kernel = 1, output = 1;
  std::vector<int64_t> source;  // output x kernel
  Window window;                // not of a transposed convolution
};

struct Geometry {
  int64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::array<AxisMap, 3> axes;  // those that are not there have size 1
  std::vector<int64_t> output_dims;
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  int64_t positions() const { return axes[0].output * axes[1].output * axes[2].output; }
  int64_t input_positions() const { return axes[0].input * axes[1].input * axes[2].input; }
  int64_t depth() const { return taps() * (in_channels / groups); }
};

// INVALID_ARGUMENT: shapes that do not make a convolution.
absl::StatusOr<Geometry> GeometryOf(const KernelCall& call);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_CONV_GEOMETRY_H_
