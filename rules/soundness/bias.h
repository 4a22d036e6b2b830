// Biases of accumulating operators, with the input and weight that their scale follows from.
#ifndef QUANTGATE_RULES_SOUNDNESS_BIAS_H_
#define QUANTGATE_RULES_SOUNDNESS_BIAS_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

struct QuantizedBias {
  Place place;
  const Operand* bias = nullptr;
  const QuantParams* params = nullptr;  // of the bias; never null
  const QuantParams* input = nullptr;   // null: not quantized or not known
  const QuantParams* weight = nullptr;  // null: the same, or one of several
  double factor = 1;                    // of input scale x weight scale: alpha / beta of a Gemm
  double beta = 1;                      // of a Gemm
};

// Biases that are quantized, int32 or (beside 16-bit activations in LiteRT) int64, in node order. Also of an operator
// with a Relu or a clip between it and a Quantize that clamps as well: runtimes fold those, and it computes in
// integers.
std::vector<QuantizedBias> QuantizedBiases(const CheckContext& context);

// An input as it is stored: in front of a Dequantize, where that is read in float. Null: it is stored in float.
const Operand* StoredOperand(const CheckContext& context, const Operand& input);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_BIAS_H_
