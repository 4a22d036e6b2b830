// Whose numbers are not known before calibration: that two tensors will have the same ones is known all the same where
// one observer finds both.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_ONE_OBSERVER_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_ONE_OBSERVER_H_

#include "rules/constraints/backend_op.h"
#include "rules/engine/context.h"
#include "rules/graph/resolve.h"

namespace quantgate::qnn_htp {

// Of two tensors of an operator that is emitted for `op`: whether one observer finds the numbers of both. Unknown: of
// one of them nothing is observed, or the graph is no annotated one.
Tri HaveOneObserver(const CheckContext& context, const ResolvedOp& op, const BackendTensor& a, const BackendTensor& b);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_ONE_OBSERVER_H_
