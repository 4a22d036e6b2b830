#include "rules/simulator/run/float_errors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/run/float_errors.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Halves = hn::Rebind<float, Doubles>;

HWY_INLINE hn::Vec<Doubles> Load(const float* from) { return hn::PromoteTo(Doubles(), hn::LoadU(Halves(), from)); }

// x - x is 0 where x is finite, and not a number elsewhere.
template <class V>
HWY_INLINE auto IsFinite(V x) {
  return hn::Eq(hn::Sub(x, x), hn::Zero(Doubles()));
}

void AddErrorsImpl(absl::Span<const float> reference, absl::Span<const float> result, double scale, Errors& errors) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d), size = reference.size();
  const auto by = hn::Set(d, scale), one = hn::Set(d, 1.0);
  auto largest = hn::Zero(d), sum = largest, counted = largest;
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto error = hn::Div(hn::Abs(hn::Sub(Load(&reference[i]), Load(&result[i]))), by);
    const auto finite = IsFinite(error);
    const auto known = hn::IfThenElseZero(finite, error);
    largest = hn::Max(largest, known);
    sum = hn::Add(sum, known);
    counted = hn::Add(counted, hn::IfThenElseZero(finite, one));
  }
  errors.largest = std::max(errors.largest, hn::GetLane(hn::MaxOfLanes(d, largest)));
  errors.sum += hn::GetLane(hn::SumOfLanes(d, sum));
  errors.counted += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d, counted)));
  for (; i < size; ++i) {
    const double error = std::fabs(static_cast<double>(reference[i]) - result[i]) / scale;
    if (!std::isfinite(error)) continue;
    errors.largest = std::max(errors.largest, error);
    errors.sum += error;
    ++errors.counted;
  }
}

Powers PowersOfImpl(absl::Span<const float> reference, absl::Span<const float> result) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d), size = reference.size();
  auto signal = hn::Zero(d), noise = signal;
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const auto x = Load(&reference[i]), difference = hn::Sub(x, Load(&result[i]));
    // Where the reference is not finite, no difference is.
    const auto finite = IsFinite(difference);
    signal = hn::Add(signal, hn::IfThenElseZero(finite, hn::Mul(x, x)));
    noise = hn::Add(noise, hn::IfThenElseZero(finite, hn::Mul(difference, difference)));
  }
  Powers powers{hn::GetLane(hn::SumOfLanes(d, signal)), hn::GetLane(hn::SumOfLanes(d, noise))};
  for (; i < size; ++i) {
    const double x = reference[i], difference = x - result[i];
    if (!std::isfinite(difference)) continue;
    powers.signal += x * x;
    powers.noise += difference * difference;
  }
  return powers;
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(AddErrorsImpl);
HWY_EXPORT(PowersOfImpl);

void AddErrors(absl::Span<const float> reference, absl::Span<const float> result, double scale, Errors& errors) {
  HWY_DYNAMIC_DISPATCH(AddErrorsImpl)(reference, result, scale, errors);
}

Powers PowersOf(absl::Span<const float> reference, absl::Span<const float> result) {
  return HWY_DYNAMIC_DISPATCH(PowersOfImpl)(reference, result);
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
