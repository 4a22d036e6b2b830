#include "rules/backends/xnnpack/lowering.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "rules/backends/in_place.h"
#include "rules/backends/node_view.h"
#include "rules/backends/pattern.h"
#include "rules/backends/tensor.h"
#include "rules/backends/xnnpack/gemm.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/values/lost_writes.h"

namespace quantgate::xnnpack {
namespace {

// What the partitioner does with an operator between a Dequantize and a Quantize.
enum class Form : uint8_t {
  kFloat,      // takes it, in float
  kStatic,     // takes it quantized
  kWithRelu,   // the same, and an activation behind it
  kWithClamp,  // GEMM-like: relu or hardtanh behind it
};

struct Entry {
  OpId id;
  absl::string_view name;
  Form form = Form::kFloat;
  void (*params)(const NodeView&, Emission&) = nullptr;
};

bool FlagOf(const NodeView& view, absl::string_view name, bool fallback) {
  const v1::Attribute* found = view.attribute({name});
  if (found == nullptr) return fallback;
  return found->value_case() == v1::Attribute::kB ? found->b() : found->i() != 0;
}

void Axis(const NodeView& view, Emission& emission) {
  if (const std::optional<int64_t> dim = view.integer({"dim"})) {
    emission.AddInt("axis", Normalize(*dim, view.rank(view.input(0))));
  }
}

// Counted in the output, which has one more dimension.
void NewAxis(const NodeView& view, Emission& emission) {
  if (const std::optional<int64_t> dim = view.integer({"dim"})) {
    emission.AddInt("axis", Normalize(*dim, view.rank(view.output(0))));
  }
}

void Alpha(const NodeView& view, Emission& emission) {
  if (const std::optional<double> alpha = view.real({"alpha"})) emission.AddReal("alpha", *alpha);
}

void Groups(const NodeView& view, Emission& emission) {
  emission.AddInt("groups", view.integer({"groups"}).value_or(1));
}

// The partitioner counts tensors, however often one of them is named.
int64_t DistinctTensors(const NodeView& view) {
  IntVector tensors;
  for (const Operand& input : view.inputs()) {
    if (input.present) tensors.push_back(input.edge_value);
  }
  std::sort(tensors.begin(), tensors.end());
  return std::unique(tensors.begin(), tensors.end()) - tensors.begin();
}

void Joined(const NodeView& view, Emission& emission) {
  Axis(view, emission);
  emission.AddInt("tensors", DistinctTensors(view));
}

// 2.0 is not what the partitioner looks for.
void Exponent(const NodeView& view, Emission& emission) {
  const v1::Attribute* exponent = view.attribute({"exponent"});
  emission.AddInt("other_exponent",
                  exponent == nullptr || exponent->value_case() != v1::Attribute::kI || exponent->i() != 2);
}

void Two(const NodeView&, Emission& emission) { emission.AddInt("other_exponent", 0); }

bool IsHalf(const NodeView& view) {
  const Operand* output = view.output(0);
  return output != nullptr && output->value >= 0 && view.graph().dtype(output->value) == v1::DATA_TYPE_FLOAT16;
}

// A scalar becomes a tensor: of integers or of float32, which is converted outside of the delegate where others are
// computed.
void AddScalar(const NodeView& view, absl::string_view attribute, Emission& emission) {
  const v1::Attribute* scalar = view.attribute({attribute});
  emission.AddInt("converted_scalar", scalar != nullptr && (scalar->value_case() == v1::Attribute::kI || IsHalf(view)));
}

void Scalar(const NodeView& view, Emission& emission) { AddScalar(view, "other", emission); }

void Sum(const NodeView& view, Emission& emission) {
  Alpha(view, emission);
  Scalar(view, emission);
}

void Step(const NodeView& view, Emission& emission) { emission.AddInt("step", view.integer({"step"}).value_or(1)); }

void AddList(const NodeView& view, absl::string_view attribute, absl::string_view name, Emission& emission) {
  const std::optional<IntVector> values = view.integers({attribute});
  BackendParam& param = emission.AddParam(name);
  if (values) param.ints.assign(values->begin(), values->end());
}

// A convolution is the only reader of a padding, which becomes part of it.
bool IsInConvolution(const NodeView& pad) {
  const Graph& graph = pad.graph();
  const Operand* output = pad.output(0);
  const Use* use = output == nullptr || output->value < 0 ? nullptr : graph.only_use(output->value);
  return use != nullptr && graph.op(use->node) == OpId::kConv && HasQuantizedWeight(pad.context(), use->node);
}

// Zeros around what was quantized and is read as floats are written as integers without a scale.
void Padding(const NodeView& view, Emission& emission) {
  AddList(view, "pad", "padding", emission);
  const Operand *input = view.input(0), *output = view.output(0);
  const bool unpacked = input != nullptr && output != nullptr && !IsInConvolution(view) &&
                        AsRead(view.context(), *input).quantized && !AsWritten(view.context(), *output).quantized;
  emission.AddInt("unpacked_zeros", unpacked && view.real({"value"}).value_or(0) == 0);
}

void AveragePool(const NodeView& view, Emission& emission) {
  emission.AddInt("ceil_mode", FlagOf(view, "ceil_mode", false));
  emission.AddInt("count_include_pad", FlagOf(view, "count_include_pad", true));
  if (view.attribute({"padding"}) != nullptr) {
    AddList(view, "padding", "padding", emission);
  } else {
    emission.AddInt("padding", 0);
  }
  const std::optional<IntVector> kernel = view.integers({"kernel_size"});
  const std::optional<int64_t> divisor = view.integer({"divisor_override"});
  int64_t region = 1;
  if (kernel) {
    for (size_t i = 0; i < 2; ++i) region *= kernel->size() == 1 ? (*kernel)[0] : i < kernel->size() ? (*kernel)[i] : 1;
  }
  emission.AddInt("other_divisor", divisor && *divisor != region);
}

void MaxPool(const NodeView& view, Emission& emission) {
  emission.AddInt("ceil_mode", FlagOf(view, "ceil_mode", false));
  const std::optional<IntVector> kernel = view.integers({"kernel_size"});
  const std::optional<IntVector> stride = view.integers({"stride"});
  bool beyond = false;
  for (size_t i = 0; kernel && stride && i < std::min(kernel->size(), stride->size()); ++i) {
    beyond = beyond || (*stride)[i] > (*kernel)[i];
  }
  emission.AddInt("stride_beyond_kernel", beyond);
}

void Mean(const NodeView& view, Emission& emission) {
  const int rank = view.rank(view.input(0));
  IntVector dims;
  for (int64_t dim : view.integers({"dim"}).value_or(IntVector())) dims.push_back(Normalize(dim, rank));
  std::sort(dims.begin(), dims.end());
  BackendParam& param = emission.AddParam("dims");
  // Counted from the end of a rank that is not known, they are not known.
  if (dims.empty() || dims.front() >= 0) param.ints.assign(dims.begin(), dims.end());
  emission.AddInt("keep_dims", FlagOf(view, "keepdim", false));
}

// The serializer takes the axis as it is written.
void MaxDim(const NodeView& view, Emission& emission) {
  emission.AddInt("axis", view.integer({"dim"}).value_or(0));
  emission.AddInt("keep_dims", FlagOf(view, "keepdim", false));
}

// To one element per channel: a mean over height and width.
void GlobalMean(const NodeView& view, Emission& emission) {
  emission.AddParam("dims").ints.assign({2, 3});
  emission.AddInt("keep_dims", 1);
}

constexpr Entry kEntries[] = {
    {OpId::kLinear, "XNNFullyConnected", Form::kWithClamp},
    {OpId::kConv, "XNNConv2d", Form::kWithClamp, Groups},
    {OpId::kConvTranspose, "XNNConvTranspose2d", Form::kWithClamp, Groups},
    {OpId::kAdd, "XNNAdd", Form::kWithRelu, Sum},
    {OpId::kSub, "XNNSubtract", Form::kStatic, Sum},
    {OpId::kMul, "XNNMultiply", Form::kStatic, Scalar},
    {OpId::kConcat, "XNNConcatenate", Form::kStatic, Joined},
    {OpId::kRelu, "XNNClamp", Form::kStatic},
    {OpId::kClamp, "XNNClamp", Form::kStatic},
    {OpId::kRelu6, "XNNClamp", Form::kStatic},
    {OpId::kMaxPool, "XNNMaxPooling2d", Form::kStatic, MaxPool},
    {OpId::kReduceMean, "XNNGlobalAvgPooling2d", Form::kStatic, Mean},
    {OpId::kAdaptiveAveragePool, "XNNGlobalAvgPooling2d", Form::kStatic, GlobalMean},
    {OpId::kTranspose, "XNNStaticTranspose", Form::kStatic},
    {OpId::kReshape, "XNNStaticReshape", Form::kStatic},
    {OpId::kReshapeLike, "XNNStaticReshape", Form::kStatic},
    {OpId::kFlatten, "XNNStaticReshape", Form::kStatic},
    {OpId::kUnsqueeze, "XNNExpandDims", Form::kStatic, NewAxis},
    {OpId::kSlice, "XNNStaticSlice", Form::kStatic, Step},
    {OpId::kQuantize, "XNNConvert", Form::kStatic},
    {OpId::kDequantize, "XNNConvert", Form::kStatic},
    {OpId::kRequantize, "XNNConvert", Form::kStatic},
    {OpId::kAbs, "XNNAbs"},
    {OpId::kAveragePool, "XNNAvgPooling2d", Form::kFloat, AveragePool},
    {OpId::kBatchNorm, "XNNBatchNorm"},
    {OpId::kCeil, "XNNCeiling"},
    {OpId::kCos, "XNNCos"},
    {OpId::kDiv, "XNNDiv", Form::kFloat, Scalar},
    {OpId::kExp, "XNNExp"},
    {OpId::kFloor, "XNNFloor"},
    {OpId::kGelu, "XNNGelu"},
    {OpId::kHardSwish, "XNNHardswish"},
    {OpId::kLeakyRelu, "XNNLeakyReLU"},
    {OpId::kLog, "XNNLog"},
    {OpId::kMaxDim, "XNNMaxDim", Form::kFloat, MaxDim},
    {OpId::kMaximum, "XNNMaximum"},
    {OpId::kMinimum, "XNNMinimum"},
    {OpId::kNeg, "XNNNegate"},
    {OpId::kPad, "XNNStaticConstantPad", Form::kFloat, Padding},
    {OpId::kPow, "XNNSquare", Form::kFloat, Exponent},
    {OpId::kSquare, "XNNSquare", Form::kFloat, Two},
    {OpId::kPRelu, "XNNPReLU"},
    {OpId::kResizeBilinear, "XNNStaticResizeBilinear2D"},
    {OpId::kRsqrt, "XNNReciprocalSquareRoot"},
    {OpId::kSigmoid, "XNNSigmoid"},
    {OpId::kSin, "XNNSin"},
    {OpId::kSoftmax, "XNNSoftmax", Form::kFloat, Axis},
    {OpId::kSqrt, "XNNSquareRoot"},
    {OpId::kTanh, "XNNTanh"},
};

// Overloads of the operators above that become others at the edge, by whose names the partitioner's configs are found.
constexpr absl::string_view kWithoutConfig[] = {
    "aten.avg_pool3d.default",
    "aten.clamp.Tensor",
    "aten.clamp_.Tensor",
    "aten.clamp_max.Tensor",
    "aten.clamp_min.Tensor",
    "aten.clip.Tensor",
    "aten.div.Scalar_mode",
    "aten.div.Tensor_mode",
    "aten.max_pool2d_with_indices.default",
    "aten.max_pool3d.default",
    "aten.max_pool3d_with_indices.default",
};

constexpr OpId kNothing[] = {OpId::kGetItem,  OpId::kPlaceholder, OpId::kOutput, OpId::kConstant,
                             OpId::kIdentity, OpId::kDropout,     OpId::kCopy};

// Decomposed in front of the partitioner, which takes what they become in part, or nothing of it.
struct Part {
  OpId id;
  absl::string_view why;
};
constexpr Part kParts[] = {
    {OpId::kLayerNorm, "ExecuTorch's partitioner has no config for native_layer_norm"},
    {OpId::kGroupNorm, "ExecuTorch's partitioner has no config for native_group_norm"},
    {OpId::kInstanceNorm, "ExecuTorch's partitioner has no config for a batch norm without its statistics"},
    {OpId::kRmsNorm, "it is decomposed, and its mean over one dimension stays outside"},
    {OpId::kAttention, "it is decomposed, and its masking and scaling stay outside"},
    {OpId::kSplit, "ExecuTorch's partitioner has no config for split_with_sizes_copy"},
    {OpId::kUnstack, "it is decomposed, and its squeeze_copy stays outside"},
    {OpId::kSqueeze, "ExecuTorch's partitioner has no config for squeeze_copy"},
    {OpId::kSelect, "ExecuTorch's partitioner has no config for select_copy"},
    {OpId::kHardSigmoid, "it is decomposed, and the conversion of its constants stays outside"},
    {OpId::kLogSigmoid, "it is decomposed, and its log1p stays outside"},
};

constexpr absl::string_view kComputedSizes = "ExecuTorch's partitioner takes no view_copy to sizes that are computed";

// Decomposed as well, into what depends on shapes that are not followed here.
constexpr OpId kDecomposed[] = {OpId::kEinsum, OpId::kMean};

const Entry* EntryOf(const ResolvedOp& op) {
  if (op.op == nullptr) return nullptr;
  const auto* found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.id == op.op->id; });
  return found == std::end(kEntries) ? nullptr : found;
}

