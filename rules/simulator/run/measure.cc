#include "rules/simulator/run/measure.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/simulator/run/statistics.h"
#include "rules/simulator/run/stored.h"

namespace quantgate::simulator {
namespace {

constexpr v1::DataType kFloat = v1::DATA_TYPE_FLOAT32;

// float32 to compare with.
absl::StatusOr<Tensor> Reals(const Profile& profile, const QTensor& result) {
  if (result.q.quantized()) return Dequantized(profile, result);
  if (result.tensor.type == kFloat) return result.tensor;
  // Integers of no parameters, compared as they are.
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(result.tensor);
  if (!integers.ok()) return integers.status();
  Tensor tensor;
  tensor.type = kFloat;
  if (absl::Status status = Allocate(result.tensor.dims, tensor); !status.ok()) return status;
  for (size_t i = 0; i < integers->size(); ++i) tensor.as<float>()[i] = static_cast<float>((*integers)[i]);
  return tensor;
}

}  // namespace

absl::Status Measure(const Profile& profile, const Slot& slot, const Held& held, const QTensor* own,
                     v1::SimulatedNode& node) {
  if (held.reference->tensor.type != kFloat) return absl::OkStatus();
  const absl::Span<const float> reference = held.reference->tensor.as<float>();
  const absl::StatusOr<Tensor> result = Reals(profile, *held.affine);
  if (!result.ok()) return result.status();
  if (const std::optional<double> sqnr = Sqnr(reference, result->as<float>())) node.set_sqnr_db(*sqnr);
  if (own != nullptr) {
    const absl::StatusOr<Tensor> alone = Reals(profile, *own);
    if (alone.ok()) {
      if (const std::optional<double> sqnr = Sqnr(reference, alone->as<float>())) node.set_own_sqnr_db(*sqnr);
    }
  }
  double max_error = 0, mean_error = 0;
  CompareInSteps(slot, held.affine->q, reference, result->as<float>(), max_error, mean_error);
  node.set_max_abs_error_lsb(max_error);
  node.set_mean_abs_error_lsb(mean_error);
  CompareInSteps(slot, held.affine->q, held.real->tensor.as<float>(), result->as<float>(), max_error, mean_error);
  node.set_max_space_difference_lsb(max_error);
  CountEnds(slot, *held.affine, node);
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
