// Operators that ONNX Runtime's provider asks for and the tables have no rows for: an emission without tensors.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_UNLISTED_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_UNLISTED_H_

#include <string>

#include "rules/constraints/backend_op.h"
#include "rules/engine/module.h"

namespace quantgate::qnn_htp {

// What became of the graphs that had one, on SoCs of V68, V69, V73, V75, V79 and V81, with floats and without.
enum class Unlisted { kPrepared, kNotPrepared, kNotAsked };

Unlisted FateOfUnlisted(const BackendOp& op, const Target& target);

// Why it is not prepared: the kernels that are not there.
std::string MissingKernels(const Target& target);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_UNLISTED_H_
