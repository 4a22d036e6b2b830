#include "rules/backends/qnn/provider/provider.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "rules/backends/qnn/provider/lowerers.h"

namespace quantgate::qnn {
namespace provider {
namespace {

struct Entry {
  OpId id;
  absl::string_view name;
  Lowerer lower;
};

constexpr Entry kEntries[] = {
    {OpId::kTan, {}, LowerTan},
    {OpId::kSelu, {}, LowerSelu},
    {OpId::kThresholdedRelu, {}, LowerThresholdedRelu},
    {OpId::kQuickGelu, {}, LowerQuickGelu},
    {OpId::kMul, "ElementWiseMultiply", LowerMultiply},
    {OpId::kSum, "ElementWiseAdd", LowerVariadic},
    {OpId::kMean, "ElementWiseAdd", LowerVariadic},
    {OpId::kMaximum, "ElementWiseMaximum", LowerVariadic},
    {OpId::kMinimum, "ElementWiseMinimum", LowerVariadic},
    {OpId::kReduceL2, {}, LowerReduceL2},
    {OpId::kRoiAlign, "RoiAlign", LowerRoiAlign},
    {OpId::kFusedMatMul, "MatMul", LowerFusedMatMul},
    {OpId::kCast, "Cast", LowerCastTo},
    {OpId::kCastLike, "Cast", LowerCastTo},
    {OpId::kLstm, "Lstm", LowerRecurrent},
    {OpId::kGru, "Gru", LowerRecurrent},
    {OpId::kIsNaN, "IsNan", LowerUnjudged},
    {OpId::kLpPool, "PoolAvg2d", LowerLpPool},
    {OpId::kRandomLike, {}, LowerRandom},

    {OpId::kQuantize, "Quantize", LowerQuantizer},
    {OpId::kDequantize, "Dequantize", LowerQuantizer},
    {OpId::kConv, {}, LowerConvolution},
    {OpId::kMatMul, "MatMul", LowerMatMul},
    {OpId::kGemm, "FullyConnected", LowerGemm},
    {OpId::kEinsum, "MatMul", LowerEinsum},
    {OpId::kErf, "Gelu", LowerErf},
    {OpId::kTranspose, "Transpose", LowerTransposition},
    {OpId::kResize, {}, LowerResizing},
    {OpId::kSoftplus, "ElementWiseNeuron", LowerSoftplus},
    {OpId::kLeakyRelu, "Prelu", LowerLeakyRelu},
    {OpId::kMod, "ElementWiseMod", LowerModulo},
    {OpId::kMaxPool, {}, LowerPool},
    {OpId::kAveragePool, {}, LowerPool},
    {OpId::kGlobalMaxPool, "PoolMax2d", LowerPool},
    {OpId::kPRelu, "Prelu", LowerPrelu},
    {OpId::kBatchNorm, "Batchnorm", LowerBatchNorm},
    {OpId::kInstanceNorm, "InstanceNorm", LowerInstanceNorm},
    {OpId::kGroupNorm, "GroupNorm", LowerGroupNorm},
    {OpId::kConvTranspose, {}, LowerTransposedConvolution},

    {OpId::kExpand, "Tile", LowerExpand},
    {OpId::kSplit, "Split", LowerSplit},

    {OpId::kBernoulli, {}, LowerUnclear},
    {OpId::kMish, {}, LowerUnclear},
    {OpId::kReduceLogSumExp, {}, LowerLogSumExp},
    {OpId::kRoiPool, {}, LowerUnclear},
    {OpId::kStft, {}, LowerUnclear},
    {OpId::kColumnsToImage, {}, LowerLeft},
    {OpId::kReduceL1, {}, LowerLeft},
};

}  // namespace
}  // namespace provider

namespace {

// Asked one by one of onnxruntime-qnn 2.7.0. BatchNormalization is laid out anew too, but its types are looked at
// before.
constexpr LaidOut kLaidOut[] = {
    {OpId::kConv, 3, 5},
    {OpId::kConvTranspose, 3, 5},
    {OpId::kAveragePool, 3, 5},
    {OpId::kMaxPool, 3, 5},
    {OpId::kGlobalAveragePool, 3, 5},
    {OpId::kGlobalMaxPool, 3, 5},
    {OpId::kDepthToSpace, 4, 4},
    {OpId::kSpaceToDepth, 4, 4},
    {OpId::kGridSample, 4, 5},
    {OpId::kInstanceNorm, 3, 4},
    {OpId::kGroupNorm, 3, 5},
    {OpId::kLocalResponseNorm, 3, 4},
    {OpId::kRoiAlign, 4, 4},
    {OpId::kResize, 3, 5},
};

}  // namespace

const LaidOut* LaidOutAnew(OpId id) {
  const auto* const found = std::find_if(std::begin(kLaidOut), std::end(kLaidOut),
                                         [id](const LaidOut& candidate) { return candidate.id == id; });
  return found == std::end(kLaidOut) ? nullptr : found;
}

bool DependsOnNeighbors(const CheckContext& context, const ResolvedOp& op) {
  if (op.op == nullptr) return false;
  bool looked_at_constants = false;
  if (ReadsLeftConstant(NodeView(context, op, &looked_at_constants))) return true;
  switch (op.op->id) {
    case OpId::kErf:
    case OpId::kGroupNorm:
    case OpId::kMul:
    case OpId::kPRelu:
    case OpId::kReshape:
    case OpId::kTranspose:
      return true;
    default:
      return false;
  }
}

namespace {

// Those that were asked about. Of operators on integers it takes QLinearConv, and some forms of QLinearMatMul and
// MatMulInteger.
bool HasNoBuilder(absl::string_view integer_operator) {
  return integer_operator == "ConvInteger" || integer_operator == "com.microsoft::QGemm" ||
         integer_operator == "com.microsoft::DynamicQuantizeLSTM" ||
         absl::StartsWith(integer_operator, "com.microsoft::QLinear");
}

}  // namespace

std::optional<Lowering> LowerForProvider(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::ONNX || op.op == nullptr) return std::nullopt;
  const NodeView view(context, op, emission.looked_at_constants());
  if (view.op_type() == "com.microsoft::MatMulNBits") return provider::LowerMatMulNBits(view, "Conv2d", emission);
  if (context.graph().binding(op.node)->integer_operator) {
    if (!HasNoBuilder(view.op_type())) return std::nullopt;
    return NoCounterpart("ONNX Runtime's QNN provider has no builder for it");
  }
  const auto* const entry = std::find_if(std::begin(provider::kEntries), std::end(provider::kEntries),
                                         [&op](const provider::Entry& candidate) { return candidate.id == op.op->id; });
  const bool listed = entry != std::end(provider::kEntries);
  const auto lower = [&](const NodeView& node) {
    return listed ? entry->lower(node, entry->name, emission) : LowerNode(node, emission);
  };
  if (ReadsLeftConstant(view)) {
    return NoCounterpart(
        "the Dequantize of a constant with several scales or 32 bits in front of it stays on the CPU (give the "
        "constant one scale, or store it in float)");
  }
  if (provider::IsInWindow(view)) return provider::LowerInWindow(view, emission);
  if (IsApart(view)) return provider::LowerApart(view, lower, emission);
  return listed ? std::optional(lower(view)) : std::nullopt;
}

}  // namespace quantgate::qnn
