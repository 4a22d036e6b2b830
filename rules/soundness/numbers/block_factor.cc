#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/described.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBlockFactor = {
    "NR006",
    "block-factor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: the factor of a block is {observed}; expected {allowed}",
    "Low-power block quantization multiplies the scale of a channel with a small integer for each block, and hardware "
    "keeps that integer in a few bits. Zero makes a block vanish; fractions and larger ones cannot be kept, and are "
    "cut off without a word.",
    "Compute the factors again as round(block scale / channel scale), from 1 up to what their bits hold.",
    "A factor of 17 under four bits fires it; 1 to 16 do not.",
};

constexpr int32_t kMaxBits = 16;

void CheckBlockFactor(const CheckContext& context, FindingSink& sink) {
  for (const Described& described : context.Once(DescribedTensors)) {
    const absl::Span<const double> factors = described.params->block_scales;
    if (factors.empty() || described.operand->spec < 0) continue;
    const int32_t bits = context.graph().message().specs(described.operand->spec).qparams().block_scale_bits();
    if (bits < 1 || bits > kMaxBits) continue;
    const double largest = std::ldexp(1.0, bits);
    for (size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] >= 1 && factors[i] <= largest && factors[i] == std::trunc(factors[i])) continue;
      Place place = described.place;
      place.index = static_cast<int64_t>(i);
      sink.Add(kBlockFactor, place, FormatNumber(factors[i]),
               absl::StrCat("an integer from 1 to ", FormatNumber(largest)));
      break;
    }
  }
}

}  // namespace

Rule BlockFactor() { return {&kBlockFactor, &CheckBlockFactor}; }

}  // namespace quantgate
