// Operators that the provider takes as the converters do, with parameters, types and limits of its own.
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/backends/qnn/provider/lowerers.h"
#include "rules/backends/qnn/provider/provider.h"
#include "rules/graph/data_type.h"

namespace quantgate::qnn::provider {
namespace {

// Whether ONNX Runtime's layout of an operator in front reaches the node: it goes on through operators of one tensor.
bool StandsChannelsLast(const NodeView& view) {
  constexpr int kFar = 16;
  const Graph& graph = view.graph();
  int32_t node = view.node();
  for (int step = 0; step < kFar; ++step) {
    const int32_t value = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
    node = value < 0 ? -1 : graph.producer(value);
    if (node < 0 || graph.binding(node) == nullptr) return false;
    const OpId id = graph.op(node);
    if (LaidOutAnew(id) != nullptr) return true;
    const bool quantizer = id == OpId::kQuantize || id == OpId::kDequantize;
    const bool elementwise = (graph.binding(node)->op->traits & kElementwise) != 0 && graph.num_inputs(node) == 1;
    if (!quantizer && !elementwise) return false;
  }
  return false;
}

bool IsUnsignedFixed(const BackendTensor& tensor) {
  return tensor.type.quantized && IsInteger(tensor.type.type) && !IsSigned(tensor.type.type);
}

}  // namespace

bool IsDilated(const NodeView& view) {
  const auto dilations = view.integers({"dilations"});
  return dilations && absl::c_any_of(*dilations, [](int64_t dilation) { return dilation != 1; });
}

Lowering LowerSoftplus(const NodeView& view, absl::string_view name, Emission& emission) {
  emission.Begin(name, view.node());
  AddInput(view, view.input(0), emission);
  AddOutput(view, view.output(0), emission);
  emission.AddInt("operation", 7);
  return Emitted();
}

// The slope is always 8 bits and unsigned.
Lowering LowerLeakyRelu(const NodeView& view, absl::string_view name, Emission& emission) {
  BackendTensor input;
  FillTensor(view, view.input(0), Layout::kSame, -1, emission, input);
  if (!input.type.quantized) return qnn::LowerLeakyRelu(view, name, emission);
  emission.Begin(name, view.node());
  emission.AddInput() = input;
  BackendTensor& slope = AddMadeConstant(input, 1, emission);
  slope.type.type = v1::DATA_TYPE_UINT8;
  slope.bits = 8;
  AddOutput(view, view.output(0), emission);
  return Emitted();
}

// Of integers: what the floor of their quotient in float leaves.
Lowering LowerModulo(const NodeView& view, absl::string_view name, Emission& emission) {
  BackendTensor output;
  FillTensor(view, view.output(0), Layout::kSame, -1, emission, output);
  if (output.type.type != v1::DATA_TYPE_INT32 || view.inputs().size() != 2) return LowerBinary(view, name, emission);
  std::vector<BackendTensor> operands;
  for (const Operand& input : view.inputs()) {
    BackendTensor integers;
    FillTensor(view, &input, Layout::kSame, -1, emission, integers);
    operands.push_back(WithType(integers, v1::DATA_TYPE_FLOAT32));
    AddUnary("Cast", view, integers, operands.back(), emission);
  }
  const BackendTensor reals = WithType(output, v1::DATA_TYPE_FLOAT32);
  AddBinary("ElementWiseDivide", view, operands[0], operands[1], reals, emission);
  AddUnary("ElementWiseFloor", view, reals, reals, emission);
  AddBinary("ElementWiseMultiply", view, reals, operands[1], reals, emission);
  AddBinary("ElementWiseSubtract", view, operands[0], reals, reals, emission);
  AddUnary("Cast", view, reals, output, emission);
  return Emitted();
}

Lowering LowerPool(const NodeView& view, absl::string_view name, Emission& emission) {
  const OpId id = view.op().op->id;
  const bool max = id == OpId::kMaxPool || id == OpId::kGlobalMaxPool;
  if (view.output(1) != nullptr) return NoCounterpart("ONNX Runtime's QNN provider takes pools of one output only");
  if (max && view.rank(view.input(0)) == 5) return NoCounterpart("ONNX Runtime's QNN provider has no PoolMax3d");
  if (IsDilated(view)) return NoCounterpart("QNN pools have no dilation");
  if (id == OpId::kGlobalMaxPool) return LowerGlobalPool(view, name, emission);
  return max ? LowerMaxPool(view, name, emission) : LowerAveragePool(view, name, emission);
}

Lowering LowerPrelu(const NodeView& view, absl::string_view name, Emission& emission) {
  EmitPrelu(view, name, StandsChannelsLast(view) ? Layout::kChannelsLast : Layout::kSame, emission);
  return Emitted();
}

// Between Dequantize and Quantize nodes it is one with them, with mean and variance in float.
Lowering LowerBatchNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* input = view.input(0);
  const int32_t before = input == nullptr || input->edge_value < 0 ? -1 : view.graph().producer(input->edge_value);
  const Operand* stored = before < 0 ? nullptr : view.context().resolved().quantizer(before);
  if (stored == nullptr) stored = input;
  if (stored != nullptr && stored->quantized && stored->type == v1::DATA_TYPE_INT8) return NoCounterpart(kLeft);
  return qnn::LowerBatchNorm(view, name, emission);
}

