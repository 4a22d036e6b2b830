#include "rules/backends/xnnpack/lowering.h"

#include <algorithm>
#include <array>
#include <optional>

#include "rules/backends/node_view.h"
#include "rules/backends/tensor.h"
#include "rules/graph/port_role.h"

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

void Exponent(const NodeView& view, Emission& emission) {
  if (const std::optional<double> exponent = view.real({"exponent"})) emission.AddReal("exponent", *exponent);
}

void Step(const NodeView& view, Emission& emission) { emission.AddInt("step", view.integer({"step"}).value_or(1)); }

void AddList(const NodeView& view, absl::string_view attribute, absl::string_view name, Emission& emission) {
  const std::optional<IntVector> values = view.integers({attribute});
  BackendParam& param = emission.AddParam(name);
  if (values) param.ints.assign(values->begin(), values->end());
}

void Padding(const NodeView& view, Emission& emission) { AddList(view, "pad", "padding", emission); }

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
  emission.AddParam("dims").ints.assign(dims.begin(), dims.end());
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
    {OpId::kAdd, "XNNAdd", Form::kWithRelu, Alpha},
    {OpId::kSub, "XNNSubtract", Form::kStatic, Alpha},
    {OpId::kMul, "XNNMultiply", Form::kStatic},
    {OpId::kConcat, "XNNConcatenate", Form::kStatic, Axis},
    {OpId::kRelu, "XNNClamp", Form::kStatic},
    {OpId::kClamp, "XNNClamp", Form::kStatic},
    {OpId::kRelu6, "XNNClamp", Form::kStatic},
    {OpId::kElu, "XNNELU", Form::kStatic},
    {OpId::kMaxPool, "XNNMaxPooling2d", Form::kStatic, MaxPool},
    {OpId::kReduceMean, "XNNGlobalAvgPooling2d", Form::kStatic, Mean},
    {OpId::kAdaptiveAveragePool, "XNNGlobalAvgPooling2d", Form::kStatic, GlobalMean},
    {OpId::kTranspose, "XNNStaticTranspose", Form::kStatic},
    {OpId::kReshape, "XNNStaticReshape", Form::kStatic},
    {OpId::kFlatten, "XNNStaticReshape", Form::kStatic},
    {OpId::kUnsqueeze, "XNNExpandDims", Form::kStatic, NewAxis},
    {OpId::kSlice, "XNNStaticSlice", Form::kStatic, Step},

    {OpId::kAbs, "XNNAbs"},
    {OpId::kAveragePool, "XNNAvgPooling2d", Form::kFloat, AveragePool},
    {OpId::kBatchNorm, "XNNBatchNorm"},
    {OpId::kCeil, "XNNCeiling"},
    {OpId::kCos, "XNNCos"},
    {OpId::kDiv, "XNNDiv"},
    {OpId::kExp, "XNNExp"},
    {OpId::kFloor, "XNNFloor"},
    {OpId::kGelu, "XNNGelu"},
    {OpId::kHardSwish, "XNNHardswish"},
    {OpId::kLeakyRelu, "XNNLeakyReLU"},
    {OpId::kLog, "XNNLog"},
    {OpId::kMaximum, "XNNMaximum"},
    {OpId::kMinimum, "XNNMinimum"},
    {OpId::kNeg, "XNNNegate"},
    {OpId::kPad, "XNNStaticConstantPad", Form::kFloat, Padding},
    {OpId::kPow, "XNNSquare", Form::kFloat, Exponent},
    {OpId::kPRelu, "XNNPReLU"},
    {OpId::kResizeBilinear, "XNNStaticResizeBilinear2D"},
    {OpId::kRsqrt, "XNNReciprocalSquareRoot"},
    {OpId::kSigmoid, "XNNSigmoid"},
    {OpId::kSin, "XNNSin"},
    {OpId::kSoftmax, "XNNSoftmax", Form::kFloat, Axis},
    {OpId::kSqrt, "XNNSquareRoot"},
    {OpId::kTanh, "XNNTanh"},
};

constexpr OpId kNothing[] = {OpId::kGetItem,  OpId::kPlaceholder, OpId::kOutput, OpId::kConstant,
                             OpId::kIdentity, OpId::kDropout,     OpId::kCopy};

// Decomposed in front of the partitioner, into operators with tensors in between that the graph does not have.
constexpr OpId kDecomposed[] = {OpId::kMatMul,      OpId::kGemm,      OpId::kAttention,    OpId::kEinsum,
                                OpId::kStack,       OpId::kSilu,      OpId::kSwish,        OpId::kGlu,
                                OpId::kHardSigmoid, OpId::kSqueeze,   OpId::kSelect,       OpId::kSplit,
                                OpId::kUnstack,     OpId::kLayerNorm, OpId::kGroupNorm,    OpId::kRmsNorm,
                                OpId::kAttention,   OpId::kMean,      OpId::kInstanceNorm, OpId::kLogSigmoid};

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
  if (own == nullptr || own->quantized || own->value < 0 || graph.is_graph_output(own->value)) return nullptr;
  const absl::Span<const Use> uses = graph.uses(own->value);
  if (uses.size() != 1 || uses[0].input != 0) return nullptr;
  const int32_t index = context.resolved().op_of_node(uses[0].node);
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
  if (entry == nullptr || entry->form < Form::kWithRelu) return fused;
  const ResolvedOp* next = OnlyReader(context, op);
  if ((op.op->id == OpId::kConv || op.op->id == OpId::kConvTranspose) && IdOf(next) == OpId::kBatchNorm) {
    fused.batch_norm = next;
    next = OnlyReader(context, *next);
  }
  const OpId id = IdOf(next);
  const bool clamps = id == OpId::kClamp || id == OpId::kRelu6;
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

}  // namespace

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::PT2E) {
    return Unknown("this origin's operators are not translated to XNNPACK yet");
  }
  if (op.op == nullptr) return NoCounterpart("the operator is not known");
  const NodeView view(context, op, emission.looked_at_constants());
  if (Has(kNothing, op.op->id)) return Folded();
  if (IsFused(context, op)) return Folded();
  const Entry* entry = EntryOf(op);
  if (entry == nullptr) {
    if (Has(kDecomposed, op.op->id)) {
      return Unknown("it is decomposed into operators with tensors that the graph does not have");
    }
    return NoCounterpart("ExecuTorch's partitioner has no config for it");
  }
  if (op.op->id == OpId::kAdaptiveAveragePool) {
    const Operand* output = view.output(0);
    const int rank = view.rank(output);
    if (rank != 4 || view.dim(output, 2) != 1 || view.dim(output, 3) != 1) {
      return NoCounterpart("ExecuTorch's partitioner takes adaptive pooling to one element only");
    }
  }
  const bool depthwise = op.op->id == OpId::kConv && IsDepthwise(view);
  emission.Begin(depthwise ? "XNNDepthwiseConv2d" : entry->name, view.node());
  for (const Operand& input : view.inputs()) {
    if (RoleOf(op, input) == PortRole::kParameter) continue;
    if (op.op->id == OpId::kBatchNorm && input.port != 0) continue;
    AddInput(view, &input, emission);
  }
  const ResolvedOp* last = FusedInto(context, op).last();
  AddOutput(view, last != nullptr ? OnlyOutput(context, *last) : view.output(0), emission);
  if (entry->params != nullptr) entry->params(view, emission);
  return Emitted();
}

bool IsFloatOnly(absl::string_view name) {
  return std::any_of(std::begin(kEntries), std::end(kEntries),
                     [&](const Entry& entry) { return entry.name == name && entry.form == Form::kFloat; });
}

}  // namespace quantgate::xnnpack
