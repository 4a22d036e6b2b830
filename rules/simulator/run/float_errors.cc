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

constexpr size_t kLanes = hn::MaxLanes(Doubles());
constexpr size_t kVectors = PartialSum::kParts / kLanes;

HWY_INLINE hn::Vec<Doubles> Load(const float* from) { return hn::PromoteTo(Doubles(), hn::LoadU(Halves(), from)); }

// A partial sum in registers. CMakeLists.txt keeps compilers from fusing products and sums.
struct Running {
  hn::Vec<Doubles> of[kVectors];

  HWY_INLINE explicit Running(const PartialSum& sum) {
    for (size_t v = 0; v < kVectors; ++v) of[v] = hn::Load(Doubles(), sum.of + v * kLanes);
  }
  HWY_INLINE void Add(size_t vector, hn::Vec<Doubles> x) { of[vector] = hn::Add(of[vector], x); }
  HWY_INLINE void Store(PartialSum& sum) const {
    for (size_t v = 0; v < kVectors; ++v) hn::Store(of[v], Doubles(), sum.of + v * kLanes);
  }
};

// `kChecked`: differences may be other than finite. Without, they make sums that are not, and nothing else.
template <bool kPowers, bool kErrors, bool kChecked>
HWY_INLINE void AddVectors(const float* reference, const float* result, size_t size, Powers& powers, Errors& errors) {
  const Doubles d;
  Running signal(powers.signal), noise(powers.noise), sum(errors.sum);
  auto largest = hn::Set(d, errors.largest), counted = hn::Zero(d);
  for (size_t i = 0; i < size; i += PartialSum::kParts) {
    for (size_t v = 0; v < kVectors; ++v) {
      auto x = Load(reference + i + v * kLanes), difference = hn::Sub(x, Load(result + i + v * kLanes));
      if constexpr (kChecked) {
        // x - x is 0 where x is finite, and not a number elsewhere. Where the reference is not, no difference is.
        const auto finite = hn::Eq(hn::Sub(difference, difference), hn::Zero(d));
        x = hn::IfThenElseZero(finite, x);
        difference = hn::IfThenElseZero(finite, difference);
        counted = hn::Add(counted, hn::IfThenElseZero(finite, hn::Set(d, 1.0)));
      }
      if constexpr (kPowers) {
        signal.Add(v, hn::Mul(x, x));
        noise.Add(v, hn::Mul(difference, difference));
      }
      if constexpr (kErrors) {
        const auto error = hn::Abs(difference);
        largest = hn::Max(largest, error);
        sum.Add(v, error);
      }
    }
  }
  if constexpr (kPowers) {
    signal.Store(powers.signal);
    noise.Store(powers.noise);
  }
  if constexpr (kErrors) {
    sum.Store(errors.sum);
    errors.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
    errors.counted += static_cast<int64_t>(kChecked ? hn::GetLane(hn::SumOfLanes(d, counted)) : size);
  }
}

template <bool kPowers, bool kErrors>
void Add(absl::Span<const float> reference, absl::Span<const float> result, Powers& powers, Errors& errors) {
  const size_t size = reference.size(), whole = size / PartialSum::kParts * PartialSum::kParts;
  const Powers powers_before = powers;
  const Errors errors_before = errors;
  AddVectors<kPowers, kErrors, false>(reference.data(), result.data(), whole, powers, errors);
  if (!std::isfinite(kPowers ? powers.noise.Total() : errors.sum.Total())) {
    powers = powers_before;
    errors = errors_before;
    AddVectors<kPowers, kErrors, true>(reference.data(), result.data(), whole, powers, errors);
  }
  for (size_t i = whole; i < size; ++i) {
    const size_t part = i - whole;
    const double x = reference[i], difference = x - result[i];
    if (!std::isfinite(difference)) continue;
    powers.signal.of[part] += x * x;
    powers.noise.of[part] += difference * difference;
    errors.sum.of[part] += std::fabs(difference);
    errors.largest = std::max(errors.largest, std::fabs(difference));
    ++errors.counted;
  }
}

void AddBothImpl(absl::Span<const float> reference, absl::Span<const float> result, Powers& powers, Errors& errors) {
  Add<true, true>(reference, result, powers, errors);
}
void AddPowersImpl(absl::Span<const float> reference, absl::Span<const float> result, Powers& powers) {
  Errors unasked;
  Add<true, false>(reference, result, powers, unasked);
}
void AddErrorsImpl(absl::Span<const float> reference, absl::Span<const float> result, Errors& errors) {
  Powers unasked;
  Add<false, true>(reference, result, unasked, errors);
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(AddBothImpl);
HWY_EXPORT(AddPowersImpl);
HWY_EXPORT(AddErrorsImpl);

void AddDifferences(absl::Span<const float> reference, absl::Span<const float> result, Powers* powers, Errors* errors) {
  if (powers != nullptr && errors != nullptr) {
    HWY_DYNAMIC_DISPATCH(AddBothImpl)(reference, result, *powers, *errors);
  } else if (powers != nullptr) {
    HWY_DYNAMIC_DISPATCH(AddPowersImpl)(reference, result, *powers);
  } else {
    HWY_DYNAMIC_DISPATCH(AddErrorsImpl)(reference, result, *errors);
  }
}

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
