// Where the windows of convolutions and pools lie.
#include "rules/simulator/window.h"

#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {

absl::StatusOr<SpatialWindow> MakeWindow(const Attributes& attributes, absl::Span<const int64_t> spatial,
                                         absl::Span<const int64_t> kernel) {
  const absl::StatusOr<std::vector<Window>> windows = Windows(attributes, spatial, kernel);
  if (!windows.ok()) return windows.status();
  SpatialWindow all;
  for (const Window& axis : *windows) {
    all.kernel.push_back(axis.kernel);
    all.strides.push_back(axis.stride);
    all.dilations.push_back(axis.dilation);
    all.pads_begin.push_back(axis.pad_begin);
    all.pads_end.push_back(axis.pad_end);
    all.outputs.push_back(axis.output);
  }
  return all;
}

}  // namespace quantgate::simulator
