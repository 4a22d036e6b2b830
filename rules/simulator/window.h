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

// What lies under the window of one output position: the kernel's elements [first, last) are inside the input, and
// `padded` of them inside the input or its padding.
struct Taps {
  int64_t first = 0, last = 0, padded = 0;
  int64_t count() const { return last - first; }
};
Taps TapsAt(const Window& window, int64_t output);
std::vector<Taps> AllTaps(const Window& window);

// RESOURCE_EXHAUSTED: windows over so much of the input, so often (for each of `planes`), that no model means it.
absl::Status CheckWork(absl::Span<const Window> windows, int64_t planes);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_WINDOW_H_