// Beside unsigned activations a signed gamma is stored unsigned.
Lowering LowerInstanceNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  BackendTensor input;
  BackendTensor gamma;
  FillTensor(view, view.input(0), Layout::kChannelsLast, -1, emission, input);
  FillTensor(view, view.input(1), Layout::kSame, -1, emission, gamma);
  if (!IsUnsignedFixed(input) || !gamma.type.quantized || gamma.type.type != v1::DATA_TYPE_INT8) {
    return qnn::LowerInstanceNorm(view, name, emission);
  }
  gamma.type.type = v1::DATA_TYPE_UINT8;
  gamma.symmetric = gamma.asked_symmetric = Tri::kNo;
  emission.Begin(name, view.node());
  emission.AddInput() = input;
  emission.AddInput() = gamma;
  if (view.input(2) != nullptr) AddInput(view, view.input(2), emission);
  AddOutput(view, view.output(0), emission, Layout::kChannelsLast);
  emission.AddReal("epsilon", view.real({"epsilon"}).value_or(1e-5));
  return Emitted();
}

// Laid out channels last again by the Transpose behind: which permutations are was not asked.
Lowering LowerGroupNorm(const NodeView& view, absl::string_view name, Emission& emission) {
  const Graph& graph = view.graph();
  if (graph.num_outputs(view.node()) > 0 && graph.output(view.node(), 0) >= 0) {
    for (const Use& use : graph.uses(graph.output(view.node(), 0))) {
      if (graph.op(use.node) == OpId::kTranspose) return Unknown(kNotAsked);
    }
  }
  return qnn::LowerGroupNorm(view, name, emission);
}

namespace {

bool HasWholeBlocks(const NodeView& view) {
  const int64_t block = view.integer({"block_size"}).value_or(0);
  return block < 1 || view.integer({"K"}).value_or(0) % block == 0;
}

bool HasRealZeroPoints(const NodeView& view) {
  constexpr int kZeroPoints = 3;
  const Graph& graph = view.graph();
  const int32_t value = graph.num_inputs(view.node()) > kZeroPoints ? graph.input(view.node(), kZeroPoints) : -1;
  return value >= 0 && IsFloat(graph.dtype(value));
}

}  // namespace

// The types that the provider makes a convolution in half precision of.
Lowering LowerMatMulNBits(const NodeView& view, absl::string_view name, Emission& emission) {
  const int64_t bits = view.integer({"bits"}).value_or(4);
  const int64_t block = view.integer({"block_size"}).value_or(0);
  const Operand* input = view.input(0);
  if (!HasWholeBlocks(view) || HasRealZeroPoints(view)) return NoCounterpart(kLeft);
  if (view.rank(input) >= 0 && view.rank(input) != 3) return NoCounterpart(kLeft);
  if (input == nullptr || (bits != 2 && bits != 4 && bits != 8) || block < 16 || view.inputs().size() > 2) {
    return Unknown(kNotAsked);
  }
  // The Dequantize in front of an integer operator is a node of its own here; the output tells.
  const Operand* result = view.output(0);
  const bool fixed = result != nullptr && result->quantized;
  if (fixed && BitWidth(result->type) != 16) {
    return NoCounterpart("ONNX Runtime's QNN provider takes float and 16-bit activations only");
  }
  BackendTensor tensor;
  FillTensor(view, input, Layout::kSame, -1, emission, tensor);
  if (tensor.type.type != v1::DATA_TYPE_FLOAT16) {
    AddUnary("Cast", view, WithType(tensor, v1::DATA_TYPE_FLOAT32), WithType(tensor, v1::DATA_TYPE_FLOAT16), emission);
  }
  AddUnjudged(name, view, emission);
  BackendTensor output;
  FillTensor(view, result, Layout::kSame, -1, emission, output);
  const BackendTensor half = WithType(output, v1::DATA_TYPE_FLOAT16);
  if (fixed) {
    AddUnary("Quantize", view, half, output, emission);
  } else if (output.type.type != v1::DATA_TYPE_FLOAT16) {
    AddUnary("Cast", view, half, WithType(output, v1::DATA_TYPE_FLOAT32), emission);
  }
  return Emitted();
}

// Written out as what the function consists of before the provider sees it, unless it stands between Dequantize and
// Quantize nodes.
Lowering LowerLogSumExp(const NodeView& view, absl::string_view, Emission&) {
  const Operand* input = view.input(0);
  const Operand* output = view.output(0);
  if (input != nullptr && output != nullptr && input->quantized && output->quantized) return NoCounterpart(kLeft);
  return Unknown(kNotAsked);
}

// Into one part: a Reshape.
Lowering LowerSplit(const NodeView& view, absl::string_view name, Emission& emission) {
  if (view.outputs().size() != 1) return qnn::LowerSplit(view, name, emission);
  return LowerReshape(view, "Reshape", emission);
}

// A product with ones, which the provider makes in all types but this.
Lowering LowerExpand(const NodeView& view, absl::string_view name, Emission& emission) {
  const Operand* input = view.input(0);
  if (input != nullptr && input->quantized && input->type == v1::DATA_TYPE_INT16) return NoCounterpart(kLeft);
  return qnn::LowerExpand(view, name, emission);
}

Lowering LowerUnclear(const NodeView&, absl::string_view, Emission&) { return Unknown(kNotAsked); }

Lowering LowerLeft(const NodeView&, absl::string_view, Emission&) { return NoCounterpart(kLeft); }

}  // namespace quantgate::qnn::provider
