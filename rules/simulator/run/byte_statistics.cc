#include "rules/simulator/run/byte_statistics.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/run/byte_statistics.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<float, 16>;
using Integers = hn::RebindToSigned<Reals>;
using Bytes = hn::Rebind<uint8_t, Reals>;
using Real = hn::Vec<Reals>;

constexpr size_t kLanes = hn::MaxLanes(Reals());
// A sum is kept in 16 parts, element i in part i % 16, whatever a vector holds.
constexpr size_t kParts = 16;
constexpr size_t kVectors = kParts / kLanes;

// CMakeLists.txt keeps compilers from fusing products and sums.
struct Parts {
  Real of[kVectors];

  Parts() {
    for (Real& part : of) part = hn::Zero(Reals());
  }
  // The parts in the order of elements, to those of a sum.
  void AddTo(PartialSum& sum) const {
    alignas(64) float parts[kParts];
    for (size_t v = 0; v < kVectors; ++v) hn::Store(of[v], Reals(), parts + v * kLanes);
    for (size_t i = 0; i < kParts; ++i) sum.of[i % PartialSum::kParts] += parts[i];
  }
};

void AddByteDifferencesImpl(absl::Span<const float> reference, const StoredBytes& stored, Powers& powers,
                            Errors& errors) {
  const Reals d;
  const Integers integers;
  const auto flip = hn::Set(Bytes(), stored.is_signed ? 0x80 : 0);
  const auto zero_point = hn::Set(integers, stored.zero_point + (stored.is_signed ? 128 : 0));
  const Real scale = hn::Set(d, stored.scale);
  Parts signal, noise, sum;
  Real largest = hn::Zero(d);
  const auto add = [&](const float* x, const uint8_t* bytes, size_t v) HWY_ATTR {
    const auto q = hn::PromoteTo(integers, hn::Xor(hn::LoadU(Bytes(), bytes), flip));
    const Real real = hn::Mul(hn::ConvertTo(d, hn::Sub(q, zero_point)), scale);
    const Real expected = hn::LoadU(d, x), difference = hn::Sub(expected, real), error = hn::Abs(difference);
    signal.of[v] = hn::Add(signal.of[v], hn::Mul(expected, expected));
    noise.of[v] = hn::Add(noise.of[v], hn::Mul(difference, difference));
    sum.of[v] = hn::Add(sum.of[v], error);
    largest = hn::Max(largest, error);
  };
  const size_t size = reference.size(), whole = size / kParts * kParts;
  for (size_t i = 0; i < whole; i += kParts) {
    for (size_t v = 0; v < kVectors; ++v) add(&reference[i + v * kLanes], &stored.bytes[i + v * kLanes], v);
  }
  if (whole < size) {  // what is not there is what zero is stored as, and zero: no difference
    alignas(64) float x[kParts] = {};
    const uint8_t nothing = static_cast<uint8_t>(stored.zero_point);
    uint8_t bytes[kParts];
    std::fill(bytes, bytes + kParts, nothing);
    std::copy(reference.begin() + whole, reference.end(), x);
    std::copy(stored.bytes.begin() + whole, stored.bytes.end(), bytes);
    for (size_t v = 0; v < kVectors; ++v) add(x + v * kLanes, bytes + v * kLanes, v);
  }
  Powers more;
  Errors more_errors;
  signal.AddTo(more.signal);
  noise.AddTo(more.noise);
  sum.AddTo(more_errors.sum);
  // A signal or a sum that is not finite, or a factor that is none, makes one of these so.
  if (!std::isfinite(more.signal.Total() + more.noise.Total() + more_errors.sum.Total())) {
    float reals[kMostBytesAtOnce];
    for (size_t i = 0; i < size; ++i) {
      const int32_t q = stored.is_signed ? static_cast<int8_t>(stored.bytes[i]) : int32_t{stored.bytes[i]};
      reals[i] = static_cast<float>(q - stored.zero_point) * stored.scale;
    }
    AddDifferences(reference, absl::MakeConstSpan(reals, size), &powers, &errors);
    return;
  }
  for (size_t i = 0; i < PartialSum::kParts; ++i) {
    powers.signal.of[i] += more.signal.of[i];
    powers.noise.of[i] += more.noise.of[i];
    errors.sum.of[i] += more_errors.sum.of[i];
  }
  errors.largest = std::max<double>(errors.largest, hn::GetLane(hn::MaxOfLanes(d, largest)));
  errors.counted += static_cast<int64_t>(size);
}

void CountEndsImpl(absl::Span<const uint8_t> bytes, ByteEnds& ends) {
  const hn::CappedTag<uint8_t, 64> d;
  const size_t lanes = hn::Lanes(d);
  const auto flip = hn::Set(d, ends.flip), zero = hn::Set(d, ends.zero);
  const auto low = hn::Set(d, static_cast<uint8_t>(ends.low ^ ends.flip));
  const auto high = hn::Set(d, static_cast<uint8_t>(ends.high ^ ends.flip));
  size_t i = 0;
  for (; i + lanes <= bytes.size(); i += lanes) {
    const auto x = hn::LoadU(d, &bytes[i]), q = hn::Xor(x, flip);
    ends.saturated += static_cast<int64_t>(hn::CountTrue(d, hn::Eq(hn::Min(q, low), q))) +
                      static_cast<int64_t>(hn::CountTrue(d, hn::Eq(hn::Max(q, high), q)));
    ends.zeros += static_cast<int64_t>(hn::CountTrue(d, hn::Eq(x, zero)));
  }
  for (; i < bytes.size(); ++i) {
    const uint8_t q = bytes[i] ^ ends.flip;
    ends.saturated += (q <= (ends.low ^ ends.flip) ? 1 : 0) + (q >= (ends.high ^ ends.flip) ? 1 : 0);
    ends.zeros += bytes[i] == ends.zero ? 1 : 0;
  }
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(AddByteDifferencesImpl);
HWY_EXPORT(CountEndsImpl);

void AddByteDifferences(absl::Span<const float> reference, const StoredBytes& stored, Powers& powers, Errors& errors) {
  HWY_DYNAMIC_DISPATCH(AddByteDifferencesImpl)(reference, stored, powers, errors);
}

void CountEnds(absl::Span<const uint8_t> bytes, ByteEnds& ends) { HWY_DYNAMIC_DISPATCH(CountEndsImpl)(bytes, ends); }

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
