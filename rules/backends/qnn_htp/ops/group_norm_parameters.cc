#include "rules/backends/qnn_htp/ops/group_norm_parameters.h"

namespace quantgate::qnn_htp {

const RuleInfo kGroupNormParameters = {
    "GS202",
    "group-norm-parameters",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The definition says that gamma and beta are optional and validation agrees; preparing the graph "
    "with one of them fails.",
    "Give it a gamma of ones and a beta of zeros.",
    "Fires: GroupNorm with gamma only. Does not: GroupNorm with gamma and beta.",
};

void CheckGroupNormParameters(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "GroupNorm") return;
  if (Input(op, 1).present == Input(op, 2).present) return;
  report.Add(kGroupNormParameters, Whole(), Input(op, 1).present ? "no beta" : "no gamma",
             "GroupNorm takes both or neither");
}

}  // namespace quantgate::qnn_htp
