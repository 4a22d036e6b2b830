// From ATen to the XNNPACK operators that ExecuTorch's partitioner and visitors make of it. ATen's layout is kept: it
// is the one in which the tables state axes.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_LOWERING_H_

#include "absl/strings/string_view.h"
#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/engine/context.h"

namespace quantgate::xnnpack {

// What is computed inside the operator in front of it (batch norm, activation) is folded.
Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission);

// The partitioner takes the operator in float only, whatever is around it.
bool IsFloatOnly(absl::string_view name);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_LOWERING_H_
