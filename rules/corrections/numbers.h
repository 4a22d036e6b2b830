// Scales and zero points of a changed spec, where they follow from those that are known.
#ifndef QUANTGATE_RULES_CORRECTIONS_NUMBERS_H_
#define QUANTGATE_RULES_CORRECTIONS_NUMBERS_H_

#include <cstdint>
#include <optional>

#include "quantgate/v1/graph.pb.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate::corrections {

// Of scale `i`: none given stands for 0, one for all.
double ZeroPoint(const v1::QParams& qparams, int i);

// Parameters under which `after` covers what `before` covers in `tensor`, and of a stored bias in fewer bits what it
// holds. A per-channel `before` with as many numbers as the axis of `after` has elements, and not its own, is taken to
// mean that axis. `stored`: the tensor is a constant, whose integers have to go on standing for what they stand for.
// nullopt: `before` has no numbers, or they do not tell (block scales, no numbers that the type has, a count of zero
// points that is not that of the scales, a stored tensor with a count of scales that is not that of its channels, fewer
// bits for a bias of which nothing is known).
std::optional<v1::QParams> Renumbered(const v1::Spec& before, const v1::Spec& after, const v1::Value& tensor,
                                      bool stored);

// Scales of a bias: those of the input times those of the weights, zero point 0. nullopt: one of them is not known, or
// the counts do not go together.
std::optional<v1::QParams> ProductOf(const v1::Spec& input, const v1::Spec& weight, int bias_axis);

// Whether two lists of scales are the same within what float32 keeps.
bool SameScales(const v1::QParams& a, const v1::QParams& b);

}  // namespace quantgate::corrections

#endif  // QUANTGATE_RULES_CORRECTIONS_NUMBERS_H_
