#include "rules/backends/qnn_htp/ops/dynamic_qparams.h"

namespace quantgate::qnn_htp {

const RuleInfo kDynamicQparams = {
    "QS202",
    "dynamic-qparams",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Scale and zero point are part of a QNN tensor and are given when the graph is made. There is no place for numbers "
    "that are known at run time only, and no operator that computes them.",
    "Calibrate the activation and quantize it statically, or keep it in float.",
    "Fires: linear whose activation spec says is_dynamic. Does not: the same spec without it.",
};

void CheckDynamicQparams(const BackendOp& op, const Target& target, OpReport& report) {
  const auto check = [&](absl::Span<const BackendTensor> tensors, PortRef (*port)(int)) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].present || tensors[i].dynamic_qparams != Tri::kYes) continue;
      report.Add(kDynamicQparams, port(static_cast<int>(i)), "a scale that is computed at run time",
                 "QNN takes scales that are known when the graph is made", v1::Source::DEFINITION);
    }
  };
  check(op.inputs, In);
  check(op.outputs, Out);
}

}  // namespace quantgate::qnn_htp
