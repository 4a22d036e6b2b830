#include "client/tensor/scan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "client/tensor/element.h"
#include "rules/graph/small_float.h"

namespace quantgate {
namespace {

// Elements in `stored_bytes` bytes. Packed types pad the last byte; the declared shape says how much, if it agrees.
int64_t StoredElements(const ScanOptions& options, int64_t stored_bytes) {
  const int bits = ElementBits(options.dtype);
  if (bits == 0) return std::numeric_limits<int64_t>::max();
  if (bits >= 8) return stored_bytes / (bits / 8);
  const int64_t per_byte = 8 / bits;
  const int64_t stored = stored_bytes * per_byte;
  const std::optional<int64_t> declared = ElementCount(options.dims);
  if (declared && *declared <= stored && *declared > stored - per_byte) return *declared;
  return stored;
}

}  // namespace

std::optional<int64_t> ElementCount(absl::Span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return count;
}

int64_t NaturalBytes(absl::Span<const int64_t> dims, v1::DataType dtype) {
  const std::optional<int64_t> count = ElementCount(dims);
  const int64_t bits = ElementBits(dtype);
  if (!count || bits == 0 || *count > std::numeric_limits<int64_t>::max() / 128) return -1;
  return (*count * bits + 7) / 8;
}

TensorScan::TensorScan(const ScanOptions& options, int64_t stored_bytes)
    : dtype_(options.dtype),
      limit_(StoredElements(options, stored_bytes)),
      kept_(options.kept),
      table_(SmallFloatValues(options.dtype)) {
  list_ = limit_ <= options.max_listed;
  const int rank = static_cast<int>(options.dims.size());
  if (options.axis && *options.axis >= 0 && *options.axis < rank && limit_ > 0 &&
      ElementCount(options.dims) == limit_ && options.dims[*options.axis] <= options.max_axis_size) {
    per_axis_ = true;
    axis_ = *options.axis;
    for (int i = axis_ + 1; i < rank; ++i) axis_stride_ *= options.dims[i];
    axis_min_.assign(options.dims[axis_], std::numeric_limits<double>::infinity());
    axis_max_.assign(options.dims[axis_], -std::numeric_limits<double>::infinity());
  }
}

inline void TensorScan::Count(double value) {
  if (std::isnan(value)) {
    ++nan_count_;
  } else {
    if (value < min_ || min_index_ < 0) {
      min_ = value;
      min_index_ = count_;
    }
    if (value > max_ || max_index_ < 0) {
      max_ = value;
      max_index_ = count_;
    }
    zero_count_ += value == 0;
    inf_count_ += std::isinf(value);
  }
  if (per_axis_) CountOnAxis(value);
  ++count_;
}

void TensorScan::CountOnAxis(double value) {
  if (value < axis_min_[axis_index_]) axis_min_[axis_index_] = value;
  if (value > axis_max_[axis_index_]) axis_max_[axis_index_] = value;
  if (++axis_run_ == axis_stride_) {
    axis_run_ = 0;
    if (++axis_index_ == axis_min_.size()) axis_index_ = 0;
  }
}

void TensorScan::AddInteger(int64_t value) {
  if (count_ >= limit_) return;
  Count(static_cast<double>(value));
  if (list_) ints_.push_back(value);
}

void TensorScan::AddUnsigned(uint64_t value) {
  if (count_ >= limit_) return;
  Count(static_cast<double>(value));
  // Constant.ints is signed: beyond 2^63 the largest value that it can hold stands for what no rule could accept.
  if (list_) ints_.push_back(static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max())));
}

void TensorScan::AddReal(double value) {
  if (count_ >= limit_) return;
  Count(value);
  if (list_) reals_.push_back(value);
}

template <typename T>
void TensorScan::AddArray(absl::string_view bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      AddReal(value);
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      AddUnsigned(value);
    } else {
      AddInteger(value);
    }
  }
}

void TensorScan::AddPacked(absl::string_view bytes, int bits) {
  const bool is_signed = dtype_ == v1::DATA_TYPE_INT4 || dtype_ == v1::DATA_TYPE_INT2;
  const unsigned mask = (1u << bits) - 1;
  const int sign = is_signed ? 1 << (bits - 1) : 0;
  for (char c : bytes) {
    for (int shift = 0; shift < 8; shift += bits) {
      const unsigned pattern = (static_cast<unsigned char>(c) >> shift) & mask;
      if (!table_.empty()) {
        AddReal(table_[pattern]);
      } else {
        AddInteger((static_cast<int>(pattern) ^ sign) - sign);
      }
    }
  }
}

void TensorScan::AddTable(absl::string_view bytes) {
  if (table_.size() <= 256) {
    for (char c : bytes) AddReal(table_[static_cast<unsigned char>(c)]);
    return;
  }
  for (size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    uint16_t pattern;
    std::memcpy(&pattern, bytes.data() + at, 2);
    AddReal(table_[pattern]);
  }
}

void TensorScan::AddBytes(absl::string_view bytes) {
  if (kept_ != nullptr) kept_->append(bytes.data(), bytes.size());
  switch (dtype_) {
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_UINT2:
      return AddPacked(bytes, 2);
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_FLOAT4_E2M1:
      return AddPacked(bytes, 4);
    case v1::DATA_TYPE_BOOL:
    case v1::DATA_TYPE_UINT8:
      return AddArray<uint8_t>(bytes);
    case v1::DATA_TYPE_INT8:
      return AddArray<int8_t>(bytes);
    case v1::DATA_TYPE_INT16:
      return AddArray<int16_t>(bytes);
    case v1::DATA_TYPE_UINT16:
      return AddArray<uint16_t>(bytes);
    case v1::DATA_TYPE_INT32:
      return AddArray<int32_t>(bytes);
    case v1::DATA_TYPE_UINT32:
      return AddArray<uint32_t>(bytes);
    case v1::DATA_TYPE_INT64:
      return AddArray<int64_t>(bytes);
    case v1::DATA_TYPE_UINT64:
      return AddArray<uint64_t>(bytes);
    case v1::DATA_TYPE_FLOAT32:
      return AddArray<float>(bytes);
    case v1::DATA_TYPE_FLOAT64:
      return AddArray<double>(bytes);
    default:
      if (!table_.empty()) AddTable(bytes);
  }
}

void TensorScan::Finish(v1::Constant* constant) {
  if (!IsIntegerType(dtype_) && !IsRealType(dtype_)) return;
  if (list_) {
    constant->mutable_ints()->Assign(ints_.begin(), ints_.end());
    constant->mutable_reals()->Assign(reals_.begin(), reals_.end());
  }
  v1::Statistics& statistics = *constant->mutable_statistics();
  if (min_index_ >= 0) {
    statistics.set_min(min_);
    statistics.set_max(max_);
    statistics.set_min_index(min_index_);
    statistics.set_max_index(max_index_);
  }
  statistics.set_nan_count(nan_count_);
  statistics.set_inf_count(inf_count_);
  statistics.set_count(count_);
  statistics.set_zero_count(zero_count_);
  if (per_axis_) {
    statistics.mutable_axis_min()->Assign(axis_min_.begin(), axis_min_.end());
    statistics.mutable_axis_max()->Assign(axis_max_.begin(), axis_max_.end());
    statistics.set_axis(axis_);
  }
}

}  // namespace quantgate
