// What the rules about LiteRT models have in common. Sources: LiteRT's quantization specification and its kernels.
#ifndef QUANTGATE_RULES_SOUNDNESS_TFLITE_H_
#define QUANTGATE_RULES_SOUNDNESS_TFLITE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

bool IsTflite(const CheckContext& context);

// A tensor with its place: output of the node that writes it, or itself alone.
Place PlaceOfValue(const Graph& graph, int32_t value);

// Integers that stand for real numbers where they are data: up to 16 bits. Wider ones count, or are biases.
bool IsStoredType(v1::DataType type);

// Constant filters and matrices of sums of products: CONV_2D, FULLY_CONNECTED and the like.
void ForEachWeight(const CheckContext& context,
                   absl::FunctionRef<void(const ResolvedOp& op, const Operand& weight)> visit);

// What SH007 and FX007 say of one operator of a LiteRT model: for modules that replace these rules and leave some
// operators to LiteRT's kernels all the same.
void CheckSameQParams(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);
void CheckFixedOutput(const CheckContext& context, const ResolvedOp& op, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_TFLITE_H_
