#include <cstdint>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FX003",
    "bias-saturation",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kFromCalibrated,
    "{subject}: a bias value is {observed}; expected {allowed}",
    "A stored value at the very end of int32 was cut off when the bias was quantized: input scale x weight scale is "
    "too "
    "small for it, and the channel's outputs are shifted.",
    "Raise the weight scale of that channel (a lower limit on scales does it), or keep the bias in float.",
    "A bias of 2147483647 fires it; 2147483000 does not.",
};

// Quantizers clamp to the largest int32, or to the largest float32 below it (2^31 - 128), and to its negative.
constexpr int64_t kLimit = (int64_t{1} << 31) - 128;

bool AtLimit(int64_t stored) { return stored >= kLimit || stored <= -kLimit; }

void Check(const CheckContext& context, FindingSink& sink) {
  for (const QuantizedBias& bias : context.Once(QuantizedBiases)) {
    if (bias.bias->type != v1::DATA_TYPE_INT32) continue;
    const int32_t value = bias.bias->value;
    if (value < 0 || !context.graph().is_constant(value)) continue;
    const v1::Constant& constant = context.graph().value(value).constant();
    int64_t index = -1;
    int64_t stored = 0;
    for (int i = 0; i < constant.ints_size() && index < 0; ++i) {
      if (AtLimit(constant.ints(i))) {
        index = i;
        stored = constant.ints(i);
      }
    }
    if (index < 0 && constant.has_statistics()) {
      const v1::Statistics& statistics = constant.statistics();
      if (statistics.max() >= kLimit) {
        index = statistics.max_index();
        stored = static_cast<int64_t>(statistics.max());
      } else if (statistics.min() <= -kLimit) {
        index = statistics.min_index();
        stored = static_cast<int64_t>(statistics.min());
      }
    }
    if (index < 0) continue;
    Place place = bias.place;
    place.index = index;
    sink.Add(kInfo, place, absl::StrCat(stored, ", at the limit of int32"),
             absl::StrCat("less than ", kLimit, " in magnitude"));
  }
}

}  // namespace

Rule BiasSaturation() { return {&kInfo, &Check}; }

}  // namespace quantgate
