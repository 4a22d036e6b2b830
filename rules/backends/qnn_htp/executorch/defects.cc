#include "rules/backends/qnn_htp/executorch/defects.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/qnn_htp/executorch/runs.h"
#include "rules/backends/shared_encoding.h"
#include "rules/graph/quantizer.h"

namespace quantgate::qnn_htp {

const RuleInfo kMaxPoolStride = {
    "EN202",
    "executorch-max-pool-stride",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "The builders of ExecuTorch 1.5.1 read the stride argument of max_pool2d and avg_pool3d without asking whether it "
    "is there, and the whole lowering ends with \"IndexError: tuple index out of range\". So does the pass that takes "
    "max_pool3d apart, over the empty list that a stride is which is left out in front of a padding.",
    "Write the stride out: max_pool2d(x, k, stride=k) is the same pooling.",
    "Fires: aten.max_pool2d.default(x, [2, 2]) and aten.max_pool2d_with_indices.default(x, [2, 2]) with the toolchain "
    "executorch. Does not: (x, [2, 2], [2, 2]), the one with indices where they are read, which stays on the CPU, "
    "aten.avg_pool2d.default(x, [2, 2]), or the toolchain qnn-converter.",
};

const RuleInfo kTwoBitPerTensor = {
    "EN203",
    "executorch-two-bit-per-tensor",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "The builder of ExecuTorch 1.5.1 raises \"2-bit quantization (range=3) does not support per-tensor encoding\" and "
    "the whole lowering ends.",
    "Quantize the constant per channel, or with 4 or 8 bits.",
    "Fires: an instance_norm gamma of 2 bits with one scale, with the toolchain executorch. Does not: a 2-bit weight "
    "with a scale per channel.",
};

const RuleInfo kReplicationPad = {
    "EN209",
    "executorch-replication-pad",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "PyTorch takes a padding that repeats the edge apart into one index per dimension. The builder of ExecuTorch 1.5.1 "
    "reads the last index of the list, which is None for all dimensions but the last, and the whole lowering ends with "
    "\"'NoneType' object has no attribute 'op'\".",
    "Pad with zeros or by reflection, or pad with slices of the edge and cat.",
    "Fires: aten.pad.default(x, [1, 1, 1, 1], 'replicate') with the toolchain executorch. Does not: [1, 1], or the "
    "mode reflect.",
};

const RuleInfo kScaleOfElu = {
    "EN210",
    "executorch-elu-scale",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "PyTorch takes selu apart into an elu with a scale. QNN's Elu has an alpha and no scale, and the builder of "
    "ExecuTorch 1.5.1 leaves the scales of elu out without a word: selu comes out 5 % too small.",
    "Use elu and a multiplication: selu(x) is 1.0507 * elu(x, 1.67326).",
    "Fires: aten.selu.default, and aten.elu.default(x, 1, 2), with the toolchain executorch. Does not: "
    "aten.elu.default(x, 2).",
};

const RuleInfo kUnevenMaxPool = {
    "EN211",
    "executorch-adaptive-max-pool",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "Where the sizes of an adaptive pool do not divide, the windows of PyTorch are of several sizes. The builder of "
    "ExecuTorch 1.5.1 makes a pool with one window and one stride of it: other elements are compared.",
    "Choose an output size that divides the input's, or write the windows out as max_pool2d.",
    "Fires: aten.adaptive_max_pool2d from 8 to 3 with the toolchain executorch. Does not: from 9 to 2, whose windows "
    "happen to be of one size, or from 8 to 4.",
};

const RuleInfo kQuantizedInteger = {
    "EN220",
    "executorch-quantized-integer",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "prepare and convert put a Quantize on whatever carries a spec. ExecuTorch 1.5.1 exports the model once more, and "
    "that of a tensor of integers ends it with \"Expecting input to have dtype torch.float32\". QnnQuantizer annotates "
    "argmax and argmin so, as the text model of CLIP has one.",
    "Remove the spec from the edge (or its Quantize and Dequantize), or convert the tensor to float in front of the "
    "node.",
    "Fires: aten.argmax.default of an int64 tensor with a uint8 spec, or behind a Quantize of it, with the toolchain "
    "executorch. Does not: of a float tensor, or without a spec.",
};

const RuleInfo kReturnedIntegers = {
    "EN238",
    "executorch-returned-integers",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} {observed}; {allowed}.",
    "ExecuTorch 1.5.1 computes with 32 bits what is of int64, and casts it back where the model returns it, but for "
    "operators with several results: the pass I64toI32 ends with \"Multi output nodes currently don't support casting "
    "dtype back\".",
    "Sort int32, x.to(torch.int32), or compute something with the result before it is returned.",
    "Fires: aten.topk of an input of int64 whose values or indices the model returns, with the toolchain executorch. "
    "Does not: of int32, of what an argsort computes, or where another operator reads the result.",
};

