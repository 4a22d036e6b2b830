// Where what is said of ExecuTorch's lowering was seen.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_RUNS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_RUNS_H_

#include "rules/engine/finding.h"

namespace quantgate::qnn_htp {

// Models of the kind were lowered with ExecuTorch 1.5.1.
FindingSource OfTheRuns();

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_RUNS_H_
