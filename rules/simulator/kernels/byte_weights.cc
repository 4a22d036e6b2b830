#include "rules/simulator/kernels/byte_weights.h"

#include <algorithm>
#include <cstdlib>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/elements.h"

namespace quantgate::simulator {
namespace {

bool NoZeroPoints(const Quantization& q) {
  return std::all_of(q.zero_points.begin(), q.zero_points.end(), [](int64_t zero_point) { return zero_point == 0; });
}

bool AreSignedBytes(const QTensor& weight) { return IsSigned(weight.tensor.type) && NoZeroPoints(weight.q); }

}  // namespace

bool FitsBytes(const QTensor& x, int64_t depth, const Requantization& requantization) {
  if (requantization.raw || requantization.form == Rescale::kNone || requantization.accumulator_bits < 32) return false;
  const int64_t largest = std::max(MaxOf(x.tensor.type) - x.q.zero_point(), x.q.zero_point() - MinOf(x.tensor.type));
  return static_cast<__int128>(largest) * 128 * depth + requantization.largest_bias <= INT32_MAX;
}

bool AreBytes(const QTensor& weight, int axis) {
  const Quantization& q = weight.q;
  if (!IsInteger(weight.tensor.type) || BitWidth(weight.tensor.type) > 8) return false;
  if (AreSignedBytes(weight)) return true;
  const bool one = q.zero_points.size() == 1 || NoZeroPoints(q);
  if (!one && q.axis != axis) return false;
  const ScaleIndex scale_of(q, weight.tensor.dims);
  bool fit = true;
  WithInteger(weight.tensor.type, [&](auto zero) {
    const auto values = weight.tensor.as<decltype(zero)>();
    for (size_t i = 0; i < values.size() && fit; ++i) {
      const int64_t centered = static_cast<int64_t>(values[i]) - q.zero_point(one ? 0 : scale_of(i));
      fit = centered >= INT8_MIN && centered <= INT8_MAX;
    }
  });
  return fit;
}

ByteWeights MakeByteWeights(const QTensor& weight, int64_t rows, int64_t depth) {
  ByteWeights to;
  to.stride = (depth + 3) / 4 * 4;
  const Quantization& q = weight.q;
  if (AreSignedBytes(weight) && to.stride == depth) {
    to.data = weight.tensor.as<int8_t>().data();
  } else {
    to.own.resize(static_cast<size_t>(rows * to.stride));
    to.data = to.own.data();
    const bool one = q.zero_points.size() <= 1;
    WithInteger(weight.tensor.type, [&](auto zero) {
      const auto values = weight.tensor.as<decltype(zero)>();
      for (int64_t row = 0; row < rows; ++row) {
        const auto zero_point = static_cast<int32_t>(q.zero_point(one ? 0 : static_cast<size_t>(row)));
        int8_t* out = to.own.data() + row * to.stride;
        for (int64_t i = 0; i < depth; ++i) {
          out[i] = static_cast<int8_t>(static_cast<int32_t>(values[row * depth + i]) - zero_point);
        }
      }
    });
  }
  to.sums.reserve(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) to.sums.push_back(SumBytes(to.row(row), to.stride));
  return to;
}

ByteResults::ByteResults(const QTensor& x, const ByteWeights& weights, const Requantization& requantization,
                         AccumulatorUse* use, Tensor& out)
    : requantization_(requantization),
      use_(use),
      out_(out),
      bytes_(requantization.form == Rescale::kFloat && BitWidth(out.type) <= 8) {
  const auto zero_point = static_cast<int32_t>(requantization.zero_point);
  rescale_ = {static_cast<int32_t>(requantization.low) - zero_point,
              static_cast<int32_t>(requantization.high) - zero_point, zero_point, IsSigned(out.type)};
  // Of the unsigned bytes that are multiplied.
  const int64_t x_zero = x.q.zero_point() - MinOf(x.tensor.type);
  for (size_t row = 0; row < weights.sums.size(); ++row) {
    bias_.push_back(Wrap32(requantization.biases[row] - x_zero * weights.sums[row].all));
  }
  if (use == nullptr) return;
  use->bits_available = requantization.accumulator_bits;
  const int64_t low = MinOf(x.tensor.type) - x.q.zero_point(), high = MaxOf(x.tensor.type) - x.q.zero_point();
  for (size_t row = 0; row < weights.sums.size(); ++row) {
    const int64_t positive = weights.sums[row].positive, negative = weights.sums[row].all - positive;
    const int64_t bias = requantization.biases[row];
    for (const int64_t extreme : {positive * high + negative * low + bias, positive * low + negative * high + bias}) {
      use->bits_worst_case = std::max(use->bits_worst_case, SignedBits(extreme));
    }
  }
}

void ByteResults::Note(const SumRange& range) const {
  use_->bits_used = std::max({use_->bits_used, SignedBits(range.least), SignedBits(range.most)});
}

void ByteResults::Note(const StepErrors& errors) const {
  if (use_ == nullptr) return;
  use_->rounding.known = true;
  use_->rounding.signal += errors.signal;
  use_->rounding.noise += errors.noise;
}

void ByteResults::Store(const int32_t* sums, int64_t count, int64_t row, int64_t to) const {
  const Rescaler& rescaler = requantization_.channels[requantization_.channels.size() == 1 ? 0 : row].rescaler;
  WithInteger(out_.type, [&](auto zero) {
    using T = decltype(zero);
    T* out = out_.as<T>().data() + to;
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<T>(rescaler(sums[i], requantization_.zero_point, requantization_.low, requantization_.high));
    }
  });
}

void ByteResults::Panel(PanelProduct product, int64_t first_row, int64_t to, int64_t row_stride) const {
  product.bias = bias_.data() + first_row;
  SumRange range;
  SumRange* const noted = use_ != nullptr ? &range : nullptr;
  if (bytes_) {
    StepErrors errors{requantization_.least, requantization_.most};
    if (use_ != nullptr) product.rest = requantization_.bias_rests.data() + first_row;
    MultiplyPanel(product, requantization_.scales.data() + first_row, rescale_, out_.as<uint8_t>().data() + to,
                  row_stride, noted, use_ != nullptr ? &errors : nullptr);
    Note(errors);
  } else {
    std::vector<int32_t> sums(static_cast<size_t>(product.rows * kPanelColumns));
    MultiplyPanel(product, sums.data(), kPanelColumns, noted);
    for (int64_t r = 0; r < product.rows; ++r) {
      Store(&sums[r * kPanelColumns], product.columns, first_row + r, to + r * row_stride);
    }
  }
  if (use_ != nullptr) Note(range);
}

void ByteResults::Plane(PlaneProduct product, int64_t outputs, int64_t row, int64_t to) const {
  product.bias = requantization_.biases[row];
  if (use_ != nullptr) product.rest = requantization_.bias_rests[row];
  SumRange range;
  SumRange* const noted = use_ != nullptr ? &range : nullptr;
  if (bytes_) {
    StepErrors errors{requantization_.least, requantization_.most};
    MultiplyPlane(product, requantization_.scales[row], rescale_, out_.as<uint8_t>().data() + to, noted,
                  use_ != nullptr ? &errors : nullptr);
    Note(errors);
  } else {
    std::vector<int32_t> sums(static_cast<size_t>(outputs));
    MultiplyPlane(product, sums.data(), noted);
    Store(sums.data(), static_cast<int64_t>(sums.size()), row, to);
  }
  if (use_ != nullptr) Note(range);
}

}  // namespace quantgate::simulator