const RuleInfo kNeverLowered = {
    "EN222",
    "executorch-never-lowered",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; {allowed}.",
    "PyTorch takes these operators apart, and ExecuTorch 1.5.1 does not get over the parts. take_along_dim and cross "
    "make the index of a gather of constants that its passes read before they define it; rrelu has no variant that "
    "writes into memory that was planned; where what is read is quantized, a padding that goes around, which is "
    "assignments to slices, gives delegates other results than their program says, and the zeros of block_diag "
    "become a delegate without an input; what puts the places of max_unpool2d back is not prepared; a convolution of "
    "an input without a batch gets one in front and loses it behind, where nothing is annotated, and with a quantized "
    "filter it is refused and the delegate that is left is not built; the indices of some interpolations and the grid "
    "of affine_grid are computed in floats from constants, which is delegated and cannot be prepared where HTP has no "
    "floats, or, of most, on V68; and the selections of logsumexp, logit and their like are among floats between "
    "quantized nodes, which is delegated where HTP has floats and cannot be prepared by the kernels of V68.",
    "Use gather with an index of the result's shape for take_along_dim, slices and cat for the paddings, relu or "
    "leaky_relu for rrelu, an interpolation of two dimensions for that of one, and give the model's input a batch of "
    "one.",
    "Fires: aten.take_along_dim.default; aten.pad.default(x, [1, 1], 'circular') of a quantized tensor; a quantized "
    "aten.conv2d.default of [4, 8, 8]; aten.logsumexp.default of a quantized tensor on SM8350. Does not: the last on "
    "SM8450 or QCM6490; aten.gather.default; the same pad with the mode reflect, or of a "
    "float tensor; the conv2d of [1, 4, 8, 8], or with a float filter; the toolchain qnn-converter.",
};

const RuleInfo kComplexNumbers = {
    "EN223",
    "executorch-complex-numbers",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "QNN has no complex numbers, and ExecuTorch 1.5.1 does not leave them to the CPU: the builder of an operator that "
    "it has one for, a cast to complex numbers in front of a Fourier transform among them, looks their type up, and "
    "the whole lowering ends with \"KeyError: torch.complex64\".",
    "Compute the transform outside of the model, or by a product with the matrix of its sines and cosines.",
    "Fires: aten.abs.default of a complex tensor, aten.fft_fftn.default of a float one, with the toolchain executorch. "
    "Does not: aten.abs.default of a float tensor.",
};

