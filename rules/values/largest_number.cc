#include "rules/values/largest_number.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/graph/written_buffer.h"
#include "rules/values/moved.h"

namespace quantgate {
namespace {

// Of the larger of the two.
int SignOf(double low, double high) { return -low > high ? -1 : high > -low ? 1 : 0; }

// The largest of the parameters that are elements of the operator's result.
double LargestParameter(const Graph& graph, int32_t node) {
  double largest = 0;
  for (const char* name : {"value", "fill_value", "other", "self", "s"}) {
    const double number = graph.float_attribute(node, name, 0);
    if (std::abs(number) > std::abs(largest)) largest = number;
  }
  return largest;
}

// In all elements.
LargestNumber Stated(double number) {
  return {std::abs(number), true, true, true, true, number < 0 ? -1 : number > 0 ? 1 : 0};
}

// Some number, of which nothing is known but what it follows from.
LargestNumber Computed(bool is_fixed) { return {0, false, false, is_fixed, is_fixed, 0}; }

LargestNumber Within(const AttainedRange& range) {
  return {std::max(std::abs(range.low), std::abs(range.high)),
          true,
          range.is_one_number(),
          true,
          true,
          SignOf(range.low, range.high)};
}

LargestNumber LargestOfConstant(const v1::Value& value) {
  const AttainedRange range = RangeOfElements(value);
  if (range.known) return Within(range);
  LargestNumber found = Within({});
  if (value.constant().statistics().inf_count() > 0) found.size = std::numeric_limits<double>::infinity();
  return found;
}

// Elements of both, the larger number of the two.
LargestNumber Beside(const LargestNumber& a, const LargestNumber& b) {
  LargestNumber larger = a.size >= b.size ? a : b;
  larger.alone = a.alone && b.alone;
  larger.is_fixed = a.is_fixed && b.is_fixed;
  larger.uniform = a.uniform && b.uniform && a.size == b.size && a.sign == b.sign;
  if (a.size == b.size) larger.surely = a.surely || b.surely;
  if (a.size == b.size && a.sign != b.sign) larger.sign = 0;
  return larger;
}

// What is left of it between two ends, where it is known on which side it is.
LargestNumber Between(LargestNumber found, double low, double high) {
  if (found.size == 0) return found;
  if (found.sign == 0) return Computed(found.is_fixed);
  found.size = std::min(found.size, std::max(found.sign < 0 ? -low : high, 0.0));
  return found;
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

}  // namespace

bool HasInfinity(const CheckContext& context) {
  const Graph& graph = context.graph();
  return absl::c_any_of(graph.unlike_nodes(),
                        [&](int32_t node) { return std::isinf(LargestParameter(graph, node)); }) ||
         absl::c_any_of(
             graph.static_nodes(),
             [&](int32_t node) {
               const AttainedRange& range =
                   context.Once(AttainedRangesOf).Of(graph.num_outputs(node) > 0 ? graph.output(node, 0) : -1);
               return range.has_infinity();
             }) ||
         absl::c_any_of(graph.constants(), [&](const Graph::ConstantRecord& constant) {
           return !constant.is_finite && !IsBias(graph, constant.value) &&
                  std::isinf(LargestOfConstant(graph.value(constant.value)).size);
         });
}

LargestNumbers LargestNumbersOf(const CheckContext& context) {
  return {context.graph(), context.Once(AttainedRangesOf), context.Once(WrittenMemoryOf)};
}

const LargestNumber& LargestNumbers::In(int32_t value) const {
  static constexpr LargestNumber kNone;
  if (value < 0) return kNone;
  if (numbers_.empty()) FindAll();
  if (graph_.is_constant(value) && !is_known_[value]) {
    numbers_[value] = LargestOfConstant(graph_.value(value));
    is_known_[value] = true;
    if (memory_.IsOver(value, 0)) numbers_[value].surely = numbers_[value].uniform = false;  // by the last call
  }
  return numbers_[value];
}

void LargestNumbers::FindAll() const {
  numbers_.resize(graph_.num_values());
  is_known_.resize(graph_.num_values(), false);
  for (int32_t node : graph_.order()) {
    const bool writes = graph_.num_outputs(node) > 0 && graph_.num_inputs(node) > 0 && WritesInPlace(graph_, node);
    if (graph_.binding(node) == nullptr && !writes) continue;
    const LargestNumber found = graph_.binding(node) == nullptr ? OfAssigned(node) : OfResult(node);
    for (int i = 0; i < graph_.num_outputs(node); ++i) {
      const int32_t value = graph_.output(node, i);
      if (value < 0 || graph_.is_constant(value)) continue;
      const AttainedRange& range = ranges_.Of(value);
      numbers_[value] = range.known ? Within(range) : found;
      // Indices, and what has become true or false.
      const v1::DataType type = graph_.dtype(value);
      const bool is_other = type != v1::DATA_TYPE_UNSPECIFIED && !IsFloat(type) && graph_.op(node) != OpId::kQuantize;
      if (is_other) numbers_[value] = Computed(found.is_fixed);
    }
    if (!writes || graph_.input(node, 0) < 0) continue;
    const int32_t written = graph_.output(node, 0);
    const LargestNumber number = written < 0 ? found : numbers_[written];
    const auto [assigned, is_first] = assigned_.try_emplace(memory_.MemoryOf(graph_.input(node, 0)), number);
    if (!is_first) assigned->second = Beside(assigned->second, number);
  }
}

// zero_, fill_ with a tensor: operators that no table has.
LargestNumber LargestNumbers::OfAssigned(int32_t node) const {
  if (absl::StartsWith(graph_.op_type(node), "aten.zero_.")) return Stated(0);
  if (absl::StartsWith(graph_.op_type(node), "aten.fill_.") && graph_.num_inputs(node) > 1) return Operand(node, 1);
  LargestNumber assigned = Stated(LargestParameter(graph_, node));
  assigned.surely = assigned.uniform = assigned.alone = assigned.is_fixed = false;
  return assigned;
}

// Parts of it may have been assigned.
LargestNumber LargestNumbers::WithAssigned(int32_t value) const {
  LargestNumber number = numbers_[value];
  const auto assigned = assigned_.find(memory_.MemoryOf(value));
  if (assigned != assigned_.end()) number = Beside(number, assigned->second);
  number.surely = number.uniform = false;
  return number;
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
    case OpId::kScatterElements: {
      LargestNumber moved = OfMoved(node);
      moved.surely = moved.surely && KeepsAll(graph_, node);
      return Beside(moved, Stated(LargestParameter(graph_, node)));
    }
    case OpId::kFill:
    case OpId::kFillLike:
      return Stated(LargestParameter(graph_, node));
    case OpId::kNeg: {
      LargestNumber found = OfMoved(node);
      found.sign = -found.sign;
      return found;
    }
    case OpId::kClamp:
      return OfClamped(node);
    case OpId::kMaximum:
    case OpId::kMinimum:
      return OfEither(node);
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
  found.uniform = found.uniform && graph_.op(node) != OpId::kTriangle;  // zeros beside them
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
  const double alpha = graph_.float_attribute(node, "alpha", 1);
  double shift = std::abs(LargestParameter(graph_, node) * alpha);
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
    const bool is_second = ArgumentAt(*graph_.binding(node), graph_.argument(node, i)).port == 1;
    LargestNumber operand = Operand(node, i);
    if (is_second && operand.size > 0) operand.size *= std::abs(alpha);
    if (is_second && (graph_.op(node) == OpId::kSub) != (alpha < 0)) operand.sign = -operand.sign;
    if (operand.uniform && std::isfinite(operand.size)) {
      shift = std::max(shift, operand.size);
    } else {
      found = Beside(found, operand);
    }
  }
  if (found.size == 0 && found.is_fixed) return {shift, true, false, true, true, 0};
  if (std::isinf(shift)) found = {shift, true, true, true, found.is_fixed, 0};
  return found;
}

// With the same number everywhere, and infinities with any; of other products nothing is known. What is computed and
// multiplied by ten thousand is a mask: (1 - attention_mask) * -10000.
LargestNumber LargestNumbers::OfProduct(int32_t node) const {
  const bool multiplies = graph_.op(node) == OpId::kMul;
  LargestNumber found;
  int32_t value = -1;
  LargestNumber factor = Stated(LargestParameter(graph_, node));
  for (int i = 0; i < std::min(graph_.num_inputs(node), 2); ++i) {
    const LargestNumber operand = Operand(node, i);
    if (i == 0) {
      found = operand;
      value = graph_.input(node, 0);
    } else if (operand.uniform) {
      factor = operand;
    } else if (found.uniform && multiplies) {
      factor = found;
      found = operand;
      value = graph_.input(node, 1);
    } else if (std::isinf(found.size) || (multiplies && std::isinf(operand.size))) {
      const LargestNumber& infinite = std::isinf(found.size) ? found : operand;
      return {infinite.size, infinite.surely, false, false, found.is_fixed && operand.is_fixed, 0};
    } else {
      return Computed(found.is_fixed && operand.is_fixed);
    }
  }
  if (value < 0 || !(factor.size > 0)) return Computed(found.is_fixed);
  if (std::isinf(factor.size)) return multiplies ? factor : Stated(0);
  constexpr double kOnlyMasks = 1e4;
  if (multiplies && found.size == 0 && !found.alone && factor.size >= kOnlyMasks) {
    const int32_t producer = graph_.producer(value);
    const bool is_difference = producer >= 0 && graph_.op(producer) == OpId::kSub;
    if (!is_difference && factor.sign > 0) return Computed(found.is_fixed);
    found.size = factor.size;
    found.sign = 0;
    found.surely = false;
    return found;
  }
  found.size = multiplies ? found.size * factor.size : found.size / factor.size;
  found.sign *= factor.sign;
  return found;
}

// Elements of one or the other. Of a tensor with other numbers beside the large one, the condition may leave out just
// that one: it is made for that where it follows from the tensor.
LargestNumber LargestNumbers::OfChosen(int32_t node) const {
  const int condition_port = graph_.op(node) == OpId::kWhere ? 0 : 1;
  const int port_if_true = graph_.op(node) == OpId::kWhere ? 1 : 2;
  int32_t condition = -1;
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(*graph_.binding(node), graph_.argument(node, i));
    if (argument.role == ArgRole::kData && argument.port == condition_port) condition = graph_.input(node, i);
  }
  const bool is_stated = condition >= 0 && In(condition).is_fixed;
  const AttainedRange truths = ranges_.At(condition, node);
  const bool never_true = truths.known && truths.high == 0;
  const bool always_true = truths.known && truths.low != 0;
  LargestNumber found;
  bool any = false;
  const auto add = [&](LargestNumber operand, bool if_true) {
    if (if_true ? never_true : always_true) return;
    // Where the condition takes both, only a number that is everywhere is sure to be among them.
    const bool takes_all = never_true || always_true;
    operand.surely = operand.surely && truths.known && (takes_all || operand.uniform);
    found = any ? Beside(found, operand) : operand;
    any = true;
  };
  for (const char* name : {"self", "value", "other"}) {
    if (graph_.attribute(node, name) == nullptr) continue;
    add(Stated(graph_.float_attribute(node, name, 0)), /*if_true=*/absl::string_view(name) != "other");
  }
  for (int i = 0; i < graph_.num_inputs(node); ++i) {
    const Argument argument = ArgumentAt(*graph_.binding(node), graph_.argument(node, i));
    if (argument.role != ArgRole::kData || argument.port == condition_port) continue;
    LargestNumber operand = Operand(node, i);
    if (operand.size > 0 && !operand.uniform && FollowsFrom(condition, graph_.input(node, i))) operand.size = 0;
    add(operand, argument.port == port_if_true);
  }
  found.is_fixed = found.is_fixed && is_stated;
  found.uniform = found.uniform && (never_true || always_true);
  return found;
}

