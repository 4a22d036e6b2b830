// From any origin's operator to the QNN operators that a toolchain emits for it: names, port order, layout, types and
// parameters as QNN has them. Shared by all QNN backends; nothing here knows what a backend accepts.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "rules/backends/emission.h"
#include "rules/backends/lowering.h"
#include "rules/backends/node_view.h"
#include "rules/engine/context.h"

namespace quantgate::qnn {

// Appends to `emission` what `op` becomes. Does not see whether values are folded away (rules/backends/folding.h).
Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission);

// Whether a pool's maxima are read with their places in ATen; ExecuTorch's builders have no output for them.
bool ReadsPlaces(const NodeView& view);

// Whether it also depends on which results are read, or on what the source calls: another that is alike may become
// something else.
bool DependsOnReaders(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_
