#include "rules/simulator/planes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/planes.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of `count` elements, whose first ones are `from_step` and `to_step` elements from each other.
struct Rows {
  const float* from;
  int64_t from_step, rows, count;
  float* to;
  int64_t to_step;
};

// Every kStride-th element.
template <int64_t kStride>
HWY_INLINE void CopySingly(const Rows& all) {
  const float* from = all.from;
  float* to = all.to;
  for (int64_t row = 0; row < all.rows; ++row, from += all.from_step, to += all.to_step) {
    for (int64_t j = 0; j < all.count; ++j) to[j] = from[kStride * j];
  }
}

#if HWY_TARGET != HWY_SCALAR
// In vectors of at most kMost elements, of which a row has as many or more: the last one covers some of that before.
template <int64_t kStride, int64_t kMost>
HWY_INLINE void CopyVectors(Rows all) {
  const hn::CappedTag<float, kMost> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(hn::CappedTag<float, kMost>()));
  const auto copy = [&](int64_t j) HWY_ATTR {
    const float* from = all.from + kStride * j;
    if constexpr (kStride == 1) {
      hn::StoreU(hn::LoadU(d, from), d, all.to + j);
    } else {
      hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, from + kLanes), hn::LoadU(d, from)), d, all.to + j);
    }
  };
  // Of pairs both are read: behind the first one of the last row's last pair there may be nothing.
  for (; all.rows > (kStride == 1 ? 0 : 1); --all.rows, all.from += all.from_step, all.to += all.to_step) {
    for (int64_t j = 0; j + kLanes < all.count; j += kLanes) copy(j);
    copy(all.count - kLanes);
  }
  CopySingly<kStride>(all);
}
#endif

template <int64_t kStride>
HWY_INLINE void CopyEach(const Rows& all) {
#if HWY_TARGET != HWY_SCALAR
  if (all.count >= 16) return CopyVectors<kStride, 16>(all);
  if (all.count >= 8) return CopyVectors<kStride, 8>(all);
  if (all.count >= 4) return CopyVectors<kStride, 4>(all);
#endif
  CopySingly<kStride>(all);
}
void CopyRowsImpl(const float* from, int64_t from_step, int64_t stride, int64_t rows, int64_t count, float* to,
                  int64_t to_step) {
  const Rows all{from, from_step, rows, count, to, to_step};
  stride == 1 ? CopyEach<1>(all) : CopyEach<2>(all);
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {
namespace {

HWY_EXPORT(CopyRowsImpl);

// memcpy for the few bytes of a row, in place: calls cost more than copies.
template <typename T>
void CopyRow(const T* row, int64_t elements, T* out) {
  const auto* from = reinterpret_cast<const std::byte*>(row);
  auto* to = reinterpret_cast<std::byte*>(out);
  const int64_t count = elements * static_cast<int64_t>(sizeof(T));
  if (count < 8) {
    for (int64_t i = 0; i < elements; ++i) out[i] = row[i];
    return;
  }
  // The last part covers some of the one before.
  const auto copy = [&](auto part) {
    constexpr int64_t kSize = sizeof(part);
    for (int64_t i = 0; i + kSize < count; i += kSize) std::memcpy(to + i, from + i, kSize);
    std::memcpy(to + count - kSize, from + count - kSize, kSize);
  };
  struct Sixteen {
    uint64_t low, high;
  };
  if (count < 16) {
    copy(uint64_t{});
  } else {
    copy(Sixteen{});
  }
}

}  // namespace

bool PlanesAreSmall(const Window& rows, const Window& columns, int64_t channels) {
  const auto extent = [](const Window& w) {
    return static_cast<double>(w.output - 1) * static_cast<double>(w.stride) +
           static_cast<double>(w.kernel - 1) * static_cast<double>(w.dilation) + 1 + static_cast<double>(w.stride);
  };
  const double bytes = extent(rows) * extent(columns) * static_cast<double>(channels);
  const double image = static_cast<double>(rows.input) * static_cast<double>(columns.input);
  return bytes < 8.0 * image * static_cast<double>(channels) + (1 << 20);
}

template <typename T>
Planes<T>::Planes(const Window& rows, const Window& columns, int64_t channels, T padding, bool padded)
    : rows_(rows), columns_(columns), channels_(channels) {
  height_ = (rows_.output - 1) * rows_.stride + (rows_.kernel - 1) * rows_.dilation + 1;
  const int64_t width = (columns_.output - 1) * columns_.stride + (columns_.kernel - 1) * columns_.dilation + 1;
  phases_ = std::min(columns_.stride, columns_.kernel * columns_.dilation);
  width_ = (width + columns_.stride - 1) / columns_.stride;
  plain_ = !padded && phases_ == 1 && columns_.stride == 1 && width_ == columns_.input && height_ == rows_.input &&
           columns_.pad_begin == 0 && rows_.pad_begin == 0;
  if (plain_) return;
  own_.resize(static_cast<size_t>(channels * plane() + kPlanesSlack), padding);
  data_ = own_.data();
}

template <typename T>
void Planes<T>::Fill(const T* image) {
  data_ = plain_ ? image : own_.data();
  end_ = data_ + (plain_ ? channels_ * plane() : static_cast<int64_t>(own_.size()));
  if (plain_) return;
  const int64_t begin = std::clamp<int64_t>(rows_.pad_begin, 0, height_);
  const int64_t end = std::clamp<int64_t>(rows_.pad_begin + rows_.input, begin, height_);
  T* to = own_.data();
  for (int64_t c = 0; c < channels_; ++c, image += rows_.input * columns_.input) {
    for (int64_t phase = 0; phase < phases_; ++phase, to += height_ * width_) {
      FillRows(image + (begin - rows_.pad_begin) * columns_.input, end - begin, phase, to + begin * width_);
    }
  }
}

template <typename T>
void Planes<T>::FillRows(const T* from, int64_t rows, int64_t phase, T* to) const {
  const int64_t stride = columns_.stride, first = phase - columns_.pad_begin;  // to[j] is column first + j * stride
  const int64_t begin = std::clamp<int64_t>(first >= 0 ? 0 : (-first + stride - 1) / stride, 0, width_);
  const int64_t inside = columns_.input - first;  // columns of the input from `first` on
  const int64_t end = std::clamp<int64_t>(inside <= 0 ? 0 : (inside + stride - 1) / stride, begin, width_);
  if (begin == end) return;
  from += first + begin * stride;
  to += begin;
  if constexpr (sizeof(T) == sizeof(float)) {
    if (stride <= 2) {
      HWY_DYNAMIC_DISPATCH(CopyRowsImpl)(from, columns_.input, stride, rows, end - begin, to, width_);
      return;
    }
  }
  for (int64_t row = 0; row < rows; ++row, from += columns_.input, to += width_) {
    if (stride == 1) {
      CopyRow(from, end - begin, to);
    } else if (stride == 2) {
      for (int64_t j = 0; j < end - begin; ++j) to[j] = from[2 * j];
    } else {
      for (int64_t j = 0; j < end - begin; ++j) to[j] = from[j * stride];
    }
  }
}

template class Planes<uint8_t>;
template class Planes<float>;

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
