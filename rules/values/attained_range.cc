#include "rules/values/attained_range.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "absl/strings/match.h"
#include "rules/graph/data_type.h"
#include "rules/graph/elements.h"
#include "rules/graph/port_role.h"
#include "rules/values/moved.h"

namespace quantgate {
namespace {

constexpr AttainedRange kNotKnown;

bool IsWhole(double number) { return std::trunc(number) == number && std::isfinite(number); }

AttainedRange Ends(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return {};
  return {true, std::min(a, b), std::max(a, b), a == b && IsWhole(a)};
}

AttainedRange OneNumber(double number) { return Ends(number, number); }

// Of truths: whether one of them is false, and one true.
AttainedRange Truths(bool some_false, bool some_true) { return {true, some_false ? 0.0 : 1.0, some_true ? 1.0 : 0.0}; }

AttainedRange OfEither(const AttainedRange& a, const AttainedRange& b) {
  if (!a.known || !b.known) return {};
  return Ends(std::min(a.low, b.low), std::max(a.high, b.high));
}

// What is not 0 is true.
AttainedRange AsTruths(const AttainedRange& range) {
  if (!range.known) return {};
  if (range.is_one_number()) return Truths(range.low == 0, range.low != 0);
  if (range.low == 0 || range.high == 0) return Truths(true, true);
  return range.low > 0 || range.high < 0 ? Truths(false, true) : kNotKnown;
}

AttainedRange NotOf(const AttainedRange& truths) {
  return truths.known ? Ends(1 - truths.high, 1 - truths.low) : truths;
}

// Where they are numbers, and not one everywhere: only what is at an end, or beyond, is known to be there or not.
AttainedRange Equal(const AttainedRange& a, const AttainedRange& b) {
  if (a.is_one_number() && b.is_one_number()) return Truths(a.low != b.low, a.low == b.low);
  if (a.high < b.low || b.high < a.low) return Truths(true, false);
  const AttainedRange& several = a.is_one_number() ? b : a;
  const AttainedRange& one = a.is_one_number() ? a : b;
  return one.is_one_number() && (one.low == several.low || one.low == several.high) ? Truths(true, true) : kNotKnown;
}

AttainedRange Less(const AttainedRange& a, const AttainedRange& b) {
  return Truths(/*some_false=*/a.high >= b.low, /*some_true=*/a.low < b.high);
}

AttainedRange LessEqual(const AttainedRange& a, const AttainedRange& b) {
  return Truths(/*some_false=*/a.high > b.low, /*some_true=*/a.low <= b.high);
}

// Infinity times 0 is no number, nor is the sum of both infinities.
AttainedRange Product(const AttainedRange& a, const AttainedRange& b) {
  const auto has_zero = [](const AttainedRange& range) { return range.low <= 0 && range.high >= 0; };
  if ((a.has_infinity() && has_zero(b)) || (b.has_infinity() && has_zero(a))) return {};
  const double ends[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  for (const double end : ends) {
    if (std::isnan(end)) return {};
  }
  return Ends(*std::min_element(std::begin(ends), std::end(ends)), *std::max_element(std::begin(ends), std::end(ends)));
}

AttainedRange Negative(const AttainedRange& range) {
  if (!range.known) return {};
  AttainedRange negative = Ends(-range.high, -range.low);
  negative.is_gapless = range.is_gapless;
  return negative;
}

// Between numbers below and above 0 it takes a 0 to have one.
AttainedRange Absolute(const AttainedRange& range) {
  if (!range.known || range.low >= 0) return range;
  if (range.high <= 0) return Negative(range);
  if (!range.is_gapless) return {};
  AttainedRange absolute = Ends(0, std::max(-range.low, range.high));
  absolute.is_gapless = true;
  return absolute;
}

template <typename Function>
AttainedRange Monotone(const AttainedRange& range, Function function) {
  return range.known ? Ends(function(range.low), function(range.high)) : range;
}

// How numbers of a type are stored: so many digits of a binary fraction, fewer of what is below `smallest`.
struct FloatForm {
  int digits;
  int smallest;    // exponent as std::frexp has it
  double largest;  // what is beyond is infinite
};

double Rounded(double number, const FloatForm& form) {
  if (!std::isfinite(number) || number == 0) return number;
  int exponent = 0;
  std::frexp(number, &exponent);
  const int unit = std::max(exponent, form.smallest) - form.digits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(number, -unit)), unit);
  return std::abs(rounded) > form.largest ? std::copysign(INFINITY, rounded) : rounded;
}

// What is left of a result in a tensor of that type. Integers that do not hold it wrap around, or are cut off.
AttainedRange AsStored(const AttainedRange& range, v1::DataType type) {
  if (!range.known) return {};
  const auto rounded = [&range](const FloatForm& form) {
    AttainedRange stored = Ends(Rounded(range.low, form), Rounded(range.high, form));
    const double all_whole = std::ldexp(1.0, form.digits);  // up to here
    stored.is_gapless = range.is_gapless && -range.low <= all_whole && range.high <= all_whole;
    return stored;
  };
  switch (type) {
    case v1::DATA_TYPE_FLOAT64:
      return range;
    case v1::DATA_TYPE_FLOAT32:
      return rounded({24, -125, std::numeric_limits<float>::max()});
    case v1::DATA_TYPE_BFLOAT16:
      return rounded({8, -125, 0x1.FEp127});
    case v1::DATA_TYPE_FLOAT16:
      return rounded({11, -13, 65504});
    case v1::DATA_TYPE_BOOL:
      return AsTruths(range);
    default:
      break;
  }
  constexpr double kWhole = 1LL << 53;  // beyond, not all whole numbers are exact here
  const bool is_held = IsInteger(type) && range.low >= std::max(static_cast<double>(MinOf(type)), -kWhole) &&
                       range.high <= std::min(static_cast<double>(MaxOf(type)), kWhole);
  return is_held && std::trunc(range.low) == range.low && std::trunc(range.high) == range.high ? range : kNotKnown;
}

}  // namespace

