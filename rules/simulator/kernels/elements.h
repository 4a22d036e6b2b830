// Reading and writing the elements of tensors of any type, and what belongs to an element.
#ifndef QUANTGATE_RULES_SIMULATOR_KERNELS_ELEMENTS_H_
#define QUANTGATE_RULES_SIMULATOR_KERNELS_ELEMENTS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// Calls `body` with a value of the C++ type that holds an element of integer type `type`; false: not an integer.
template <typename Body>
bool WithInteger(v1::DataType type, Body body) {
  switch (type) {
    case v1::DATA_TYPE_BOOL:
    case v1::DATA_TYPE_UINT2:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_UINT8:
      body(uint8_t{});
      return true;
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_INT8:
      body(int8_t{});
      return true;
    case v1::DATA_TYPE_INT16:
      body(int16_t{});
      return true;
    case v1::DATA_TYPE_UINT16:
      body(uint16_t{});
      return true;
    case v1::DATA_TYPE_INT32:
      body(int32_t{});
      return true;
    case v1::DATA_TYPE_UINT32:
      body(uint32_t{});
      return true;
    case v1::DATA_TYPE_INT64:
      body(int64_t{});
      return true;
    case v1::DATA_TYPE_UINT64:
      body(uint64_t{});
      return true;
    default:
      return false;
  }
}

// The elements of an integer tensor as Wide. Wide must hold the type's values.
template <typename Wide>
std::vector<Wide> Load(const Tensor& tensor) {
  std::vector<Wide> out;
  WithInteger(tensor.type, [&](auto zero) {
    absl::Span<const decltype(zero)> values = tensor.as<decltype(zero)>();
    out.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<Wide>(values[i]);
  });
  return out;
}

// Writes numbers that lie in the type's range, from element `first` on.
inline void StoreFrom(Tensor& tensor, size_t first, absl::Span<const int64_t> numbers) {
  WithInteger(tensor.type, [&](auto zero) {
    using Stored = decltype(zero);
    std::transform(numbers.begin(), numbers.end(), tensor.as<Stored>().begin() + static_cast<int64_t>(first),
                   [](int64_t number) { return static_cast<Stored>(number); });
  });
}

// Writes values(i) for every element of an integer tensor; they lie in the type's range. In parts, so that `values` is
// compiled once and not for every type.
template <typename Values>
void Store(Tensor& tensor, Values values) {
  std::array<int64_t, 256> part;
  const size_t size = tensor.data.size() / ElementSize(tensor.type);
  for (size_t first = 0; first < size; first += part.size()) {
    const size_t count = std::min(part.size(), size - first);
    for (size_t i = 0; i < count; ++i) part[i] = values(first + i);
    StoreFrom(tensor, first, absl::MakeConstSpan(part).first(count));
  }
}

// Which of a quantization's scales an element has.
class ScaleIndex {
 public:
  ScaleIndex(const Quantization& q, absl::Span<const int64_t> dims) : block_(q.block) {
    if (q.scales.size() <= 1) return;
    along_ = dims[q.axis];
    for (size_t d = q.axis + 1; d < dims.size(); ++d) inner_ *= dims[d];
    blocks_ = block_ > 0 ? along_ / block_ + (along_ % block_ != 0) : along_;
  }
  size_t operator()(size_t element) const {
    if (along_ == 0) return 0;
    const int64_t i = static_cast<int64_t>(element);
    const int64_t at = i / inner_ % along_;
    if (block_ <= 0) return static_cast<size_t>(at);
    return static_cast<size_t>((i / (inner_ * along_) * blocks_ + at / block_) * inner_ + i % inner_);
  }
  bool per_tensor() const { return along_ == 0; }
  // Elements in a row that have one scale; not of blocks.
  int64_t run() const { return inner_; }

 private:
  int64_t block_ = 0, along_ = 0, inner_ = 1, blocks_ = 1;
};

inline bool IsQuantizedInteger(const QTensor& value) { return value.q.quantized() && IsInteger(value.tensor.type); }

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_KERNELS_ELEMENTS_H_
