// Tensors out of shapes and numbers.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Integers f(0), f(1), ... of the type that the call has, or else `type`.
template <typename F>
absl::Status WriteIntegers(FloatCall& call, const Dims& dims, F f, v1::DataType type = v1::DATA_TYPE_INT64) {
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_INT64, dims); !status.ok()) return status;
  Tensor wide = std::move(call.outputs[0]);
  const absl::Span<int64_t> values = wide.as<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = f(static_cast<int64_t>(i));
  Attributes to;
  to.SetInt("to", call.attributes.Int("to", type));
  const Tensor* inputs[1] = {&wide};
  FloatCall cast{OpId::kCast, call.layout, to, inputs, call.outputs, call.max_bytes};
  return RunCast(cast);
}

absl::Status Shape(FloatCall& call, const Tensor& x) {
  const int64_t rank = static_cast<int64_t>(x.dims.size());
  if (call.op == OpId::kSize) return WriteIntegers(call, {}, [&](int64_t) { return Count(x.dims); });
  int64_t start = call.attributes.Int("start", 0), end = call.attributes.Int("end", rank);
  start = std::min(std::max<int64_t>(start < 0 ? start + rank : start, 0), rank);
  end = std::min(std::max<int64_t>(end < 0 ? end + rank : end, start), rank);
  return WriteIntegers(call, {end - start}, [&](int64_t i) { return x.dims[start + i]; });
}

absl::Status Fill(FloatCall& call) {
  const absl::Span<const int64_t> shape = call.op == OpId::kFillLike && call.input(0) != nullptr
                                              ? absl::MakeConstSpan(call.inputs[0]->dims)
                                              : call.attributes.Ints("shape");
  const Dims dims(shape.begin(), shape.end());
  const auto type = static_cast<v1::DataType>(call.attributes.Int("to", v1::DATA_TYPE_FLOAT32));
  const double value = call.attributes.Float("value", 0);
  if (IsFloat(type)) {  // all widths are float32 here
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
    for (float& out : call.outputs[0].as<float>()) out = static_cast<float>(value);
    return absl::OkStatus();
  }
  const int64_t integer = std::fabs(value) < 9e18 ? static_cast<int64_t>(value) : 0;
  return WriteIntegers(call, dims, [integer](int64_t) { return integer; });
}

absl::Status Range(FloatCall& call) {
  double numbers[3];
  v1::DataType operands = v1::DATA_TYPE_INT64;
  const absl::Span<const double> given = call.attributes.Floats("range");
  for (size_t i = 0; i < 3; ++i) {
    if (given.size() == 3) {
      numbers[i] = given[i];
      continue;
    }
    const Tensor* input = call.input(i);
    if (input == nullptr || Count(input->dims) != 1) return absl::InvalidArgumentError("a range without its numbers");
    operands = input->type;
    if (input->type == v1::DATA_TYPE_FLOAT32) {
      numbers[i] = input->as<float>()[0];
    } else {
      const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(*input);
      if (!integers.ok()) return integers.status();
      numbers[i] = static_cast<double>((*integers)[0]);
    }
  }
  const double count = std::ceil((numbers[1] - numbers[0]) / numbers[2]);
  if (!(std::fabs(count) < 1e9) || numbers[2] == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("a range from ", numbers[0], " to ", numbers[1], " by ", numbers[2]));
  }
  const int64_t size = std::max<int64_t>(static_cast<int64_t>(count), 0);
  const auto type = static_cast<v1::DataType>(call.attributes.Int("to", operands));
  if (type == v1::DATA_TYPE_FLOAT32) {
    if (absl::Status status = call.Make(0, type, {size}); !status.ok()) return status;
    const absl::Span<float> out = call.outputs[0].as<float>();
    for (int64_t i = 0; i < size; ++i) out[i] = static_cast<float>(numbers[0] + static_cast<double>(i) * numbers[2]);
    return absl::OkStatus();
  }
  // What double counts exactly.
  if (std::max(std::fabs(numbers[0]), std::fabs(numbers[2])) > 9e15) {
    return absl::InvalidArgumentError(absl::StrCat("a range of integers from ", numbers[0], " by ", numbers[2]));
  }
  const auto first = static_cast<int64_t>(numbers[0]), step = static_cast<int64_t>(numbers[2]);
  return WriteIntegers(
      call, {size}, [&](int64_t i) { return first + i * step; }, type);
}

// Along `axis`: `on` where the index says, `off` elsewhere, and everywhere where it says a position that is not there.
absl::Status OneHot(FloatCall& call, const Tensor& indices) {
  const absl::StatusOr<std::vector<int64_t>> at = ToInt64(indices);
  if (!at.ok()) return at.status();
  const int64_t depth = call.attributes.Int("depth", 0);
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", -1), indices.dims.size() + 1);
  if (!axis.ok()) return axis.status();
  if (depth < 0) return absl::InvalidArgumentError(absl::StrCat("a depth of ", depth));
  Dims dims = indices.dims;
  dims.insert(dims.begin() + *axis, depth);
  const bool from_end = call.attributes.Int("from_end", 0) != 0;
  const int64_t inner = Count(absl::MakeConstSpan(indices.dims).subspan(*axis));
  const auto is_on = [&](int64_t i) {
    int64_t index = (*at)[i / inner / depth * inner + i % inner];
    if (index < 0 && from_end) index += depth;
    return index == i / inner % depth;
  };
  const auto type = static_cast<v1::DataType>(call.attributes.Int("to", v1::DATA_TYPE_FLOAT32));
  if (IsFloat(type)) {
    if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
    const auto on = static_cast<float>(call.attributes.Float("on", 1)),
               off = static_cast<float>(call.attributes.Float("off", 0));
    const absl::Span<float> out = call.outputs[0].as<float>();
    for (size_t i = 0; i < out.size(); ++i) out[i] = is_on(static_cast<int64_t>(i)) ? on : off;
    return absl::OkStatus();
  }
  const int64_t on = call.attributes.Int("on", 1), off = call.attributes.Int("off", 0);
  return WriteIntegers(call, dims, [&](int64_t i) { return is_on(i) ? on : off; });
}

}  // namespace

absl::Status RunCreation(FloatCall& call) {
  switch (call.op) {
    case OpId::kShape:
    case OpId::kSize:
      if (call.input(0) == nullptr) return absl::InvalidArgumentError("its input is not there");
      return Shape(call, *call.inputs[0]);
    case OpId::kFill:
    case OpId::kFillLike:
      return Fill(call);
    case OpId::kOneHot:
      if (call.input(0) == nullptr) return absl::InvalidArgumentError("its indices are not there");
      return OneHot(call, *call.inputs[0]);
    default:  // kRange
      return Range(call);
  }
}

}  // namespace quantgate::simulator
