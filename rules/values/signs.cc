#include "rules/values/signs.h"

#include <algorithm>

#include "rules/graph/elements.h"
#include "rules/graph/port_role.h"
#include "rules/values/bounds.h"

namespace quantgate {
namespace {

// What an operator does to the signs of its operands.
enum class Effect { kNone, kRemoves, kMixes, kKeeps };

Effect EffectOf(const Operator& op) {
  const Bounds always = OutputBounds(op.id);
  if (always.known && always.low >= 0) return Effect::kRemoves;
  switch (op.id) {
    case OpId::kRelu:
    case OpId::kSoftplus:
    case OpId::kAbs:
    case OpId::kExp:
    case OpId::kSqrt:
    case OpId::kRsqrt:
    case OpId::kSquare:
    case OpId::kSquaredDifference:
      return Effect::kRemoves;
    case OpId::kSub:
    case OpId::kLog:
    case OpId::kLogSoftmax:
    case OpId::kLogSigmoid:
    case OpId::kCos:
    case OpId::kLayerNorm:
    case OpId::kBatchNorm:
    case OpId::kInstanceNorm:
    case OpId::kGroupNorm:
    case OpId::kMeanVarianceNorm:
      return Effect::kMixes;
    case OpId::kAdd:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kSum:
    case OpId::kMean:
    case OpId::kRmsNorm:
    case OpId::kTanh:
    case OpId::kErf:
    case OpId::kGelu:
    case OpId::kSilu:
    case OpId::kHardSwish:
    case OpId::kLeakyRelu:
    case OpId::kPRelu:
    case OpId::kElu:
    case OpId::kDropout:
    case OpId::kAveragePool:
    case OpId::kGlobalAveragePool:
    case OpId::kReduceSum:
    case OpId::kReduceMean:
    case OpId::kCast:
      return Effect::kKeeps;
    default:
      return (op.traits & (kMovesData | kSelects | kAccumulates)) != 0 ? Effect::kKeeps : Effect::kNone;
  }
}

Sign SignOfConstant(const v1::Value& value) {
  const v1::Constant& constant = value.constant();
  const RealView reals = RealsOf(value);
  const auto negative = [](double number) { return number < 0; };
  if (std::any_of(reals.begin(), reals.end(), negative)) return Sign::kBoth;
  if (constant.has_statistics()) return constant.statistics().min() < 0 ? Sign::kBoth : Sign::kNotNegative;
  return reals.empty() ? Sign::kUnknown : Sign::kNotNegative;
}

Sign OfOutput(const CheckContext& context, int32_t node, const std::vector<Sign>& signs) {
  const Graph& graph = context.graph();
  const Binding* binding = graph.binding(node);
  const Effect effect = binding == nullptr ? Effect::kNone : EffectOf(*binding->op);
  if (effect == Effect::kNone) return Sign::kUnknown;
  if (effect == Effect::kRemoves) return Sign::kNotNegative;
  if (effect == Effect::kMixes) return Sign::kBoth;
  const bool accumulates = (binding->op->traits & kAccumulates) != 0;
  if (graph.op(node) == OpId::kMul && graph.num_inputs(node) == 2 && graph.input(node, 0) == graph.input(node, 1)) {
    return Sign::kNotNegative;
  }
  if (graph.op(node) == OpId::kClamp) {
    const double stated = graph.float_attribute(node, "min_val", graph.float_attribute(node, "min", -1));
    if (stated >= 0) return Sign::kNotNegative;
  }
  Sign sign = Sign::kNotNegative;
  bool any = false;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value < 0) continue;
    const PortRole role = RoleAt(*binding, graph.argument(node, i));
    if (role != PortRole::kActivation && role != PortRole::kWeight && role != PortRole::kBias) continue;
    any = true;
    // Trained weights have both signs, if nothing is known of them.
    const bool trained = accumulates && signs[value] == Sign::kUnknown && graph.is_static(value);
    sign = std::max(sign, trained ? Sign::kBoth : signs[value]);
  }
  return any ? sign : Sign::kUnknown;
}

}  // namespace

std::vector<Sign> SignsOf(const CheckContext& context) {
  const Graph& graph = context.graph();
  std::vector<Sign> signs(graph.num_values(), Sign::kUnknown);
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    signs[constant.value] = SignOfConstant(graph.value(constant.value));
  }
  for (int32_t node : graph.order()) {
    const Sign sign = OfOutput(context, node, signs);
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      if (graph.output(node, i) >= 0) signs[graph.output(node, i)] = sign;
    }
  }
  return signs;
}

}  // namespace quantgate
