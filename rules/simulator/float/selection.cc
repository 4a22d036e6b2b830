// Along one axis: where the largest element is, which are the largest, sums so far.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Calls f(first element, distance) for each line along the axis.
template <typename F>
void ForEachLine(const Dims& dims, int axis, F f) {
  const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(axis + 1));
  const int64_t outer = Count(absl::MakeConstSpan(dims).subspan(0, axis));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) f(o * dims[axis] * inner + i, inner);
  }
}

// An order of all numbers: what is none is the greatest, as torch has it.
bool IsGreater(double a, double b) { return (std::isnan(a) && !std::isnan(b)) || a > b; }

absl::Status WriteIntegers(FloatCall& call, size_t output, v1::DataType type, const Dims& dims,
                           const std::vector<int64_t>& values) {
  if (type != v1::DATA_TYPE_INT32 && type != v1::DATA_TYPE_INT64) {
    return absl::InvalidArgumentError(absl::StrCat("indices of type ", DataTypeName(type)));
  }
  if (absl::Status status = call.Make(output, type, dims); !status.ok()) return status;
  if (type == v1::DATA_TYPE_INT32) {
    std::copy(values.begin(), values.end(), call.outputs[output].as<int32_t>().begin());
  } else {
    std::copy(values.begin(), values.end(), call.outputs[output].as<int64_t>().begin());
  }
  return absl::OkStatus();
}

absl::Status WriteSums(FloatCall& call, v1::DataType type, const Dims& dims, const std::vector<double>& sums) {
  if (IsFloat(type)) {  // all widths are float32 here
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
    std::copy(sums.begin(), sums.end(), call.outputs[0].as<float>().begin());
    return absl::OkStatus();
  }
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_INT64, dims); !status.ok()) return status;
  Tensor wide = std::move(call.outputs[0]);
  const absl::Span<int64_t> integers = wide.as<int64_t>();
  for (size_t i = 0; i < sums.size(); ++i) integers[i] = std::fabs(sums[i]) < 9e18 ? static_cast<int64_t>(sums[i]) : 0;
  Attributes to;
  to.SetInt("to", type);
  const Tensor* inputs[1] = {&wide};
  FloatCall cast{OpId::kCast, call.layout, to, inputs, call.outputs, call.max_bytes};
  return RunCast(cast);
}

}  // namespace

