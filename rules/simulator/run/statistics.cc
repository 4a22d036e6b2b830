#include "rules/simulator/run/statistics.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/run/byte_statistics.h"

namespace quantgate::simulator {

namespace {

void CountElements(const Slot& slot, const QTensor& stored, int64_t& saturated, int64_t& zeros, int64_t& count) {
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
}

}  // namespace

void CountEnds(const Slot& slot, const QTensor& stored, v1::SimulatedNode& node) {
  if (!slot.quantized) return;
  int64_t saturated = 0, zeros = 0, count = 0;
  const v1::DataType type = stored.tensor.type;
  const int64_t zero_point = stored.q.zero_point(), least = MinOf(type), most = MaxOf(type);
  if (IsInteger(type) && BitWidth(type) == 8 && zero_point >= least && zero_point <= most && slot.quant_min >= least &&
      slot.quant_min < slot.quant_max && slot.quant_max <= most) {
    ByteEnds ends;
    ends.flip = IsSigned(type) ? 0x80 : 0;
    ends.low = static_cast<uint8_t>(slot.quant_min);
    ends.high = static_cast<uint8_t>(slot.quant_max);
    ends.zero = static_cast<uint8_t>(zero_point);
    CountEnds(stored.tensor.as<uint8_t>(), ends);
    count = static_cast<int64_t>(stored.tensor.data.size());
    saturated = ends.saturated;
    zeros = ends.zeros;
  } else {
    CountElements(slot, stored, saturated, zeros, count);
  }
  if (count == 0) return;
  node.set_saturated_fraction(static_cast<double>(saturated) / static_cast<double>(count));
  node.set_zero_fraction(static_cast<double>(zeros) / static_cast<double>(count));
}

}  // namespace quantgate::simulator
