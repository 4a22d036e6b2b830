#include "rules/simulator/kernels/matmul_bytes.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/byte_products.h"
#include "rules/simulator/kernels/byte_weights.h"
#include "rules/simulator/kernels/elements.h"

namespace quantgate::simulator {
namespace {

// Rows of `a` as the columns of a panel.
void PackRows(const uint8_t* a, int64_t rows, int64_t depth, uint8_t flip, uint8_t* panel) {
  const uint32_t mask = flip * 0x01010101u;
  for (int64_t r = 0; r < rows; ++r, a += depth) {
    uint8_t* to = panel + r * 4;
    for (int64_t k = 0; k < depth; k += 4, to += kPanelColumns * 4) {
      uint32_t word = 0;
      std::memcpy(&word, a + k, static_cast<size_t>(std::min<int64_t>(4, depth - k)));
      word ^= mask;
      std::memcpy(to, &word, sizeof(word));
    }
  }
}

}  // namespace

QTensor MatrixOf(const QTensor& b, int64_t offset, int64_t columns, int64_t depth, bool transpose) {
  QTensor to;
  to.tensor.type = b.tensor.type;
  to.tensor.dims = {columns, depth};
  to.tensor.data.resize(static_cast<size_t>(columns * depth));
  to.q = b.q;
  to.q.axis = b.q.scales.size() > 1 ? 0 : -1;
  const std::byte* from = b.tensor.data.data() + offset;
  if (!transpose) {
    std::copy_n(from, columns * depth, to.tensor.data.data());
    return to;
  }
  constexpr int64_t kBlock = 32;
  for (int64_t k0 = 0; k0 < depth; k0 += kBlock) {
    const int64_t end = std::min(k0 + kBlock, depth);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t k = k0; k < end; ++k) to.tensor.data[c * depth + k] = from[k * columns + c];
    }
  }
  return to;
}

void MultiplyBytes(const QTensor& a, int64_t a_offset, int64_t rows, const QTensor& w,
                   const Requantization& requantization, AccumulatorUse* use, Tensor& out, int64_t out_offset) {
  const int64_t columns = w.tensor.dims[0], depth = w.tensor.dims[1];
  const uint8_t flip = IsSigned(a.tensor.type) ? 0x80 : 0;
  const ByteWeights weights = MakeByteWeights(w, columns, depth);
  // Results come with the rows of `a` next to each other.
  const bool turn = rows > 1;
  Tensor turned{out.type, {}, {}};
  if (turn) turned.data.resize(static_cast<size_t>(columns * kPanelColumns) * ElementSize(out.type));
  const ByteResults results(a, weights, requantization, use, turn ? turned : out);
  std::vector<uint8_t> panel(static_cast<size_t>(weights.stride * kPanelColumns + kSlack));
  const uint8_t* from = a.tensor.as<uint8_t>().data() + a_offset;
  for (int64_t first = 0; first < rows; first += kPanelColumns) {
    const int64_t some = std::min(kPanelColumns, rows - first);
    PackRows(from + first * depth, some, depth, flip, panel.data());
    const PanelProduct product{weights.data, columns, weights.stride, weights.stride / 4, panel.data(), some, nullptr};
    if (!turn) {
      results.Panel(product, 0, out_offset, 1);
      continue;
    }
    results.Panel(product, 0, 0, kPanelColumns);
    WithInteger(out.type, [&](auto zero) {
      const auto* in = turned.as<decltype(zero)>().data();
      auto* to = out.as<decltype(zero)>().data() + out_offset + first * columns;
      for (int64_t r = 0; r < some; ++r, to += columns) {
        for (int64_t c = 0; c < columns; ++c) to[c] = in[c * kPanelColumns + r];
      }
    });
  }
}

}  // namespace quantgate::simulator
