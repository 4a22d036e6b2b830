// Values as the simulator's kernels see them: dense tensors of integers or floats, with what the integers mean.
#ifndef QUANTGATE_RULES_SIMULATOR_TENSOR_H_
#define QUANTGATE_RULES_SIMULATOR_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::simulator {

// What a vector makes room for is not set: tensors are written as a whole right after.
template <typename T>
struct Unset : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = Unset<U>;
  };
  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};
using Bytes = std::vector<std::byte, Unset<std::byte>>;

// What floats are computed and shown in.
inline constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

// Row-major ("C order"). Integers narrower than 8 bits take one byte each, sign-extended for signed types; bool is one
// byte, float16 and bfloat16 are their bits.
struct Tensor {
  v1::DataType type = v1::DATA_TYPE_UNSPECIFIED;
  std::vector<int64_t> dims;
  Bytes data;

  // The elements; T has the width of an element as it lies in `data`.
  template <typename T>
  absl::Span<const T> as() const {
    return absl::MakeConstSpan(reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T));
  }
  template <typename T>
  absl::Span<T> as() {
    return absl::MakeSpan(reinterpret_cast<T*>(data.data()), data.size() / sizeof(T));
  }
};

// real = scale * (q - zero_point). One scale: per tensor. Several: one for each index of `axis`, or, with `block` > 0,
// one for each block of `block` indices of `axis` (row-major over the tensor's dimensions, with dims[axis] divided by
// the block, rounded up). `zero_points` is parallel to `scales`, or empty: all 0.
struct Quantization {
  std::vector<float> scales;  // empty: not quantized
  std::vector<int64_t> zero_points;
  int axis = -1;
  int64_t block = 0;

  bool quantized() const { return !scales.empty(); }
  int64_t zero_point(size_t i = 0) const {
    return zero_points.empty() ? 0 : zero_points[zero_points.size() == 1 ? 0 : i];
  }
};

struct QTensor {
  Tensor tensor;
  Quantization q;
};

// Of one type, one zero point and the same scales: integers of one are those of the other.
inline bool StoredAlike(const QTensor& a, const QTensor& b) {
  return a.q.scales == b.q.scales && a.q.zero_point() == b.q.zero_point() && a.tensor.type == b.tensor.type;
}

// Bytes of one element as it lies in Tensor.data; 0 for types that kernels do not have.
size_t ElementSize(v1::DataType type);

// Elements of a shape. INVALID_ARGUMENT: a negative size; RESOURCE_EXHAUSTED: more than 2^40 elements.
absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> dims);

// Sets dims and makes room, zeroed. RESOURCE_EXHAUSTED names the number of bytes that was too large (2^34, or that of
// an AllocationLimit).
absl::Status Allocate(absl::Span<const int64_t> dims, Tensor& tensor);
// The same for a caller that writes every element: they are not set.
absl::Status AllocateUnset(absl::Span<const int64_t> dims, Tensor& tensor);

// While it lives, the most bytes that Allocate gives one tensor on this thread: what kernels compute has no size
// before.
class AllocationLimit {
 public:
  explicit AllocationLimit(int64_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

 private:
  const int64_t before_;
};

// Zero points of kernels have 32 bits, whatever the tensor has: INVALID_ARGUMENT beyond.
absl::Status CheckZeroPoints(const Quantization& q);

// The data has the bytes that type and dims ask for, the scales are positive and finite and as many as the axis needs,
// zero points lie in the type and in 32 bits. INVALID_ARGUMENT names the number that is wrong.
absl::Status Validate(const QTensor& value);

// Integers of any integer type and bool, as int64. UNIMPLEMENTED: one that int64 does not have.
absl::StatusOr<std::vector<int64_t>> ToInt64(const Tensor& tensor);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_TENSOR_H_
