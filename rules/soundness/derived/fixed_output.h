// Output parameters that kernels of LiteRT have built in.
#ifndef QUANTGATE_RULES_SOUNDNESS_DERIVED_FIXED_OUTPUT_H_
#define QUANTGATE_RULES_SOUNDNESS_DERIVED_FIXED_OUTPUT_H_

#include <optional>

#include "rules/engine/context.h"

namespace quantgate {

struct FixedParameters {
  double scale;
  double zero_point;
};

// Of the first output, for the type that it has. nullopt: the operator takes any, or the model is of another origin.
std::optional<FixedParameters> FixedParametersOf(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_DERIVED_FIXED_OUTPUT_H_
