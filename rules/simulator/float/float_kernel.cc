#include "rules/simulator/float/float_kernel.h"

#include "absl/strings/str_cat.h"
#include "rules/operators/operator.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/float/relu.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

using Kernel = absl::Status (*)(FloatCall&);

Kernel FindKernel(OpId op) {
  switch (op) {
    case OpId::kConv:
    case OpId::kDepthwiseConv:
      return RunConv;
    case OpId::kConvTranspose:
      return RunConvTranspose;
    case OpId::kLinear:
    case OpId::kGemm:
    case OpId::kMatMul:
      return RunMatMul;
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kFloorDiv:
    case OpId::kMod:
    case OpId::kFmod:
    case OpId::kPow:
    case OpId::kAtan2:
    case OpId::kSquaredDifference:
    case OpId::kMaximum:
    case OpId::kMinimum:
    case OpId::kSum:
    case OpId::kMean:
    case OpId::kBitwiseAnd:
    case OpId::kBitwiseOr:
    case OpId::kBitwiseXor:
    case OpId::kLogicalAnd:
    case OpId::kLogicalOr:
    case OpId::kLogicalXor:
    case OpId::kEqual:
    case OpId::kNotEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
    case OpId::kPRelu:
    case OpId::kBiasAdd:
      return RunBinary;
    case OpId::kWhere:
    case OpId::kMaskedFill:
      return RunWhere;
    case OpId::kCast:
      return RunCast;
    case OpId::kAveragePool:
    case OpId::kMaxPool:
    case OpId::kGlobalAveragePool:
    case OpId::kGlobalMaxPool:
    case OpId::kAdaptiveAveragePool:
    case OpId::kLpPool:
      return RunPool;
    case OpId::kReduceMean:
    case OpId::kReduceSum:
    case OpId::kReduceProd:
    case OpId::kReduceMax:
    case OpId::kReduceMin:
    case OpId::kReduceL1:
    case OpId::kReduceL2:
    case OpId::kReduceSumSquare:
    case OpId::kReduceLogSumExp:
    case OpId::kReduceAny:
    case OpId::kReduceVariance:
      return RunReduce;
    case OpId::kArgMax:
    case OpId::kArgMin:
    case OpId::kTopK:
    case OpId::kCumSum:
    case OpId::kMaxDim:
    case OpId::kMinDim:
      return RunSelection;
    case OpId::kSoftmax:
    case OpId::kLogSoftmax:
    case OpId::kHardmax:
      return RunSoftmax;
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kGroupNorm:
    case OpId::kLayerNorm:
    case OpId::kRmsNorm:
    case OpId::kLpNorm:
      return RunNormalization;
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
    case OpId::kDropout:
      return RunReshape;
    case OpId::kTranspose:
    case OpId::kConcat:
    case OpId::kStack:
    case OpId::kSplit:
    case OpId::kUnstack:
    case OpId::kSlice:
    case OpId::kSelect:
    case OpId::kExpand:
    case OpId::kTile:
    case OpId::kPad:
    case OpId::kFlip:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kTriangle:
      return RunMovement;
    case OpId::kSpaceToBatch:
    case OpId::kBatchToSpace:
    case OpId::kSliceScatter:
      return RunBlocks;
    case OpId::kGather:
    case OpId::kGatherElements:
    case OpId::kGatherNd:
    case OpId::kEmbedding:
    case OpId::kIndex:
      return RunGather;
    case OpId::kResize:
    case OpId::kResizeNearest:
    case OpId::kResizeBilinear:
      return RunResize;
    case OpId::kShape:
    case OpId::kSize:
    case OpId::kFill:
    case OpId::kFillLike:
    case OpId::kRange:
    case OpId::kOneHot:
      return RunCreation;
    case OpId::kDiff:
      return RunDifference;
    default:
      return RunUnary;  // says of the others that it has none
  }
}

}  // namespace

absl::Status FloatCall::MakeUnset(size_t output, v1::DataType type, const Dims& dims) {
  const absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return count.status();
  const size_t width = ElementSize(type);
  if (width == 0) return absl::UnimplementedError(absl::StrCat("tensors of ", v1::DataType_Name(type)));
  if (*count > max_bytes / static_cast<int64_t>(width)) {
    return absl::ResourceExhaustedError(absl::StrCat("a tensor of ", *count, " elements of ", width, " bytes, where ",
                                                     max_bytes, " bytes are allowed"));
  }
  outputs[output].type = type;
  return AllocateUnset(dims, outputs[output]);
}

