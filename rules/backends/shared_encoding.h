// The encoding of a tensor that the annotation leaves open where it is looked at, and states elsewhere.
//
// ExecuTorch folds a Quantize and its Dequantize into the tensor in front of them
// (backends/qualcomm/_passes/annotate_quant_attrs.py): what one annotated node writes or reads quantized is quantized
// for every other node too, and of several readers the first one's encoding stands.
#ifndef QUANTGATE_RULES_BACKENDS_SHARED_ENCODING_H_
#define QUANTGATE_RULES_BACKENDS_SHARED_ENCODING_H_

#include "rules/engine/context.h"

namespace quantgate {

// The operand of the node that quantizes the tensor; null: it is quantized as it is, or for nobody.
const Operand* SharedEncoding(const CheckContext& context, const Operand& operand);

// The operand with the encoding of another one.
Operand EncodedAs(const Operand& operand, const Operand& other);

// Whether ExecuTorch takes the node out beforehand, if it states nothing, between two values that are there.
bool IsIdentity(const ResolvedGraph& resolved, const ResolvedOp& op);

// Whether an operand of the node has one: what holds for the node then does not hold for others that are like it.
bool SharesEncoding(const CheckContext& context, const ResolvedOp& op);

// Whether any node of the graph may have such an operand. False: no operator reads or writes a float tensor that it
// states nothing of.
bool AnySharesEncoding(const CheckContext& context);

// Whether an operand of the node is quantized, by itself or by what another node states.
bool TouchesQuantized(const CheckContext& context, const ResolvedOp& op);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_SHARED_ENCODING_H_
