// Windows of convolutions and pools, for integers and floats alike.
#ifndef QUANTGATE_RULES_SIMULATOR_WINDOW_H_
#define QUANTGATE_RULES_SIMULATOR_WINDOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rules/simulator/attributes.h"

namespace quantgate::simulator {

// How a window of the kernel moves over one spatial axis.
struct Window {
  int64_t input = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0, output = 1;
};

// One window for each spatial axis, from the attributes strides, dilations, pads, auto_pad and ceil_mode. A list of one
// number is about every axis. INVALID_ARGUMENT where numbers do not make windows.
absl::StatusOr<std::vector<Window>> Windows(const Attributes& attributes, absl::Span<const int64_t> input,
                                            absl::Span<const int64_t> kernel);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_WINDOW_H_
