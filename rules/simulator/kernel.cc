#include "rules/simulator/kernel.h"

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/operators/operator.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"

namespace quantgate::simulator {
namespace {

using Kernel = absl::Status (*)(const Profile&, KernelCall&);

struct Entry {
  OpId op;
  Kernel kernel;
  size_t inputs;  // at least; those are present
};

constexpr Entry kKernels[] = {
    {OpId::kQuantize, Quantize, 1},
    {OpId::kDequantize, Dequantize, 1},
    {OpId::kRequantize, Requantize, 1},
    {OpId::kConv, Conv, 2},
    {OpId::kDepthwiseConv, Conv, 2},
    {OpId::kConvTranspose, Conv, 2},
    {OpId::kLinear, Linear, 2},
    {OpId::kGemm, Gemm, 2},
    {OpId::kMatMul, MatMul, 2},
    {OpId::kMaxPool, MaxPool, 1},
    {OpId::kGlobalMaxPool, MaxPool, 1},
    {OpId::kAveragePool, AveragePool, 1},
    {OpId::kGlobalAveragePool, AveragePool, 1},
    {OpId::kAdd, Binary, 2},
    {OpId::kSub, Binary, 2},
    {OpId::kMul, Binary, 2},
    {OpId::kDiv, Binary, 2},
    {OpId::kPow, Binary, 2},
    {OpId::kMaximum, Binary, 2},
    {OpId::kMinimum, Binary, 2},
    {OpId::kSquaredDifference, Binary, 2},
    {OpId::kPRelu, Binary, 2},
    {OpId::kFloorDiv, Binary, 2},
    {OpId::kEqual, Compare, 2},
    {OpId::kNotEqual, Compare, 2},
    {OpId::kLess, Compare, 2},
    {OpId::kLessEqual, Compare, 2},
    {OpId::kGreater, Compare, 2},
    {OpId::kGreaterEqual, Compare, 2},
    {OpId::kReduceMean, Reduce, 1},
    {OpId::kReduceSum, Reduce, 1},
    {OpId::kReduceMax, Reduce, 1},
    {OpId::kReduceMin, Reduce, 1},
    {OpId::kReduceProd, Reduce, 1},
    {OpId::kReduceL1, Reduce, 1},
    {OpId::kReduceL2, Reduce, 1},
    {OpId::kReduceSumSquare, Reduce, 1},
    {OpId::kAbs, Unary, 1},
    {OpId::kNeg, Unary, 1},
    {OpId::kExp, Unary, 1},
    {OpId::kLog, Unary, 1},
    {OpId::kSqrt, Unary, 1},
    {OpId::kRsqrt, Unary, 1},
    {OpId::kReciprocal, Unary, 1},
    {OpId::kSquare, Unary, 1},
    {OpId::kErf, Unary, 1},
    {OpId::kSin, Unary, 1},
    {OpId::kCos, Unary, 1},
    {OpId::kFloor, Unary, 1},
    {OpId::kCeil, Unary, 1},
    {OpId::kRound, Unary, 1},
    {OpId::kSign, Unary, 1},
    {OpId::kRelu, Unary, 1},
    {OpId::kRelu6, Unary, 1},
    {OpId::kRelu1, Unary, 1},
    {OpId::kClamp, Unary, 1},
    {OpId::kLeakyRelu, Unary, 1},
    {OpId::kElu, Unary, 1},
    {OpId::kSelu, Unary, 1},
    {OpId::kCelu, Unary, 1},
    {OpId::kGelu, Unary, 1},
    {OpId::kFastGelu, Unary, 1},
    {OpId::kQuickGelu, Unary, 1},
    {OpId::kSilu, Unary, 1},
    {OpId::kSwish, Unary, 1},
    {OpId::kMish, Unary, 1},
    {OpId::kSoftplus, Unary, 1},
    {OpId::kSoftsign, Unary, 1},
    {OpId::kSigmoid, Unary, 1},
    {OpId::kLogSigmoid, Unary, 1},
    {OpId::kTanh, Unary, 1},
    {OpId::kHardSigmoid, Unary, 1},
    {OpId::kHardSwish, Unary, 1},
    {OpId::kSoftmax, Softmax, 1},
    {OpId::kLogSoftmax, LogSoftmax, 1},
    {OpId::kLayerNorm, LayerNorm, 1},
    {OpId::kRmsNorm, LayerNorm, 1},
    {OpId::kBatchNorm, ChannelNorm, 1},
    {OpId::kInstanceNorm, ChannelNorm, 1},
    {OpId::kGroupNorm, ChannelNorm, 1},
    {OpId::kIdentity, Reshape, 1},
    {OpId::kDropout, Reshape, 1},
    {OpId::kReshape, Reshape, 1},
    {OpId::kFlatten, Reshape, 1},
    {OpId::kSqueeze, Reshape, 1},
    {OpId::kUnsqueeze, Reshape, 1},
    {OpId::kTranspose, Transpose, 1},
    {OpId::kSlice, Slice, 1},
    {OpId::kTile, Tile, 1},
    {OpId::kExpand, Tile, 1},
    {OpId::kPad, Pad, 1},
    {OpId::kConcat, Concat, 1},
    {OpId::kSplit, Split, 1},
    {OpId::kGather, Gather, 2},
    {OpId::kEmbedding, Gather, 2},
    {OpId::kDepthToSpace, DepthToSpace, 1},
    {OpId::kSpaceToDepth, DepthToSpace, 1},
    {OpId::kArgMax, ArgMax, 1},
    {OpId::kArgMin, ArgMax, 1},
    {OpId::kTopK, TopK, 1},
    {OpId::kWhere, Where, 3},
    {OpId::kResize, Resize, 1},
    {OpId::kResizeNearest, Resize, 1},
    {OpId::kResizeBilinear, Resize, 1},
};

}  // namespace

absl::Status RunKernel(const Profile& profile, KernelCall& call) {
  for (const Entry& entry : kKernels) {
    if (entry.op != call.op) continue;
    if (call.inputs.size() < entry.inputs || call.outputs.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(call.inputs.size(), " inputs and ", call.outputs.size(), " outputs"));
    }
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      if (call.inputs[i] == nullptr) {
        if (i < entry.inputs) return absl::InvalidArgumentError(absl::StrCat("input ", i, " is absent"));
        continue;
      }
      const QTensor& input = *call.inputs[i];
      if (absl::Status status = Validate(input); !status.ok()) {
        return absl::Status(status.code(), absl::StrCat("input ", i, ": ", status.message()));
      }
      // There are biases of 64 bits, and nothing else.
      const absl::Span<const Port> ports = GetOperator(call.op).inputs;
      const bool bias = i < ports.size() && ports[i].role == PortRole::kBias;
      if (!bias && IsQuantizedInteger(input) && ElementSize(input.tensor.type) == 8) {
        return absl::UnimplementedError(absl::StrCat("integers of type ", DataTypeName(input.tensor.type)));
      }
    }
    for (const QTensor& output : call.outputs) {
      if (absl::Status status = CheckZeroPoints(output.q); !status.ok()) return status;
    }
    return entry.kernel(profile, call);
  }
  return absl::UnimplementedError("no integer kernel for this operator");
}

}  // namespace quantgate::simulator
