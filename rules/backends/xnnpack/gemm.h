// Convolutions and linear layers as ExecuTorch's partitioner reads them: with the Dequantize in front of each input and
// the Quantize behind, whatever else is quantized around them. A layer with quantized weights is taken as a whole or
// not at all, where other nodes are taken in float between a Dequantize and a Quantize of their own.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_GEMM_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_GEMM_H_

#include <cstdint>

#include "rules/engine/context.h"
#include "rules/graph/resolve.h"
#include "rules/operators/op_id.h"

namespace quantgate::xnnpack {

bool IsGemm(OpId id);

// Null: the node is none.
const ResolvedOp* GemmAt(const CheckContext& context, int32_t node);
bool HasQuantizedWeight(const CheckContext& context, int32_t node);

// A GEMM on integers whose parameters are known beforehand: it has its bias in integers too.
bool ComputesOnIntegers(const CheckContext& context, int32_t node);

// It has a bias that is no constant, which the partitioner does not take.
bool HasComputedBias(const CheckContext& context, const ResolvedOp& op);

// Whether a Quantize or Dequantize with parameters from run time, or what computes these, is there for a GEMM.
bool IsForGemm(const CheckContext& context, int32_t node);

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_GEMM_H_
