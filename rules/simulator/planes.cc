#include "rules/simulator/planes.h"

#include <algorithm>
#include <cstring>

namespace quantgate::simulator {
namespace {

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
