#include "rules/backends/xnnpack/softmax_layout.h"

#include <string>
#include <utility>

#include "rules/backends/table_target.h"
#include "rules/graph/resolve.h"
#include "rules/operators/op_id.h"

namespace quantgate::xnnpack {

const RuleInfo kSoftmaxLayout = {
    "GS605",
    "softmax-layout",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; needed is {allowed}.",
    "XNNPACK's softmax goes over the dimension that is last in memory. What convolutions, pools and the like put out "
    "has its channels there, until an operator asks for PyTorch's layout. ExecuTorch 1.5.1 does not ask for it in "
    "front of a softmax, which is then one over the channels.",
    "Flatten the input to three dimensions in front of the softmax (x.flatten(1, 2)) and unflatten its output: "
    "reshapes bring PyTorch's layout back.",
    "Fires: a softmax over the last dimension of a convolution's output. Does not: of a reshaped one, of one behind an "
    "operator that is left to the CPU, or of a product of matrices.",
};

void CheckSoftmaxLayout(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts,
                        const Target& target, FindingSink& sink, const ModuleResult& result) {
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const ResolvedOp& op = context.resolved().ops()[i];
    if (context.graph().op(op.node) != OpId::kSoftmax || !delegates.takes(op.node)) continue;
    const Tri channels_last = layouts.runs(op);
    if (channels_last == Tri::kNo) continue;
    if (channels_last == Tri::kUnknown) {
      sink.NotChecked(
          &kSoftmaxLayout, op.node,
          "whether it comes to one delegate with what is in front, which has its channels last, is not known");
      continue;
    }
    FindingSource source = FromTable(target, v1::Source::MEASURED, result.ops[i].backend_ops.front(),
                                     "ExecuTorch 1.5.1, softmax behind convolutions and pools, lowered and run");
    Place place;
    place.node = op.node;
    place.input = 0;
    place.value = context.graph().input(op.node, 0);
    sink.Add(kSoftmaxLayout, place, "an input with the channels last in memory", "one with its last dimension there",
             std::move(source));
  }
}

}  // namespace quantgate::xnnpack