const Operand* OnlyOutput(const CheckContext& context, const ResolvedOp& op) {
  return op.output_count == 1 ? &context.resolved().outputs(op)[0] : nullptr;
}

// The operator that alone reads the output of `op`, which is not quantized itself; null when there is none.
const ResolvedOp* OnlyReader(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const Operand* own = OnlyOutput(context, op);
  if (own == nullptr || own->quantized || own->value < 0) return nullptr;
  const Use* use = graph.only_use(own->value);
  if (use == nullptr || use->input != 0) return nullptr;
  const int32_t index = context.resolved().op_of_node(use->node);
  return index < 0 ? nullptr : &context.resolved().ops()[index];
}

OpId IdOf(const ResolvedOp* op) { return op == nullptr || op->op == nullptr ? OpId::kUnknown : op->op->id; }

// What is computed inside `op`: the batch norm behind a convolution (convert_pt2e folds it), then an activation.
struct Fused {
  const ResolvedOp* batch_norm = nullptr;
  const ResolvedOp* activation = nullptr;
  const ResolvedOp* last() const { return activation != nullptr ? activation : batch_norm; }
};

Fused FusedInto(const CheckContext& context, const ResolvedOp& op) {
  Fused fused;
  const Entry* entry = EntryOf(op);
  if (entry == nullptr || entry->form < Form::kWithRelu || HasComputedBias(context, op)) return fused;
  const ResolvedOp* next = OnlyReader(context, op);
  if ((op.op->id == OpId::kConv || op.op->id == OpId::kConvTranspose) && IdOf(next) == OpId::kBatchNorm) {
    fused.batch_norm = next;
    next = OnlyReader(context, *next);
  }
  const OpId id = IdOf(next);
  // relu6 becomes a hardtanh, a clamp does not.
  const bool clamps = id == OpId::kRelu6 ||
                      (id == OpId::kClamp && absl::StartsWith(context.graph().op_type(next->node), "aten.hardtanh"));
  if (id == OpId::kRelu || (clamps && entry->form == Form::kWithClamp)) fused.activation = next;
  return fused;
}

