// Convolutions and matrix products.
#include "absl/algorithm/container.h"
#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/backends/qnn/provider/provider.h"

namespace quantgate::qnn {
namespace {

// Whether the last elements along an axis are beyond what any input element reaches, and the kernel is no wider than
// the stride: of such forms none could be prepared that was asked.
bool ReachesBeyond(const NodeView& view) {
  const auto padding = view.integers({"output_padding"});
  if (!padding) return false;
  const auto strides = view.integers({"strides"});
  const auto pads = view.integers({"pads"});
  for (size_t i = 0; i < padding->size(); ++i) {
    const int64_t stride = strides && i < strides->size() ? (*strides)[i] : 1;
    const int64_t kernel = view.dim(view.input(1), static_cast<int>(i) + 2);
    int64_t cut = 0;
    if (pads && pads->size() == 2 * padding->size()) cut = (*pads)[i] + (*pads)[i + padding->size()];
    if ((*padding)[i] > 0 && kernel <= stride && kernel + (*padding)[i] - cut > stride) return true;
  }
  return false;
}

bool IsFixedUnsigned16(const Operand* operand) {
  return operand != nullptr && operand->quantized && operand->type == v1::DATA_TYPE_UINT16;
}

// A weight of unsigned 16 bits, which a Convert makes signed: with 0 for a zero point, whatever the file has.
bool HasConvertedWeight(const NodeView& view) {
  const OpId id = view.op().op->id;
  if (id != OpId::kMatMul && id != OpId::kConv && id != OpId::kConvTranspose) return false;
  const Operand* weight = view.input(1);
  const bool wide = IsFixedUnsigned16(view.input(0)) && IsFixedUnsigned16(weight) && weight->static_chain;
  // The filter of a convolution along one dimension is left as it is.
  return wide && (id == OpId::kMatMul || view.rank(weight) != 3);
}

void MakeWeightSigned(const NodeView& view, Emission& emission) {
  if (!HasConvertedWeight(view)) return;
  for (BackendTensor& tensor : emission.inputs()) {
    if (tensor.argument != view.input(1)->argument) continue;
    tensor.type.type = v1::DATA_TYPE_INT16;
    tensor.symmetric = tensor.asked_symmetric = Tri::kYes;
    tensor.qparams = nullptr;
  }
}

// A bias in float beside integers becomes one of 32 bits.
void QuantizeBias(const NodeView& view, Emission& emission) {
  const Operand* input = view.input(0);
  const Operand* bias = view.input(2);
  if (input == nullptr || bias == nullptr || !input->quantized || bias->quantized) return;
  for (BackendTensor& tensor : emission.inputs()) {
    if (tensor.argument != bias->argument) continue;
    tensor.type = {v1::DATA_TYPE_INT32, true};
    tensor.bits = 32;
    tensor.encoding = Encoding::kPerTensor;
    tensor.symmetric = tensor.asked_symmetric = Tri::kYes;
  }
}

// A constant bias with zero points is stored anew, at the product of the other two scales and without.
void RequantizeBias(const NodeView& view, Emission& emission) {
  const Operand* bias = view.input(2);
  if (bias == nullptr || !bias->quantized || !bias->is_static) return;
  for (BackendTensor& tensor : emission.inputs()) {
    if (tensor.argument != bias->argument || tensor.qparams == nullptr) continue;
    const auto is_shifted = [](double zero_point) { return zero_point != 0; };
    if (absl::c_none_of(tensor.qparams->zero_points, is_shifted)) continue;
    tensor.symmetric = tensor.asked_symmetric = Tri::kYes;
    tensor.qparams = nullptr;
  }
}

}  // namespace

bool HasConvertedChannels(const NodeView& view) {
  const Operand* weight = view.input(1);
  if (!HasConvertedWeight(view) || IsApart(view)) return false;
  const QuantParams* qparams = view.context().resolved().qparams(*weight);
  return qparams != nullptr && !qparams->per_tensor();
}

namespace provider {

Lowering LowerConvolution(const NodeView& view, absl::string_view name, Emission& emission) {
  const Lowering lowering = qnn::LowerConvolution(view, name, emission);
  MakeWeightSigned(view, emission);
  QuantizeBias(view, emission);
  RequantizeBias(view, emission);
  return lowering;
}

Lowering LowerTransposedConvolution(const NodeView& view, absl::string_view name, Emission& emission) {
  if (IsDilated(view)) {
    return NoCounterpart("ONNX Runtime's QNN provider takes transposed convolutions without dilation only");
  }
  if (ReachesBeyond(view)) return Unknown("whether it can be prepared with this output padding");
  const Lowering lowering = qnn::LowerTransposedConvolution(view, name, emission);
  MakeWeightSigned(view, emission);
  QuantizeBias(view, emission);
  RequantizeBias(view, emission);
  return lowering;
}

// By a constant matrix it is a FullyConnected. Of operands that are computed unsigned ones of 16 bits are narrowed
// alone.
Lowering LowerMatMul(const NodeView& view, absl::string_view name, Emission& emission) {
  if (HasConvertedChannels(view)) {
    return NoCounterpart("ONNX Runtime's QNN provider takes UFIXED_POINT_16 weights with one scale only");
  }
  const Operand* weight = view.input(1);
  if (weight != nullptr && weight->quantized && weight->type == v1::DATA_TYPE_INT16 && !weight->static_chain) {
    const Lowering lowering = LowerBinary(view, name, emission);
    emission.AddInt("transpose_in0", 0);
    emission.AddInt("transpose_in1", 0);
    return lowering;
  }
  const bool matrix = weight != nullptr && weight->is_static && view.rank(weight) == 2;
  const Lowering lowering =
      matrix ? LowerLinear(view, "FullyConnected", emission) : qnn::LowerMatMul(view, name, emission);
  MakeWeightSigned(view, emission);
  return lowering;
}

}  // namespace provider
}  // namespace quantgate::qnn
