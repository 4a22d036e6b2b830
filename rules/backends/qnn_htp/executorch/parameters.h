// Parameters of an operator that ExecuTorch 1.5.1 needs as constants of the model, on their way to HTP.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARAMETERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARAMETERS_H_

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kComputedParameter;  // EN221
extern const RuleInfo kComputedScales;     // EN232
extern const RuleInfo kTableToFloats;      // EN234
extern const RuleInfo kBiasOfInput;        // EN235

// Whether the builder raises over a parameter that is computed; said as EN221.
bool FindComputedParameter(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether the builder raises over an embedding whose table has several scales and whose output none; said as EN234.
bool FindTableToFloats(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether a pass ends over what is computed and has several scales, before any node is asked about; said as EN232.
bool FindComputedScales(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether a bias is quantized where it enters the model, which is delegated and not prepared; said as EN235.
bool FindBiasOfInput(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_PARAMETERS_H_
