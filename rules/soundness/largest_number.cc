#include "rules/soundness/largest_number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "rules/graph/elements.h"
#include "rules/graph/port_role.h"

namespace quantgate {
namespace {

// No model has more between a mask and what reads it.
constexpr int kMostSteps = 64;

double LargestOf(const v1::Value& value) {
  const v1::Constant& constant = value.constant();
  if (constant.has_statistics()) {
    const v1::Statistics& statistics = constant.statistics();
    if (statistics.inf_count() > 0) return std::numeric_limits<double>::infinity();  // ConstantRecord::is_finite
    return std::max(std::abs(statistics.min()), std::abs(statistics.max()));
  }
  double largest = 0;
  for (const double number : NumbersOf(value)) largest = std::max(largest, std::abs(number));
  return largest;
}

// Of the parameters that are elements of the operator's result.
double LargestParameter(const Graph& graph, int32_t node) {
  double largest = 0;
  for (const char* name : {"value", "fill_value", "other", "self"}) {
    largest = std::max(largest, std::abs(graph.float_attribute(node, name, 0)));
  }
  return largest;
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

bool HasInfinity(const Graph& graph) {
  return absl::c_any_of(graph.unlike_nodes(),
                        [&](int32_t node) { return std::isinf(LargestParameter(graph, node)); }) ||
         absl::c_any_of(graph.constants(), [&](const Graph::ConstantRecord& constant) {
           return !constant.is_finite && !IsBias(graph, constant.value) &&
                  std::isinf(LargestOf(graph.value(constant.value)));
         });
}

double LargestNumber::In(int32_t value) {
  steps_ = kMostSteps;
  return Find(value);
}

double LargestNumber::Find(int32_t value) {
  if (value < 0 || --steps_ < 0) return 0;
  if (graph_.is_constant(value)) {
    const auto [known, is_new] = constants_.try_emplace(value, 0.0);
    if (is_new) known->second = LargestOf(graph_.value(value));
    return known->second;
  }
  const int32_t node = graph_.producer(value);
  const Binding* binding = node < 0 ? nullptr : graph_.binding(node);
  if (binding == nullptr) return 0;
  switch (graph_.op(node)) {
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMaskedFill:
    case OpId::kWhere:
    case OpId::kPad:
      return std::max(Operand(node), Filled(node));
    case OpId::kCast:
      return Operand(node);
    case OpId::kFill:
    case OpId::kFillLike:
      return Filled(node);
    default:
      // Of elements that are moved some may be left behind, but not those of a mask.
      return (binding->op->traits & kMovesData) != 0 ? Operand(node) : 0;
  }
}

double LargestNumber::Operand(int32_t node) {
  double largest = 0;
  for (int i = 0; i < graph_.num_inputs(node) && --steps_ >= 0; ++i) {
    if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
    largest = std::max(largest, Find(graph_.input(node, i)));
  }
  return largest;
}

double LargestNumber::Filled(int32_t node) {
  const auto [known, is_new] = filled_.try_emplace(node, 0.0);
  if (is_new) known->second = LargestParameter(graph_, node);
  return known->second;
}

}  // namespace quantgate