AttainedRange RangeOfElements(const v1::Value& value) {
  const v1::Constant& constant = value.constant();
  if (constant.has_statistics()) {
    const v1::Statistics& statistics = constant.statistics();
    if (statistics.inf_count() > 0 || statistics.nan_count() > 0 || statistics.count() == 0) return {};
    return Ends(statistics.min(), statistics.max());
  }
  const RealView numbers = NumbersOf(value);
  if (numbers.empty()) return {};
  double low = numbers[0];
  double high = numbers[0];
  for (const double number : numbers) {
    if (std::isnan(number)) return {};
    low = std::min(low, number);
    high = std::max(high, number);
  }
  return Ends(low, high);
}

AttainedRanges AttainedRangesOf(const CheckContext& context) {
  return {context.graph(), context.Once(WrittenMemoryOf)};
}

AttainedRange AttainedRanges::At(int32_t value, int32_t node) const {
  return value < 0 || memory_.IsOver(value, node) ? AttainedRange() : Of(value);
}

const AttainedRange& AttainedRanges::Of(int32_t value) const {
  if (value < 0) return kNotKnown;
  if (ranges_.empty()) FindAll();
  if (!is_found_[value] && graph_.is_constant(value) && !graph_.is_graph_input(value)) {
    ranges_[value] = RangeOfElements(graph_.value(value));
    is_found_[value] = true;
  }
  return ranges_[value];
}

void AttainedRanges::FindAll() const {
  ranges_.resize(graph_.num_values());
  is_found_.resize(graph_.num_values(), false);
  for (int32_t node : graph_.order()) {
    if (graph_.binding(node) == nullptr || graph_.num_outputs(node) == 0) continue;
    const int32_t value = graph_.output(node, 0);
    if (value < 0 || graph_.is_constant(value)) continue;
    ranges_[value] = AsStored(OfResult(node), graph_.dtype(value));
  }
}

