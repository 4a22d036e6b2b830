#include "rules/backends/qnn/provider/provider.h"

#include <algorithm>
#include <iterator>

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
    {OpId::kAdd, "ElementWiseAdd", LowerArithmetic},
    {OpId::kSub, "ElementWiseSubtract", LowerArithmetic},
    {OpId::kMul, "ElementWiseMultiply", LowerMultiply},
    {OpId::kDiv, "ElementWiseDivide", LowerArithmetic},
    {OpId::kPow, "ElementWisePower", LowerArithmetic},
    {OpId::kSum, "ElementWiseAdd", LowerVariadic},
    {OpId::kMean, "ElementWiseAdd", LowerVariadic},
    {OpId::kMaximum, "ElementWiseMaximum", LowerVariadic},
    {OpId::kMinimum, "ElementWiseMinimum", LowerVariadic},
    {OpId::kReduceL2, {}, LowerReduceL2},
    {OpId::kRoiAlign, "RoiAlign", LowerRoiAlign},
    {OpId::kFusedMatMul, "MatMul", LowerFusedMatMul},
    {OpId::kCastLike, "Cast", LowerCastTo},
    {OpId::kLstm, "Lstm", LowerRecurrent},
    {OpId::kGru, "Gru", LowerRecurrent},
    {OpId::kIsNaN, "IsNan", LowerUnjudged},
    {OpId::kLpPool, "PoolAvg2d", LowerLpPool},
    {OpId::kRandomLike, {}, LowerRandom},

    {OpId::kGemm, "FullyConnected", LowerGemm},
    {OpId::kEinsum, "MatMul", LowerEinsum},
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

    {OpId::kBernoulli, {}, LowerUnclear},
    {OpId::kMish, {}, LowerUnclear},
    {OpId::kReduceLogSumExp, {}, LowerLogSumExp},
    {OpId::kRoiPool, {}, LowerUnclear},
    {OpId::kStft, {}, LowerUnclear},
    {OpId::kColumnsToImage, {}, LowerLeft},
    {OpId::kErf, {}, LowerLeft},
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

bool DependsOnNeighbors(const ResolvedOp& op) {
  return op.op != nullptr && (op.op->id == OpId::kGroupNorm || op.op->id == OpId::kMul || op.op->id == OpId::kPRelu);
}

std::optional<Lowering> LowerForProvider(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  if (context.graph().origin() != v1::Graph::ONNX || op.op == nullptr) return std::nullopt;
  const NodeView view(context, op, emission.looked_at_constants());
  if (view.op_type() == "com.microsoft::MatMulNBits") return provider::LowerMatMulNBits(view, "Conv2d", emission);
  // Other integer operators it has no builder for.
  if (context.graph().binding(op.node)->integer_operator) return std::nullopt;
  const auto* const entry = std::find_if(std::begin(provider::kEntries), std::end(provider::kEntries),
                                         [&op](const provider::Entry& candidate) { return candidate.id == op.op->id; });
  if (entry == std::end(provider::kEntries)) return std::nullopt;
  return entry->lower(view, entry->name, emission);
}

}  // namespace quantgate::qnn