const ResolvedOp* ProducerOf(const CheckContext& context, const ResolvedOp& op) {
  const Graph& graph = context.graph();
  const int32_t input = graph.num_inputs(op.node) > 0 ? graph.input(op.node, 0) : -1;
  const int32_t producer = input < 0 ? -1 : graph.producer(input);
  const int32_t index = producer < 0 ? -1 : context.resolved().op_of_node(producer);
  return index < 0 ? nullptr : &context.resolved().ops()[index];
}

bool IsFused(const CheckContext& context, const ResolvedOp& op) {
  const ResolvedOp* producer = ProducerOf(context, op);
  if (IdOf(producer) == OpId::kBatchNorm) {
    const ResolvedOp* first = ProducerOf(context, *producer);
    if (first != nullptr && FusedInto(context, *first).activation == &op) return true;
  }
  if (producer == nullptr) return false;
  const Fused fused = FusedInto(context, *producer);
  return fused.batch_norm == &op || fused.activation == &op;
}

// One filter per input channel.
bool IsDepthwise(const NodeView& view) {
  const int64_t groups = view.integer({"groups"}).value_or(1);
  return groups > 1 && view.dim(view.input(1), 1) == 1;
}

bool Has(absl::Span<const OpId> list, OpId id) { return std::find(list.begin(), list.end(), id) != list.end(); }