// Ends that are tensors are not looked at.
LargestNumber LargestNumbers::OfClamped(int32_t node) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const LargestNumber found = OfMoved(node);
  if (graph_.num_inputs(node) > 1) return Computed(found.is_fixed);
  const auto stated = [&](const char* name, const char* also, double fallback) {
    return graph_.float_attribute(node, name, graph_.float_attribute(node, also, fallback));
  };
  return Between(found, stated("min_val", "min", -kInfinity), stated("max_val", "max", kInfinity));
}

// The smaller or the larger of two, one of which is the same everywhere.
LargestNumber LargestNumbers::OfEither(int32_t node) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (graph_.num_inputs(node) != 2) return Computed(OfMoved(node).is_fixed);
  LargestNumber found = Operand(node, 0);
  LargestNumber end = Operand(node, 1);
  if (!end.uniform) std::swap(found, end);
  if (!end.uniform || (end.sign == 0 && end.size != 0)) return Computed(found.is_fixed && end.is_fixed);
  const double number = end.sign * end.size;
  const bool is_fixed = found.is_fixed && end.is_fixed;
  found = graph_.op(node) == OpId::kMaximum ? Between(found, number, kInfinity) : Between(found, -kInfinity, number);
  found.is_fixed = is_fixed;
  found.uniform = false;
  return found;
}

