#include "rules/values/bounds.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "rules/graph/data_type.h"
#include "rules/graph/port_role.h"
#include "rules/values/attained_range.h"

namespace quantgate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Bounds Between(double low, double high) { return {true, low, high, true}; }

Bounds Union(const Bounds& a, const Bounds& b) {
  return {a.known && b.known, std::min(a.low, b.low), std::max(a.high, b.high), a.reached && b.reached};
}

Bounds Scaled(const Bounds& a, double by) {
  return {a.known, std::min(a.low * by, a.high * by), std::max(a.low * by, a.high * by), a.reached};
}

bool IsOneNumber(const Bounds& a) { return a.known && a.low == a.high; }

bool ReachedWith(const Bounds& a, const Bounds& b) {
  return (a.reached && IsOneNumber(b)) || (b.reached && IsOneNumber(a));
}

Bounds Sum(const Bounds& a, const Bounds& b) {
  return {a.known && b.known, a.low + b.low, a.high + b.high, ReachedWith(a, b)};
}

bool IsFinite(const Bounds& a) { return a.known && std::isfinite(a.low) && std::isfinite(a.high); }

// With an end that is not known anything may come out.
Bounds Product(const Bounds& a, const Bounds& b) {
  if (!IsFinite(a) || !IsFinite(b)) return {a.known && b.known};
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {true, low, high, ReachedWith(a, b)};
}

// Numbers as large as a mask's need not be held: the end of a range stands for them.
Bounds OfElements(double low, double high) {
  constexpr double kMask = 1e4;
  return low <= high && std::abs(low) < kMask && std::abs(high) < kMask ? Between(low, high) : Bounds{};
}

Bounds BoundsOfConstant(const v1::Value& value) {
  const AttainedRange range = RangeOfElements(value);
  return range.known ? OfElements(range.low, range.high) : Bounds{};
}

class Propagation {
 public:
  explicit Propagation(const Graph& graph) : graph_(graph), bounds_(graph.num_values()) {
    for (const Graph::ConstantRecord& constant : graph.constants()) {
      bounds_[constant.value] = BoundsOfConstant(graph.value(constant.value));
    }
    for (int32_t node : graph.order()) {
      const Bounds bounds = OfOutput(node);
      for (int i = 0; i < graph.num_outputs(node); ++i) {
        const int32_t value = graph.output(node, i);
        // Indices beside the numbers are not among them.
        if (value >= 0 && !IsInteger(graph.dtype(value))) bounds_[value] = bounds;
      }
    }
  }

  std::vector<Bounds> Take() { return std::move(bounds_); }

 private:
  Bounds OfOutput(int32_t node) const {
    const Binding* binding = graph_.binding(node);
    if (binding == nullptr) return {};
    const Bounds always = OutputBounds(graph_.op(node));
    if (always.known) return always;
    switch (graph_.op(node)) {
      case OpId::kRelu:
        return Cut(First(node), 0, kInfinity);
      case OpId::kClamp:
        if (graph_.num_inputs(node) > 1) return CutByTensors(node);
        return Cut(First(node), Stated(node, {"min_val", "min"}, -kInfinity),
                   Stated(node, {"max_val", "max"}, kInfinity));
      case OpId::kNeg:
        return Scaled(First(node), -1);
      case OpId::kAdd:
        return Stated(node, {"alpha"}, 1) == 1 ? Sum(First(node), Second(node)) : Bounds{};
      case OpId::kSub:
        return Stated(node, {"alpha"}, 1) == 1 ? Sum(First(node), Scaled(Second(node), -1)) : Bounds{};
      case OpId::kMul:
        return Product(First(node), Second(node));
      case OpId::kConv:
      case OpId::kConvTranspose:
      case OpId::kLinear:
      case OpId::kGemm:
      case OpId::kBatchNorm:
        return Between(-kInfinity, kInfinity);
      case OpId::kMatMul:
      case OpId::kEinsum:
        return IsFinite(First(node)) && IsFinite(Second(node)) ? Bounds{} : Between(-kInfinity, kInfinity);
      case OpId::kCeil:
      case OpId::kFloor:
      case OpId::kRound:
      case OpId::kTrunc: {
        const Bounds bounds = First(node);
        return {bounds.known, std::floor(bounds.low), std::ceil(bounds.high), false};
      }
      case OpId::kMinimum:
        return OfEither(node, [](double a, double b) { return std::min(a, b); });
      case OpId::kMaximum:
        return OfEither(node, [](double a, double b) { return std::max(a, b); });
      // As large as their input where it is positive, and never as small.
      case OpId::kGelu:
      case OpId::kSilu:
      case OpId::kElu:
      case OpId::kHardSwish:
        return First(node).high == kInfinity ? First(node) : Bounds{};
      case OpId::kWhere:
      case OpId::kMaskedFill:
      case OpId::kPad:
      case OpId::kThreshold:
        return {};  // numbers of their own are among those of the tensors
      case OpId::kAveragePool:
        return Stated(node, {"divisor_override"}, kInfinity) == kInfinity ? OfAll(node) : Bounds{};
      case OpId::kGlobalAveragePool:
      case OpId::kReduceMean:
      case OpId::kDropout:
        return OfAll(node);
      default:
        return (binding->op->traits & (kMovesData | kSelects)) != 0 ? OfAll(node) : Bounds{};
    }
  }

