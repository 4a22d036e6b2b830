// Ids of the canonical operators. Grouped by what they do; the order carries no meaning and ids are never stored.
#ifndef QUANTGATE_RULES_OPERATORS_OP_ID_H_
#define QUANTGATE_RULES_OPERATORS_OP_ID_H_

#include <cstdint>

namespace quantgate {

enum class OpId : uint16_t {
  kUnknown,
  // Quantization.
  kQuantize,
  kDequantize,
  kRequantize,
  kDynamicQuantize,
  // Sums of products.
  kConv1d,
  kConv2d,
  kConv3d,
  kConvNd,  // rank decides (ONNX Conv, aten.convolution)
  kConvTranspose,
  kLinear,
  kMatMul,
  // Element-wise.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRelu,
  kClamp,
  kSigmoid,
  kTanh,
  kSoftmax,
  kLogSoftmax,
  // Data movement.
  kReshape,
  kTranspose,
  kConcat,
  kSlice,
  kPad,
  kSplit,
  kGather,
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_OP_ID_H_