LargestNumber LargestNumbers::Operand(int32_t node, int input) const {
  const int32_t value = graph_.input(node, input);
  if (value < 0) return {};
  const LargestNumber& number = In(value);
  return memory_.IsOver(value, node) ? WithAssigned(value) : number;
}

// Whether the condition compares the tensor or what it was just made from, or what was compared of it.
bool LargestNumbers::FollowsFrom(int32_t condition, int32_t value) const {
  constexpr int kFewSteps = 8;
  const int32_t maker = graph_.producer(value);
  const auto is_of_it = [&](int32_t input) {
    if (input == value) return true;
    for (int i = 0; maker >= 0 && i < std::min(graph_.num_inputs(maker), 2); ++i) {
      if (input >= 0 && input == graph_.input(maker, i)) return true;
    }
    return false;
  };
  for (int step = 0; step < kFewSteps && condition >= 0; ++step) {
    const int32_t node = graph_.producer(condition);
    if (node < 0) return false;
    condition = -1;
    for (int i = 0; i < std::min(graph_.num_inputs(node), 2); ++i) {
      const int32_t input = graph_.input(node, i);
      if (is_of_it(input)) return true;
      if (input >= 0 && !graph_.is_constant(input) && condition < 0) condition = input;
    }
  }
  return false;
}

}  // namespace quantgate
