// Where the windows of convolutions and pools lie.
#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {

absl::StatusOr<SpatialWindow> MakeWindow(const Attributes& attributes, absl::Span<const int64_t> spatial,
                                         absl::Span<const int64_t> kernel) {
  const size_t rank = spatial.size();
  SpatialWindow window;
  window.kernel.assign(kernel.begin(), kernel.end());
  const auto list = [&](absl::string_view name) {
    const absl::Span<const int64_t> given = attributes.Ints(name);
    if (given.size() == 1) return Dims(rank, given[0]);
    return given.empty() ? Dims(rank, 1) : Dims(given.begin(), given.end());
  };
  window.strides = list("strides");
  window.dilations = list("dilations");
  if (kernel.size() != rank || window.strides.size() != rank || window.dilations.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat("windows of ", kernel.size(), " axes with ", window.strides.size(),
                                                   " strides over ", rank, " axes"));
  }
  const absl::Span<const int64_t> pads = attributes.Ints("pads");
  window.pads_begin.assign(rank, 0);
  window.pads_end.assign(rank, 0);
  if (pads.size() == 2 * rank) {
    window.pads_begin.assign(pads.begin(), pads.begin() + rank);
    window.pads_end.assign(pads.begin() + rank, pads.end());
  } else if (pads.size() == 1) {
    window.pads_begin.assign(rank, pads[0]);
    window.pads_end.assign(rank, pads[0]);
  } else if (!pads.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(pads.size(), " pads for ", rank, " axes"));
  }
  const absl::string_view automatic = attributes.Text("auto_pad", "");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  window.outputs.resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    constexpr int64_t kMax = int64_t{1} << 31;
    const int64_t numbers[] = {window.kernel[i], window.strides[i], window.dilations[i]};
    for (int64_t number : numbers) {
      if (number < 1 || number > kMax) {
        return absl::InvalidArgumentError(absl::StrCat("a kernel, stride or dilation of ", number));
      }
    }
    for (int64_t pad : {window.pads_begin[i], window.pads_end[i]}) {
      if (pad < -kMax || pad > kMax) return absl::InvalidArgumentError(absl::StrCat("a pad of ", pad));
    }
    const int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (same) {
      const int64_t outputs = (spatial[i] + window.strides[i] - 1) / window.strides[i];
      const int64_t missing = std::max<int64_t>((outputs - 1) * window.strides[i] + extent - spatial[i], 0);
      window.pads_begin[i] = automatic == "SAME_UPPER" ? missing / 2 : missing - missing / 2;
      window.pads_end[i] = missing - window.pads_begin[i];
    }
    const int64_t room = spatial[i] + window.pads_begin[i] + window.pads_end[i] - extent;
    if (room < 0) {
      return absl::InvalidArgumentError(absl::StrCat("a window of ", extent, " over ", spatial[i],
                                                     " elements with pads ", window.pads_begin[i], " and ",
                                                     window.pads_end[i]));
    }
    const bool ceil = attributes.Int("ceil_mode", 0) != 0;
    window.outputs[i] = (ceil ? room + window.strides[i] - 1 : room) / window.strides[i] + 1;
    // A window that starts beyond the data and its padding in front is none.
    if (ceil && (window.outputs[i] - 1) * window.strides[i] >= spatial[i] + window.pads_begin[i]) --window.outputs[i];
  }
  return window;
}

}  // namespace quantgate::simulator
