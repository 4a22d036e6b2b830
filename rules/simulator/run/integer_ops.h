// Operators whose integers have parameters that are computed as the graph runs. They need no profile: their results
// are exact, or defined by the operator itself.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_OPS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_OPS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rules/simulator/run/lowering.h"

namespace quantgate::simulator {

bool IsIntegerOp(absl::string_view op_type);

// `inputs`: by position as the origin counts, null where omitted. `exact`: integers; otherwise the same without
// rounding, on reals in the place of integers, as the float reference.
absl::Status RunIntegerOp(const NodeReader& node, absl::Span<const Tensor* const> inputs, const Lowered& lowered,
                          bool exact, absl::Span<Tensor> outputs);

// Whether ONNX Runtime rounds the input of a MatMulNBits to int8 before it multiplies, and what it then stands for.
bool RoundsInput(const NodeReader& node);
absl::StatusOr<Tensor> RoundedInput(const NodeReader& node, const Tensor& x);

// MatMulNBits: the weight (N, K) out of its blocks, as reals. INVALID_ARGUMENT: sizes that do not fit.
absl::StatusOr<Tensor> UnpackedWeight(const NodeReader& node);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_INTEGER_OPS_H_
