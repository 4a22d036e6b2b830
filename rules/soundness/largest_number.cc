#include "rules/soundness/largest_number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/port_role.h"

namespace quantgate {
namespace {

LargestNumber OfConstant(const v1::Value& value) {
  LargestNumber found;
  found.surely = found.alone = found.is_fixed = true;
  const v1::Constant& constant = value.constant();
  if (constant.has_statistics()) {
    const v1::Statistics& statistics = constant.statistics();
    found.size = std::max(std::abs(statistics.min()), std::abs(statistics.max()));
    found.uniform = statistics.inf_count() == 0 && statistics.min() == statistics.max();
    if (statistics.inf_count() > 0) found.size = std::numeric_limits<double>::infinity();
    return found;
  }
  const RealView numbers = NumbersOf(value);
  found.uniform = !numbers.empty();
  for (const double number : numbers) {
    found.size = std::max(found.size, std::abs(number));
    found.uniform = found.uniform && number == numbers[0];
  }
  return found;
}

// Of the parameters that are elements of the operator's result.
double LargestParameter(const Graph& graph, int32_t node) {
  double largest = 0;
  for (const char* name : {"value", "fill_value", "other", "self", "s"}) {
    largest = std::max(largest, std::abs(graph.float_attribute(node, name, 0)));
  }
  return largest;
}

LargestNumber Stated(double size) { return {size, true, true, true, true}; }

// Some number, of which nothing is known but what it follows from.
LargestNumber Computed(bool is_fixed) { return {0, false, false, is_fixed, is_fixed}; }

// Elements of both, the larger number of the two.
LargestNumber Beside(const LargestNumber& a, const LargestNumber& b) {
  LargestNumber larger = a.size >= b.size ? a : b;
  larger.alone = a.alone && b.alone;
  larger.is_fixed = a.is_fixed && b.is_fixed;
  larger.uniform = a.uniform && b.uniform && a.size == b.size;
  return larger;
}

// Biases are listed in full, are observed by nobody, and what they are added to is no mask.
bool IsBias(const Graph& graph, int32_t value) {
  const auto is_bias = [&](const Use& use) {
    const Binding* binding = graph.binding(use.node);
    const int32_t spec = graph.edge_spec(use.node, use.input);
    const bool is_observed = spec >= 0 && graph.spec_kind(spec) != v1::Spec::DERIVED;
    return binding != nullptr && !is_observed &&
           RoleAt(*binding, graph.argument(use.node, use.input)) == PortRole::kBias;
  };
  return graph.value_spec(value) < 0 && absl::c_all_of(graph.uses(value), is_bias);
}

// Whether every element of what is moved is in the result.
bool KeepsAll(const Graph& graph, int32_t node) {
  switch (graph.op(node)) {
    case OpId::kIdentity:
    case OpId::kReshape:
    case OpId::kReshapeLike:
    case OpId::kFlatten:
    case OpId::kSqueeze:
    case OpId::kUnsqueeze:
    case OpId::kTranspose:
    case OpId::kConcat:
    case OpId::kStack:
    case OpId::kExpand:
    case OpId::kExpandLike:
    case OpId::kTile:
    case OpId::kRepeatInterleave:
    case OpId::kFlip:
    case OpId::kRoll:
    case OpId::kSort:
    case OpId::kPad:
    case OpId::kReflectionPad:
    case OpId::kReplicationPad:
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
    case OpId::kChannelShuffle:
    case OpId::kCopy:
      return true;
    case OpId::kSlice: {  // the whole range of an axis, as exporters write it
      const int32_t from = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
      const int32_t to = graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1;
      return from >= 0 && to >= 0 && graph.has_known_shape(from) && graph.has_known_shape(to) &&
             absl::c_equal(graph.value(graph.value_like(from)).dims(), graph.value(graph.value_like(to)).dims());
    }
    default:
      return false;
  }
}

}  // namespace

bool HasInfinity(const CheckContext& context) {
  const Graph& graph = context.graph();
  return absl::c_any_of(graph.unlike_nodes(),
                        [&](int32_t node) { return std::isinf(LargestParameter(graph, node)); }) ||
         absl::c_any_of(graph.constants(), [&](const Graph::ConstantRecord& constant) {
           return !constant.is_finite && !IsBias(graph, constant.value) &&
                  std::isinf(OfConstant(graph.value(constant.value)).size);
         });
}

LargestNumbers LargestNumbersOf(const CheckContext& context) { return LargestNumbers(context.graph()); }

const LargestNumber& LargestNumbers::In(int32_t value) const {
  static constexpr LargestNumber kNone;
  if (value < 0) return kNone;
  if (numbers_.empty()) FindAll();
  if (graph_.is_constant(value) && !is_known_[value]) {
    numbers_[value] = OfConstant(graph_.value(value));
    is_known_[value] = true;
  }
  return numbers_[value];
}

void LargestNumbers::FindAll() const {
  numbers_.resize(graph_.num_values());
  is_known_.resize(graph_.num_values(), false);
  for (int32_t node : graph_.order()) {
    if (graph_.binding(node) == nullptr) continue;
    const LargestNumber found = OfResult(node);
    for (int i = 0; i < graph_.num_outputs(node); ++i) {
      const int32_t value = graph_.output(node, i);
      if (value < 0 || graph_.is_constant(value)) continue;
      numbers_[value] = found;
      // Indices, and what has become true or false.
      const v1::DataType type = graph_.dtype(value);
      const bool is_other = type != v1::DATA_TYPE_UNSPECIFIED && !IsFloat(type) && graph_.op(node) != OpId::kQuantize;
      if (is_other) numbers_[value] = Computed(found.is_fixed);
    }
  }
}

LargestNumber LargestNumbers::OfResult(int32_t node) const {
  switch (graph_.op(node)) {
    case OpId::kAdd:
    case OpId::kSub:
      return OfSum(node);
    case OpId::kMul:
    case OpId::kDiv:
      return OfProduct(node);
    case OpId::kWhere:
    case OpId::kMaskedFill:
      return OfChosen(node);
    case OpId::kPad:
      return Beside(OfMoved(node), Stated(LargestParameter(graph_, node)));
    case OpId::kFill:
    case OpId::kFillLike:
      return Stated(LargestParameter(graph_, node));
    case OpId::kNeg:
    case OpId::kCast:
      return OfMoved(node);
    case OpId::kQuantize:
    case OpId::kDequantize: {
      LargestNumber stored = graph_.num_inputs(node) > 0 ? Operand(node, 0) : LargestNumber();
      stored.size = 0;  // it may have become the end of the range
      return stored;
    }
    default:
      break;
  }
  LargestNumber found = OfMoved(node);
  if ((graph_.binding(node)->op->traits & kMovesData) == 0) return Computed(found.is_fixed);
  found.surely = found.surely && KeepsAll(graph_, node);
  return found;
}

LargestNumber LargestNumbers::OfMoved(int32_t node) const {
  LargestNumber found;
  bool any = false;
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
    const LargestNumber operand = Operand(node, i);
    found = any ? Beside(found, operand) : operand;
    any = true;
  }
  return found;
}