absl::Status RunSelection(FloatCall& call) {
  const Tensor* x = call.input(0);
  if (x == nullptr) return absl::InvalidArgumentError("its input is not there");
  Tensor cast;
  if (absl::Status status = CastBeforeSums(call, cast); !status.ok()) return status;
  if (cast.type != v1::DATA_TYPE_UNSPECIFIED) x = &cast;
  Dims dims = x->dims;
  const Attributes& attributes = call.attributes;
  if (dims.empty() || (attributes.Int("flat", 0) != 0 && !dims.empty())) dims = {Count(dims)};
  const absl::StatusOr<int> axis = NormalizedAxis(attributes.Int("axis", 0), dims.size());
  if (!axis.ok()) return axis.status();
  const bool floats = x->type == v1::DATA_TYPE_FLOAT32;
  const absl::StatusOr<std::vector<int64_t>> integers = floats ? std::vector<int64_t>() : ToInt64(*x);
  if (!integers.ok()) return integers.status();
  const absl::Span<const float> reals = floats ? x->as<float>() : absl::Span<const float>();
  const auto at = [&](int64_t i) {
    return floats ? static_cast<double>(reals[i]) : static_cast<double>((*integers)[i]);
  };
  const int64_t size = dims[*axis];
  const auto index_type = static_cast<v1::DataType>(attributes.Int("to", v1::DATA_TYPE_INT64));

  if (call.op == OpId::kCumSum) {
    if (!floats && x->type != v1::DATA_TYPE_INT64 && x->type != v1::DATA_TYPE_INT32 && x->type != v1::DATA_TYPE_BOOL &&
        !attributes.Has("to")) {
      return absl::UnimplementedError("cumulative sums of this type");
    }
    const bool exclusive = attributes.Int("exclusive", 0) != 0, reverse = attributes.Int("reverse", 0) != 0;
    std::vector<double> sums(static_cast<size_t>(Count(dims)));
    ForEachLine(dims, *axis, [&](int64_t first, int64_t distance) {
      double sum = 0;
      for (int64_t i = 0; i < size; ++i) {
        const int64_t place = first + (reverse ? size - 1 - i : i) * distance;
        if (!exclusive) sum += at(place);
        sums[place] = sum;
        if (exclusive) sum += at(place);
      }
    });
    const v1::DataType own = floats || x->type == v1::DATA_TYPE_INT32 ? x->type : v1::DATA_TYPE_INT64;
    return WriteSums(call, static_cast<v1::DataType>(attributes.Int("to", own)), x->dims, sums);
  }

  if (call.op == OpId::kTopK) {
    const int64_t k = attributes.Int("k", 1);
    if (k < 0 || k > size) return absl::InvalidArgumentError(absl::StrCat("the ", k, " largest of ", size));
    const bool largest = attributes.Int("largest", 1) != 0;
    Dims top = dims;
    top[*axis] = k;
    if (absl::Status status = call.Make(0, x->type, top); !status.ok()) return status;
    std::vector<int64_t> indices(static_cast<size_t>(Count(top))), order(static_cast<size_t>(size));
    const size_t width = ElementSize(x->type);
    const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(*axis + 1));
    // None of none is nothing to sort.
    if (k > 0)
      ForEachLine(dims, *axis, [&](int64_t first, int64_t distance) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          const double left = at(first + a * distance), right = at(first + b * distance);
          return largest ? IsGreater(left, right) : IsGreater(right, left);
        });
        const int64_t start = first / (size * inner) * (k * inner) + first % inner;
        for (int64_t i = 0; i < k; ++i) {
          const int64_t to = start + i * inner;
          indices[to] = order[i];
          std::copy_n(x->data.data() + (first + order[i] * distance) * width, width,
                      call.outputs[0].data.data() + to * width);
        }
      });
    if (call.outputs.size() < 2) return absl::OkStatus();
    return WriteIntegers(call, 1, index_type, top, indices);
  }

  // Of equal elements the first, or the last where the attribute says so.
  const bool smallest = call.op == OpId::kArgMin || call.op == OpId::kMinDim;
  const bool last = attributes.Int("select_last_index", 0) != 0;
  if (size == 0) return absl::InvalidArgumentError("the largest of no elements");
  Dims result = dims;
  const bool of_dim = call.op == OpId::kMaxDim || call.op == OpId::kMinDim;
  if (attributes.Int("keepdims", of_dim ? 0 : 1) != 0) {
    result[*axis] = 1;
  } else {
    result.erase(result.begin() + *axis);
  }
  // torch gives the first that is no number, whether it looks for the largest or the smallest.
  const bool propagates_nan = attributes.Int("propagates_nan", 0) != 0;
  const auto is_ahead = [&](double value, double so_far) {
    if (propagates_nan && (std::isnan(value) || std::isnan(so_far))) return IsGreater(value, so_far);
    return smallest ? value < so_far : value > so_far;
  };
  std::vector<int64_t> indices, places;
  ForEachLine(dims, *axis, [&](int64_t first, int64_t distance) {
    int64_t best = 0;
    for (int64_t i = 1; i < size; ++i) {
      const double value = at(first + i * distance), so_far = at(first + best * distance);
      if (is_ahead(value, so_far) || (last && value == so_far)) best = i;
    }
    indices.push_back(best);
    places.push_back(first + best * distance);
  });
  if (!of_dim) return WriteIntegers(call, 0, index_type, result, indices);
  if (absl::Status status = call.Make(0, x->type, result); !status.ok()) return status;
  const size_t width = ElementSize(x->type);
  for (size_t i = 0; i < places.size(); ++i) {
    std::copy_n(x->data.data() + places[i] * width, width, call.outputs[0].data.data() + i * width);
  }
  return call.outputs.size() < 2 ? absl::OkStatus() : WriteIntegers(call, 1, index_type, result, indices);
}

}  // namespace quantgate::simulator
