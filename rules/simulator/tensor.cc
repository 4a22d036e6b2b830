#include "rules/simulator/tensor.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "rules/graph/data_type.h"

namespace quantgate::simulator {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr int64_t kMostBytes = int64_t{1} << 34;
thread_local int64_t most_bytes = kMostBytes;

template <typename T>
void Widen(const Tensor& tensor, std::vector<int64_t>& out) {
  absl::Span<const T> values = tensor.as<T>();
  out.assign(values.begin(), values.end());
}

}  // namespace

size_t ElementSize(v1::DataType type) {
  const int bits = BitWidth(type);
  if (type == v1::DATA_TYPE_BOOL || (bits > 0 && bits < 8)) return 1;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? static_cast<size_t>(bits / 8) : 0;
}

absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) return absl::InvalidArgumentError(absl::StrCat("a tensor with a negative size, ", dim));
    if (dim > kMostElements || (dim > 0 && count > kMostElements / dim)) {
      return absl::ResourceExhaustedError(absl::StrCat("a tensor of shape [", absl::StrJoin(dims, ", "),
                                                       "] has more than ", kMostElements, " elements"));
    }
    count *= dim;
  }
  return count;
}

absl::Status AllocateUnset(absl::Span<const int64_t> dims, Tensor& tensor) {
  absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return count.status();
  const size_t size = ElementSize(tensor.type);
  if (size == 0) {
    return absl::UnimplementedError(absl::StrCat("no kernel has elements of type ", DataTypeName(tensor.type)));
  }
  const int64_t bytes = *count * static_cast<int64_t>(size);
  if (bytes > most_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("a tensor of shape [", absl::StrJoin(dims, ", "), "] needs ",
                                                     bytes, " bytes, where ", most_bytes, " are allowed"));
  }
  // `dims` may be the tensor's own.
  tensor.dims = std::vector<int64_t>(dims.begin(), dims.end());
  tensor.data.clear();  // nothing to move when there is to be more room
  tensor.data.resize(static_cast<size_t>(bytes));
  return absl::OkStatus();
}

absl::Status Allocate(absl::Span<const int64_t> dims, Tensor& tensor) {
  if (absl::Status status = AllocateUnset(dims, tensor); !status.ok()) return status;
  std::fill(tensor.data.begin(), tensor.data.end(), std::byte{0});
  return absl::OkStatus();
}

AllocationLimit::AllocationLimit(int64_t bytes) : before_(most_bytes) { most_bytes = std::min(most_bytes, bytes); }

AllocationLimit::~AllocationLimit() { most_bytes = before_; }

absl::Status CheckZeroPoints(const Quantization& q) {
  constexpr int64_t kMost = int64_t{1} << 32;
  for (const int64_t zero_point : q.zero_points) {
    if (zero_point < -kMost || zero_point > kMost) {
      return absl::InvalidArgumentError(absl::StrCat("zero point ", zero_point, " of more than 32 bits"));
    }
  }
  return absl::OkStatus();
}

absl::Status Validate(const QTensor& value) {
  const Tensor& tensor = value.tensor;
  absl::StatusOr<int64_t> count = ElementCount(tensor.dims);
  if (!count.ok()) return count.status();
  const size_t size = ElementSize(tensor.type);
  if (size == 0) {
    return absl::UnimplementedError(absl::StrCat("no kernel has elements of type ", DataTypeName(tensor.type)));
  }
  if (tensor.data.size() != static_cast<uint64_t>(*count) * size) {
    return absl::InvalidArgumentError(absl::StrCat("a tensor of shape [", absl::StrJoin(tensor.dims, ", "),
                                                   "] and type ", DataTypeName(tensor.type), " has ",
                                                   tensor.data.size(), " bytes"));
  }
  const Quantization& q = value.q;
  if (!q.quantized()) return absl::OkStatus();
  if (q.scales.size() > 1) {
    if (q.axis < 0 || q.axis >= static_cast<int>(tensor.dims.size()) || q.block < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(q.scales.size(), " scales for axis ", q.axis, " of a tensor of rank ", tensor.dims.size()));
    }
    const int64_t along = tensor.dims[q.axis];
    int64_t expected = along;
    if (q.block > 0) {
      expected = along / q.block + (along % q.block != 0);
      for (size_t d = 0; d < tensor.dims.size(); ++d) {
        if (static_cast<int>(d) != q.axis) expected *= tensor.dims[d];
      }
    }
    if (static_cast<int64_t>(q.scales.size()) != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat(q.scales.size(), " scales where axis ", q.axis, " asks for ", expected));
    }
  }
  if (!q.zero_points.empty() && q.zero_points.size() != 1 && q.zero_points.size() != q.scales.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(q.zero_points.size(), " zero points for ", q.scales.size(), " scales"));
  }
  for (const float scale : q.scales) {
    if (!(scale > 0) || !std::isfinite(scale)) return absl::InvalidArgumentError(absl::StrFormat("scale %.9g", scale));
  }
  const bool integers = IsInteger(tensor.type);
  const int64_t low = integers ? MinOf(tensor.type) : 0, high = integers ? MaxOf(tensor.type) : 0;
  for (const int64_t zero_point : q.zero_points) {
    if (integers && (zero_point < low || zero_point > high)) {
      return absl::InvalidArgumentError(
          absl::StrCat("zero point ", zero_point, " of type ", DataTypeName(tensor.type)));
    }
  }
  return CheckZeroPoints(q);
}

absl::StatusOr<std::vector<int64_t>> ToInt64(const Tensor& tensor) {
  std::vector<int64_t> out;
  switch (tensor.type) {
    case v1::DATA_TYPE_BOOL:
    case v1::DATA_TYPE_UINT2:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_UINT8:
      Widen<uint8_t>(tensor, out);
      break;
    case v1::DATA_TYPE_INT2:
    case v1::DATA_TYPE_INT4:
    case v1::DATA_TYPE_INT8:
      Widen<int8_t>(tensor, out);
      break;
    case v1::DATA_TYPE_INT16:
      Widen<int16_t>(tensor, out);
      break;
    case v1::DATA_TYPE_UINT16:
      Widen<uint16_t>(tensor, out);
      break;
    case v1::DATA_TYPE_INT32:
      Widen<int32_t>(tensor, out);
      break;
    case v1::DATA_TYPE_UINT32:
      Widen<uint32_t>(tensor, out);
      break;
    case v1::DATA_TYPE_INT64:
      Widen<int64_t>(tensor, out);
      break;
    case v1::DATA_TYPE_UINT64:
      Widen<uint64_t>(tensor, out);
      if (std::any_of(out.begin(), out.end(), [](int64_t value) { return value < 0; })) {
        return absl::UnimplementedError("unsigned integers beyond those of int64");
      }
      break;
    default:
      return absl::UnimplementedError(absl::StrCat("integers of type ", DataTypeName(tensor.type)));
  }
  return out;
}

}  // namespace quantgate::simulator
