// What ExecuTorch's own builders cannot do, before any backend is asked.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEFECTS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEFECTS_H_

#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {

extern const RuleInfo kMaxPoolStride;     // EN202
extern const RuleInfo kTwoBitPerTensor;   // EN203
extern const RuleInfo kReplicationPad;    // EN209
extern const RuleInfo kScaleOfElu;        // EN210
extern const RuleInfo kUnevenMaxPool;     // EN211
extern const RuleInfo kQuantizedInteger;  // EN220
extern const RuleInfo kNeverLowered;      // EN222
extern const RuleInfo kComplexNumbers;    // EN223
extern const RuleInfo kReturnedIntegers;  // EN238

// Whether ExecuTorch's builder raises on the node itself; said as EN202, EN209 or EN223.
bool FindRaisingBuilder(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether the export ends before any builder, at a Quantize of integers; said as EN220.
bool FindQuantizedInteger(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether it matters who reads the results of the node: several, of int64.
bool SortsLongIntegers(const Graph& graph, int32_t node);
// Whether a pass ends over its results, before any node is asked about; said as EN238.
bool FindReturnedIntegers(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether one of ExecuTorch's passes ends over what PyTorch takes the node apart into; said as EN222.
bool FindNeverLowered(const CheckContext& context, const Target& target, const ResolvedOp& op, FindingSink& sink);
// Whether a pass ends over the parts before any node is asked about; said as EN222.
bool FindUsedBeforeDefined(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// Whether it is refused, and the Dequantize of its filter left as a delegate that is not built; said as EN222.
bool FindUnbatchedConvolution(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// What a builder makes another function of; said as EN210 or EN211.
void FindOtherFunction(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
// ExecuTorch asks about the nodes from the last one to the first; an exception ends that. One in a pass before is why
// it asks about none.
void MarkUnreached(const CheckContext& context, ModuleResult& result);
void CheckTwoBitPerTensor(const BackendOp& op, const Target& target, OpReport& report);

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_EXECUTORCH_DEFECTS_H_
