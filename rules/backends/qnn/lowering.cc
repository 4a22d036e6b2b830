#include "rules/backends/qnn/lowering.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/backends/qnn/removed.h"
#include "rules/backends/qnn/taken_apart.h"
#include "rules/backends/qnn/tflite.h"
#include "rules/backends/undecided.h"
#include "rules/graph/elements.h"

namespace quantgate::qnn {
namespace {

struct Entry {
  OpId id;
  absl::string_view name;  // the QNN operator, where the lowerer does not choose among several
  Lowerer lower;
};

constexpr Entry kEntries[] = {
    {OpId::kQuantize, "Quantize", LowerSame},
    {OpId::kDequantize, "Dequantize", LowerSame},
    {OpId::kRequantize, "Convert", LowerSame},

    {OpId::kConv, {}, LowerConvolution},
    {OpId::kConvTranspose, {}, LowerTransposedConvolution},
    {OpId::kLinear, "FullyConnected", LowerLinear},
    {OpId::kGemm, "FullyConnected", LowerLinear},
    {OpId::kMatMul, "MatMul", LowerMatMul},
    {OpId::kLstm, "Lstm", LowerLstm},

    {OpId::kBatchNorm, "Batchnorm", LowerBatchNorm},
    {OpId::kInstanceNorm, "InstanceNorm", LowerInstanceNorm},
    {OpId::kGroupNorm, "GroupNorm", LowerGroupNorm},
    {OpId::kLayerNorm, "LayerNorm", LowerLayerNorm},
    {OpId::kRmsNorm, "RmsNorm", LowerLayerNorm},
    {OpId::kLpNorm, "L2Norm", LowerL2Norm},
    {OpId::kLocalResponseNorm, "Lrn", LowerLocalResponse},

    {OpId::kAdd, "ElementWiseAdd", LowerBinary},
    {OpId::kSum, "ElementWiseAdd", LowerBinary},
    {OpId::kSub, "ElementWiseSubtract", LowerBinary},
    {OpId::kMul, "ElementWiseMultiply", LowerBinary},
    {OpId::kDiv, "ElementWiseDivide", LowerBinary},
    {OpId::kFloorDiv, "ElementWiseBinary", LowerFloorDivide},
    {OpId::kMod, "ElementWiseMod", LowerBinary},
    {OpId::kFmod, "ElementWiseFmod", LowerBinary},
    {OpId::kPow, "ElementWisePower", LowerBinary},
    {OpId::kReciprocal, "ElementWiseDivide", LowerReciprocal},
    {OpId::kSquare, "ElementWisePower", LowerSquare},
    {OpId::kDiff, "ElementWiseSubtract", LowerDifference},
    {OpId::kSquaredDifference, "ElementWiseSquaredDifference", LowerBinary},
    {OpId::kMaximum, "ElementWiseMaximum", LowerBinary},
    {OpId::kMinimum, "ElementWiseMinimum", LowerBinary},
    {OpId::kWhere, "ElementWiseSelect", LowerSame},
    {OpId::kMaskedFill, "ElementWiseSelect", LowerMaskedFill},
    {OpId::kBitwiseAnd, "ElementWiseAnd", LowerBinary},
    {OpId::kBitwiseOr, "ElementWiseOr", LowerBinary},
    {OpId::kBitwiseXor, "ElementWiseXor", LowerBinary},
    {OpId::kLogicalAnd, "ElementWiseAnd", LowerBinary},
    {OpId::kLogicalOr, "ElementWiseOr", LowerBinary},
    {OpId::kLogicalXor, "ElementWiseXor", LowerBinary},
    {OpId::kEqual, "ElementWiseEqual", LowerBinary},
    {OpId::kNotEqual, "ElementWiseNotEqual", LowerBinary},
    {OpId::kLess, "ElementWiseLess", LowerBinary},
    {OpId::kLessEqual, "ElementWiseLessEqual", LowerBinary},
    {OpId::kGreater, "ElementWiseGreater", LowerBinary},
    {OpId::kGreaterEqual, "ElementWiseGreaterEqual", LowerBinary},

    {OpId::kAbs, "ElementWiseAbs", LowerSame},
    {OpId::kAsin, "ElementWiseAsin", LowerSame},
    {OpId::kAtan, "ElementWiseAtan", LowerSame},
    {OpId::kCeil, "ElementWiseCeil", LowerSame},
    {OpId::kCos, "ElementWiseCos", LowerSame},
    {OpId::kExp, "ElementWiseExp", LowerSame},
    {OpId::kFloor, "ElementWiseFloor", LowerSame},
    {OpId::kLog, "ElementWiseLog", LowerSame},
    {OpId::kNeg, "ElementWiseNeg", LowerSame},
    {OpId::kLogicalNot, "ElementWiseNot", LowerSame},
    {OpId::kRound, "ElementWiseRound", LowerSame},
    {OpId::kRsqrt, "ElementWiseRsqrt", LowerSame},
    {OpId::kSign, "ElementWiseSign", LowerSame},
    {OpId::kSin, "ElementWiseSin", LowerSame},
    {OpId::kSqrt, "ElementWiseSquareRoot", LowerSame},
    {OpId::kSoftplus, "ElementWiseSoftplus", LowerSame},
    {OpId::kCast, "Cast", LowerSame},
    {OpId::kCastLike, "Cast", LowerCastLike},

    {OpId::kRelu, "Relu", LowerSame},
    {OpId::kRelu1, "Relu1", LowerSame},
    {OpId::kRelu6, "ReluMinMax", LowerRelu6},
    {OpId::kClamp, "ReluMinMax", LowerClamp},
    {OpId::kLeakyRelu, "Prelu", LowerLeakyRelu},
    {OpId::kPRelu, "Prelu", LowerPrelu},
    {OpId::kElu, "Elu", LowerElu},
    {OpId::kSelu, "Elu", LowerSeluAsElu},
    {OpId::kGelu, "Gelu", LowerSame},
    {OpId::kHadamardTransform, "HadamardTransform", LowerHadamardTransform},
    {OpId::kSigmoid, "Sigmoid", LowerSame},
    {OpId::kHardSigmoid, "ElementWiseNeuron", LowerHardSigmoid},
    {OpId::kHardSwish, "HardSwish", LowerSame},
    {OpId::kTanh, "Tanh", LowerSame},
    {OpId::kSoftmax, "Softmax", LowerSoftmax},
    {OpId::kLogSoftmax, "LogSoftmax", LowerSoftmax},
    {OpId::kDropout, {}, LowerDropout},

    {OpId::kMaxPool, {}, LowerMaxPool},
    {OpId::kAveragePool, {}, LowerAveragePool},
    {OpId::kGlobalMaxPool, "PoolMax2d", LowerGlobalPool},
    {OpId::kGlobalAveragePool, "PoolAvg2d", LowerGlobalPool},
    {OpId::kAdaptiveMaxPool, "PoolMax2d", LowerGlobalPool},
    {OpId::kAdaptiveAveragePool, "PoolAvg2d", LowerGlobalPool},
    {OpId::kReduceMean, "ReduceMean", LowerReduction},
    {OpId::kReduceSum, "ReduceSum", LowerReduction},
    {OpId::kReduceProd, "ReduceProd", LowerReduction},
    {OpId::kReduceMax, "ReduceMax", LowerReduction},
    {OpId::kReduceMin, "ReduceMin", LowerReduction},
    {OpId::kReduceSumSquare, "ReduceSumSquare", LowerReduction},
    {OpId::kReduceAny, "ReduceSum", LowerAny},
    {OpId::kMaxDim, "ReduceMax", LowerReductionWithIndex},
    {OpId::kMinDim, "ReduceMin", LowerReductionWithIndex},
    {OpId::kArgMax, "Argmax", LowerArgument},
    {OpId::kArgMin, "Argmin", LowerArgument},
    {OpId::kCumSum, "CumulativeSum", LowerCumulativeSum},
    {OpId::kTopK, "TopK", LowerTopK},
    {OpId::kSort, "TopK", LowerTopK},
    {OpId::kArgSort, "TopK", LowerTopK},

    {OpId::kIdentity, {}, LowerFolded},
    {OpId::kReshape, "Reshape", LowerReshape},
    {OpId::kReshapeLike, "Reshape", LowerReshape},
    {OpId::kFlatten, "Reshape", LowerReshape},
    {OpId::kSqueeze, "Reshape", LowerReshape},
    {OpId::kUnsqueeze, "Reshape", LowerReshape},
    {OpId::kTranspose, "Transpose", LowerTranspose},
    {OpId::kConcat, "Concat", LowerConcat},
    {OpId::kStack, "Pack", LowerConcat},
    {OpId::kSplit, "Split", LowerSplit},
    {OpId::kUnstack, {}, LowerUnbind},
    {OpId::kSlice, "StridedSlice", LowerSlice},
    {OpId::kSelect, "StridedSlice", LowerSlice},
    {OpId::kFlip, "StridedSlice", LowerSlice},
    {OpId::kExpand, "Tile", LowerExpand},
    {OpId::kExpandLike, "Tile", LowerExpand},
    {OpId::kTile, "Tile", LowerTile},
    {OpId::kPad, "Pad", LowerPad},
    {OpId::kReflectionPad, "Pad", LowerPad},
    {OpId::kReplicationPad, "Pad", LowerPad},
    {OpId::kDepthToSpace, "DepthToSpace", LowerDepthSpace},
    {OpId::kSpaceToDepth, "SpaceToDepth", LowerDepthSpace},
    {OpId::kChannelShuffle, "ChannelShuffle", LowerChannelShuffle},
    {OpId::kCopy, "Reshape", LowerCopy},
    {OpId::kColumnsToImage, "DepthToSpace", LowerFold},
    {OpId::kImageToColumns, "SpaceToDepth", LowerFold},
    {OpId::kGather, "Gather", LowerGather},
    {OpId::kEmbedding, "Gather", LowerEmbedding},
    {OpId::kIndex, "Gather", LowerIndexSelect},
    {OpId::kGatherElements, "GatherElements", LowerGatherElements},
    {OpId::kGatherNd, "GatherNd", LowerGatherNd},
    {OpId::kScatterElements, "ScatterElements", LowerScatter},
    {OpId::kScatterReduce, "ScatterElements", LowerScatter},
    {OpId::kScatterNd, "ScatterNd", LowerScatter},
    {OpId::kIndexPut, "ScatterNd", LowerSlotAssignment},
    {OpId::kIndexCopy, "ScatterNd", LowerSlotAssignment},
    {OpId::kSliceScatter, "ScatterNd", LowerSlotAssignment},
    {OpId::kOneHot, "OneHot", LowerOneHot},
    {OpId::kRandomLike, {}, LowerRandomLike},
    {OpId::kNonZero, "NonZero", LowerSame},

    {OpId::kResize, {}, LowerResize},
    {OpId::kResizeNearest, {}, LowerResize},
    {OpId::kResizeBilinear, {}, LowerResize},
    {OpId::kResizeBicubic, {}, LowerResize},
    {OpId::kGridSample, "GridSample", LowerGridSample},
    {OpId::kNonMaxSuppression, "NonMaxSuppression", LowerNonMaxSuppression},

    // Nodes of a torch.fx graph that are no computation.
    {OpId::kGetItem, {}, LowerFolded},
    {OpId::kPlaceholder, {}, LowerFolded},
    {OpId::kOutput, {}, LowerFolded},
    {OpId::kConstant, {}, LowerFolded},
};

// Operators that are taken apart before QNN sees them, with values in between that the graph does not have.
constexpr OpId kDecomposed[] = {
    OpId::kSilu,           OpId::kSwish,      OpId::kMean,          OpId::kAttention,
    OpId::kEinsum,         OpId::kGlu,        OpId::kReduceL2,      OpId::kReduceL1,
    OpId::kReduceVariance, OpId::kVectorNorm, OpId::kSelectScatter, OpId::kRepeatInterleave,
    OpId::kLogSigmoid,     OpId::kErf,        OpId::kQuickGelu,     OpId::kCdist,
    OpId::kRoll,
};

// What ExecuTorch 1.5.1 neither takes apart nor has a builder for, other than for the operator's other overloads.
constexpr absl::string_view kWithoutBuilder[] = {
    "aten.clamp.Tensor",           "aten.fmod.Scalar",  "aten.fmod.Tensor",    "aten.logical_or.default",
    "aten.logical_xor.default",    "aten.max.default",  "aten.mean.default",   "aten.min.default",
    "aten.prod.default",           "aten.prod.dim_int", "aten.round.decimals", "aten.sort.stable",
    "aten.upsample_nearest3d.vec",
};

// Entry by operator id: one load on the hot path.
const std::array<const Entry*, 1024>& EntriesById() {
  static const auto* table = [] {
    auto* entries = new std::array<const Entry*, 1024>{};
    for (const Entry& entry : kEntries) (*entries)[static_cast<size_t>(entry.id)] = &entry;
    return entries;
  }();
  return *table;
}

// A QNN graph is what it is: ports by argument position, parameters by name.
Lowering LowerIdentity(const NodeView& view, Emission& emission) {
  if (absl::StrContains(view.op_type(), "::")) return Unknown("it is of an operator package other than QNN's own");
  const auto typeless = [](const Operand& operand) {
    return operand.present && operand.type == v1::DATA_TYPE_UNSPECIFIED;
  };
  if (absl::c_any_of(view.inputs(), typeless) || absl::c_any_of(view.outputs(), typeless)) {
    return Unknown("the data type of one of its tensors is not known");
  }
  emission.Begin(view.op_type(), view.node());
  emission.MarkAsStated();
  int next = 0;
  for (const Operand& input : view.inputs()) {
    const int argument = std::min<int>(view.graph().argument(view.node(), input.argument), 1 << 16);
    for (; next < argument; ++next) AddInput(view, nullptr, emission);
    AddInput(view, &input, emission);
    ++next;
  }
  for (const Operand& output : view.outputs()) AddOutput(view, &output, emission);
  for (const v1::Attribute& attribute : view.graph().node(view.node()).attributes()) {
    BackendParam& param = emission.AddParam(view.graph().symbol(attribute.name()));
    switch (attribute.value_case()) {
      case v1::Attribute::kI:
        param.ints.push_back(attribute.i());
        break;
      case v1::Attribute::kB:
        param.ints.push_back(attribute.b() ? 1 : 0);
        break;
      case v1::Attribute::kF:
        param.reals.push_back(attribute.f());
        break;
      case v1::Attribute::kInts:
        param.ints.assign(attribute.ints().values().begin(), attribute.ints().values().end());
        break;
      case v1::Attribute::kFloats:
        param.reals.assign(attribute.floats().values().begin(), attribute.floats().values().end());
        break;
      case v1::Attribute::kTensor:
        if (attribute.tensor() > 0 && attribute.tensor() <= view.graph().num_values()) {
          const v1::Value& value = view.graph().value(attribute.tensor() - 1);
          const IntegerView integers = IntegersOf(value);
          const RealView reals = RealsOf(value);
          param.ints.assign(integers.begin(), integers.end());
          param.reals.assign(reals.begin(), reals.end());
        }
        break;
      default:
        break;  // present, value unknown
    }
  }
  return Emitted();
}

}  // namespace

Lowering WithoutArgument(const NodeView& view, int port, absl::string_view reason) {
  const Operand* argument = view.input(port);
  const bool computed_before = argument != nullptr && argument->static_chain;
  return computed_before ? Unknown("an argument is computed from constants, to numbers that are not known here")
                         : NoCounterpart(reason);
}

Lowering LowerNode(const NodeView& view, Emission& emission) {
  if (const std::optional<Lowering> lowering = LowerTakenApart(view, emission)) return *lowering;
  const Operator* op = view.op().op;
  if (op == nullptr) return NoCounterpart("the operator is not known");
  if (IsRemoved(view.graph(), view.node())) return Folded();
  if (IsMixed(view.context(), view.op())) {
    return Unknown("the encodings file has some of its tensors real, and others integers");
  }
  if (view.graph().origin() == v1::Graph::PT2E && absl::c_linear_search(kWithoutBuilder, view.op_type())) {
    return NoCounterpart("ExecuTorch has no builder for it");
  }
  const size_t id = static_cast<size_t>(op->id);
  const Entry* entry = id < EntriesById().size() ? EntriesById()[id] : nullptr;
  if (entry != nullptr) return entry->lower(view, entry->name, emission);
  if (absl::c_linear_search(kDecomposed, op->id)) {
    return Unknown("the toolchain takes it apart into several QNN operators with tensors that the graph does not have");
  }
  return NoCounterpart("QNN has no operator for it");
}

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  NodeView view(context, op, emission.looked_at_constants());
  view.ShareEncodings();
  if (context.graph().origin() == v1::Graph::QNN) return LowerIdentity(view, emission);
  const std::vector<Operand> as_read = InputsAsRead(context, op);
  if (!as_read.empty()) view.Replace(as_read);
  if (context.graph().origin() == v1::Graph::TFLITE) {
    if (const std::optional<Lowering> lowering = LowerTflite(view, emission)) return *lowering;
  } else if (!view.channels_first()) {
    return Unknown("this origin's operators are not translated to QNN yet");
  }
  return LowerNode(view, emission);
}

bool DependsOnReaders(const CheckContext& context, const ResolvedOp& op) {
  constexpr OpId kOfReaders[] = {OpId::kMaxPool, OpId::kAdaptiveMaxPool, OpId::kMaxDim, OpId::kMinDim};
  const bool has_results = context.graph().origin() == v1::Graph::PT2E && op.output_count > 1;
  return has_results && op.op != nullptr && absl::c_linear_search(kOfReaders, op.op->id);
}

}  // namespace quantgate::qnn
