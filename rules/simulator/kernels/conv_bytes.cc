#include "rules/simulator/kernels/conv_bytes.h"

#include <algorithm>
#include <vector>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/byte_products.h"
#include "rules/simulator/kernels/byte_weights.h"
#include "rules/simulator/kernels/exact_float.h"
#include "rules/simulator/planes.h"

namespace quantgate::simulator {
namespace {

// Runs of positions [first, first + count) of the output, as offsets into a channel's planes.
void PiecesOf(const Geometry& g, const BytePlanes& planes, int64_t first, int64_t count, std::vector<Piece>& pieces) {
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

}  // namespace

bool ConvBytesTakes(const KernelCall& call, const Geometry& g, const Requantization& requantization) {
  const QTensor& x = *call.inputs[0];
  const QTensor& w = *call.inputs[1];
  if (call.layout != Layout::kChannelsFirst || call.op == OpId::kConvTranspose) return false;
  if (g.axes[0].input != 1 || g.axes[0].kernel != 1 || g.axes[0].output != 1) return false;
  if (BitWidth(x.tensor.type) != 8 || g.batch * g.positions() * g.out_channels * g.in_channels == 0) return false;
  return PlanesAreSmall(g.axes[1].window, g.axes[2].window, g.in_channels / g.groups) &&
         FitsBytes(x, g.depth(), requantization) && AreBytes(w, 0);
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

  BytePlanes planes(g.axes[1].window, g.axes[2].window, channels, padding, /*padded=*/depthwise);
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
  std::vector<float> room(depthwise ? static_cast<size_t>(planes.plane() + kSlack) : 0);
  std::vector<PlaneRun> runs;
  if (depthwise) runs = PlaneRuns(g.axes[1].output, g.axes[2].output, planes.step());
  const absl::Span<const int64_t> taps(offsets.data(), static_cast<size_t>(depth));
  const uint8_t* image = x.tensor.as<uint8_t>().data();
  int64_t to = 0;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t group = 0; group < g.groups; ++group, image += channels * input_positions, to += rows * positions) {
      planes.Fill(image);
      const int64_t first_row = group * rows;
      if (depthwise) {
        const PlaneProduct product{
            planes.data(), planes.plane(), taps, weights.row(first_row), runs, flip, zero_point, 0, 0, room.data()};
        results.Plane(product, positions, first_row, to);
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
