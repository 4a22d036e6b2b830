#include "rules/simulator/run/constants.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/graph/small_float.h"
#include "rules/simulator/small_float.h"

namespace quantgate::simulator {
namespace {

template <typename T, typename F>
void Convert(absl::string_view bytes, Tensor& tensor, F f) {
  const absl::Span<float> out = tensor.as<float>();
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = f(value);
  }
}

bool IsReal(v1::DataType type) {
  return type == v1::DATA_TYPE_FLOAT32 || type == v1::DATA_TYPE_FLOAT64 || type == v1::DATA_TYPE_FLOAT16 ||
         type == v1::DATA_TYPE_BFLOAT16 || !RoundedValues(type).empty();
}

// From Constant.ints or Constant.reals.
absl::Status FillListed(const v1::Constant& constant, Tensor& tensor) {
  const size_t count = tensor.data.size() / ElementSize(tensor.type);
  if (tensor.type == v1::DATA_TYPE_FLOAT32) {
    if (static_cast<size_t>(constant.reals_size()) != count) return absl::NotFoundError("");
    for (size_t i = 0; i < count; ++i) tensor.as<float>()[i] = static_cast<float>(constant.reals(static_cast<int>(i)));
    return absl::OkStatus();
  }
  if (static_cast<size_t>(constant.ints_size()) != count) return absl::NotFoundError("");
  const size_t width = ElementSize(tensor.type);
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = constant.ints(static_cast<int>(i));
    std::memcpy(tensor.data.data() + i * width, &value, width);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> Unpack(v1::DataType type, absl::Span<const int64_t> dims, absl::string_view bytes) {
  Tensor tensor;
  tensor.type = IsReal(type) ? v1::DATA_TYPE_FLOAT32 : type;
  const absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return count.status();
  const int64_t bits = type == v1::DATA_TYPE_BOOL ? 8 : BitWidth(type);
  if (bits == 0 || ElementSize(tensor.type) == 0 || (IsSmallFloat(type) && RoundedValues(type).empty())) {
    return absl::UnimplementedError(absl::StrCat("no kernel has elements of type ", DataTypeName(type)));
  }
  const int64_t wanted = (*count * bits + 7) / 8;
  if (static_cast<int64_t>(bytes.size()) != wanted) {
    return absl::InvalidArgumentError(absl::StrCat("its shape asks for ", wanted, " bytes, and it has ", bytes.size()));
  }
  if (absl::Status status = AllocateUnset(dims, tensor); !status.ok()) return status;
  switch (type) {
    case v1::DATA_TYPE_FLOAT64:
      Convert<double>(bytes, tensor, [](double value) { return static_cast<float>(value); });
      return tensor;
    case v1::DATA_TYPE_FLOAT16:
      Convert<uint16_t>(bytes, tensor, [reals = SmallFloatValues(v1::DATA_TYPE_FLOAT16)](uint16_t bits) {
        return static_cast<float>(reals[bits]);
      });
      return tensor;
    case v1::DATA_TYPE_BFLOAT16:
      Convert<uint16_t>(bytes, tensor, [](uint16_t value) {
        const uint32_t wide = static_cast<uint32_t>(value) << 16;
        float real;
        std::memcpy(&real, &wide, sizeof(real));
        return real;
      });
      return tensor;
    default:
      break;
  }
  if (const absl::Span<const double> values = RoundedValues(type); !values.empty()) {
    const absl::Span<float> out = tensor.as<float>();
    for (size_t i = 0; i < out.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[bits == 8 ? i : i / 2]);
      out[i] = static_cast<float>(values[bits == 8 ? byte : i % 2 == 0 ? byte & 15 : byte >> 4]);
    }
    return tensor;
  }
  if (bits >= 8) {
    if (!bytes.empty()) std::memcpy(tensor.data.data(), bytes.data(), bytes.size());
    return tensor;
  }
  const bool is_signed = IsSigned(type);
  const int per_byte = static_cast<int>(8 / bits), mask = (1 << bits) - 1, sign = 1 << (bits - 1);
  for (int64_t i = 0; i < *count; ++i) {
    const int pattern = (static_cast<unsigned char>(bytes[i / per_byte]) >> (i % per_byte * bits)) & mask;
    tensor.data[i] = static_cast<std::byte>(is_signed ? (pattern ^ sign) - sign : pattern);
  }
  return tensor;
}

absl::StatusOr<Tensor> UnpackGiven(v1::DataType type, absl::Span<const int64_t> dims, absl::string_view bytes) {
  absl::StatusOr<Tensor> tensor = Unpack(type, dims, bytes);
  if (!tensor.ok() || type != v1::DATA_TYPE_FLOAT64) return tensor;
  const absl::Span<const float> values = tensor->as<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    double given = 0;
    std::memcpy(&given, bytes.data() + i * sizeof(given), sizeof(given));
    if (std::isfinite(given)) {
      return absl::InvalidArgumentError(
          absl::StrCat("holds ", given, " at element ", i, ", beyond float32, which is what real numbers are here"));
    }
  }
  return tensor;
}

absl::StatusOr<Tensor> LoadConstant(const v1::Value& value) {
  const std::vector<int64_t> dims(value.dims().begin(), value.dims().end());
  const v1::Constant& constant = value.constant();
  const auto name = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("constant '", value.name(), "': ", status.message()));
  };
  if (!constant.data().empty()) {
    absl::StatusOr<Tensor> tensor = Unpack(value.dtype(), dims, constant.data());
    return tensor.ok() ? std::move(tensor) : absl::StatusOr<Tensor>(name(tensor.status()));
  }
  Tensor tensor;
  tensor.type = IsReal(value.dtype()) ? v1::DATA_TYPE_FLOAT32 : value.dtype();
  const absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return name(count.status());
  // Before there is room made for what is not there.
  const int listed = tensor.type == v1::DATA_TYPE_FLOAT32 ? constant.reals_size() : constant.ints_size();
  if (*count != 0 && *count != listed) return name(absl::InvalidArgumentError("its elements are not there"));
  if (absl::Status status = Allocate(dims, tensor); !status.ok()) return name(status);
  if (tensor.data.empty()) return tensor;
  if (!FillListed(constant, tensor).ok()) return name(absl::InvalidArgumentError("its elements are not there"));
  return tensor;
}

}  // namespace quantgate::simulator
