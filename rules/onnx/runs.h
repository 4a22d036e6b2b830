// Whether the nodes of a body of control flow are run at all, as far as shapes and constants say it.
#ifndef QUANTGATE_RULES_ONNX_RUNS_H_
#define QUANTGATE_RULES_ONNX_RUNS_H_

#include <cstdint>

#include "rules/engine/context.h"

namespace quantgate {

enum class Runs : uint8_t {
  kAlways,   // whenever the model is run, or as good as that: in a loop of unknown length
  kPerhaps,  // in a branch of an If whose condition is not known
  kNever,
};

// The graph of the context; the main graph is always run.
Runs RunsOf(const CheckContext& context);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_RUNS_H_
