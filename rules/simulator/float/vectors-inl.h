// What float kernels need beside Highway's operations. Included once for each target of a file, hence no ordinary
// include guard.
#if defined(QUANTGATE_RULES_SIMULATOR_FLOAT_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTGATE_RULES_SIMULATOR_FLOAT_VECTORS_INL_H_
#undef QUANTGATE_RULES_SIMULATOR_FLOAT_VECTORS_INL_H_
#else
#define QUANTGATE_RULES_SIMULATOR_FLOAT_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {

// a * b + c with one rounding, the same on every processor. Where vectors have no such instruction (before AVX2) it is
// one element at a time, and slow.
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

// What is below 0 becomes 0. What is not a number stays.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V Rectified(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
}

// The first `count` elements of a vector, or all of it; no other element is read or written.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V LoadSome(D d, const float* from, int64_t count) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
  if (count >= kLanes) return hn::LoadU(d, from);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // what is masked out is not touched
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
#else
  alignas(64) float some[kLanes] = {};
  std::memcpy(some, from, static_cast<size_t>(count) * sizeof(float));
  return hn::Load(d, some);
#endif
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void StoreSome(D d, V x, int64_t count, float* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
  if (count >= kLanes) {
    hn::StoreU(x, d, to);
    return;
  }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  hn::BlendedStore(x, hn::FirstN(d, static_cast<size_t>(count)), d, to);
#else
  alignas(64) float some[kLanes];
  hn::Store(x, d, some);
  std::memcpy(to, some, static_cast<size_t>(count) * sizeof(float));
#endif
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
