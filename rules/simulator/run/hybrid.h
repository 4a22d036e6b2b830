// LiteRT's hybrid kernels: real numbers times integer weights. They quantize the former as the graph runs, each row or
// image by its own range, and multiply integers.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_HYBRID_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_HYBRID_H_

#include <optional>

#include "rules/simulator/profile.h"
#include "rules/simulator/run/lowering.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

bool IsHybrid(const NodeReader& node);

// What the kernel has of the input `x` after it has quantized it, as real numbers. None: the node is no hybrid one, or
// of a form that is not computed.
std::optional<Tensor> HybridInput(const Profile& profile, const NodeReader& node, const QTensor& x,
                                  const QTensor& weight);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_HYBRID_H_
