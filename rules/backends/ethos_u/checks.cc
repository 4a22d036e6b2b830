#include "rules/backends/ethos_u/checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate::ethos_u {

std::array<int64_t, 4> Nhwc(Dims dims) {
  std::array<int64_t, 4> nhwc = {1, 1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(dims.size(), 4); ++i) nhwc[3 - i] = dims[dims.size() - 1 - i];
  return nhwc;
}

std::string Text(Size size) { return absl::StrCat(size.height, " x ", size.width); }

Found FirstOf(const Call& call, std::initializer_list<Found (*)(const Call& call)> checks) {
  for (Found (*check)(const Call& call) : checks) {
    if (Found found = check(call); found) return found;
  }
  return std::nullopt;
}

Found OneShape(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  if (!in || !out || *in == *out) return std::nullopt;
  return Complaint{absl::StrCat(ShapeText(*in), " in and ", ShapeText(*out), " out"), "one shape"};
}

Found Computed(const Call& call, size_t position) {
  const BackendTensor* parameter = call.input(position);
  if (parameter == nullptr || parameter->is_static) return std::nullopt;
  return Complaint{"a parameter that is computed", "a constant", static_cast<int>(position), Complaint::kStops};
}

}  // namespace quantgate::ethos_u
