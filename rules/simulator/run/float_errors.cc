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

// Sums go into eight parts, element i into part i % 8, whatever a vector holds: the same numbers on every processor.
constexpr size_t kParts = 8;
constexpr size_t kVectors = kParts / hn::MaxLanes(Doubles());
struct Parts {
  alignas(64) double of[kParts] = {};

  HWY_INLINE void Add(size_t vector, hn::Vec<Doubles> x) {
    double* const part = of + vector * hn::MaxLanes(Doubles());
    hn::Store(hn::Add(hn::Load(Doubles(), part), x), Doubles(), part);
  }
  double Sum() const {
    double sum = 0;
    for (const double part : of) sum += part;
    return sum;
  }
};

void AddErrorsImpl(absl::Span<const float> reference, absl::Span<const float> result, double scale, Errors& errors) {
  const Doubles d;
  const size_t lanes = hn::MaxLanes(d), size = reference.size();
  const auto by = hn::Set(d, scale), one = hn::Set(d, 1.0);
  auto largest = hn::Zero(d), counted = largest;
  Parts sum;
  size_t i = 0;
  for (; i + kParts <= size; i += kParts) {
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = i + v * lanes;
      const auto error = hn::Div(hn::Abs(hn::Sub(Load(&reference[at]), Load(&result[at]))), by);
      const auto finite = IsFinite(error);
      const auto known = hn::IfThenElseZero(finite, error);
      largest = hn::Max(largest, known);
      counted = hn::Add(counted, hn::IfThenElseZero(finite, one));
      sum.Add(v, known);
    }
  }
  errors.largest = std::max(errors.largest, hn::GetLane(hn::MaxOfLanes(d, largest)));
  errors.counted += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d, counted)));
  for (; i < size; ++i) {
    const double error = std::fabs(static_cast<double>(reference[i]) - result[i]) / scale;
    if (!std::isfinite(error)) continue;
    errors.largest = std::max(errors.largest, error);
    sum.of[i % kParts] += error;
    ++errors.counted;
  }
  errors.sum += sum.Sum();
}

Powers PowersOfImpl(absl::Span<const float> reference, absl::Span<const float> result) {
  const size_t lanes = hn::MaxLanes(Doubles()), size = reference.size();
  Parts signal, noise;
  size_t i = 0;
  for (; i + kParts <= size; i += kParts) {
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t at = i + v * lanes;
      const auto x = Load(&reference[at]), difference = hn::Sub(x, Load(&result[at]));
      // Where the reference is not finite, no difference is.
      const auto finite = IsFinite(difference);
      signal.Add(v, hn::IfThenElseZero(finite, hn::Mul(x, x)));
      noise.Add(v, hn::IfThenElseZero(finite, hn::Mul(difference, difference)));
    }
  }
  for (; i < size; ++i) {
    const double x = reference[i], difference = x - result[i];
    if (!std::isfinite(difference)) continue;
    signal.of[i % kParts] += x * x;
    noise.of[i % kParts] += difference * difference;
  }
  return {signal.Sum(), noise.Sum()};
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
