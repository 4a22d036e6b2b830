// One node on operands that are there: as the profile computes it, and on real numbers.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_OPERATE_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_OPERATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rules/simulator/kernel.h"
#include "rules/simulator/profile.h"
#include "rules/simulator/run/lowering.h"
#include "rules/simulator/run/plan.h"
#include "rules/simulator/run/values.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// By the origin of the reader's graph.
absl::Status LowerNode(const Step& step, const NodeReader& reader, Lowered& lowered);

// A node that is about to run.
struct NodeCall {
  const Profile& profile;
  const Step& step;
  const NodeReader& reader;
  const Lowered& lowered;
  const std::vector<Quantization>& written;  // parameters of the outputs
  int64_t room;                              // bytes that each of its results may take
  bool statistics;                           // whether anybody asks what its accumulators did
  // Where the profile rounds the first operand before it computes, what it then has; null: the operand itself.
  const QTensor* rounded_first = nullptr;
};

// Operands (parallel to step.inputs) in the order of the operator's ports. `scalar`: Lowered.scalar as a tensor, or
// null.
std::vector<const QTensor*> Ports(const Step& step, absl::Span<const QTensor* const> operands, const Lowered& lowered,
                                  const QTensor* scalar);

// Lowered.scalar as a tensor, in a type that goes with the other operands.
QTensor ScalarFor(const std::vector<Held>& read, const Lowered& lowered);

// An operand of an integer operator (integer_ops.h), whose parameters are arguments of their own: stored integers as
// they are, and what the other results have in their place, which need not be integers.
absl::StatusOr<Held> AsIntegers(const Held& held);

// The operator on tensors that are not quantized. `exact`: see RunIntegerOp. `relu`: FloatCall has it.
absl::StatusOr<std::vector<Tensor>> RunReal(const NodeCall& node, const std::vector<const QTensor*>& ports, bool exact,
                                            bool relu = false);

struct Affine {
  std::vector<Shared> outputs;
  AccumulatorUse use;
  std::string float_reason;
  // The outputs as real numbers before they were rounded to stored integers, where the node ran in float.
  std::vector<Tensor> unrounded;
};

// The operator on the real numbers that affine space's operands stand for: what RunAffine rounds, and the node's own
// error is counted from. `read` is parallel to the step's inputs.
absl::StatusOr<std::vector<Tensor>> RunUnrounded(const NodeCall& node, const std::vector<Held>& read,
                                                 const QTensor* scalar);

// The operator as the profile computes it. `ports` may be quantized or not.
absl::StatusOr<Affine> RunAffine(const NodeCall& node, std::vector<const QTensor*> ports);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_OPERATE_H_
