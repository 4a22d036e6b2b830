#include "rules/backends/coverage.h"

namespace quantgate {

const RuleInfo kNoQnnOperator = {
    "CV201",
    "no-qnn-operator",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} cannot be said in QNN: {observed}; needed is {allowed}.",
    "QNN has a fixed set of operators. What none of them says does not reach the accelerator: the toolchain leaves the "
    "node on the CPU, or refuses the model.",
    "Express it with operators that QNN has, or accept that it runs elsewhere.",
    "Fires: ONNX Det. Does not: ONNX MatMul.",
};

const RuleInfo kNoBackendOperator = {
    "CV204",
    "no-backend-operator",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has no counterpart: {observed}; needed is {allowed}.",
    "A backend has a fixed set of operators. What none of them says is left to the portable kernels or to the default "
    "code generator, in float, or the toolchain ends there.",
    "Express it with operators that the backend has, or accept that it runs elsewhere.",
    "Fires: aten.topk on xnnpack. Does not: aten.add.",
};

const RuleInfo kUnclearLowering = {
    "CV202",
    "unclear-lowering",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "Some operators are taken apart, or need shapes that the graph does not state. What they become cannot be told "
    "from here, so nothing is claimed about them. Never a finding, only an entry under what was not checked.",
    "Export the model with known shapes and with the operator already taken apart.",
    "Not checked: a Concat of unknown rank. Checked: the same with a shape.",
};

const RuleInfo kOlderTable = {
    "EN201",
    "older-table",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "SDK {observed} has no table of its own; the graph was judged by {allowed}.",
    "Tables only grow from release to release, so what the older table accepts is accepted still; what it refuses may "
    "have been added since.",
    "Ask for an SDK version that has a table, or confirm refusals with the vendor's tools.",
    "Fires: qnn_htp/SM8650@2.30 when the tables are 2.13.0 and 2.25.0. Does not: qnn_htp/SM8650@2.25.",
};

const RuleInfo kRunsInFloat = {
    "CV205",
    "runs-in-float",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; quantized it would need {allowed}.",
    "Input and output are quantized, and there is no kernel for that, or what is in front of ONNX Runtime's QNN "
    "provider does not see the node as one with the Quantize and Dequantize nodes around it. So it is computed in "
    "float between a Dequantize and a Quantize: right numbers, at the cost of float and two conversions.",
    "Leave the node unquantized, or accept that it runs in float.",
    "Fires: sigmoid with an int8 input and output on xnnpack. Does not: sigmoid of a float tensor.",
};

}  // namespace quantgate
