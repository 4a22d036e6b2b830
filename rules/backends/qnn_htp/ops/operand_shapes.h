// What the shapes of an operator's inputs, and its parameters, must have in common.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OPERAND_SHAPES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OPERAND_SHAPES_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

// All sizes are known, and there are some.
inline bool KnownSizes(absl::Span<const int64_t> dims) {
  return !dims.empty() && std::all_of(dims.begin(), dims.end(), [](int64_t size) { return size >= 0; });
}

// Part of inferred-shape: reports the first thing that does not go together. False: ranks are wrong, so that nothing
// more can be said of sizes.
bool CheckOperandShapes(const BackendOp& op, OpReport& report);
// Of a ScatterElements alone: as many updates as indices.
void CheckElementUpdates(const BackendOp& op, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OPERAND_SHAPES_H_
