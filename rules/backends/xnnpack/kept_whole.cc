#include "rules/backends/xnnpack/kept_whole.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "rules/backends/table_target.h"

namespace quantgate::xnnpack {

const RuleInfo kKeptWhole = {
    "CV603",
    "kept-whole-in-body",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; ExecuTorch needs {allowed}.",
    "XNNPACK's partitioner asks for linear, hardswish, max_pool2d and bilinear upsampling not to be decomposed, and "
    "then does not look into the bodies of control flow. ExecuTorch finds them there as they are, says that they "
    "were not decomposed or delegated, and the export ends.",
    "Write the operator apart in the body (a matmul and a sum for a linear layer), or take it out of the body.",
    "Fires: a Linear in a branch of torch.cond. Does not: the same in front of it, or a relu in the branch.",
};

bool CheckKeptWhole(const CheckContext& context, const BackendOp& op, const Target& target, FindingSink& sink) {
  static constexpr absl::string_view kKept[] = {"aten.linear.default", "aten.hardswish.default",
                                                "aten.max_pool2d.default", "aten.upsample_bilinear2d.vec"};
  const Graph& graph = context.graph();
  if (!context.is_body() || op.node < 0 || !absl::c_linear_search(kKept, graph.op_type(op.node))) return false;
  FindingSource source = FromTable(target, v1::Source::MEASURED, op.name,
                                   "ExecuTorch 1.5.1, branches of torch.cond with one operator each, lowered");
  Place place;
  place.node = op.node;
  sink.Add(kKeptWhole, place, "in a body, where nothing is delegated", "it outside, or written apart",
           std::move(source));
  return true;
}

}  // namespace quantgate::xnnpack
