#include "rules/simulator/run/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/run/byte_statistics.h"
#include "rules/simulator/run/float_errors.h"
#include "rules/simulator/run/statistics.h"
#include "rules/simulator/run/stored.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {
namespace {

// A result as float32 to compare with, some elements at a time: what is made of them is still in the first cache.
class Reals {
 public:
  static constexpr size_t kMost = kMostBytesAtOnce;

  // Both outlive it.
  static absl::StatusOr<Reals> Of(const Profile& profile, const QTensor& result) {
    Reals reals(profile, result);
    if (result.q.quantized()) {
      if (absl::Status status = CheckGeometry(result); !status.ok()) return status;
      reals.size_ = result.tensor.data.size() / std::max<size_t>(ElementSize(result.tensor.type), 1);
    } else if (result.tensor.type == kFloat) {
      reals.size_ = result.tensor.as<float>().size();
    } else {
      // Integers of no parameters, compared as they are.
      const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(result.tensor);
      if (!integers.ok()) return integers.status();
      reals.integers_.assign(integers->begin(), integers->end());
      reals.size_ = reals.integers_.size();
    }
    return reals;
  }

  size_t size() const { return size_; }
  // At most kMost, until the next call.
  absl::StatusOr<absl::Span<const float>> Part(size_t first, size_t count) {
    if (!integers_.empty()) return absl::MakeConstSpan(integers_).subspan(first, count);
    if (!result_->q.quantized()) return result_->tensor.as<float>().subspan(first, count);
    room_.resize(count);
    if (absl::Status status = DequantizeTo(*profile_, *result_, absl::MakeSpan(room_), first); !status.ok())
      return status;
    return room_;
  }

 private:
  Reals(const Profile& profile, const QTensor& result) : profile_(&profile), result_(&result) {}

  const Profile* profile_;
  const QTensor* result_;
  size_t size_ = 0;
  std::vector<float> integers_;
  std::vector<float> room_;
};

// 10 log10 of signal over noise; nullopt: one of them is not there.
std::optional<double> Decibels(double signal, double noise) {
  if (!(signal > 0) || !(noise > 0) || std::isinf(signal) || std::isinf(noise)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

// An 8-bit result of one scale, which needs no real numbers to be compared; nullopt: another one.
std::optional<StoredBytes> BytesOf(const Profile& profile, const QTensor& result) {
  const Quantization& q = result.q;
  const v1::DataType type = result.tensor.type;
  if (!IsInteger(type) || BitWidth(type) != 8 || q.scales.size() != 1 || q.block != 0) return std::nullopt;
  if (profile.dequantize != DequantizeForm::kScaleDifference) return std::nullopt;
  if (q.zero_point() < MinOf(type) || q.zero_point() > MaxOf(type)) return std::nullopt;
  return StoredBytes{result.tensor.as<uint8_t>(), IsSigned(type), q.scales[0], static_cast<int32_t>(q.zero_point())};
}

// Errors in steps.
struct Steps {
  double largest = 0, sum = 0;
  int64_t counted = 0;

  // Runtimes take scales below zero, and 0 where there is nothing.
  void Add(const Errors& errors, double scale) {
    scale = std::fabs(scale);
    if (!(scale > 0)) return;
    largest = std::max(largest, errors.largest / scale);
    sum += errors.sum.Total() / scale;
    counted += errors.counted;
  }
  double mean() const { return counted == 0 ? 0 : sum / static_cast<double>(counted); }
};

}  // namespace

absl::Status Measure(const Profile& profile, const Slot& slot, const Held& held, const Tensor* unrounded,
                     v1::SimulatedNode& node) {
  return Measure(
      profile, slot, held, unrounded, [](size_t, size_t) { return absl::OkStatus(); }, node);
}

absl::Status Measure(const Profile& profile, const Slot& slot, const Held& held, const Tensor* unrounded,
                     Prepare prepare, v1::SimulatedNode& node) {
  if (held.reference->tensor.type != kFloat) return absl::OkStatus();
  absl::StatusOr<Reals> result = Reals::Of(profile, *held.affine);
  if (!result.ok()) return result.status();
  const std::optional<StoredBytes> bytes = BytesOf(profile, *held.affine);
  const absl::Span<const float> reference = held.reference->tensor.as<float>();
  const size_t count = std::min(reference.size(), result->size());
  absl::Span<const float> real;
  if (held.real != nullptr && held.real->tensor.type == kFloat) real = held.real->tensor.as<float>();
  if (real.size() < count) real = {};
  absl::Span<const float> exact;
  if (unrounded != nullptr && unrounded->type == kFloat) exact = unrounded->as<float>();
  if (exact.size() < count) exact = {};
  // Elements in a row that have one scale.
  const Quantization& q = held.affine->q;
  const ScaleIndex scale_of(q, held.affine->tensor.dims);
  const bool in_steps = slot.quantized && q.quantized();
  const bool needs_reals = !bytes.has_value() || !real.empty() || !exact.empty();
  const size_t run = !in_steps || scale_of.per_tensor() ? count : q.block > 0 ? 1 : static_cast<size_t>(scale_of.run());
  Powers powers, own_powers;
  Steps steps, between_spaces;
  for (size_t begin = 0; begin < count; begin += run) {
    Errors errors, space_errors;
    const size_t end = std::min(begin + run, count);
    for (size_t i = begin, some = 0; i < end; i += some) {
      some = std::min(Reals::kMost, end - i);
      if (absl::Status status = prepare(i, some); !status.ok()) return status;
      const absl::Span<const float> expected = reference.subspan(i, some);
      if (bytes.has_value()) {
        StoredBytes part = *bytes;
        part.bytes = part.bytes.subspan(i, some);
        AddByteDifferences(expected, part, powers, errors);
        if (!needs_reals) continue;
      }
      const absl::StatusOr<absl::Span<const float>> affine = result->Part(i, some);
      if (!affine.ok()) return affine.status();
      if (!bytes.has_value()) AddDifferences(expected, *affine, &powers, in_steps ? &errors : nullptr);
      if (in_steps && !real.empty()) AddDifferences(real.subspan(i, some), *affine, nullptr, &space_errors);
      if (!exact.empty()) AddDifferences(exact.subspan(i, some), *affine, &own_powers, nullptr);
    }
    if (!in_steps) continue;
    const double scale = q.scales[scale_of(begin)];
    steps.Add(errors, scale);
    between_spaces.Add(space_errors, scale);
  }
  if (const std::optional<double> sqnr = Decibels(powers.signal.Total(), powers.noise.Total())) {
    node.set_sqnr_db(*sqnr);
  }
  SetOwnError(own_powers.signal.Total(), own_powers.noise.Total(), node);
  node.set_max_abs_error_lsb(steps.largest);
  node.set_mean_abs_error_lsb(steps.mean());
  node.set_max_space_difference_lsb(between_spaces.largest);
  CountEnds(slot, *held.affine, node);
  return absl::OkStatus();
}

void SetOwnError(double signal, double noise, v1::SimulatedNode& node) {
  if (const std::optional<double> sqnr = Decibels(signal, noise)) node.set_own_sqnr_db(*sqnr);
}

}  // namespace quantgate::simulator
