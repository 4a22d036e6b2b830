#include "rules/backends/ethos_u/movement.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::ethos_u {
namespace {

// What a slice leaves of every axis.
struct Slice {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

std::optional<Slice> SliceOf(const Call& call, Dims in) {
  const std::optional<IntegerView> begins = call.integers(1), ends = call.integers(2), strides = call.integers(3);
  if (!begins || !ends || !strides) return std::nullopt;
  const size_t entries = std::min({begins->size(), ends->size(), strides->size()});
  const auto is = [&](absl::string_view mask, size_t entry) {
    return entry < 32 && (call.option(mask, 0) >> entry & 1) != 0;
  };
  Slice slice = {std::vector<int64_t>(in.begin(), in.end()), std::vector<int64_t>(in.size(), 1)};
  size_t axis = 0;
  for (size_t entry = 0; entry < entries; ++entry) {
    if (is("ellipsis_mask", entry)) {
      const size_t behind = entries - entry - 1;
      if (behind > in.size()) return std::nullopt;
      axis = in.size() - behind;
      continue;
    }
    if (axis >= in.size() || in[axis] < 1) return std::nullopt;
    const bool shrinks = is("shrink_axis_mask", entry);
    int64_t begin = 0;
    if (!is("begin_mask", entry) || shrinks) {
      begin = std::clamp<int64_t>((*begins)[entry] + ((*begins)[entry] < 0 ? in[axis] : 0), 0, in[axis] - 1);
      slice.sizes[axis] = shrinks ? 1 : in[axis] - begin;
    }
    if (!is("end_mask", entry) && !shrinks) {
      const int64_t end = std::clamp<int64_t>((*ends)[entry] + ((*ends)[entry] < 0 ? in[axis] : 0), 1, in[axis]);
      slice.sizes[axis] = end - begin;
    }
    slice.strides[axis] = (*strides)[entry];
    ++axis;
  }
  return slice;
}

// The order of axes as it moves height, width and channels: those in front stay where they are. None: they do not.
std::optional<std::array<int, 3>> InnerOrder(const IntegerView& order) {
  const int rank = static_cast<int>(order.size());
  std::array<int, 3> inner = {0, 1, 2};
  for (int i = 0; i < rank; ++i) {
    const int from_end = i - rank + 3;
    const int source = static_cast<int>(order[i]) - rank + 3;
    if (from_end < 0) {
      if (order[i] != i) return std::nullopt;
    } else {
      if (source < 0) return std::nullopt;
      inner[from_end] = source;
    }
  }
  return inner;
}

Found TransposeBefore85(const Call& call, Dims in, const IntegerView& order) {
  const std::optional<std::array<int, 3>> inner = InnerOrder(order);
  const bool stays = inner == std::array<int, 3>{0, 1, 2};
  const std::string what = absl::StrCat("(", absl::StrJoin(order, ", "), ") of ", ShapeText(in));
  const std::array<int64_t, 4> data = Nhwc(in);
  if (call.input(0)->bits == 32) {
    if (in.size() > 4) return Complaint{what, "at most 4 axes of 32 bits"};
    const int64_t h = data[kHeight], w = data[kWidth], c = data[kDepth];
    if (stays && c <= kMost16Bits / 2) return std::nullopt;
    if (inner == std::array<int, 3>{1, 0, 2} && data[0] == 1 && h <= kMost16Bits && w <= kMost16Bits &&
        c <= kMost16Bits / 4) {
      return std::nullopt;
    }
    if (inner == std::array<int, 3>{0, 2, 1} && data[0] * h <= kMost16Bits && w <= kMost16Bits && c <= kMost16Bits) {
      return std::nullopt;
    }
    return Complaint{what, "of 32 bits height and width, or width and channels, exchanged"};
  }
  if (stays) return std::nullopt;
  const bool flat = in.size() <= 3 || Product(in.subspan(0, in.size() - 3)) == 1;
  if (flat && inner) {
    if (std::max({data[kHeight], data[kWidth], data[kDepth]}) <= kMost16Bits) return std::nullopt;
    return Complaint{what, "sizes up to 65536"};
  }
  const int64_t all = absl::c_linear_search(in, 0) ? 0 : Product(in);
  for (size_t i = 0; i < in.size() && all > 0; ++i) {
    for (size_t j = i + 1; j < in.size(); ++j) {
      if (all / in[i] / in[j] > kMost16Bits) return Complaint{what, "65536 elements beside any two axes"};
    }
  }
  return std::nullopt;
}

Found Reverse(const Call& call) {
  const std::optional<IntegerView> axes = call.integers(1);
  if (!axes) return std::nullopt;
  return Complaint{absl::StrCat("axes ", absl::StrJoin(*axes, ", ")), "no axes"};
}

}  // namespace

Found StridedSlice(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<Slice> slice = in ? SliceOf(call, *in) : std::nullopt;
  if (!slice) return std::nullopt;
  const size_t rank = slice->strides.size();
  for (size_t i = 0; i < rank; ++i) {
    const bool across = i + 2 == rank || i + 3 == rank;
    if (slice->strides[i] < 0 || (slice->strides[i] != 1 && !across)) {
      return Complaint{absl::StrCat("a step of ", slice->strides[i], " along axis ", i),
                       "steps of 1, and longer ones along height and width"};
    }
  }
  if (absl::c_all_of(slice->sizes, [](int64_t size) { return size <= 0; })) {
    return Complaint{"nothing left of any axis", "a slice that is not empty"};
  }
  for (size_t i = 0; i < rank; ++i) {
    const bool empty = call.before_u85() ? slice->sizes[i] <= 0 : slice->sizes[i] == 0;
    if (!empty && slice->strides[i] != 0) continue;
    return Complaint{absl::StrCat(empty ? "nothing left of" : "a step of 0 along", " axis ", i),
                     "a slice that is not empty", -1, Complaint::kStops};
  }
  return std::nullopt;
}

Found Transpose(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  const std::optional<IntegerView> order = call.integers(1);
  if (order && order->size() > 8) return Complaint{absl::StrCat(order->size(), " axes"), "at most 8"};
  if (!in || !order || order->size() != in->size() || !call.before_u85()) return std::nullopt;
  const bool valid =
      absl::c_all_of(*order, [&](int64_t axis) { return axis >= 0 && axis < static_cast<int64_t>(in->size()); });
  return valid ? TransposeBefore85(call, *in, *order) : std::nullopt;
}

Found ScatterNd(const Call& call) {
  const std::optional<Dims> places = call.input_dims(0);
  if (places && !places->empty() && places->back() != 1) {
    return Complaint{absl::StrCat("indices of ", places->back(), " numbers"), "indices of one number", 0};
  }
  const std::optional<IntegerView> indices = call.integers(0);
  constexpr size_t kMostLookedAt = 1 << 16;
  if (!indices || indices->size() > kMostLookedAt) {
    return Complaint{"indices that are not listed", "distinct indices", 0, Complaint::kPerhaps};
  }
  const absl::flat_hash_set<int64_t> distinct(indices->begin(), indices->end());
  if (distinct.size() == indices->size()) return std::nullopt;
  return Complaint{"an index that is there twice", "distinct indices", 0};
}

Found Gather(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0);
  if (!in) return std::nullopt;
  const int64_t stated = call.option("axis", 0), batches = call.option("batch_dims", 0);
  const int64_t axis = stated < 0 ? stated + static_cast<int64_t>(in->size()) : stated;
  if (axis == batches) return std::nullopt;
  return Complaint{absl::StrCat("axis ", axis, " with batch_dims ", batches), "axis = batch_dims"};
}

