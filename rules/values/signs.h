// Which tensors go below zero, as far as operators and constants tell.
#ifndef QUANTGATE_RULES_VALUES_SIGNS_H_
#define QUANTGATE_RULES_VALUES_SIGNS_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate {

// In the order in which an operator's output inherits them: what one operand may be, a sum may be.
enum class Sign : uint8_t {
  kNotNegative,  // behind a relu, a softmax, a square, …
  kUnknown,      // an input of the model, and what moves or bends it
  kBoth,         // a sum of products with weights of both signs, a normalization, a difference, …
};

// By value. Linear.
std::vector<Sign> SignsOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_SIGNS_H_
