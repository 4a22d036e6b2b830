// Weights that become blocks of a MatMulNBits, in the body of a control-flow node: the optimizer looks for them there
// alone.
#ifndef QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OUTER_WEIGHT_H_
#define QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OUTER_WEIGHT_H_

#include <cstdint>
#include <vector>

#include "quantgate/v1/types.pb.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::onnxruntime {

extern const RuleInfo kOuterWeight;     // GS511
extern const RuleInfo kOuterZeroPoint;  // GS512

// Of a DequantizeLinear as it is written; `types` by value. True: the session is not made.
bool CheckOuterWeight(const CheckContext& context, const std::vector<v1::DataType>& types, int32_t dequantize,
                      const FindingSource& source, FindingSink& sink);

}  // namespace quantgate::onnxruntime

#endif  // QUANTGATE_RULES_BACKENDS_ONNXRUNTIME_OUTER_WEIGHT_H_
