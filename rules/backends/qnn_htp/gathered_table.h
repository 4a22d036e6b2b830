// A table with a scale for each row that is converted to one scale and gathered from.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_GATHERED_TABLE_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_GATHERED_TABLE_H_

#include "rules/constraints/backend_op.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate::qnn_htp {

// Whether the library makes one operator of this Convert and the Gather that alone reads it: no matter then that the
// Convert by itself has no kernel.
Tri JoinsGather(const Graph& graph, const BackendOp& op);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_GATHERED_TABLE_H_
