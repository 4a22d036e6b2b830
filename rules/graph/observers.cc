#include "rules/graph/observers.h"

#include <cstdint>

#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// -128..127 and its like are even enough.
constexpr int64_t kUneven = 2;

}  // namespace

bool HoldsNegatives(const v1::Spec& spec) {
  const bool symmetric =
      spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC || spec.qscheme() == v1::Spec::PER_CHANNEL_SYMMETRIC;
  // Observers of blocks have rules of their own; prescribed and derived numbers are not observed.
  if (spec.kind() != v1::Spec::PLAIN || !symmetric || spec.block_size_size() > 0) return true;
  if (!IsInteger(spec.dtype()) || spec.dtype() == v1::DATA_TYPE_UINT8 || spec.dtype() == v1::DATA_TYPE_UINT16) {
    return true;
  }
  const int64_t min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
  const int64_t max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
  // Known numbers were observed, or chosen for what was.
  for (double zero_point : spec.qparams().zero_points()) {
    if (zero_point != 0) return true;
  }
  return min < 0 && (max <= kUneven || min <= kUneven - max);
}

}  // namespace quantgate
