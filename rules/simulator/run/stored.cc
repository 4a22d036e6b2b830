#include "rules/simulator/run/stored.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/relu.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/small_float.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

template <typename T>
void ClampElements(const Slot& slot, Tensor& tensor) {
  for (T& element : tensor.as<T>()) {
    element = static_cast<T>(std::min<int64_t>(std::max<int64_t>(element, slot.quant_min), slot.quant_max));
  }
}

}  // namespace

bool SameParameters(const Quantization& a, const Quantization& b) {
  if (a.scales != b.scales || (a.scales.size() > 1 && (a.axis != b.axis || a.block != b.block))) return false;
  if (a.zero_points == b.zero_points) return true;
  for (size_t i = 0; i < a.scales.size(); ++i) {
    if (a.zero_point(i) != b.zero_point(i)) return false;
  }
  return true;
}

absl::Status CheckGeometry(const QTensor& value) {
  const Quantization& q = value.q;
  const std::vector<int64_t>& dims = value.tensor.dims;
  if (!q.zero_points.empty() && q.zero_points.size() != 1 && q.zero_points.size() != q.scales.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(q.zero_points.size(), " zero points beside ", q.scales.size(), " scales"));
  }
  if (q.scales.size() == 1 && q.block == 0) return absl::OkStatus();
  if (q.axis < 0 || static_cast<size_t>(q.axis) >= dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("scales along axis ", q.axis, " of a tensor of rank ", dims.size()));
  }
  int64_t wanted = dims[q.axis];
  if (q.block > 0) {
    wanted = (wanted + q.block - 1) / q.block;
    for (size_t i = 0; i < dims.size(); ++i) wanted *= static_cast<int>(i) == q.axis ? 1 : dims[i];
  }
  if (static_cast<int64_t>(q.scales.size()) == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(q.scales.size(), " scales where the tensor's shape asks for ", wanted));
}

absl::StatusOr<Tensor> Dequantized(const Profile& profile, const QTensor& stored) {
  if (absl::Status status = CheckGeometry(stored); !status.ok()) return status;
  Tensor tensor;
  tensor.type = kFloat;
  if (absl::Status status = AllocateUnset(stored.tensor.dims, tensor); !status.ok()) return status;
  if (absl::Status status = DequantizeTo(profile, stored, tensor.as<float>()); !status.ok()) return status;
  return tensor;
}

absl::StatusOr<QTensor> Quantized(const Profile& profile, const Tensor& reals, const Slot& slot,
                                  const Quantization& q) {
  QTensor stored;
  stored.tensor.type = slot.type;
  stored.q = q;
  if (reals.type != kFloat) return absl::InvalidArgumentError("integers where real numbers are quantized");
  if (absl::Status status = AllocateUnset(reals.dims, stored.tensor); !status.ok()) return status;
  if (absl::Status status = CheckGeometry(stored); !status.ok()) return status;
  if (absl::Status status = QuantizeFloats(profile, reals.as<float>(), stored); !status.ok()) return status;
  ClampToRange(slot, stored.tensor);
  return stored;
}

bool FoldsRelu(const Slot& slot, const Quantization& q) {
  return slot.quantized && q.scales.size() == 1 && q.zero_point() == slot.quant_min;
}

void FoldRelu(const Slot& slot, const Quantization& q, absl::Span<float> reals) {
  if (FoldsRelu(slot, q)) Relu(reals);
}

Grid::Grid(const Profile& profile, const Slot& slot, const Quantization& q) : profile_(profile), slot_(slot) {
  stored_.tensor.type = slot.type;
  stored_.q = q;
}

absl::Status Grid::Round(absl::Span<float> part) {
  FoldRelu(slot_, stored_.q, part);
  if (RoundFloats(profile_, slot_.type, stored_.q, slot_.quant_min, slot_.quant_max, part)) return absl::OkStatus();
  stored_.tensor.dims = {static_cast<int64_t>(part.size())};
  if (absl::Status status = QuantizeFloats(profile_, part, stored_); !status.ok()) return status;
  ClampToRange(slot_, stored_.tensor);
  return DequantizeTo(profile_, stored_, part);
}

absl::Status Grid::Round(Tensor& reals) {
  if (reals.type != kFloat) return absl::InvalidArgumentError("integers where real numbers are quantized");
  const absl::Span<float> all = reals.as<float>();
  if (!takes_parts()) {
    FoldRelu(slot_, stored_.q, all);
    const absl::StatusOr<QTensor> stored = Quantized(profile_, reals, slot_, stored_.q);
    if (!stored.ok()) return stored.status();
    return DequantizeTo(profile_, *stored, all);
  }
  constexpr size_t kSome = 2048;  // what stays in the first cache
  for (size_t first = 0; first < all.size(); first += kSome) {
    if (absl::Status status = Round(all.subspan(first, kSome)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void ClampToRange(const Slot& slot, Tensor& tensor) {
  if (slot.quant_min <= MinOf(slot.type) && slot.quant_max >= MaxOf(slot.type)) return;
  if (slot.quant_min > slot.quant_max) return;
  if (slot.type == v1::DATA_TYPE_INT8) ClampElements<int8_t>(slot, tensor);
  if (slot.type == v1::DATA_TYPE_UINT8) ClampElements<uint8_t>(slot, tensor);
  if (slot.type == v1::DATA_TYPE_INT16) ClampElements<int16_t>(slot, tensor);
  if (slot.type == v1::DATA_TYPE_UINT16) ClampElements<uint16_t>(slot, tensor);
  if (slot.type == v1::DATA_TYPE_INT32) ClampElements<int32_t>(slot, tensor);
}

absl::StatusOr<Tensor> ToSmallFloats(const Tensor& reals, v1::DataType type, const Quantization& q) {
  if (RoundedValues(type).empty() || !q.quantized()) {
    return absl::UnimplementedError("it quantizes to a type or with parameters that no kernel has");
  }
  if (reals.type != kFloat) return absl::InvalidArgumentError("integers where real numbers are quantized");
  QTensor stored{reals, q};
  if (absl::Status status = CheckGeometry(stored); !status.ok()) return status;
  const ScaleIndex scale_of(q, reals.dims);
  const absl::Span<float> values = stored.tensor.as<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = RoundToSmallFloat(type, values[i] / q.scales[scale_of(i)]);
  return std::move(stored.tensor);
}

absl::StatusOr<Tensor> FromSmallFloats(const Tensor& stored, const Quantization& q) {
  if (stored.type != kFloat || !q.quantized()) return absl::UnimplementedError("parameters that no kernel has");
  QTensor real{stored, q};
  if (absl::Status status = CheckGeometry(real); !status.ok()) return status;
  const ScaleIndex scale_of(q, stored.dims);
  const absl::Span<float> values = real.tensor.as<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] *= q.scales[scale_of(i)];
  return std::move(real.tensor);
}

}  // namespace quantgate::simulator
