#include "rules/simulator/shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::simulator {

absl::StatusOr<std::vector<int64_t>> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  std::vector<int64_t> out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("shapes [", absl::StrJoin(a, ", "), "] and [", absl::StrJoin(b, ", "), "] do not broadcast"));
    }
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

std::vector<int64_t> StridesOf(absl::Span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

std::vector<int64_t> BroadcastIndex(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  if (from == to) return {};
  std::vector<int64_t> strides(to.size(), 0);
  int64_t stride = 1, count = 1;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t dim = from[from.size() - 1 - i];
    strides[to.size() - 1 - i] = dim == 1 ? 0 : stride;
    stride *= dim;
  }
  for (const int64_t dim : to) count *= dim;
  std::vector<int64_t> index(static_cast<size_t>(count));
  std::vector<int64_t> at(to.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    index[i] = offset;
    for (size_t d = to.size(); d-- > 0;) {
      offset += strides[d];
      if (++at[d] < to[d]) break;
      offset -= strides[d] * to[d];
      at[d] = 0;
    }
  }
  return index;
}

absl::StatusOr<int> NormalizedAxis(int64_t axis, size_t rank) {
  const int64_t r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r) return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " of rank ", rank));
  return static_cast<int>(axis < 0 ? axis + r : axis);
}

}  // namespace quantgate::simulator
