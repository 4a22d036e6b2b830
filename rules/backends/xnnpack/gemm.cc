#include "rules/backends/xnnpack/gemm.h"

#include "absl/types/span.h"
#include "rules/backends/folding.h"
#include "rules/backends/pattern.h"

namespace quantgate::xnnpack {
namespace {

// Whether a GEMM takes an activation with parameters from run time: linear layers and convolutions in two dimensions,
// not by depth, with a weight that has a scale for each channel.
bool TakesDynamic(const CheckContext& context, int32_t node) {
  const ResolvedOp* op = GemmAt(context, node);
  const Operand* operand = op == nullptr ? nullptr : context.resolved().input(*op, 1);
  if (operand == nullptr) return false;
  const Operand weight = AsRead(context, *operand);
  const QuantParams* params = context.resolved().qparams(weight);
  if (!weight.quantized || (params != nullptr && params->per_tensor())) return false;
  if (op->op->id == OpId::kLinear || weight.value < 0) return true;
  const v1::Value& filter = context.graph().value(weight.value);
  const bool by_depth =
      context.graph().int_attribute(node, "groups", 1) > 1 && filter.dims_size() > 1 && filter.dims(1) == 1;
  return filter.dims_size() == 4 && !by_depth;
}

// choose_qparams, its results, Quantize, Dequantize.
constexpr int kLongestChain = 4;

bool LeadsToGemm(const CheckContext& context, int32_t node, int steps) {
  const Graph& graph = context.graph();
  for (int i = 0; i < graph.num_outputs(node); ++i) {
    const int32_t value = graph.output(node, i);
    if (value < 0) continue;
    for (const Use& use : graph.uses(value)) {
      switch (graph.op(use.node)) {
        case OpId::kGetItem:
        case OpId::kQuantize:
        case OpId::kDequantize:
          if (steps > 1 && LeadsToGemm(context, use.node, steps - 1)) return true;
          break;
        default:
          if (use.input == 0 && TakesDynamic(context, use.node)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool IsGemm(OpId id) { return id == OpId::kLinear || id == OpId::kConv || id == OpId::kConvTranspose; }

const ResolvedOp* GemmAt(const CheckContext& context, int32_t node) {
  const int32_t index = context.resolved().op_of_node(node);
  return index >= 0 && IsGemm(context.graph().op(node)) ? &context.resolved().ops()[index] : nullptr;
}

bool HasQuantizedWeight(const CheckContext& context, int32_t node) {
  const ResolvedOp* op = GemmAt(context, node);
  const Operand* weight = op == nullptr ? nullptr : context.resolved().input(*op, 1);
  return weight != nullptr && AsRead(context, *weight).quantized;
}

bool ComputesOnIntegers(const CheckContext& context, int32_t node) {
  const ResolvedOp* op = GemmAt(context, node);
  const Operand* input = op == nullptr ? nullptr : context.resolved().input(*op, 0);
  if (input == nullptr || !HasQuantizedWeight(context, node)) return false;
  const Operand read = AsRead(context, *input);
  return read.quantized && read.is_dynamic != Tri::kYes;
}

bool HasComputedBias(const CheckContext& context, const ResolvedOp& op) {
  // A body has the parameters of the model as inputs, and is not delegated anyway (CV603).
  if (context.is_body()) return false;
  const Operand* bias = op.op == nullptr || !IsGemm(op.op->id) ? nullptr : context.resolved().input(op, 2);
  if (bias == nullptr || !bias->present || bias->value < 0) return false;
  const Operand read = AsRead(context, *bias);
  return !read.is_static && !context.graph().is_constant(read.value) && !IsComputedByConvert(context, *bias);
}

bool IsForGemm(const CheckContext& context, int32_t node) { return LeadsToGemm(context, node, kLongestChain); }

}  // namespace quantgate::xnnpack
