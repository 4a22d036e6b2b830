// a * b + c with one rounding, in vectors, on every processor the same. Included once for each target of a file
// (Highway), hence no ordinary include guard.
#if defined(QUANTGATE_RULES_SIMULATOR_FLOAT_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTGATE_RULES_SIMULATOR_FLOAT_FUSED_INL_H_
#undef QUANTGATE_RULES_SIMULATOR_FLOAT_FUSED_INL_H_
#else
#define QUANTGATE_RULES_SIMULATOR_FLOAT_FUSED_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {

// Where vectors have no such instruction (before AVX2) it is one element at a time, and slow.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V Fused(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hwy::HWY_NAMESPACE::MulAdd(a, b, c);
#else
  constexpr size_t kLanes = hwy::HWY_NAMESPACE::MaxLanes(D());
  alignas(64) float x[kLanes], y[kLanes], z[kLanes];
  hwy::HWY_NAMESPACE::Store(a, d, x);
  hwy::HWY_NAMESPACE::Store(b, d, y);
  hwy::HWY_NAMESPACE::Store(c, d, z);
  for (size_t i = 0; i < kLanes; ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hwy::HWY_NAMESPACE::Load(d, z);
#endif
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
