#include "rules/backends/onnxruntime/rules.h"

namespace quantgate::onnxruntime {

const RuleInfo kModelTooNew = {
    "EN501",
    "model-newer-than-runtime",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "The model is of {observed}; this version of ONNX Runtime loads {allowed}.",
    "ONNX Runtime knows the operator sets and IR versions that were released when it was built, and loads nothing "
    "newer.",
    "Export the model for an older operator set, or use a newer ONNX Runtime.",
    "Fires: opset 27 on onnxruntime/cpu@1.31.1. Does not: opset 26.",
};

const RuleInfo kOpsetTooOld = {
    "EN502",
    "kernel-of-other-opset",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has no CPU kernel for these types under {observed}; there is one under {allowed}.",
    "A kernel is registered for certain versions of an operator. The same types under another operator set can be "
    "without one, and the session then ends with NOT_IMPLEMENTED.",
    "Import an operator set that has the kernel (onnx.version_converter), or give the node other types.",
    "Fires: Add of int8 tensors under opset 13. Does not: the same under opset 14.",
};

const RuleInfo kSameNodeName = {
    "EN503",
    "same-node-name",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has the name of {observed}; ONNX Runtime loads {allowed}.",
    "ONNX lets nodes share a name. ONNX Runtime does not: the session ends with \"two nodes with same node name\".",
    "Give each node a name of its own, or none.",
    "Fires: two nodes named n. Does not: two nodes without a name.",
};

const RuleInfo kNoKernel = {
    "CV501",
    "no-cpu-kernel",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; the CPU provider computes {allowed}.",
    "An operator without a kernel that is no function of others either ends the session with NOT_IMPLEMENTED: there is "
    "nothing behind the CPU provider that could take it.",
    "Express it with operators that have a CPU kernel, or use the execution provider that it was made for.",
    "Fires: com.microsoft.GroupNorm on onnxruntime/cpu. Does not: GroupNormalization.",
};

const RuleInfo kKernelTypes = {
    "DT501",
    "kernel-types",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; no CPU kernel takes that, the closest take {allowed}.",
    "Kernels are registered for complete combinations of element types. Another combination ends the session with "
    "NOT_IMPLEMENTED, or with INVALID_GRAPH where the operator is not defined for it at all.",
    "Give the ports named the types of one of the closest kernels.",
    "Fires: QLinearConv with int8 activations and uint8 weights. Does not: uint8 activations and int8 weights.",
};

const RuleInfo kFusedTypes = {
    "DT502",
    "fused-kernel-types",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} stands between DequantizeLinear and QuantizeLinear nodes with {observed}; {allowed}.",
    "The optimizer makes one integer operator of such a group without asking whether there is a kernel for its types, "
    "and the session ends with INVALID_GRAPH or NOT_IMPLEMENTED. Without the fusion (session option "
    "session.disable_quant_qdq, or no optimization) the same file runs in float.",
    "Quantize to uint8 or int8 there, or make the session with session.disable_quant_qdq.",
    "Fires: Add between float8 tensors. Does not: Sub between them, which is never fused; Add between int4 ones.",
};

const RuleInfo kOuterValue = {
    "GS508",
    "outer-value-returned",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}, which a body gives back, is {observed}; ONNX Runtime takes {allowed}.",
    "A body of If, Loop or Scan may read the tensors around it. ONNX Runtime does not load one that gives such a "
    "tensor back as it is: \"Subgraph output is an outer scope value being returned directly\".",
    "Put an Identity node between the tensor and the output of the body.",
    "Fires: a branch whose output is an initializer of the main graph. Does not: one of its own; the Identity of one.",
};

const RuleInfo kOtherOrigin = {
    "CV502",
    "not-an-onnx-model",
    v1::Finding::ADVICE,
    v1::Finding::INFO,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "ONNX Runtime runs ONNX models. What an exporter makes of another graph is not known before it is exported. Never "
    "a finding, only an entry under what was not checked.",
    "Export the model to ONNX and check the file.",
    "Not checked: an annotated PyTorch graph on onnxruntime/cpu. Checked: its ONNX export.",
};

}  // namespace quantgate::onnxruntime
