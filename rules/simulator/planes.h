// What windows over two axes read of tensors with their channels first, laid out so that a tap of a row of outputs is a
// run of elements.
#ifndef QUANTGATE_RULES_SIMULATOR_PLANES_H_
#define QUANTGATE_RULES_SIMULATOR_PLANES_H_

#include <cstdint>
#include <vector>

#include "rules/simulator/window.h"

namespace quantgate::simulator {

// Elements behind copies that may be read: a vector of any type.
inline constexpr int64_t kPlanesSlack = 64;

// Padding and dilations can ask for planes that are far larger than what is in them: false.
bool PlanesAreSmall(const Window& rows, const Window& columns, int64_t channels);

// The channels of an image, padded, with the columns of one remainder by the stride next to each other: column j of
// phase f is input column j * stride + f - padding.
template <typename T>
class Planes {
 public:
  // `padded`: they are copied even where they are the image as it is, so that there are elements to read beyond them.
  Planes(const Window& rows, const Window& columns, int64_t channels, T padding, bool padded = false);

  // `image`: channels x rows x columns; outlives the use of the planes.
  // Copies lie where they were before.
  void Fill(const T* image);

  const T* data() const { return data_; }
  // No element from here on may be read; kPlanesSlack of them behind copies.
  const T* end() const { return end_; }
  // Elements of a channel, and from one row of outputs to the next.
  int64_t plane() const { return phases_ * height_ * width_; }
  int64_t step() const { return rows_.stride * width_; }
  // From the channel's first element to that of the tap's first output.
  int64_t tap(int64_t row, int64_t column) const {
    const int64_t at = column * columns_.dilation;
    return (at % columns_.stride * height_ + row * rows_.dilation) * width_ + at / columns_.stride;
  }

 private:
  void FillRows(const T* from, int64_t rows, int64_t phase, T* to) const;

  const Window rows_, columns_;
  const int64_t channels_;
  int64_t height_ = 0, width_ = 0, phases_ = 1;
  bool plain_ = false;
  std::vector<T> own_;  // what is outside of the image stays as it is made
  const T* data_ = nullptr;
  const T* end_ = nullptr;
};

extern template class Planes<uint8_t>;
extern template class Planes<float>;
using BytePlanes = Planes<uint8_t>;

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_PLANES_H_
