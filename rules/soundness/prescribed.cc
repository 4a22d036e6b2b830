#include "rules/soundness/prescribed.h"

#include "rules/graph/data_type.h"
#include "rules/graph/observers.h"

namespace quantgate {

bool IsPrescribed(const CheckContext& context, const v1::Spec& spec) {
  if (spec.qparams().scales_size() != 1) return false;
  if (spec.kind() != v1::Spec::PLAIN) return spec.kind() == v1::Spec::FIXED;
  return context.stage() == v1::STAGE_ANNOTATED || HasFixedNumbers(context.graph().symbol(spec.observer()));
}

Held HeldWith(double scale, double zero_point, int64_t quant_min, int64_t quant_max) {
  return {scale * (static_cast<double>(quant_min) - zero_point), scale * (static_cast<double>(quant_max) - zero_point),
          scale, zero_point};
}

std::optional<Held> HeldBy(const v1::Spec& spec) {
  if (!IsInteger(spec.dtype()) || spec.qparams().scales_size() != 1) return std::nullopt;
  const double scale = spec.qparams().scales(0);
  if (!(scale > 0)) return std::nullopt;
  const double zero_point = spec.qparams().zero_points().empty() ? 0 : spec.qparams().zero_points(0);
  const int64_t quant_min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
  const int64_t quant_max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
  return HeldWith(scale, zero_point, quant_min, quant_max);
}

bool Covers(const Held& held, double low, double high) {
  const double slack = 1.5 * held.step;
  return low >= held.low - slack && high <= held.high + slack;
}

}  // namespace quantgate
