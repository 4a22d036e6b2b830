#include "rules/simulator/run/statistics.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "rules/simulator/kernels/elements.h"

namespace quantgate::simulator {

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
