// What windows over two axes read of 8-bit tensors with their channels first, laid out so that a tap of a row of
// outputs is a run of bytes.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PLANES_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PLANES_H_

#include <cstdint>
#include <vector>

#include "rules/simulator/window.h"

namespace quantgate::simulator {

// The channels of an image, padded, with the columns of one remainder by the stride next to each other: column j of
// phase f is input column j * stride + f - padding.
class BytePlanes {
 public:
  // Padding and dilations can ask for planes that are far larger than what is in them: false.
  static bool AreSmall(const Window& rows, const Window& columns, int64_t channels);

  // `padded`: they are copied even where they are the image as it is, so that there are bytes to read beyond them.
  BytePlanes(const Window& rows, const Window& columns, int64_t channels, uint8_t padding, bool padded = false);

  // `image`: channels x rows x columns; outlives the use of the planes.
  void Fill(const uint8_t* image);

  const uint8_t* data() const { return data_; }
  // No byte from here on may be read; kSlack bytes (byte_products.h) behind copies.
  const uint8_t* end() const { return end_; }
  // Bytes of a channel, and from one row of outputs to the next.
  int64_t plane() const { return phases_ * height_ * width_; }
  int64_t step() const { return rows_.stride * width_; }
  // From the channel's first byte to that of the tap's first output.
  int64_t tap(int64_t row, int64_t column) const {
    const int64_t at = column * columns_.dilation;
    return (at % columns_.stride * height_ + row * rows_.dilation) * width_ + at / columns_.stride;
  }

 private:
  void FillRows(const uint8_t* from, int64_t rows, int64_t phase, uint8_t* to) const;

  const Window rows_, columns_;
  const int64_t channels_;
  int64_t height_ = 0, width_ = 0, phases_ = 1;
  bool plain_ = false;
  std::vector<uint8_t> own_;  // what is outside of the image stays as it is made
  const uint8_t* data_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_BYTE_PLANES_H_