Found Splits(const Call& call) {
  const int64_t stated = call.option("num_splits", 0);
  if (stated == static_cast<int64_t>(call.outputs())) return std::nullopt;
  return Complaint{absl::StrCat("num_splits ", stated), absl::StrCat(call.outputs(), ", as many as there are outputs")};
}

Found ReverseOf(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  return call.before_u85() ? Reverse(call) : std::nullopt;
}

Found MovedRank(const Call& call) {
  constexpr int kMostAxes = 8;
  for (size_t i = 0; i < call.inputs(); ++i) {
    if (call.input(i) == nullptr || call.input(i)->rank <= kMostAxes) continue;
    return Complaint{absl::StrCat(call.input(i)->rank, " axes"), "at most 8", static_cast<int>(i), Complaint::kStops};
  }
  return std::nullopt;
}

Found Tile(const Call& call) {
  return FirstOf(call, {MovedRank, [](const Call& c) { return Computed(c, 1); }});
}

Found NegativePads(const Call& call) {
  const std::optional<IntegerView> amounts = call.integers(1);
  if (!call.before_u85() || !amounts || absl::c_all_of(*amounts, [](int64_t amount) { return amount >= 0; })) {
    return std::nullopt;
  }
  return Complaint{"padding that cuts", "no negative amounts", 1, Complaint::kStops};
}

}  // namespace quantgate::ethos_u
