// Between which numbers tensors surely lie, as far as operators and constants tell.
#ifndef QUANTGATE_RULES_VALUES_BOUNDS_H_
#define QUANTGATE_RULES_VALUES_BOUNDS_H_

#include <limits>
#include <vector>

#include "rules/engine/context.h"

namespace quantgate {

struct Bounds {
  // False: nothing is known, as of an input of the model. An infinite end of what is known: nothing bounds the tensor
  // there, as behind a convolution.
  bool known = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // Whether the ends are those of one operator or constant, which tensors reach. Of a sum or product of two tensors
  // they are only limits: it may stay far from both.
  bool reached = false;
};

// What the operator's output lies in, whatever its input. Not known: it depends on the input, or no rule asks.
Bounds OutputBounds(OpId op);

// By value. Linear.
std::vector<Bounds> BoundsOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_VALUES_BOUNDS_H_
