// Along axes: one element out of many.
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// The tensor with its reduced axes last, and the shapes that follow.
struct ReducedRows {
  Tensor tensor;
  Dims dims;          // of the result
  int64_t count = 1;  // elements of a row
};

absl::StatusOr<ReducedRows> MakeRows(const Tensor& x, const Attributes& attributes) {
  const size_t rank = x.dims.size();
  std::vector<bool> reduced(rank, false);
  const absl::Span<const int64_t> axes = attributes.Ints("axes");
  for (int64_t axis : axes) {
    const absl::StatusOr<int> position = NormalizedAxis(axis, rank);
    if (!position.ok()) return position.status();
    reduced[*position] = true;
  }
  if (axes.empty()) reduced.assign(rank, attributes.Int("noop_with_empty_axes", 0) == 0);
  ReducedRows rows;
  std::vector<int> permutation;
  for (size_t i = 0; i < rank; ++i) {
    if (!reduced[i]) permutation.push_back(static_cast<int>(i));
    if (!reduced[i]) rows.dims.push_back(x.dims[i]);
    if (reduced[i] && attributes.Int("keepdims", 1) != 0) rows.dims.push_back(1);
  }
  for (size_t i = 0; i < rank; ++i) {
    if (!reduced[i]) continue;
    permutation.push_back(static_cast<int>(i));
    rows.count *= x.dims[i];
  }
  rows.tensor = Permuted(x, permutation);
  return rows;
}

template <typename T>
double ReduceRow(OpId op, const T* row, int64_t count, const Attributes& attributes) {
  double sum = 0;
  switch (op) {
    case OpId::kReduceMax:
    case OpId::kReduceMin: {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      if (count == 0) return op == OpId::kReduceMax ? -kInfinity : kInfinity;
      const bool propagates_nan = attributes.Int("propagates_nan", 0) != 0;
      double best = static_cast<double>(row[0]);
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(row[i]);
        if (propagates_nan && std::isnan(value)) return value;
        best = op == OpId::kReduceMax ? std::max(best, value) : std::min(best, value);
      }
      return best;
    }
    case OpId::kReduceProd:
      sum = 1;
      for (int64_t i = 0; i < count; ++i) sum *= static_cast<double>(row[i]);
      return sum;
    case OpId::kReduceAny:
      for (int64_t i = 0; i < count; ++i) sum += row[i] != 0;
      return sum != 0;
    case OpId::kReduceL1:
      for (int64_t i = 0; i < count; ++i) sum += std::fabs(static_cast<double>(row[i]));
      return sum;
    case OpId::kReduceL2:
    case OpId::kReduceSumSquare:
      for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(row[i]) * static_cast<double>(row[i]);
      return op == OpId::kReduceL2 ? std::sqrt(sum) : sum;
    case OpId::kReduceLogSumExp: {
      double top = -std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < count; ++i) top = std::max(top, static_cast<double>(row[i]));
      for (int64_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(row[i]) - top);
      return top + std::log(sum);
    }
    default:
      break;
  }
  for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(row[i]);
  if (op == OpId::kReduceSum) return sum;
  const double mean = sum / static_cast<double>(count);
  if (op == OpId::kReduceMean) return mean;
  double squares = 0;
  for (int64_t i = 0; i < count; ++i)
    squares += (static_cast<double>(row[i]) - mean) * (static_cast<double>(row[i]) - mean);
  return squares / std::max<double>(1, static_cast<double>(count - attributes.Int("correction", 1)));
}

}  // namespace

absl::Status CastBeforeSums(const FloatCall& call, Tensor& cast) {
  const bool sums = call.op == OpId::kReduceSum || call.op == OpId::kReduceProd || call.op == OpId::kCumSum;
  const auto type = static_cast<v1::DataType>(call.attributes.Int("to", v1::DATA_TYPE_FLOAT32));
  if (!sums || IsFloat(type) || call.inputs[0]->type != v1::DATA_TYPE_FLOAT32) return absl::OkStatus();
  Attributes to;
  to.SetInt("to", type);
  FloatCall call_of_cast{OpId::kCast, call.layout, to, call.inputs, absl::MakeSpan(&cast, 1), call.max_bytes};
  return RunCast(call_of_cast);
}

absl::Status RunReduce(FloatCall& call) {
  const Tensor* x = call.input(0);
  if (x == nullptr) return absl::InvalidArgumentError("its input is not there");
  Tensor cast;
  if (absl::Status status = CastBeforeSums(call, cast); !status.ok()) return status;
  if (cast.type != v1::DATA_TYPE_UNSPECIFIED) x = &cast;
  absl::StatusOr<ReducedRows> rows = MakeRows(*x, call.attributes);
  if (!rows.ok()) return rows.status();
  const bool floats = x->type == v1::DATA_TYPE_FLOAT32;
  const absl::StatusOr<std::vector<int64_t>> integers = floats ? std::vector<int64_t>() : ToInt64(rows->tensor);
  if (!integers.ok()) return integers.status();
  const float* reals = floats ? rows->tensor.as<float>().data() : nullptr;
  const auto row = [&](int64_t i) {
    return floats ? ReduceRow(call.op, reals + i * rows->count, rows->count, call.attributes)
                  : ReduceRow(call.op, integers->data() + i * rows->count, rows->count, call.attributes);
  };
  const auto type = static_cast<v1::DataType>(call.attributes.Int("to", x->type));
  if (IsFloat(type)) {  // all widths are float32 here
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, rows->dims); !status.ok()) return status;
    const absl::Span<float> out = call.outputs[0].as<float>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(row(static_cast<int64_t>(i)));
    return absl::OkStatus();
  }
  Tensor wide;
  wide.type = v1::DATA_TYPE_INT64;
  if (absl::Status status = Allocate(rows->dims, wide); !status.ok()) return status;
  const absl::Span<int64_t> out = wide.as<int64_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    const double value = row(static_cast<int64_t>(i));
    if (rows->count == 0 && std::isinf(value)) {
      out[i] = value < 0 ? MinOf(x->type) : MaxOf(x->type);
    } else {
      out[i] = std::fabs(value) < 9e18 ? static_cast<int64_t>(value) : 0;
    }
  }
  Attributes to;
  to.SetInt("to", type);
  const Tensor* inputs[1] = {&wide};
  FloatCall narrow{OpId::kCast, call.layout, to, inputs, call.outputs, call.max_bytes};
  return RunCast(narrow);
}

}  // namespace quantgate::simulator
