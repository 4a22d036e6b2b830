#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/soundness/bias.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBiasOverflow = {
    "NR004",
    "bias-overflow",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject}: {observed}; expected {allowed}",
    "A bias is stored as round(bias / (input scale x weight scale)). With two 16-bit scales that product is so "
    "small that an ordinary bias does not fit int32. Tools cut it off at the end of the type without a word, "
    "and every output of the channel is off by what was cut.",
    "Raise the weight scales (a larger eps of the observer does it), use 8-bit weights, or keep the bias in "
    "float.",
    "A bias of 0.5 at a scale of 1e-11 fires it; at a scale of 1e-6 it does not.",
};

constexpr double kLargestBias = 2147483647.5;  // what rounds to the largest int32
// A scale that was chosen so that the bias just fits is a float, and so is the bias: up to 128 steps of 2^31 are the
// rounding of each.
constexpr double kRounding = 1.0 / (1 << 23);

// Scale of a channel: its own where it is known, else that of input x weight.
double ScaleOf(const QuantizedBias& bias, size_t channel) {
  const auto at = [channel](const RealView& scales) {
    return scales.size() == 1 ? scales[0] : channel < scales.size() ? scales[channel] : 0.0;
  };
  if (!bias.params->scales.empty()) return at(bias.params->scales);
  if (bias.input == nullptr || bias.weight == nullptr || bias.weight->blocked()) return 0.0;
  return at(bias.input->scales) * at(bias.weight->scales);
}

void CheckBias(const Graph& graph, const QuantizedBias& bias, FindingSink& sink) {
  const int32_t value = bias.bias->value;
  if (value < 0 || !graph.is_constant(value) || !IsFloat(graph.dtype(value))) return;
  const v1::Constant& constant = graph.value(value).constant();
  int64_t over = 0;
  Place place = bias.place;
  double worst = 0;
  const auto look = [&](double number, size_t channel) {
    const double scale = ScaleOf(bias, channel);
    if (!(scale > 0) || std::fabs(number) / scale <= kLargestBias * (1 + kRounding)) return;
    ++over;
    if (std::fabs(number) / scale <= worst) return;
    worst = std::fabs(number) / scale;
    place.index = static_cast<int64_t>(channel);
  };
  const RealView reals = RealsOf(graph.value(value));
  for (size_t i = 0; i < reals.size(); ++i) look(reals[i], i);
  // Which channel has the extreme is not known; the largest scale is the kindest.
  if (reals.empty() && constant.has_statistics()) {
    const v1::Statistics& statistics = constant.statistics();
    const size_t channels = std::max(bias.params->scales.size(), bias.weight ? bias.weight->scales.size() : size_t{0});
    double kindest = 0;
    size_t at = 0;
    for (size_t i = 0; i < channels; ++i) {
      if (ScaleOf(bias, i) <= kindest) continue;
      kindest = ScaleOf(bias, i);
      at = i;
    }
    look(std::max(std::fabs(statistics.min()), std::fabs(statistics.max())), at);
    place.index = -1;
  }
  if (over == 0) return;
  sink.Add(kBiasOverflow, place,
           absl::StrCat(over == 1 ? std::string("a bias") : absl::StrCat(over, " biases"), " of up to ",
                        FormatNumber(worst), " steps, ", FormatNumber(worst / kLargestBias), " times the range"),
           "at most 2147483647 steps, what int32 holds");
}

void CheckBiasOverflow(const CheckContext& context, FindingSink& sink) {
  for (const QuantizedBias& bias : context.Once(QuantizedBiases)) CheckBias(context.graph(), bias, sink);
}

}  // namespace

Rule BiasOverflow() { return {&kBiasOverflow, &CheckBiasOverflow}; }

}  // namespace quantgate