namespace {

// Read in the builder's published source; the numbers were not computed.
FindingSource AsItIsWritten() {
  FindingSource source;
  source.kind = v1::Source::DOCUMENTED;
  source.document = "ExecuTorch 1.5.1, source of its builder";
  return source;
}

// -1: not known.
int64_t SizeOf(const Graph& graph, int32_t value, int axis) {
  if (value < 0 || axis >= graph.value(value).dims_size()) return -1;
  return graph.value(value).dims(axis);
}

// Of PyTorch's adaptive pool: window i begins at floor(i * in / out) and ends at ceil((i + 1) * in / out). With a
// remainder r of in / out that is i * stride + floor(i * r / out), so windows are a stride apart for r of 0 or 1 alone;
// then all end r behind the next stride.
bool WindowsAreOfOneSize(int64_t in, int64_t out) { return in % out <= 1; }

// How many numbers a padding that repeats the edge has, two per dimension; 0: it is another padding.
int NumbersOfReplicationPad(const Graph& graph, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  const v1::Attribute* mode = graph.attribute(node, "mode");
  const bool repeats = type == "aten.pad.default" && mode != nullptr && mode->s() == "replicate";
  if (!repeats && !absl::StartsWith(type, "aten.replication_pad")) return 0;
  const v1::Attribute* pad = graph.attribute(node, type == "aten.pad.default" ? "pad" : "padding");
  return pad == nullptr ? 0 : pad->ints().values_size();
}

// What will have a Quantize, or has one, between it and the node that reads it; -1: nothing.
int32_t TensorThatIsQuantized(const Graph& graph, const Operand& input) {
  if (!input.quantized) return -1;
  if (input.quantizer < 0) return input.spec < 0 ? -1 : input.value;
  const int32_t stored = QuantizerInputsOf(graph, input.quantizer).data;
  const int32_t quantize = stored < 0 ? -1 : graph.producer(stored);
  return IsQuantize(graph, quantize) ? QuantizerInputsOf(graph, quantize).data : -1;
}

// The first edge that brings integers and is quantized; -1: none.
int QuantizedIntegers(const Graph& graph, const ResolvedOp& op, const ResolvedGraph& resolved) {
  const bool quantizes = IsQuantize(graph, op.node);
  for (const Operand& input : resolved.inputs(op)) {
    if (!input.present || input.value < 0) continue;
    const int32_t tensor = quantizes ? input.value : TensorThatIsQuantized(graph, input);
    const v1::DataType type = tensor < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph.dtype(tensor);
    if (type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_INT64) return input.argument;
  }
  return -1;
}

bool IsComplex(const Graph& graph, int32_t value) {
  if (value < 0) return false;
  const v1::DataType type = graph.dtype(value);
  return type == v1::DATA_TYPE_COMPLEX64 || type == v1::DATA_TYPE_COMPLEX128;
}

// Whether something with a builder reads or writes complex numbers: the operator itself, or the cast in front of a
// transform.
bool BuildsComplexNumbers(const Graph& graph, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  if (absl::StartsWith(type, "aten.stft.")) return true;
  bool reads = false;
  for (int i = 0; i < graph.num_inputs(node); ++i) reads = reads || IsComplex(graph, graph.input(node, i));
  const bool writes = graph.num_outputs(node) > 0 && IsComplex(graph, graph.output(node, 0));
  if (absl::StartsWith(type, "aten.fft_")) {
    const bool of_reals = absl::StrContains(type, "_rfft") || absl::StrContains(type, "_ihfft");
    return writes && !reads && !of_reals;
  }
  const bool has_no_builder = absl::StrContains(type, "as_real") || absl::StrContains(type, "as_complex") ||
                              type == "aten.real.default" || type == "aten.imag.default";
  return (reads || writes) && !has_no_builder;
}

// What ends a pass of ExecuTorch's, whatever else the graph has.
struct NeverLowered {
  absl::string_view op;
  bool of_floats;  // too; otherwise of quantized tensors alone
  absl::string_view ends_with;
  absl::string_view mode = "";  // its attribute of that name has to be this; empty: whatever it is
  int kernels = 0;  // not where HTP has floats and the kernels of this arch or a later one; 0: wherever it is
  bool refused_without_float = false;  // there nothing is left to prepare
};
constexpr NeverLowered kNeverLoweredOps[] = {
    {"aten.affine_grid_generator.default", false, "Failed to generate Qnn context binary", "", 69},
    {"aten.block_diag.default", false, "No graph inputs present for graph"},
    {"aten.logit.default", false, "Failed to generate Qnn context binary", "", 69, true},
    {"aten.logsumexp.default", false, "Failed to generate Qnn context binary", "", 69, true},
    {"aten.max_unpool2d.default", false, "Failed to generate Qnn context binary"},
    {"aten.nan_to_num.default", false, "Failed to generate Qnn context binary", "", 69, true},
    {"aten.pad.default", false, "QNN graph I/O does not match the delegated program signature", "circular"},
    {"aten.renorm.default", false, "Failed to generate Qnn context binary", "", 69, true},
    {"aten.rrelu.default", true, "Missing out variants"},
    {"aten._upsample_nearest_exact1d.vec", false, "Failed to generate Qnn context binary", "", 68},
    {"aten.upsample_linear1d.vec", false, "Failed to generate Qnn context binary", "", 69},
    {"aten.upsample_nearest1d.vec", false, "Failed to generate Qnn context binary", "", 68},
    {"aten.upsample_nearest3d.vec", false, "Failed to generate Qnn context binary", "", 68},
    {"aten.xlogy.Tensor", false, "Failed to generate Qnn context binary", "", 69, true},
};

// Of floats, too.
constexpr absl::string_view kUsedBeforeDefined[] = {"aten.cross.default", "aten.linalg_cross.default",
                                                    "aten.take_along_dim.default"};

const NeverLowered* FindInNeverLowered(const Graph& graph, const Target& target, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  const auto* row = absl::c_find_if(kNeverLoweredOps, [type](const NeverLowered& entry) { return entry.op == type; });
  if (row == std::end(kNeverLoweredOps)) return nullptr;
  if (row->kernels > 0 && target.has_float && target.kernels >= row->kernels) return nullptr;
  if (row->refused_without_float && !target.has_float) return nullptr;
  if (row->mode.empty()) return row;
  const v1::Attribute* mode = graph.attribute(node, "mode");
  return mode != nullptr && mode->s() == row->mode ? row : nullptr;
}

// The Dequantize of the filter is what the delegate that is not built has in it.
bool IsQuantizedAndUnbatched(const CheckContext& context, const ResolvedOp& op) {
  const NodeView view(context, op, nullptr);
  return IsUnbatchedConvolution(view) && view.input(1)->quantized;
}

// What becomes an operator whose builder reads the argument unasked, or a pass that reads its numbers. Both leave a
// pool alone whose places are read, before they look.
bool LacksStride(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const absl::string_view type = graph.op_type(op.node);
  const v1::Attribute* stride = graph.attribute(op.node, "stride");
  const bool in_pass = type == "aten.max_pool3d.default" || type == "aten.max_pool3d_with_indices.default";
  const bool in_builder = type == "aten.max_pool2d.default" || type == "aten.max_pool2d_with_indices.default" ||
                          type == "aten.avg_pool3d.default";
  const bool raises = (in_pass && stride != nullptr && stride->has_ints() && stride->ints().values().empty()) ||
                      (in_builder && stride == nullptr);
  return raises && !qnn::ReadsPlaces(NodeView(context, op, nullptr));
}

}  // namespace