AttainedRange AttainedRanges::OfResult(int32_t node) const {
  const OpId op = graph_.op(node);
  switch (op) {
    case OpId::kFill:
    case OpId::kFillLike: {
      const absl::string_view name = graph_.op_type(node);
      if (absl::StrContains(name, "ones")) return OneNumber(1);
      if (absl::StrContains(name, "zeros")) return OneNumber(0);
      for (const char* parameter : {"fill_value", "s", "value"}) {
        if (graph_.attribute(node, parameter) != nullptr)
          return OneNumber(graph_.float_attribute(node, parameter, NAN));
      }
      return {};
    }
    case OpId::kTriangle:
      return OfTriangle(node);
    case OpId::kRange:
      return OfCounting(node);
    case OpId::kNeg:
      return Negative(AtPort(node, 0));
    case OpId::kAbs:
      return Absolute(AtPort(node, 0));
    case OpId::kSqrt:
      return Monotone(AtPort(node, 0), [](double number) { return std::sqrt(number); });
    case OpId::kExp:
      return Monotone(AtPort(node, 0), [](double number) { return std::exp(number); });
    case OpId::kLog:
      return Monotone(AtPort(node, 0), [](double number) { return std::log(number); });
    case OpId::kCast:
      return AtPort(node, 0);
    case OpId::kLogicalNot:
      return NotOf(AsTruths(AtPort(node, 0)));
    case OpId::kBitwiseNot:
      return graph_.dtype(graph_.output(node, 0)) == v1::DATA_TYPE_BOOL ? NotOf(AsTruths(AtPort(node, 0))) : kNotKnown;
    case OpId::kAdd:
    case OpId::kSub:
    case OpId::kMul:
    case OpId::kDiv:
    case OpId::kEqual:
    case OpId::kNotEqual:
    case OpId::kLess:
    case OpId::kLessEqual:
    case OpId::kGreater:
    case OpId::kGreaterEqual:
      return OfPair(node);
    case OpId::kWhere:
    case OpId::kMaskedFill:
      return OfChosen(node);
    case OpId::kPad:
      return {};
    default:
      return KeepsAll(graph_, node) ? At(MovedBy(graph_, node), node) : kNotKnown;
  }
}

// On one side of a diagonal the numbers are kept, on the other there are zeros.
AttainedRange AttainedRanges::OfTriangle(int32_t node) const {
  const AttainedRange of = AtPort(node, 0);
  const int32_t value = graph_.output(node, 0);
  const bool is_upper = absl::StrContains(graph_.op_type(node), "triu");
  const bool is_lower = absl::StrContains(graph_.op_type(node), "tril");
  if (!of.is_one_number() || is_upper == is_lower || !graph_.has_known_shape(value) || graph_.rank(value) < 2)
    return {};
  const auto& dims = graph_.value(graph_.value_like(value)).dims();
  const int64_t last_row = dims[dims.size() - 2] - 1;
  const int64_t last_column = dims[dims.size() - 1] - 1;
  const int64_t diagonal = graph_.int_attribute(node, "diagonal", 0);
  // Column minus row goes from -last_row to last_column.
  const bool keeps_some = is_upper ? last_column >= diagonal : -last_row <= diagonal;
  const bool drops_some = is_upper ? -last_row < diagonal : last_column > diagonal;
  if (keeps_some == drops_some) return keeps_some ? Ends(of.low, 0) : kNotKnown;
  return keeps_some ? of : OneNumber(0);
}

AttainedRange AttainedRanges::OfCounting(int32_t node) const {
  if (graph_.num_inputs(node) > 0 || graph_.attribute(node, "end") == nullptr) return {};
  const double start = graph_.float_attribute(node, "start", 0);
  const double end = graph_.float_attribute(node, "end", NAN);
  const double step = graph_.float_attribute(node, "step", 1);
  // Ends of integers are cut to whole ones first.
  const bool are_whole = IsWhole(start) && IsWhole(end) && IsWhole(step);
  if (!are_whole && !IsFloat(graph_.dtype(graph_.output(node, 0)))) return {};
  const double count = std::ceil((end - start) / step);
  if (!(count >= 1)) return {};
  AttainedRange range = Ends(start, start + (count - 1) * step);
  range.is_gapless = range.known && are_whole && std::abs(step) == 1;
  return range;
}

