// Numbers that a spec prescribes, and the range that they hold.
#ifndef QUANTGATE_RULES_SOUNDNESS_PRESCRIBED_H_
#define QUANTGATE_RULES_SOUNDNESS_PRESCRIBED_H_

#include <cstdint>
#include <optional>

#include "quantgate/v1/spec.pb.h"
#include "rules/engine/context.h"

namespace quantgate {

// One scale, by the spec or its observer, not by what calibration saw: a model may stay within a part of the range.
bool IsPrescribed(const CheckContext& context, const v1::Spec& spec);

// The real numbers from the smallest to the largest stored one, and the distance between two.
struct Held {
  double low;
  double high;
  double step;
  double zero_point;
};

Held HeldWith(double scale, double zero_point, int64_t quant_min, int64_t quant_max);

// Of integers with one scale above zero; none: the spec states another form.
std::optional<Held> HeldBy(const v1::Spec& spec);

// Whether all numbers between `low` and `high` are held. The last step at either end is the price of a power of two for
// a scale.
bool Covers(const Held& held, double low, double high);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_PRESCRIBED_H_