absl::Status FloatCall::Make(size_t output, v1::DataType type, const Dims& dims) {
  if (absl::Status status = MakeUnset(output, type, dims); !status.ok()) return status;
  std::fill(outputs[output].data.begin(), outputs[output].data.end(), std::byte{0});
  return absl::OkStatus();
}

absl::Status RunFloatKernel(FloatCall& call) {
  if (call.outputs.empty()) return absl::InvalidArgumentError("it has no outputs");
  if (absl::Status status = FindKernel(call.op)(call); !status.ok()) return status;
  if (call.relu && call.outputs[0].type == v1::DATA_TYPE_FLOAT32) Relu(call.outputs[0].as<float>());
  return absl::OkStatus();
}

std::string DimsText(absl::Span<const int64_t> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", dims[i]);
  return text + ")";
}

int64_t Count(absl::Span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

absl::StatusOr<absl::Span<const float>> FloatInput(const FloatCall& call, size_t i) {
  const Tensor* tensor = call.input(i);
  if (tensor == nullptr) return absl::InvalidArgumentError(absl::StrCat("input ", i, " is not there"));
  if (tensor->type != v1::DATA_TYPE_FLOAT32) {
    return absl::UnimplementedError(
        absl::StrCat("input ", i, " is of ", v1::DataType_Name(tensor->type), ", not of real numbers"));
  }
  return tensor->as<float>();
}

void Activate(const Attributes& attributes, absl::Span<float> values) {
  const absl::string_view activation = attributes.Text("activation", "");
  if (activation.empty()) return;
  const float low = activation == "relu_n1_to_1" ? -1.0f : 0.0f;
  const float high = activation == "relu6" ? 6.0f : activation == "relu_n1_to_1" ? 1.0f : 3.4028235e38f;
  for (float& value : values) value = std::min(std::max(value, low), high);
}

Tensor Permuted(const Tensor& tensor, absl::Span<const int> permutation) {
  const size_t rank = tensor.dims.size();
  const size_t width = ElementSize(tensor.type);
  Tensor result;
  result.type = tensor.type;
  result.dims.resize(rank);
  result.data.resize(tensor.data.size());
  const Dims strides = StridesOf(tensor.dims);
  Dims steps(rank);
  for (size_t i = 0; i < rank; ++i) {
    result.dims[i] = tensor.dims[permutation[i]];
    steps[i] = strides[permutation[i]];
  }
  if (result.data.empty()) return result;
  if (rank == 0) {
    result.data = tensor.data;
    return result;
  }
  const int64_t inner = result.dims[rank - 1];
  const int64_t inner_step = steps[rank - 1];
  const int64_t outer = Count(result.dims) / inner;
  Dims index(rank, 0);
  int64_t from = 0;
  std::byte* to = result.data.data();
  const std::byte* data = tensor.data.data();
  for (int64_t row = 0; row < outer; ++row) {
    if (inner_step == 1) {
      std::copy_n(data + from * width, inner * width, to);
      to += inner * width;
    } else if (width == 4) {
      const auto* words = reinterpret_cast<const uint32_t*>(data);
      auto* out = reinterpret_cast<uint32_t*>(to);
      for (int64_t i = 0; i < inner; ++i) out[i] = words[from + i * inner_step];
      to += inner * 4;
    } else {
      for (int64_t i = 0; i < inner; ++i, to += width) std::copy_n(data + (from + i * inner_step) * width, width, to);
    }
    for (size_t axis = rank - 1; axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < result.dims[axis]) break;
      from -= steps[axis] * result.dims[axis];
      index[axis] = 0;
    }
  }
  return result;
}

Tensor ToChannelsFirst(const Tensor& tensor) {
  const int rank = static_cast<int>(tensor.dims.size());
  std::vector<int> permutation = {0};
  if (rank > 1) permutation.push_back(rank - 1);
  for (int i = 1; i + 1 < rank; ++i) permutation.push_back(i);
  return rank == 0 ? tensor : Permuted(tensor, permutation);
}

Tensor ToChannelsLast(const Tensor& tensor) {
  const int rank = static_cast<int>(tensor.dims.size());
  std::vector<int> permutation = {0};
  for (int i = 2; i < rank; ++i) permutation.push_back(i);
  if (rank > 1) permutation.push_back(1);
  return rank == 0 ? tensor : Permuted(tensor, permutation);
}

}  // namespace quantgate::simulator