  // What is left of `bounds`; two ends bound also what was not known.
  static Bounds Cut(const Bounds& bounds, double low, double high) {
    if (!(low <= high)) return {};
    const bool by_both = low > -kInfinity && high < kInfinity;
    Bounds cut = {bounds.known, std::min(std::max(bounds.low, low), high), std::max(std::min(bounds.high, high), low),
                  bounds.reached || by_both};
    cut.known = cut.known || (cut.low > -kInfinity && cut.high < kInfinity);
    return cut;
  }

  // The smaller or the larger of two, element by element. What one of them cannot pass holds whatever the other is.
  template <typename Choose>
  Bounds OfEither(int32_t node, Choose choose) const {
    if (graph_.num_inputs(node) > 2) return {};
    const Bounds a = First(node);
    const Bounds b = Second(node);
    Bounds found = {a.known && b.known, choose(a.low, b.low), choose(a.high, b.high), false};
    found.known = found.known || (found.low > -kInfinity && found.high < kInfinity);
    return found;
  }

  // The first parameter of those that the node states.
  double Stated(int32_t node, std::initializer_list<const char*> names, double fallback) const {
    for (const char* name : names) {
      const double number = graph_.float_attribute(node, name, kInfinity);
      if (number != kInfinity) return number;
    }
    return fallback;
  }

  // Ends that are tensors: of one number each, or nothing is told.
  Bounds CutByTensors(int32_t node) const {
    double low = -kInfinity, high = kInfinity;
    for (int i = 1; i < graph_.num_inputs(node); ++i) {
      const int32_t value = graph_.input(node, i);
      if (value < 0) continue;
      const Bounds& end = bounds_[value];
      if (!end.known || end.low != end.high) return {};
      (graph_.argument(node, i) == 1 ? low : high) = end.low;
    }
    return Cut(First(node), low, high);
  }

  Bounds First(int32_t node) const { return AtPort(node, 0); }
  Bounds Second(int32_t node) const { return AtPort(node, 1); }
  // By what the operator takes there: rsub names the subtrahend first. A number among the parameters stands for the
  // tensor that is not there.
  Bounds AtPort(int32_t node, int port) const {
    constexpr int kFirstFew = 4;
    for (int i = 0; i < std::min(graph_.num_inputs(node), kFirstFew); ++i) {
      const Argument argument = ArgumentAt(*graph_.binding(node), graph_.argument(node, i));
      if (argument.role == ArgRole::kData && argument.port == port) return Operand(node, i);
    }
    const double number = Stated(node, {"other"}, kInfinity);
    return std::isfinite(number) ? Between(number, number) : Bounds{};
  }
  Bounds Operand(int32_t node, int i) const {
    const int32_t value = graph_.input(node, i);
    return value < 0 ? Bounds{} : bounds_[value];
  }

  // Of elements that are moved, chosen or averaged, and zeros among them.
  Bounds OfAll(int32_t node) const {
    if (Stated(node, {"value", "fill_value"}, kInfinity) != kInfinity) return {};
    Bounds all = Between(0, 0);
    bool any = false;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      if (RoleAt(*graph_.binding(node), graph_.argument(node, i)) != PortRole::kActivation) continue;
      all = Union(all, Operand(node, i));
      any = true;
    }
    return any ? all : Bounds{};
  }

  const Graph& graph_;
  std::vector<Bounds> bounds_;
};

}  // namespace

Bounds OutputBounds(OpId op) {
  switch (op) {
    case OpId::kSigmoid:
    case OpId::kHardSigmoid:
    case OpId::kSoftmax:
    case OpId::kMaskedSoftmax:
    case OpId::kBiasSoftmax:
    case OpId::kHardmax:
    case OpId::kOneHot:
      return Between(0, 1);
    case OpId::kTanh:
    case OpId::kSin:
    case OpId::kCos:
    case OpId::kErf:
    case OpId::kSign:
    case OpId::kSoftsign:
    case OpId::kRelu1:
      return Between(-1, 1);
    case OpId::kRelu6:
      return Between(0, 6);
    default:
      return {};
  }
}

std::vector<Bounds> BoundsOf(const CheckContext& context) { return Propagation(context.graph()).Take(); }

}  // namespace quantgate