bool HasUnknownSize(const NodeView& view, const Operand* operand) {
  if (operand == nullptr || operand->value < 0) return false;
  const auto& dims = view.graph().value(operand->value).dims();
  return std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 0; });
}

// A tensor between two operators that a node becomes: of the type that the node computes in, whatever is quantized
// around it.
void FillBetween(const NodeView& view, BackendTensor& tensor) {
  tensor.present = true;
  tensor.type = {IsHalf(view) ? v1::DATA_TYPE_FLOAT16 : v1::DATA_TYPE_FLOAT32, false};
}

// x sigmoid(x)
Lowering LowerSigmoidProduct(const NodeView& view, Emission& emission) {
  emission.Begin("XNNSigmoid", view.node());
  AddInput(view, view.input(0), emission);
  FillBetween(view, emission.AddOutput());
  emission.Begin("XNNMultiply", view.node());
  FillBetween(view, emission.AddInput());
  FillBetween(view, emission.AddInput());
  AddOutput(view, view.output(0), emission);
  emission.AddInt("converted_scalar", 0);
  return Emitted();
}

// Beyond, the split tensor has more dimensions than XNNPACK's six.
constexpr int kMostShuffled = 4;

// Dimensions are split, exchanged and joined again.
Lowering LowerShuffle(const NodeView& view, Emission& emission) {
  const int rank = view.rank(view.input(0));
  if (rank < 0 || rank > kMostShuffled) return Unknown("it is decomposed by the rank of what it shuffles");
  if (HasUnknownSize(view, view.input(0))) return NoCounterpart(kComputedSizes);
  emission.Begin("XNNStaticReshape", view.node());
  AddInput(view, view.input(0), emission);
  FillBetween(view, emission.AddOutput());
  emission.Begin("XNNStaticTranspose", view.node());
  FillBetween(view, emission.AddInput());
  FillBetween(view, emission.AddOutput());
  emission.Begin("XNNStaticReshape", view.node());
  FillBetween(view, emission.AddInput());
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

// At the end each is unsqueezed first; elsewhere they are joined, and viewed with one dimension more. The join is no
// neighbor of the conversions around, and one of real numbers.
Lowering LowerStack(const NodeView& view, Emission& emission) {
  emission.Begin("XNNConcatenate", view.node());
  for (const Operand& input : view.inputs()) {
    if (input.quantized) {
      FillBetween(view, emission.AddInput());
    } else {
      AddInput(view, &input, emission);
    }
  }
  const Operand* output = view.output(0);
  if (output != nullptr && output->quantized) {
    FillBetween(view, emission.AddOutput());
  } else {
    AddOutput(view, output, emission);
  }
  const int rank = view.rank(output);
  const bool at_end = rank > 0 && Normalize(view.integer({"dim"}).value_or(0), rank) == rank - 1;
  emission.AddInt("tensors", at_end ? std::ssize(view.inputs()) : DistinctTensors(view));
  return Emitted();
}

// A null operand is what was emitted before.
void AddOperand(const NodeView& view, const Operand* operand, Emission& emission) {
  if (operand == nullptr) {
    FillBetween(view, emission.AddInput());
  } else {
    AddInput(view, operand, emission);
  }
}

// Its output is the caller's to add.
void BeginScaling(const NodeView& view, absl::string_view factor, const Operand* operand, Emission& emission) {
  emission.Begin("XNNMultiply", view.node());
  AddOperand(view, operand, emission);
  AddScalar(view, factor, emission);
}

// beta x + alpha (a b), of which what changes nothing is left out. No table has the operator: its operands are in the
// order of its arguments, and have no ports.
Lowering LowerSumWithProduct(const NodeView& view, Emission& emission) {
  if (view.inputs().size() != 3) return Unknown("it does not have the arguments of its schema");
  const double alpha = view.real({"alpha"}).value_or(1), beta = view.real({"beta"}).value_or(1);
  const auto add_output = [&](bool last) {
    if (last) {
      AddOutput(view, view.output(0), emission);
    } else {
      FillBetween(view, emission.AddOutput());
    }
  };
  emission.Begin("XNNBatchMatrixMultiply", view.node());
  AddInput(view, &view.inputs()[1], emission);
  AddInput(view, &view.inputs()[2], emission);
  add_output(alpha == 1 && beta == 0);
  if (alpha != 1) {
    BeginScaling(view, "alpha", nullptr, emission);
    add_output(beta == 0);
  }
  if (beta == 0) return Emitted();
  const Operand* x = &view.inputs()[0];
  if (beta != 1) {
    BeginScaling(view, "beta", x, emission);
    add_output(false);
    x = nullptr;
  }
  emission.Begin("XNNAdd", view.node());
  AddOperand(view, x, emission);
  FillBetween(view, emission.AddInput());
  add_output(true);
  emission.AddInt("converted_scalar", 0);
  return Emitted();
}

bool IsOtherPadding(const NodeView& view) {
  const absl::string_view mode = view.text({"mode"});
  return view.op().op->id == OpId::kPad && !mode.empty() && mode != "constant";
}

// A padding of zeros between a Dequantize and a convolution becomes part of it.
Operand BehindPadding(const NodeView& view, const Operand& input) {
  const Graph& graph = view.graph();
  const int32_t pad = input.edge_value < 0 ? -1 : graph.producer(input.edge_value);
  const int32_t index = pad < 0 ? -1 : view.context().resolved().op_of_node(pad);
  if (view.op().op->id != OpId::kConv || index < 0 || graph.op(pad) != OpId::kPad) return input;
  const NodeView padding(view.context(), view.context().resolved().ops()[index], nullptr);
  const Operand* padded = padding.input(0);
  const std::optional<IntVector> sizes = padding.integers({"pad"});
  const int rank = view.rank(&input);
  if (padded == nullptr || !sizes || IsOtherPadding(padding) || padding.real({"value"}).value_or(0) != 0 ||
      graph.only_use(input.edge_value) == nullptr || static_cast<int>(sizes->size()) > 2 * (rank - 2)) {
    return input;
  }
  Operand behind = *padded;
  behind.argument = input.argument;
  behind.port = input.port;
  return behind;
}

void LowerGemm(const NodeView& view, absl::string_view name, absl::Span<const Operand* const> inputs,
               const Operand* output, Emission& emission) {
  emission.Begin(name, view.node());
  for (const Operand* input : inputs) {
    if (input == nullptr) {
      AddInput(view, nullptr, emission);
      continue;
    }
    const Operand read = AsRead(view.context(), input->port == 0 ? BehindPadding(view, *input) : *input);
    AddInput(view, &read, emission);
  }
  const Operand written = output == nullptr ? Operand() : AsWritten(view.context(), *output);
  AddOutput(view, output == nullptr ? nullptr : &written, emission);
}

// A reshape whose sizes are computed when it runs: those that are written as nodes, and those that flatten and
// unflatten become when they are decomposed. One that is left to be inferred is no such size.
bool IsToComputedSizes(const NodeView& view) {
  if (absl::StartsWith(view.op_type(), "aten.flatten") || absl::StartsWith(view.op_type(), "aten.unflatten")) {
    return HasUnknownSize(view, view.output(0)) && view.rank(view.input(0)) != view.rank(view.output(0));
  }
  const OpId id = view.op().op->id;
  if (id == OpId::kReshapeLike) return HasUnknownSize(view, view.output(0));
  return id == OpId::kReshape && view.graph().num_inputs(view.node()) > 1;
}

// The partitioner asks for float32, and for float16 here and there.
bool IsDouble(const NodeView& view) {
  const auto is_double = [&](const Operand& operand) {
    const bool is_parameter = view.op().op != nullptr && RoleOf(view.op(), operand) == PortRole::kParameter;
    return operand.present && operand.value >= 0 && !is_parameter &&
           view.graph().dtype(operand.value) == v1::DATA_TYPE_FLOAT64;
  };
  const OpId id = IdOf(&view.op());
  if (id == OpId::kQuantize || id == OpId::kDequantize || id == OpId::kRequantize || id == OpId::kChooseQParams) {
    return false;  // their parameters are
  }
  return std::any_of(view.inputs().begin(), view.inputs().end(), is_double) ||
         (view.output(0) != nullptr && is_double(*view.output(0)));
}

// A constant of the program text: what stands between it and its reader is computed beforehand.
bool IsOfLiftedConstant(const NodeView& view) {
  const Graph& graph = view.graph();
  const Operand* input = view.input(0);
  const int32_t producer = input == nullptr || input->value < 0 ? -1 : graph.producer(input->value);
  return producer >= 0 && absl::StartsWith(graph.op_type(producer), "aten.lift_fresh");
}

// Becomes a _clone_dim_order.
bool IsWrittenCopy(const NodeView& view) {
  const absl::string_view name = view.op_type();
  return absl::StartsWith(name, "aten.clone") || absl::StartsWith(name, "aten.contiguous") ||
         absl::StartsWith(name, "aten.lift_fresh_copy");
}

bool IsOfFloats(const NodeView& view) {
  const Operand* output = view.output(0);
  if (output == nullptr || output->value < 0) return true;
  const v1::DataType type = view.graph().dtype(output->value);
  return type == v1::DATA_TYPE_FLOAT32 || type == v1::DATA_TYPE_FLOAT16 || type == v1::DATA_TYPE_UNSPECIFIED;
}

// Products of matrices: bmm takes any, mm and addmm a constant second factor; a matmul becomes one of them by its
// ranks.
Lowering LowerProduct(const NodeView& view, Emission& emission) {
  const bool with_sum = view.op().op->id == OpId::kGemm;
  const Operand *a = view.input(0), *b = view.input(1);
  const int rank_a = view.rank(a), rank_b = view.rank(b);
  if (absl::StartsWith(view.op_type(), "aten.bmm")) {
    emission.Begin("XNNBatchMatrixMultiply", view.node());
    AddInput(view, a, emission);
    AddInput(view, b, emission);
    AddOutput(view, view.output(0), emission);
    return Emitted();
  }
  if (rank_a < 0 || rank_b < 0) return Unknown("it is decomposed by the ranks of what it multiplies");
  if (rank_a == 1 || rank_b == 1) return NoCounterpart("it is decomposed, and its sum stays outside");
  if (rank_b > 2) return NoCounterpart("it is decomposed, and its expand_copy stays outside");
  if (rank_a > 2 && HasUnknownSize(view, a)) return NoCounterpart(kComputedSizes);
  if (b == nullptr || AsRead(view.context(), *b).quantized) {
    return Unknown("quantized weights of a matmul are not followed through its decomposition");
  }
  const Operand* inputs[] = {a, b, with_sum ? view.input(2) : nullptr};
  LowerGemm(view, "XNNFullyConnected", inputs, view.output(0), emission);
  return Emitted();
}

// Removed, or a copy that is delegated.
bool IsCastToOwnType(const NodeView& view) {
  const OpId id = view.op().op->id;
  const Operand *input = view.input(0), *output = view.output(0);
  if ((id != OpId::kCast && id != OpId::kCastLike) || input == nullptr || output == nullptr) return false;
  if (input->value < 0 || output->value < 0) return false;
  const v1::DataType type = view.graph().dtype(output->value);
  return view.graph().dtype(input->value) == type && (type == v1::DATA_TYPE_FLOAT32 || type == v1::DATA_TYPE_FLOAT16);
}

// ExecuTorch converts what these read to the type of what they compute (RemoveMixedTypeOperators), ahead of the
// partitioner.
constexpr absl::string_view kOfOneType[] = {
    "aten.add.Tensor", "aten.div.Tensor", "aten.minimum.default", "aten.mul.Tensor", "aten.sub.Tensor",
};

bool ConvertsIntegers(const NodeView& view) {
  const std::string type = absl::StrReplaceAll(view.op_type(), {{"_.", "."}});  // in place or not
  if (!absl::c_linear_search(kOfOneType, type) || !IsOfFloats(view)) return false;
  return absl::c_any_of(view.inputs(), [&](const Operand& input) {
    if (!input.present || input.quantized || input.value < 0) return false;
    const v1::DataType type = view.graph().dtype(input.value);
    return IsInteger(type) || type == v1::DATA_TYPE_BOOL;
  });
}

// Averages and maxima over one dimension get another one in front, and lose it behind.
bool IsPoolOfOneDimension(const NodeView& view) {
  const OpId id = view.op().op->id;
  return (id == OpId::kMaxPool || id == OpId::kAveragePool) && absl::StrContains(view.op_type(), "pool1d");
}

}  // namespace

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::PT2E) {
    return Unknown("this origin's operators are not translated to XNNPACK yet");
  }
  const NodeView view(context, op, emission.looked_at_constants());
  if (absl::StartsWith(view.op_type(), "aten._assert_")) return Folded();
  if (context.Once(LostWritesOf).IsForNothing(op.node)) return Folded();
  if (WritesIntoPart(context.graph(), op.node)) {
    return NoCounterpart(
        "PyTorch says the assignment by a scatter, and ExecuTorch's partitioner has no config for one");
  }
  if (op.op == nullptr) {
    const bool is_known = view.op_type() == "aten.baddbmm.default" && !IsDouble(view);
    return is_known ? LowerSumWithProduct(view, emission) : NoCounterpart("the operator is not known");
  }
  const OpId id = op.op->id;
  if (absl::StartsWith(view.op_type(), "aten.detach") || absl::StartsWith(view.op_type(), "aten.alias")) {
    if (IsOfLiftedConstant(view)) return Folded();
    return NoCounterpart("ExecuTorch's partitioner has no config for alias_copy");
  }
  if (IsWrittenCopy(view)) {
    if (!IsOfFloats(view)) return NoCounterpart("ExecuTorch's partitioner takes copies of float32 and float16 alone");
    if (absl::StartsWith(view.text({"memory_format"}), "torch.channels_last")) {
      return NoCounterpart("ExecuTorch's partitioner takes copies that keep the order of dimensions alone");
    }
  }
  if (Has(kNothing, id)) return Folded();
  if (IsFused(context, op)) return Folded();
  const Operand* first = view.input(0);
  const bool at_run_time =
      (id == OpId::kQuantize && view.output(0) != nullptr && view.output(0)->is_dynamic == Tri::kYes) ||
      (id == OpId::kDequantize && first != nullptr && first->is_dynamic == Tri::kYes);
  if ((at_run_time || id == OpId::kChooseQParams) && IsForGemm(context, op.node)) return Folded();
  if (IsDouble(view)) return NoCounterpart("ExecuTorch's partitioner takes no tensors of float64");
  if (IsToComputedSizes(view)) return NoCounterpart(kComputedSizes);
  if (IsCastToOwnType(view)) return Folded();
  if (id == OpId::kMatMul || id == OpId::kGemm) return LowerProduct(view, emission);
  if (id == OpId::kDepthToSpace || id == OpId::kSpaceToDepth || id == OpId::kChannelShuffle) {
    return LowerShuffle(view, emission);
  }
  if (id == OpId::kStack) return LowerStack(view, emission);
  if (id == OpId::kSilu || id == OpId::kSwish || id == OpId::kGlu) return LowerSigmoidProduct(view, emission);
  const auto* part = std::find_if(std::begin(kParts), std::end(kParts), [&](const Part& p) { return p.id == id; });
  if (part != std::end(kParts)) return NoCounterpart(part->why);
  const Entry* entry = EntryOf(op);
  if (entry == nullptr) {
    if (Has(kDecomposed, id))
      return Unknown("it is decomposed into operators with tensors that the graph does not have");
    return NoCounterpart("ExecuTorch's partitioner has no config for it");
  }
  if (absl::c_linear_search(kWithoutConfig, view.op_type())) {
    return NoCounterpart("ExecuTorch's partitioner has no config for this overload");
  }
  if (ConvertsIntegers(view)) return NoCounterpart("the conversion of its integers to floats stays outside");
  if (IsUnbatchedConvolution(view)) return NoCounterpart("it is decomposed, and its unsqueeze_copy stays outside");
  if (IsPoolOfOneDimension(view)) return NoCounterpart("it is decomposed, and its squeeze_copy stays outside");
  if (IsOtherPadding(view)) return NoCounterpart("ExecuTorch's partitioner takes a padding with a constant alone");
  if (id == OpId::kMaxDim && view.rank(first) < 0) return Unknown("the rank of what it reduces is not known");
  if (id == OpId::kMaxDim && (view.rank(first) != 4 || IsRead(view, view.output(1)))) {
    return NoCounterpart("ExecuTorch's partitioner takes maxima along one of four dimensions, without their indices");
  }
  if (id == OpId::kAdaptiveAveragePool) {
    const Operand* output = view.output(0);
    const int rank = view.rank(output);
    if (rank != 4 || view.dim(output, 2) != 1 || view.dim(output, 3) != 1) {
      return NoCounterpart("ExecuTorch's partitioner takes adaptive pooling to one element only");
    }
  }
  if (HasComputedBias(context, op)) return NoCounterpart("ExecuTorch's partitioner takes a bias that is a constant");
  const ResolvedOp* last = FusedInto(context, op).last();
  const Operand* output = last != nullptr ? OnlyOutput(context, *last) : view.output(0);
  if (IsGemm(id)) {
    const Operand* inputs[] = {first, view.input(1), view.input(2)};
    LowerGemm(view, id == OpId::kConv && IsDepthwise(view) ? "XNNDepthwiseConv2d" : entry->name, inputs, output,
              emission);
  } else {
    emission.Begin(entry->name, view.node());
    for (const Operand& input : view.inputs()) {
      if (RoleOf(op, input) == PortRole::kParameter) continue;
      if (id == OpId::kBatchNorm && input.port != 0) continue;
      AddInput(view, &input, emission);
    }
    AddOutput(view, output, emission);
  }
  if (entry->params != nullptr) entry->params(view, emission);
  return Emitted();
}

bool IsFloatOnly(absl::string_view name) {
  return std::any_of(std::begin(kEntries), std::end(kEntries),
                     [&](const Entry& entry) { return entry.name == name && entry.form == Form::kFloat; });
}

}  // namespace quantgate::xnnpack
