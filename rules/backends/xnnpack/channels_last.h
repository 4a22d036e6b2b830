// Which tensors a delegate keeps with the channels last, as ExecuTorch's ChannelsLastTaggedReshapePass has it: what
// convolutions and pools put out stays so through all that minds no layout, until something asks for ATen's.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_CHANNELS_LAST_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_CHANNELS_LAST_H_

#include <cstdint>
#include <vector>

#include "rules/backends/xnnpack/delegates.h"
#include "rules/engine/context.h"
#include "rules/engine/module.h"
#include "rules/graph/resolve.h"

namespace quantgate::xnnpack {

class ChannelsLast {
 public:
  // Linear. All that is given has to outlive this.
  ChannelsLast(const CheckContext& context, const Delegates& delegates, const ModuleResult& judged);

  // Whether the tensor is written so.
  Tri written(int32_t value) const { return written_[value]; }
  // Whether `op`, which a delegate has, runs so: it reads all its inputs in one layout.
  Tri runs(const ResolvedOp& op) const { return runs_[op.node]; }

 private:
  // What the tensor is where the node reads it.
  Tri At(int32_t node, int32_t value) const;
  Tri AsItsInputs(const ResolvedOp& op) const;
  Tri LayoutOf(const ResolvedOp& op) const;

  const CheckContext& context_;
  const Delegates& delegates_;
  const ModuleResult& judged_;
  std::vector<Tri> written_;  // by value
  std::vector<Tri> runs_;     // by node
};

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_CHANNELS_LAST_H_
