#include "rules/backends/qnn_htp/ops/float_kernels.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {
namespace {

// Measured: validated and not prepared, with the kernels of V68 alone (SM8350; SA8295 has those of V69).
struct Row {
  absl::string_view op;
  bool half_too;  // FLOAT_16 as well as FLOAT_32
};

constexpr Row kWithout[] = {
    {"CumulativeSum", true},     {"Elu", false},
    {"ElementWiseAtan", false},  {"ElementWiseFloorDiv", false},
    {"ElementWiseRound", false}, {"ElementWiseSelect", false},
    {"Gather", false},           {"GatherElements", false},
    {"L2Norm", false},           {"NonMaxSuppression", false},
    {"RoiAlign", false},         {"ScatterNd", false},
    {"TransposeConv3d", true},
};

}  // namespace

const RuleInfo kFloatKernels = {
    "DT205",
    "float-kernel-arch",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Among the kernels of V68 (SM8350) there is none of these operators for the element type, nor one of a recurrent "
    "operator on a SoC that computes integers alone. Validation passes, preparation of the graph then fails.",
    "Quantize the operator, give it FLOAT_16 tensors where that is enough, or drop the SoC from the "
    "targets.",
    "Fires: Gather of FLOAT_32 on V68. Does not: Gather of FLOAT_16 or UFIXED_POINT_8 on V68, or of "
    "FLOAT_32 on V69 or SA8295.",
};

void CheckFloatKernels(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.kernels != 68) return;
  for (const Row& row : kWithout) {
    if (row.op != op.name) continue;
    // The condition of a select is no float; its data is.
    const int port = op.name == "ElementWiseSelect" ? 1 : 0;
    const BackendTensor& tensor = Input(op, port);
    if (!IsFloat(tensor) || (!row.half_too && tensor.type.type == v1::DATA_TYPE_FLOAT16)) return;
    report.Add(kFloatKernels, In(port), absl::StrCat(op.name, " of ", TypeText(tensor), " on V68"),
               "the operator has no such kernel before V69");
    return;
  }
}

}  // namespace quantgate::qnn_htp
