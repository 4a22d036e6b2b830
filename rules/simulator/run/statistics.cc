#include "rules/simulator/run/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/run/float_errors.h"

namespace quantgate::simulator {

std::optional<double> Sqnr(absl::Span<const float> reference, absl::Span<const float> result) {
  const size_t count = std::min(reference.size(), result.size());
  const auto [signal, noise] = PowersOf(reference.first(count), result.first(count));
  if (!(signal > 0) || !(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

void CompareInSteps(const Slot& slot, const Quantization& q, absl::Span<const float> reference,
                    absl::Span<const float> result, double& max_error, double& mean_error) {
  max_error = mean_error = 0;
  const size_t count = std::min(reference.size(), result.size());
  if (!slot.quantized || q.scales.empty() || count == 0) return;
  Errors errors;
  // Scales of channels are walked with the elements.
  const size_t scales = q.block > 0 ? 1 : q.scales.size();
  const size_t run = scales == 1 ? count : scales > 1 && count % scales == 0 && q.axis == 0 ? count / scales : 1;
  for (size_t i = 0; i < count; i += run) {
    AddErrors(reference.subspan(i, run), result.subspan(i, run), q.scales[scales == 1 ? 0 : (i / run) % scales],
              errors);
  }
  max_error = errors.largest;
  mean_error = errors.counted == 0 ? 0 : errors.sum / static_cast<double>(errors.counted);
}

void CountEnds(const Slot& slot, const QTensor& stored, v1::SimulatedNode& node) {
  if (!slot.quantized) return;
  int64_t saturated = 0, zeros = 0, count = 0;
  WithInteger(stored.tensor.type, [&](auto kind) {
    using T = decltype(kind);
    const absl::Span<const T> integers = stored.tensor.as<T>();
    count = static_cast<int64_t>(integers.size());
    // 8-bit integers in 16 bits, some at a time: as many as fit a vector of counters.
    using Wide = std::conditional_t<sizeof(T) == 1, int16_t, int64_t>;
    const auto narrowed = [](int64_t x) {
      return static_cast<Wide>(
          std::clamp<int64_t>(x, std::numeric_limits<Wide>::min(), std::numeric_limits<Wide>::max()));
    };
    const Wide low = narrowed(slot.quant_min), high = narrowed(slot.quant_max), zero = narrowed(stored.q.zero_point());
    constexpr size_t kPart = 32000;
    for (size_t first = 0; first < integers.size(); first += kPart) {
      Wide some_saturated = 0, some_zeros = 0;
      for (const T integer : integers.subspan(first, kPart)) {
        const auto value = static_cast<Wide>(integer);  // NOLINT(bugprone-signed-char-misuse): a number
        some_saturated = static_cast<Wide>(some_saturated + (value <= low || value >= high));
        some_zeros = static_cast<Wide>(some_zeros + (value == zero));
      }
      saturated += some_saturated;
      zeros += some_zeros;
    }
  });
  if (count == 0) return;
  node.set_saturated_fraction(static_cast<double>(saturated) / static_cast<double>(count));
  node.set_zero_fraction(static_cast<double>(zeros) / static_cast<double>(count));
}

}  // namespace quantgate::simulator
