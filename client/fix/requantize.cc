#include "client/fix/requantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "client/tensor/element.h"
#include "client/tensor/scan.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// Which scale an element has: the sum of what its position along each dimension contributes.
struct Geometry {
  std::vector<int64_t> block;   // elements per scale along a dimension
  std::vector<int64_t> stride;  // scales from one block to the next; 0: none along this dimension
};

absl::Status Unfit(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::StatusOr<Geometry> GeometryOf(const v1::QParams& qparams, absl::Span<const int64_t> dims) {
  Geometry geometry;
  geometry.block.assign(dims.size(), 1);
  geometry.stride.assign(dims.size(), 0);
  if (!qparams.block_scales().empty()) return absl::UnimplementedError("its scales are nested");
  int64_t scales = 1;
  for (int i = qparams.axes_size() - 1; i >= 0; --i) {
    const int32_t axis = qparams.axes(i);
    if (axis < 0 || axis >= static_cast<int64_t>(dims.size()) || geometry.stride[axis] != 0) {
      return Unfit("its axis is not one of the tensor's");
    }
    const int64_t block = i < qparams.block_sizes_size() ? qparams.block_sizes(i) : 1;
    if (block <= 0) return Unfit("it has blocks without elements");
    geometry.block[axis] = block;
    geometry.stride[axis] = scales;
    const int64_t blocks = dims[axis] / block + (dims[axis] % block != 0 ? 1 : 0);
    if (__builtin_mul_overflow(scales, blocks, &scales)) return Unfit("its shape overflows");
  }
  if (scales != qparams.scales_size()) return Unfit("the number of its scales is not that of its shape");
  const int zero_points = qparams.zero_points_size();
  if (zero_points > 1 && zero_points != qparams.scales_size()) {
    return Unfit("the number of its zero points is not that of its scales");
  }
  return geometry;
}

struct Parameters {
  Geometry geometry;
  std::vector<double> scales;
  std::vector<double> zero_points;  // as many
};

absl::StatusOr<Parameters> ParametersOf(const v1::QParams& qparams, absl::Span<const int64_t> dims) {
  absl::StatusOr<Geometry> geometry = GeometryOf(qparams, dims);
  if (!geometry.ok()) return geometry.status();
  Parameters parameters{*std::move(geometry), {qparams.scales().begin(), qparams.scales().end()}, {}};
  for (int i = 0; i < qparams.scales_size(); ++i) {
    const int given = qparams.zero_points_size();
    parameters.zero_points.push_back(given == 0 ? 0.0 : qparams.zero_points(given == 1 ? 0 : i));
  }
  const auto finite = [](double number) { return std::isfinite(number); };
  if (!absl::c_all_of(parameters.scales, finite) || !absl::c_all_of(parameters.zero_points, finite)) {
    return Unfit("it has a scale or zero point that is no finite number");
  }
  return parameters;
}

// Elements of an integer type in packed little-endian bytes.
class Integers {
 public:
  explicit Integers(v1::DataType type) : bits_(ElementBits(type)), is_signed_(IsSigned(type)) {}

  static bool Holds(v1::DataType type) {
    const int bits = ElementBits(type);
    return IsInteger(type) && (bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64);
  }
  size_t BytesOf(int64_t count) const { return static_cast<size_t>((count * bits_ + 7) / 8); }

  int64_t Get(absl::string_view bytes, int64_t index) const {
    uint64_t pattern = 0;
    if (bits_ < 8) {
      const int64_t bit = index * bits_;
      pattern = (static_cast<uint8_t>(bytes[bit / 8]) >> (bit % 8)) & ((1U << bits_) - 1);
    } else {
      std::memcpy(&pattern, bytes.data() + index * (bits_ / 8), bits_ / 8);
    }
    if (bits_ == 64) return static_cast<int64_t>(pattern);
    const int64_t sign = is_signed_ ? int64_t{1} << (bits_ - 1) : 0;
    return (static_cast<int64_t>(pattern) ^ sign) - sign;
  }
  void Set(std::string& bytes, int64_t index, int64_t value) const {
    const auto pattern = static_cast<uint64_t>(value);
    if (bits_ < 8) {
      const int64_t bit = index * bits_;
      const uint32_t mask = ((1U << bits_) - 1) << (bit % 8);
      const auto old = static_cast<uint8_t>(bytes[bit / 8]);
      bytes[bit / 8] = static_cast<char>((old & ~mask) | ((pattern << (bit % 8)) & mask));
    } else {
      std::memcpy(bytes.data() + index * (bits_ / 8), &pattern, bits_ / 8);
    }
  }

 private:
  const int bits_;
  const bool is_signed_;
};

// Calls `visit` with the index of each element, in order, and of its scale in both geometries.
template <typename Visit>
void ForEachElement(absl::Span<const int64_t> dims, const Geometry& a, const Geometry& b, const Visit& visit) {
  const auto count = static_cast<size_t>(*ElementCount(dims));
  std::vector<int64_t> position(dims.size(), 0);
  const auto scale_of = [&](const Geometry& geometry) {
    int64_t index = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (geometry.stride[d] != 0) index += position[d] / geometry.block[d] * geometry.stride[d];
    }
    return static_cast<size_t>(index);
  };
  for (size_t i = 0; i < count; ++i) {
    visit(static_cast<int64_t>(i), scale_of(a), scale_of(b));
    for (size_t d = dims.size(); d-- > 0;) {
      if (++position[d] < dims[d]) break;
      position[d] = 0;
    }
  }
}

}  // namespace

absl::StatusOr<std::string> Requantize(absl::string_view bytes, absl::Span<const int64_t> dims, const v1::Spec& before,
                                       const v1::Spec& after) {
  if (!Integers::Holds(before.dtype()) || !Integers::Holds(after.dtype())) {
    return absl::UnimplementedError("it does not hold integers");
  }
  const Integers from(before.dtype());
  const Integers to(after.dtype());
  const std::optional<int64_t> count = ElementCount(dims);
  if (!count.has_value() || *count > INT64_MAX / 64 || bytes.size() != from.BytesOf(*count)) {
    return Unfit("the bytes that the file holds are not those of its shape");
  }
  absl::StatusOr<Parameters> old = ParametersOf(before.qparams(), dims);
  if (!old.ok()) return old.status();
  absl::StatusOr<Parameters> made = ParametersOf(after.qparams(), dims);
  if (!made.ok()) return made.status();
  if (absl::c_any_of(made->scales, [](double scale) { return scale == 0; })) return Unfit("its new scale is 0");

  // Far beyond any sum of products, and what a double turns into an integer safely.
  constexpr double kLargest = 4611686018427387904.0;  // 2^62
  const auto min =
      std::max(-kLargest, static_cast<double>(after.has_quant_min() ? after.quant_min() : MinOf(after.dtype())));
  const auto max =
      std::min(kLargest, static_cast<double>(after.has_quant_max() ? after.quant_max() : MaxOf(after.dtype())));
  std::string out(to.BytesOf(*count), '\0');
  ForEachElement(dims, old->geometry, made->geometry, [&](int64_t i, size_t a, size_t b) {
    const auto stored = static_cast<double>(from.Get(bytes, i));
    // A step that stays the same moves integers by whole numbers; the division would not be exact.
    const double steps = old->scales[a] == made->scales[b]
                             ? stored - old->zero_points[a]
                             : (stored - old->zero_points[a]) * old->scales[a] / made->scales[b];
    to.Set(out, i, static_cast<int64_t>(std::clamp(std::nearbyint(steps + made->zero_points[b]), min, max)));
  });
  return out;
}

}  // namespace quantgate
