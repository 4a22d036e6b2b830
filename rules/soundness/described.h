// Every set of quantization parameters of a graph, wherever it is stated: Quantize and Dequantize nodes, integer
// operators, specs. Rules about parameters walk this list, so that none forgets a form.
#ifndef QUANTGATE_RULES_SOUNDNESS_DESCRIBED_H_
#define QUANTGATE_RULES_SOUNDNESS_DESCRIBED_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

namespace quantgate {

struct Described {
  Place place;
  const Operand* operand = nullptr;
  const QuantParams* params = nullptr;  // never null
  // Tensor whose shape the parameters must fit; -1: none.
  int32_t tensor = -1;
  // Where scales and zero points come from in the file; -1: they are in a spec or a parameter.
  int32_t scale = -1;
  int32_t zero_point = -1;
  bool integer_operator = false;
};

// In node order, then tensors that no node reads or writes. Left out: a Dequantize that repeats the tensors of the
// Quantize it reads (one place, one entry), and operands whose spec has no numbers, a range that the type has, and axes
// that the tensor has. What an encodings file says of a tensor is there once, however many nodes read it.
std::vector<Described> DescribedTensors(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_SOUNDNESS_DESCRIBED_H_
