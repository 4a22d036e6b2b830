// The shape that the vendor's library computes for the first output of an operator.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OUTPUT_SHAPE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OUTPUT_SHAPE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "rules/constraints/backend_op.h"

namespace quantgate::qnn_htp {

// Of operators that rearrange or pool in[0], by its sizes and the parameters. nullopt: another operator, or something
// is not known or makes no sense (which others say).
std::optional<std::vector<int64_t>> OutputShape(const BackendOp& op);

// Element of a parameter's list; `otherwise` where the parameter is not given or shorter.
int64_t ParamElement(const BackendOp& op, absl::string_view name, size_t index, int64_t otherwise);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_OUTPUT_SHAPE_H_