// Where one of the two is one number, or each element of one meets each of the other, ends meet ends.
AttainedRange AttainedRanges::OfPair(int32_t node) const {
  const AttainedRange a = AtPort(node, 0);
  AttainedRange b = AtPort(node, 1);
  if (!a.known || !b.known || !(a.is_one_number() || b.is_one_number() || AllPairsMeet(node))) return {};
  switch (graph_.op(node)) {
    case OpId::kAdd:
    case OpId::kSub: {
      const double alpha = graph_.float_attribute(node, "alpha", 1);
      const bool is_gapless = a.is_gapless && b.is_gapless && std::abs(alpha) == 1;
      b = Product(b, OneNumber(graph_.op(node) == OpId::kSub ? -alpha : alpha));
      if (!b.known || (a.has_infinity() && b.has_infinity())) return {};
      AttainedRange sum = Ends(a.low + b.low, a.high + b.high);
      sum.is_gapless = is_gapless;
      return sum;
    }
    case OpId::kMul:
      return Product(a, b);
    case OpId::kDiv:
      return b.is_one_number() && b.low != 0 && graph_.attribute(node, "rounding_mode") == nullptr
                 ? Product(a, OneNumber(1 / b.low))
                 : kNotKnown;
    case OpId::kEqual:
      return Equal(a, b);
    case OpId::kNotEqual:
      return NotOf(Equal(a, b));
    case OpId::kLess:
      return Less(a, b);
    case OpId::kLessEqual:
      return LessEqual(a, b);
    case OpId::kGreater:
      return Less(b, a);
    case OpId::kGreaterEqual:
      return LessEqual(b, a);
    default:
      return {};
  }
}

AttainedRange AttainedRanges::OfChosen(int32_t node) const {
  const bool is_fill = graph_.op(node) == OpId::kMaskedFill;
  const AttainedRange truths = AsTruths(AtPort(node, is_fill ? 1 : 0));
  const AttainedRange where_true = AtPort(node, is_fill ? 2 : 1);
  const AttainedRange where_false = AtPort(node, is_fill ? 0 : 2);
  if (!truths.known) return {};
  if (truths.low == 1) return where_true;
  if (truths.high == 0) return where_false;
  // A part of several numbers may leave out an end.
  return where_true.is_one_number() && where_false.is_one_number() ? OfEither(where_true, where_false) : kNotKnown;
}

// A number among the parameters stands for the tensor that is not there.
AttainedRange AttainedRanges::AtPort(int32_t node, int port) const {
  constexpr int kFirstFew = 4;
  for (int i = 0; i < std::min(graph_.num_inputs(node), kFirstFew); ++i) {
    const Argument argument = ArgumentAt(*graph_.binding(node), graph_.argument(node, i));
    if (argument.role == ArgRole::kData && argument.port == port) return At(graph_.input(node, i), node);
  }
  const OpId op = graph_.op(node);
  const char* name = op == OpId::kMaskedFill ? "value" : op == OpId::kWhere && port == 1 ? "self" : "other";
  if (graph_.attribute(node, name) == nullptr) return {};
  const AttainedRange number = OneNumber(graph_.float_attribute(node, name, NAN));
  // It takes part in the tensor's type; arithmetic of smaller floats is done in float.
  const v1::DataType type = graph_.num_inputs(node) > 0 && graph_.input(node, 0) >= 0
                                ? graph_.dtype(graph_.input(node, 0))
                                : v1::DATA_TYPE_UNSPECIFIED;
  const bool computes = op == OpId::kAdd || op == OpId::kSub || op == OpId::kMul || op == OpId::kDiv;
  const bool is_rounded = op != OpId::kWhere && (type == v1::DATA_TYPE_FLOAT32 || !computes);
  return IsFloat(type) && is_rounded ? AsStored(number, type) : number;
}

// Both vary, along axes of their own.
bool AttainedRanges::AllPairsMeet(int32_t node) const {
  if (graph_.num_inputs(node) != 2) return false;
  const int32_t a = graph_.input(node, 0);
  const int32_t b = graph_.input(node, 1);
  if (a < 0 || b < 0 || !graph_.has_known_shape(a) || !graph_.has_known_shape(b)) return false;
  const auto& a_dims = graph_.value(graph_.value_like(a)).dims();
  const auto& b_dims = graph_.value(graph_.value_like(b)).dims();
  for (int i = 1; i <= std::min(a_dims.size(), b_dims.size()); ++i) {
    if (a_dims[a_dims.size() - i] != 1 && b_dims[b_dims.size() - i] != 1) return false;
  }
  return true;
}

}  // namespace quantgate
