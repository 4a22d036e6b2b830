#include "rules/simulator/run/statistics.h"

#include <algorithm>
#include <cmath>

#include "rules/simulator/float/kernels.h"

namespace quantgate::simulator {

std::optional<double> Sqnr(absl::Span<const float> reference, absl::Span<const float> result) {
  double signal = 0, noise = 0;
  const size_t count = std::min(reference.size(), result.size());
  for (size_t i = 0; i < count; ++i) {
    const double x = reference[i], difference = x - result[i];
    if (!std::isfinite(x) || !std::isfinite(difference)) continue;
    signal += x * x;
    noise += difference * difference;
  }
  if (!(signal > 0) || !(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

void CompareInSteps(const Slot& slot, const Quantization& q, absl::Span<const float> reference,
                    absl::Span<const float> result, double& max_error, double& mean_error) {
  max_error = mean_error = 0;
  const size_t count = std::min(reference.size(), result.size());
  if (!slot.quantized || q.scales.empty() || count == 0) return;
  size_t counted = 0;
  double sum = 0;
  // Scales of channels are walked with the elements.
  const size_t scales = q.block > 0 ? 1 : q.scales.size();
  const size_t run = scales > 1 && count % scales == 0 && q.axis == 0 ? count / scales : 1;
  for (size_t i = 0; i < count; ++i) {
    const double scale = q.scales[scales == 1 ? 0 : (i / run) % scales];
    const double error = std::fabs(static_cast<double>(reference[i]) - result[i]) / scale;
    if (!std::isfinite(error)) continue;
    max_error = std::max(max_error, error);
    sum += error;
    ++counted;
  }
  mean_error = counted == 0 ? 0 : sum / static_cast<double>(counted);
}

void CountEnds(const Slot& slot, const QTensor& stored, v1::SimulatedNode& node) {
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(stored.tensor);
  if (!slot.quantized || !integers.ok() || integers->empty()) return;
  int64_t saturated = 0, zeros = 0;
  const int64_t zero = stored.q.zero_point();
  for (int64_t integer : *integers) {
    saturated += integer <= slot.quant_min || integer >= slot.quant_max;
    zeros += integer == zero;
  }
  node.set_saturated_fraction(static_cast<double>(saturated) / static_cast<double>(integers->size()));
  node.set_zero_fraction(static_cast<double>(zeros) / static_cast<double>(integers->size()));
}

}  // namespace quantgate::simulator
