#include <optional>

#include "rules/backends/qnn/fusion.h"
#include "rules/backends/qnn/lowerers.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn {
namespace {

Layout ActivationLayout(const NodeView& view) { return view.channels_first() ? Layout::kChannelsLast : Layout::kSame; }

// What the toolchain makes in the likeness of another tensor, as long as its last dimensions, where a node has no
// operand for it.
void AddMade(const NodeView& view, const Operand* like, int rank, Layout layout, Emission& emission) {
  BackendTensor tensor;
  FillTensor(view, like, layout, -1, emission, tensor);
  BackendTensor& made = AddMadeConstant(tensor, rank, emission);
  if (static_cast<size_t>(rank) <= tensor.dims.size()) made.dims = tensor.dims.subspan(tensor.dims.size() - rank);
  if (view.graph().origin() != v1::Graph::PT2E || !made.type.quantized) return;
  // ExecuTorch gives it the zero point 0.
  made.symmetric = made.asked_symmetric = IsSigned(made.type.type) ? Tri::kYes : Tri::kNo;
}

// Input, gamma and beta where given, output.
void EmitAffine(const NodeView& view, absl::string_view name, Layout layout, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, layout);
  const Operand* gamma = view.input(1);
  const Operand* beta = view.input(2);
  // ExecuTorch makes a gamma of ones, and an RmsNorm's beta of zeros, of the output's type.
  const bool made_like_output = view.graph().origin() == v1::Graph::PT2E;
  if (gamma == nullptr && made_like_output && name != "GroupNorm") {
    AddMade(view, view.output(0), 1, layout, emission);
  } else if (gamma != nullptr || beta != nullptr) {
    AddInput(view, gamma, emission);
  }
  if (beta != nullptr) {
    AddInput(view, beta, emission);
  } else if (name == "RmsNorm" && (gamma != nullptr || made_like_output)) {
    // QNN's RmsNorm has a beta, ATen's and ONNX's have none.
    AddMade(view, made_like_output ? view.output(0) : gamma, gamma != nullptr ? view.rank(gamma) : 1, Layout::kSame,
            emission);
  }
  AddOutput(view, view.output(0), emission, layout);
}

// ExecuTorch normalizes the last dimension and no other; a shape of several whose first is not as large as the last one
// has no builder.
bool HasBuilder(const NodeView& view, const IntVector& normalized, int rank) {
  return view.graph().origin() != v1::Graph::PT2E || normalized.size() == 1 ||
         (!normalized.empty() && rank > 0 && normalized[0] == view.dim(view.input(0), rank - 1));
}

}  // namespace

Lowering LowerBatchNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  if (IsInConvolution(view.context(), view.op())) return Folded();
  for (int i = 1; i < 5; ++i) {
    const Operand* parameter = view.input(i);
    if (parameter != nullptr && !view.context().graph().is_static(parameter->edge_value)) {
      return NoCounterpart("QNN's Batchnorm needs scale, bias, mean and variance that are constants");
    }
  }
  // Mean and variance are folded into gamma and beta, which keep their types; without gamma they make one.
  if (view.input(1) != nullptr) {
    EmitAffine(view, name, ActivationLayout(view), emission);
    return Emitted();
  }
  BackendTensor input;
  FillTensor(view, view.input(0), ActivationLayout(view), -1, emission, input);
  emission.Begin(name, view.node());
  emission.AddInput() = input;
  AddMadeConstant(input, 1, emission);
  if (view.input(2) != nullptr) AddInput(view, view.input(2), emission);
  AddOutput(view, view.output(0), emission, ActivationLayout(view));
  return Emitted();
}

Lowering LowerInstanceNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  EmitAffine(view, name, ActivationLayout(view), emission);
  emission.AddReal("epsilon", view.real({"epsilon", "eps"}).value_or(1e-5));
  return Emitted();
}

Lowering LowerGroupNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  EmitAffine(view, name, ActivationLayout(view), emission);
  emission.AddReal("epsilon", view.real({"epsilon", "eps"}).value_or(1e-5));
  emission.AddInt("group", view.integer({"num_groups"}).value_or(1));
  return Emitted();
}

Lowering LowerLayerNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  const int rank = view.rank(view.input(0));
  const std::optional<IntVector> shape = view.integers({"normalized_shape"});
  if (shape && !HasBuilder(view, *shape, rank)) {
    return NoCounterpart("ExecuTorch builds normalizations over the last dimension only");
  }
  EmitAffine(view, name, Layout::kSame, emission);
  // ONNX normalizes from `axis` on; ATen names the shape of what is normalized.
  int64_t first = Normalize(view.integer({"axis"}).value_or(-1), rank);
  if (shape) first = rank - static_cast<int64_t>(shape->size());
  emission.AddReal("epsilon", view.real({"epsilon", "eps"}).value_or(name == "RmsNorm" ? 1e-6 : 1e-5));
  BackendParam& axes = emission.AddParam("axes");
  for (int64_t axis = first; axis >= 0 && axis < rank; ++axis) axes.ints.push_back(axis);
  return Emitted();
}

Lowering LowerL2Norm(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.integer({"p"}).value_or(2) != 2) return NoCounterpart("QNN normalizes by the 2-norm only");
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("axis", Normalize(view.integer({"axis", "dim"}).value_or(-1), view.rank(view.input(0))));
  return Emitted();
}

Lowering LowerLocalResponse(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission, ActivationLayout(view));
  AddOutput(view, view.output(0), emission, ActivationLayout(view));
  emission.AddReal("alpha", view.real({"alpha"}).value_or(1e-4));
  emission.AddReal("beta", view.real({"beta"}).value_or(0.75));
  emission.AddReal("bias", view.real({"bias", "k"}).value_or(1.0));
  emission.AddInt("radius", (view.integer({"size"}).value_or(1) - 1) / 2);
  emission.AddInt("region", 0);
  return Emitted();
}

}  // namespace quantgate::qnn