bool FindNeverLowered(const CheckContext& context, const Target& target, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return false;
  Place place;
  place.node = op.node;
  const NeverLowered* row = FindInNeverLowered(graph, target, op.node);
  if (row == nullptr || (!row->of_floats && !TouchesQuantized(context, op))) return false;
  sink.Add(kNeverLowered, place, absl::StrCat(graph.op_type(op.node), row->of_floats ? "" : " of quantized values"),
           absl::StrCat("ExecuTorch 1.5.1 ends with \"", row->ends_with, "\""), OfTheRuns());
  return true;
}

bool FindUsedBeforeDefined(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const absl::string_view type = context.graph().op_type(op.node);
  if (context.graph().origin() != v1::Graph::PT2E || !absl::c_linear_search(kUsedBeforeDefined, type)) return false;
  Place place;
  place.node = op.node;
  sink.Add(kNeverLowered, place, std::string(type),
           "ExecuTorch 1.5.1 ends with \"was used before it has been defined\"", OfTheRuns());
  return true;
}

bool FindUnbatchedConvolution(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  if (context.graph().origin() != v1::Graph::PT2E || !IsQuantizedAndUnbatched(context, op)) return false;
  Place place;
  place.node = op.node;
  sink.Add(kNeverLowered, place, "a quantized convolution of an input without a batch",
           "ExecuTorch 1.5.1 ends with \"Failed to generate Qnn context binary\"", OfTheRuns());
  return true;
}

bool FindRaisingBuilder(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return false;
  Place place;
  place.node = op.node;
  if (LacksStride(context, op)) {
    sink.Add(kMaxPoolStride, place, "no stride argument", "ExecuTorch 1.5.1 needs it written out", OfTheRuns());
    return true;
  }
  if (const int numbers = NumbersOfReplicationPad(graph, op.node); numbers > 2) {
    sink.Add(kReplicationPad, place, absl::StrCat("a padding of ", numbers / 2, " dimensions that repeats the edge"),
             "ExecuTorch 1.5.1 builds those of the last dimension alone", OfTheRuns());
    return true;
  }
  if (BuildsComplexNumbers(graph, op.node)) {
    sink.Add(kComplexNumbers, place, "complex numbers", "ExecuTorch 1.5.1 has no type for them", OfTheRuns());
    return true;
  }
  return false;
}

