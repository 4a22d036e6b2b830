// Matrix products with a bias: FullyConnected, with what stands in front and behind.
#include "rules/backends/qnn/provider/lowerers.h"

namespace quantgate::qnn::provider {
namespace {

Layout LayoutOfWeight(const NodeView& view) {
  return view.integer({"transB"}).value_or(0) == 0 ? Layout::kSwapLastTwo : Layout::kSame;
}

bool IsScaled(const NodeView& view) {
  return view.real({"alpha"}).value_or(1.0) != 1.0 || view.real({"beta"}).value_or(1.0) != 1.0;
}

// A FullyConnected whose input is transposed in front of it.
Lowering LowerTransposed(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin("Transpose", view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.input(0), emission, Layout::kSwapLastTwo);
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, Layout::kSwapLastTwo);
  AddInput(view, view.input(1), emission, LayoutOfWeight(view));
  if (view.input(2) != nullptr) AddInput(view, view.input(2), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("keep_dims", 0);
  return Emitted();
}

// A bias that is computed while the model runs is added behind.
Lowering LowerWithAdded(const NodeView& view, absl::string_view name, Emission& emission) {
  BackendTensor input;
  BackendTensor weight;
  BackendTensor bias;
  BackendTensor output;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  FillTensor(view, view.input(1), LayoutOfWeight(view), -1, emission, weight);
  FillTensor(view, view.input(2), Layout::kSame, -1, emission, bias);
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  AddBinary(name, view, input, weight, output, emission);
  emission.AddInt("keep_dims", 0);
  AddBinary("ElementWiseAdd", view, output, bias, output, emission);
  return Emitted();
}

// A quantized bias has one element per output, [N] or [1, N].
bool IsRefusedBias(const NodeView& view) {
  const Operand* bias = view.input(2);
  const Operand* weight = view.input(1);
  if (bias == nullptr || !bias->quantized || weight == nullptr) return false;
  const int rank = view.rank(bias);
  const int64_t outputs = view.dim(weight, view.integer({"transB"}).value_or(0) == 0 ? 1 : 0);
  const int64_t last = rank > 0 ? view.dim(bias, rank - 1) : 1;
  if (rank < 0 || last < 0 || outputs < 0) return false;
  return rank == 0 || last != outputs || (rank == 2 && view.dim(bias, 0) != 1);
}

}  // namespace

Lowering LowerGemm(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* bias = view.input(2);
  const bool transposed = view.integer({"transA"}).value_or(0) != 0;
  if (IsScaled(view)) return LowerLinear(view, name, emission);
  if (bias != nullptr && !bias->quantized && !bias->is_static) {
    return transposed ? Unknown(kNotAsked) : LowerWithAdded(view, name, emission);
  }
  if (IsRefusedBias(view)) {
    return NoCounterpart("ONNX Runtime's QNN provider takes a quantized bias of shape [N] or [1, N] only");
  }
  return transposed ? LowerTransposed(view, name, emission) : LowerLinear(view, name, emission);
}

}  // namespace quantgate::qnn::provider
