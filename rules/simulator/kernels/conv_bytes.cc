#include "rules/simulator/kernels/conv_bytes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/byte_products.h"
#include "rules/simulator/kernels/byte_weights.h"
#include "rules/simulator/kernels/exact_float.h"

namespace quantgate::simulator {
namespace {

// The input of one group as bytes, padded, with the columns of one stride's remainder next to each other: column j of
// phase f is input column j * stride + f - padding. A tap of a row of outputs is then a run of bytes.
class Planes {
 public:
  Planes(const Geometry& g, int64_t channels, uint8_t padding)
      : rows_(g.axes[1].window), columns_(g.axes[2].window), channels_(channels), padding_(padding) {
    height_ = (rows_.output - 1) * rows_.stride + (rows_.kernel - 1) * rows_.dilation + 1;
    const int64_t width = (columns_.output - 1) * columns_.stride + (columns_.kernel - 1) * columns_.dilation + 1;
    phases_ = std::min(columns_.stride, columns_.kernel * columns_.dilation);
    width_ = (width + columns_.stride - 1) / columns_.stride;
    plain_ = phases_ == 1 && columns_.stride == 1 && width_ == columns_.input && height_ == rows_.input &&
             columns_.pad_begin == 0 && rows_.pad_begin == 0;
    if (!plain_) own_.resize(static_cast<size_t>(channels * plane() + kSlack));
  }

  // Bytes of a channel, and from one row of outputs to the next.
  int64_t plane() const { return phases_ * height_ * width_; }
  int64_t step() const { return rows_.stride * width_; }
  // From the channel's first byte to that of the tap's first output.
  int64_t tap(int64_t row, int64_t column) const {
    const int64_t at = column * columns_.dilation;
    return (at % columns_.stride * height_ + row * rows_.dilation) * width_ + at / columns_.stride;
  }
  const uint8_t* data() const { return data_; }
  const uint8_t* end() const { return end_; }

  // `image`: channels x rows x columns.
  void Fill(const uint8_t* image) {
    data_ = plain_ ? image : own_.data();
    end_ = data_ + (plain_ ? channels_ * plane() : static_cast<int64_t>(own_.size()));
    if (plain_) return;
    uint8_t* to = own_.data();
    for (int64_t c = 0; c < channels_; ++c, image += rows_.input * columns_.input) {
      for (int64_t phase = 0; phase < phases_; ++phase) {
        for (int64_t row = 0; row < height_; ++row, to += width_) {
          const int64_t at = row - rows_.pad_begin;
          if (at < 0 || at >= rows_.input) {
            std::memset(to, padding_, static_cast<size_t>(width_));
          } else {
            FillRow(image + at * columns_.input, phase - columns_.pad_begin, to);
          }
        }
      }
    }
  }

 private:
  // to[j] is column j * stride + first.
  void FillRow(const uint8_t* from, int64_t first, uint8_t* to) const {
    const int64_t stride = columns_.stride;
    const int64_t begin = std::clamp<int64_t>(first >= 0 ? 0 : (-first + stride - 1) / stride, 0, width_);
    const int64_t inside = columns_.input - first;  // columns of the input from `first` on
    const int64_t end = std::clamp<int64_t>(inside <= 0 ? 0 : (inside + stride - 1) / stride, begin, width_);
    std::memset(to, padding_, static_cast<size_t>(begin));
    if (stride == 1) {
      std::memcpy(to + begin, from + first + begin, static_cast<size_t>(end - begin));
    } else if (stride == 2) {
      const uint8_t* at = from + first;
      for (int64_t j = begin; j < end; ++j) to[j] = at[2 * j];
    } else {
      for (int64_t j = begin; j < end; ++j) to[j] = from[first + j * stride];
    }
    std::memset(to + end, padding_, static_cast<size_t>(width_ - end));
  }

