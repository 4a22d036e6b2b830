// Sizes of the operators that select boxes.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DETECTION_SHAPES_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DETECTION_SHAPES_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

// Boxes, scores and what is made of them: NonMaxSuppression, MultiClassNms, RoiAlign. Adds a finding for sizes that do
// not go together. As the library of SDK 2.51.0 asks for them (its messages name the sizes it expects).
void CheckDetectionShapes(const BackendOp& op, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_DETECTION_SHAPES_H_
