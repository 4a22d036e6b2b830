#include "rules/simulator/float/relu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/simulator/float/relu.cc"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace quantgate::simulator::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void ReluImpl(absl::Span<float> values) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    const auto x = hn::LoadU(d, &values[i]);
    hn::StoreU(hn::IfThenElse(hn::Lt(x, zero), zero, x), d, &values[i]);
  }
  for (; i < values.size(); ++i) values[i] = values[i] < 0 ? 0.0f : values[i];
}

}  // namespace quantgate::simulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantgate::simulator {

HWY_EXPORT(ReluImpl);

void Relu(absl::Span<float> values) { HWY_DYNAMIC_DISPATCH(ReluImpl)(values); }

}  // namespace quantgate::simulator
#endif  // HWY_ONCE