  const Window rows_, columns_;
  const int64_t channels_;
  const uint8_t padding_;
  int64_t height_ = 0, width_ = 0, phases_ = 1;
  bool plain_ = false;
  std::vector<uint8_t> own_;
  const uint8_t* data_ = nullptr;
  const uint8_t* end_ = nullptr;
};

// Runs of positions [first, first + count) of the output, as offsets into a channel's planes.
void PiecesOf(const Geometry& g, const Planes& planes, int64_t first, int64_t count, std::vector<Piece>& pieces) {
  pieces.clear();
  const int64_t width = g.axes[2].output;
  if (planes.step() == width) {  // rows follow each other
    pieces.push_back({first, count});
    return;
  }
  while (count > 0) {
    const int64_t column = first % width, some = std::min(count, width - column);
    pieces.push_back({first / width * planes.step() + column, some});
    first += some;
    count -= some;
  }
}

// Padding and dilations can ask for planes that are far larger than what is in them.
bool PlanesAreSmall(const Geometry& g) {
  const Window &rows = g.axes[1].window, &columns = g.axes[2].window;
  const auto extent = [](const Window& w) {
    return static_cast<double>(w.output - 1) * static_cast<double>(w.stride) +
           static_cast<double>(w.kernel - 1) * static_cast<double>(w.dilation) + 1 + static_cast<double>(w.stride);
  };
  const double bytes = extent(rows) * extent(columns) * static_cast<double>(g.in_channels / g.groups);
  return bytes < 8.0 * static_cast<double>(g.in_channels * g.input_positions()) + (1 << 20);
}

}  // namespace

bool ConvBytesTakes(const KernelCall& call, const Geometry& g, const Requantization& requantization) {
  const QTensor& x = *call.inputs[0];
  const QTensor& w = *call.inputs[1];
  if (call.layout != Layout::kChannelsFirst || call.op == OpId::kConvTranspose) return false;
  if (g.axes[0].input != 1 || g.axes[0].kernel != 1 || g.axes[0].output != 1) return false;
  if (BitWidth(x.tensor.type) != 8 || g.batch * g.positions() * g.out_channels * g.in_channels == 0) return false;
  return PlanesAreSmall(g) && FitsBytes(x, g.depth(), requantization) && AreBytes(w, 0);
}

void ConvBytes(const KernelCall& call, const Geometry& g, const Requantization& requantization, Tensor& out) {
  const QTensor& x = *call.inputs[0];
  const bool is_signed = IsSigned(x.tensor.type);
  const uint8_t flip = is_signed ? 0x80 : 0;
  const int32_t zero_point = static_cast<int32_t>(x.q.zero_point()) + (is_signed ? 128 : 0);
  const auto padding = static_cast<uint8_t>(zero_point ^ flip);
  const int64_t depth = g.depth(), rows = g.out_channels / g.groups, positions = g.positions();
  const int64_t channels = g.in_channels / g.groups, input_positions = g.input_positions();
  const ByteWeights weights = MakeByteWeights(*call.inputs[1], g.out_channels, depth);
  const ByteResults results(x, weights, requantization, call.use, out);
  const bool depthwise = channels == 1 && rows == 1 && ExactDepth(255, 128) >= depth;

  Planes planes(g, channels, padding);
  // Rows of a panel, as offsets into the planes; those that fill up a quad have weights of zero.
  const size_t padded = static_cast<size_t>((depth + 3) / 4 * 4);
  std::vector<int64_t> offsets(padded, 0);
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t tap = k % g.taps(), kernel = g.axes[2].kernel;
    offsets[k] = k / g.taps() * planes.plane() + planes.tap(tap / kernel, tap % kernel);
  }
  std::vector<const uint8_t*> from(padded);
  std::vector<uint8_t> panel(depthwise ? 0 : padded * kPanelColumns + kSlack);
  std::vector<Piece> pieces;
  std::vector<float> reals(depthwise ? static_cast<size_t>(planes.plane() + kSlack) : 0);
  std::vector<const float*> taps(depthwise ? static_cast<size_t>(depth) : 0);
  std::vector<float> factors(taps.size());
  const uint8_t* image = x.tensor.as<uint8_t>().data();
  int64_t to = 0;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t group = 0; group < g.groups; ++group, image += channels * input_positions, to += rows * positions) {
      planes.Fill(image);
      const int64_t first_row = group * rows;
      if (depthwise) {
        CenterBytes(planes.data(), planes.plane(), flip, zero_point, reals.data());
        for (int64_t k = 0; k < depth; ++k) {
          taps[k] = reals.data() + offsets[k];
          factors[k] = weights.row(first_row)[k];
        }
        results.Plane({taps, factors.data(), g.axes[1].output, g.axes[2].output, planes.step()}, first_row, to);
        continue;
      }
      for (size_t k = 0; k < padded; ++k) from[k] = planes.data() + offsets[k];
      for (int64_t first = 0; first < positions; first += kPanelColumns) {
        const int64_t some = std::min(kPanelColumns, positions - first);
        PiecesOf(g, planes, first, some, pieces);
        PackPanel(from, pieces, flip, planes.end(), panel.data());
        results.Panel(
            {weights.row(first_row), rows, weights.stride, static_cast<int64_t>(padded / 4), panel.data(), some},
            first_row, to + first, positions);
      }
    }
  }
}

}  // namespace quantgate::simulator