// A finite number that is added to all of a tensor moves its range, and is no larger beside the others than it was.
LargestNumber LargestNumbers::OfSum(int32_t node) const {
  LargestNumber found = Stated(0);
  found.uniform = false;
  double shift = LargestParameter(graph_, node);
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
    const LargestNumber operand = Operand(node, i);
    if (operand.uniform && std::isfinite(operand.size)) {
      shift = std::max(shift, operand.size);
    } else {
      found = Beside(found, operand);
    }
  }
  if (found.size == 0 && found.is_fixed) return Stated(shift);
  if (std::isinf(shift)) found = {shift, true, true, true, found.is_fixed};
  return found;
}

// With the same number everywhere; of other products nothing is known. What is computed and multiplied by ten thousand
// is a mask: (1 - attention_mask) * -10000.
LargestNumber LargestNumbers::OfProduct(int32_t node) const {
  LargestNumber found;
  bool any = false;
  const double stated = LargestParameter(graph_, node);
  double factor = stated;
  for (int i = 0; i < std::min(graph_.num_inputs(node), 2); ++i) {
    const LargestNumber operand = Operand(node, i);
    if (any && operand.uniform) {
      factor = operand.size;
    } else if (any && found.uniform && graph_.op(node) == OpId::kMul) {
      factor = found.size;
      found = operand;
    } else if (any) {
      return Computed(found.is_fixed && operand.is_fixed);
    } else {
      found = operand;
      any = true;
    }
  }
  if (!any || !(factor > 0)) return Computed(found.is_fixed);
  if (std::isinf(factor)) return graph_.op(node) == OpId::kMul ? Stated(factor) : Stated(0);
  constexpr double kOnlyMasks = 1e4;
  if (graph_.op(node) == OpId::kMul && found.size == 0 && !found.alone && factor >= kOnlyMasks) {
    found.size = factor;
    found.surely = false;
    return found;
  }
  found.size = graph_.op(node) == OpId::kMul ? found.size * factor : found.size / factor;
  return found;
}

// Elements of one or the other. Of a tensor with other numbers beside the large one, the condition may leave out just
// that one: it is made for that where it follows from the tensor.
LargestNumber LargestNumbers::OfChosen(int32_t node) const {
  int32_t condition = -1;
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) == PortRole::kCondition) {
      condition = graph_.input(node, i);
    }
  }
  const bool is_stated = condition >= 0 && In(condition).is_fixed;
  LargestNumber found = Stated(LargestParameter(graph_, node));
  found.surely = is_stated;
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
    LargestNumber operand = Operand(node, i);
    operand.surely = operand.surely && operand.uniform && is_stated;
    if (operand.size > 0 && !operand.uniform && FollowsFrom(condition, graph_.input(node, i))) operand.size = 0;
    found = Beside(found, operand);
  }
  found.is_fixed = found.is_fixed && is_stated;
  found.uniform = false;
  return found;
}

LargestNumber LargestNumbers::Operand(int32_t node, int input) const {
  return graph_.input(node, input) < 0 ? LargestNumber() : In(graph_.input(node, input));
}

// Whether the condition compares the tensor, or what was compared of it.
bool LargestNumbers::FollowsFrom(int32_t condition, int32_t value) const {
  constexpr int kFewSteps = 8;
  for (int step = 0; step < kFewSteps && condition >= 0; ++step) {
    const int32_t node = graph_.producer(condition);
    if (node < 0) return false;
    condition = -1;
    for (int i = 0; i < std::min(graph_.num_inputs(node), 2); ++i) {
      const int32_t input = graph_.input(node, i);
      if (input == value) return true;
      if (input >= 0 && !graph_.is_constant(input) && condition < 0) condition = input;
    }
  }
  return false;
}

}  // namespace quantgate
