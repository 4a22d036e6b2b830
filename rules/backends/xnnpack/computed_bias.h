// A bias that no constant holds, of a layer on integers.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_COMPUTED_BIAS_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_COMPUTED_BIAS_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate::xnnpack {

// The partitioner leaves the layer to the CPU and takes the conversions around it all the same. Run, most such programs
// computed other numbers than the model or did not load; those of attention computed the same. What tells them apart is
// not known, and noted so.
void NoteComputedBias(const CheckContext& context, FindingSink& sink);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_COMPUTED_BIAS_H_