bool FindQuantizedInteger(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return false;
  const int input = QuantizedIntegers(graph, op, context.resolved());
  if (input < 0) return false;
  Place place;
  place.node = op.node;
  place.input = input;
  const bool is_annotated = context.stage() == v1::STAGE_ANNOTATED;
  sink.Add(kQuantizedInteger, place, is_annotated ? "a spec on a tensor of integers" : "integers that are quantized",
           "ExecuTorch 1.5.1 quantizes floats only", OfTheRuns());
  return true;
}

bool SortsLongIntegers(const Graph& graph, int32_t node) {
  if (graph.origin() != v1::Graph::PT2E || graph.num_inputs(node) == 0) return false;
  // Inputs of the model are cast to 32 bits; what an argsort computes is not, and of what others compute it is not
  // known.
  const int32_t input = graph.input(node, 0);
  if (input < 0 || graph.dtype(input) != v1::DATA_TYPE_INT64 || !graph.is_graph_input(input)) return false;
  const OpId id = graph.op(node);
  return id == OpId::kTopK || id == OpId::kSort || id == OpId::kArgSort ||
         graph.op_type(node) == "aten.cummax.default" || graph.op_type(node) == "aten.cummin.default";
}

bool FindReturnedIntegers(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (!SortsLongIntegers(graph, op.node)) return false;
  const auto returns = [&graph](int32_t node) {
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0 && graph.is_graph_output(graph.output(node, i))) return true;
    }
    return false;
  };
  bool returned = returns(op.node);
  for (int i = 0; i < graph.num_outputs(op.node) && !returned; ++i) {
    returned =
        graph.output(op.node, i) >= 0 && absl::c_any_of(graph.uses(graph.output(op.node, i)), [&](const Use& use) {
          return graph.op(use.node) == OpId::kGetItem && returns(use.node);
        });
  }
  if (!returned) return false;
  Place place;
  place.node = op.node;
  sink.Add(kReturnedIntegers, place, "has results of int64 that the model returns",
           "ExecuTorch 1.5.1 cannot cast several results back", OfTheRuns());
  return true;
}

void FindOtherFunction(const CheckContext& context, const ResolvedOp& op, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::PT2E) return;
  const OpId id = graph.op(op.node);
  Place place;
  place.node = op.node;
  const bool scaled =
      id == OpId::kSelu || (id == OpId::kElu && (graph.float_attribute(op.node, "scale", 1) != 1 ||
                                                 graph.float_attribute(op.node, "input_scale", 1) != 1));
  if (scaled) {
    sink.Add(kScaleOfElu, place, "an elu with scales", "ExecuTorch 1.5.1 builds it without them", AsItIsWritten());
  }
  if (id != OpId::kAdaptiveMaxPool || graph.num_inputs(op.node) == 0 || graph.num_outputs(op.node) == 0) return;
  for (int axis = 2; axis < 4; ++axis) {
    const int64_t in = SizeOf(graph, graph.input(op.node, 0), axis);
    const int64_t out = SizeOf(graph, graph.output(op.node, 0), axis);
    if (in <= 0 || out <= 0 || out > in || WindowsAreOfOneSize(in, out)) continue;
    sink.Add(kUnevenMaxPool, place, absl::StrCat("an adaptive pool from ", in, " to ", out),
             "ExecuTorch 1.5.1 builds windows of one size and one stride", AsItIsWritten());
    return;
  }
}

void MarkUnreached(const CheckContext& context, ModuleResult& result) {
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  int32_t last = -1;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (result.ops[i].unasked) last = context.graph().num_nodes();
    if (result.ops[i].raises) last = std::max(last, ops[i].node);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].node < last) result.ops[i].reached = false;
  }
}

void CheckTwoBitPerTensor(const BackendOp& op, const Target& target, OpReport& report) {
  if (target.toolchain != Toolchain::kExecuTorch) return;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const BackendTensor& input = op.inputs[i];
    if (!input.is_static || input.bits != 2 || input.encoding != Encoding::kBwPerTensor) continue;
    report.Add(kTwoBitPerTensor, In(static_cast<int>(i)), "a 2-bit constant with one scale",
               "ExecuTorch 1.5.1 builds those per channel only", v1::Source::MEASURED, kMeasuredByLowering);
  }
}

}  // namespace quantgate::qnn_htp
