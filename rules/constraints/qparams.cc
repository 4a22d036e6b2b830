// Predicates about the values of scales and zero points.
#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"
#include "rules/constraints/rules.h"

namespace quantgate::kinds {
namespace {

std::string ScaleCount(RealView scales) {
  return scales.size() == 1 ? "1 scale" : absl::StrCat(scales.size(), " scales");
}

// Files hold scales as float32 (relative rounding 6e-8); what tools write for 1/65536 after an observer differs by a
// few times 1e-6. Anything beyond is meant to be another scale.
constexpr double kFixedScaleTolerance = 1e-5;
// Two copies of one scale differ by float32 rounding at most.
constexpr double kEqualScaleTolerance = 1e-6;

// False for NaN.
bool Near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

// Also false when scales and zero points do not go together, which the soundness rules report.
bool Known(const QuantParams* qparams) {
  return qparams != nullptr && !qparams->scales.empty() &&
         (qparams->zero_points.size() <= 1 || qparams->zero_points.size() == qparams->scales.size());
}

// Before calibration: a symmetric and an affine observer come to the same numbers by chance at most. Says which is
// which.
bool ObservedApart(const BackendTensor& tensor, const BackendTensor& other, const std::string& port, Outcome& outcome) {
  const Tri mine = tensor.asked_symmetric, theirs = other.asked_symmetric;
  if (mine == Tri::kUnknown || theirs == Tri::kUnknown || mine == theirs) return false;
  const auto text = [](Tri symmetric) {
    return symmetric == Tri::kYes ? "the zero point of a symmetric range"
                                  : "the observed zero point of an affine range";
  };
  outcome.rule = &kUnequalZeroPoint;
  Violated(outcome, text(mine), absl::StrCat(text(theirs), ", that of ", port));
  return true;
}

// A symmetric scheme keeps its zero point whatever the numbers will be. NaN: not known.
double KeptZeroPoint(const BackendTensor& tensor) {
  return tensor.symmetric == Tri::kYes ? NeutralPoint(tensor) : std::nan("");
}

Verdict NotYetCompared(Outcome& outcome, const PortPattern& port, std::string reason) {
  outcome.compared = {port.kind, static_cast<int16_t>(port.first)};
  return Unknown(outcome, std::move(reason));
}

std::string ScaleText(double scale) { return absl::StrFormat("scale %.7g", scale); }
std::string ZeroPointText(double zero_point) { return absl::StrFormat("zero point %.10g", zero_point); }

}  // namespace

Evaluator FixedQparams(Arguments& arguments) {
  const double scale = arguments.Number("scale");
  std::optional<double> zero_point;
  if (arguments.Has("zero_point")) zero_point = arguments.Number("zero_point");
  return [scale, zero_point](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized) return Verdict::kHolds;
    if (!Known(tensor.qparams)) return Unknown(outcome, "scale and zero point are not known at this stage");
    const RealView scales = tensor.qparams->scales;
    for (size_t i = 0; i < scales.size(); ++i) {
      // An expected scale of 0 (the backend derives the real one itself) is met by 0 alone.
      const double actual = tensor.qparams->zero_point(i);
      if (Near(scales[i], scale, kFixedScaleTolerance) && actual == zero_point.value_or(actual)) continue;
      const auto text = [&](double some_scale, double some_zero_point) {
        return absl::StrCat(ScaleText(some_scale),
                            zero_point ? absl::StrCat(" and ", ZeroPointText(some_zero_point)) : "");
      };
      return Violated(outcome,
                      absl::StrCat(text(scales[i], actual), scales.size() > 1 ? absl::StrCat(" at index ", i) : ""),
                      text(scale, zero_point.value_or(0)));
    }
    return Verdict::kHolds;
  };
}

Evaluator EqualScale(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    const BackendTensor* other = TensorAt(subject.op, port.kind, port.first);
    if (other == nullptr || !tensor.type.quantized || !other->type.quantized) return Verdict::kHolds;
    if (!Known(tensor.qparams) || !Known(other->qparams)) {
      return NotYetCompared(outcome, port, "the scale is not known");
    }
    const RealView mine = tensor.qparams->scales;
    const RealView theirs = other->qparams->scales;
    if (mine.size() != theirs.size()) {
      return Violated(outcome, ScaleCount(mine), absl::StrCat("the ", ScaleCount(theirs), " of ", port.name));
    }
    for (size_t i = 0; i < mine.size(); ++i) {
      if (Near(mine[i], theirs[i], kEqualScaleTolerance)) continue;
      return Violated(outcome, ScaleText(mine[i]), absl::StrCat(ScaleText(theirs[i]), " of ", port.name));
    }
    return Verdict::kHolds;
  };
}

Evaluator EqualZeroPoint(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  const int shift = arguments.Has("shift") ? arguments.Int("shift") : 0;
  const bool counts_without =
      arguments.Has("without_encoding") && arguments.Word("without_encoding", {"zero"}) == "zero";
  return [port, shift, counts_without](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    const BackendTensor* other = TensorAt(subject.op, port.kind, port.first);
    if (other == nullptr || !tensor.type.quantized || !other->type.quantized) return Verdict::kHolds;
    if (tensor.without_encoding && !counts_without) return Verdict::kHolds;
    // A tensor without an encoding is read as one with zero point 0.
    const auto known = [](const BackendTensor& t) { return t.without_encoding || Known(t.qparams); };
    if (!known(tensor) || !known(*other)) {
      if (shift == 0 && ObservedApart(tensor, *other, port.name, outcome)) return Verdict::kViolated;
      if (KeptZeroPoint(tensor) == KeptZeroPoint(*other) + shift) return Verdict::kHolds;
      return NotYetCompared(outcome, port, "the zero point is not known");
    }
    const auto count = [](const BackendTensor& t) { return t.without_encoding ? 1 : t.qparams->scales.size(); };
    const auto at = [](const BackendTensor& t, size_t i) { return t.without_encoding ? 0 : t.qparams->zero_point(i); };
    const size_t mine = count(tensor), theirs = count(*other);
    if (mine != theirs && mine != 1 && theirs != 1) {
      return Violated(outcome, absl::StrCat(mine, " zero points"),
                      absl::StrCat("the ", theirs, " zero points of ", port.name));
    }
    for (size_t i = 0; i < std::max(mine, theirs); ++i) {
      const double wanted = at(*other, i) + shift;
      if (at(tensor, i) == wanted) continue;
      return Violated(outcome, ZeroPointText(at(tensor, i)),
                      absl::StrCat(ZeroPointText(wanted), shift == 0 ? " of " : ", by that of ", port.name));
    }
    return Verdict::kHolds;
  };
}

Evaluator ZeroPoint(Arguments& arguments) {
  Interval allowed{};
  if (arguments.Has("value")) {
    allowed.min = allowed.max = arguments.Number("value");
  } else {
    allowed = arguments.MinAndMax();
  }
  return [allowed](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    // A tensor without an encoding is read as one with zero point 0.
    if (!tensor.type.quantized || (tensor.without_encoding && allowed.Contains(0))) return Verdict::kHolds;
    if (!Known(tensor.qparams)) {
      return allowed.Contains(KeptZeroPoint(tensor)) ? Verdict::kHolds
                                                     : Unknown(outcome, "the zero point is not known");
    }
    for (size_t i = 0; i < tensor.qparams->scales.size(); ++i) {
      if (allowed.Contains(tensor.qparams->zero_point(i))) continue;
      return Violated(
          outcome, ZeroPointText(tensor.qparams->zero_point(i)),
          allowed.min == allowed.max ? ZeroPointText(allowed.min) : absl::StrCat("a zero point of ", allowed.text()));
    }
    return Verdict::kHolds;
  };
}

Evaluator PositiveScale(Arguments& arguments) {
  // Without a zero point a negative scale is a mirrored range, which most kernels take.
  const bool always = arguments.Word("zero_point", {"any", "nonzero"}) == "any";
  return [always](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized || !Known(tensor.qparams)) return Verdict::kHolds;
    for (size_t i = 0; i < tensor.qparams->scales.size(); ++i) {
      const double scale = tensor.qparams->scales[i];
      const double zero_point = tensor.qparams->zero_point(i);
      if (!(scale < 0) || (!always && zero_point == 0)) continue;
      return Violated(outcome, absl::StrCat(ScaleText(scale), " and ", ZeroPointText(zero_point)),
                      always ? "a positive scale" : "a positive scale, or zero point 0");
    }
    return Verdict::kHolds;
  };
}

Evaluator RequantizationMultiplier(Arguments& arguments) {
  const PortPattern over = arguments.OtherPort("over");
  std::optional<PortPattern> by;
  if (arguments.Has("by")) by = arguments.OtherPort("by");
  const double from = arguments.Has("from") ? arguments.Number("from") : 0;
  const double below = arguments.Number("below");
  return [over, by, from, below](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    const BackendTensor* output = TensorAt(subject.op, over.kind, over.first);
    const BackendTensor* factor = by ? TensorAt(subject.op, by->kind, by->first) : nullptr;
    // Without quantized data on all sides nothing is requantized.
    if (output == nullptr || (by && factor == nullptr)) return Verdict::kHolds;
    if (!tensor.type.quantized || !output->type.quantized || (factor && !factor->type.quantized))
      return Verdict::kHolds;
    // With parameters from run time the result is a float, and quantized by itself.
    if (tensor.dynamic_qparams == Tri::kYes) return Verdict::kHolds;
    if (!Known(tensor.qparams) || !Known(output->qparams) || (factor && !Known(factor->qparams))) {
      return Unknown(outcome, "the scales are not known at this stage");
    }
    // An activation has one scale; weights may have one per channel. In float32 and in this order, as kernels do.
    const auto mine = static_cast<float>(tensor.qparams->scales[0]);
    const auto theirs = static_cast<float>(output->qparams->scales[0]);
    const size_t count = factor ? factor->qparams->scales.size() : 1;
    for (size_t i = 0; i < count; ++i) {
      const double multiplier = (factor ? mine * static_cast<float>(factor->qparams->scales[i]) : mine) / theirs;
      // What is not finite comes from scales that are not; other rules speak of them.
      if (!std::isfinite(multiplier) || (multiplier >= from && multiplier < below)) continue;
      std::string scales = ScaleText(mine);
      if (factor) absl::StrAppendFormat(&scales, " times %.7g of %s", factor->qparams->scales[i], by->name);
      return Violated(outcome,
                      absl::StrFormat("%s over %.7g of %s: a factor of %.7g%s", scales, theirs, over.name, multiplier,
                                      count > 1 ? absl::StrCat(" at channel ", i) : ""),
                      from > 0         ? absl::StrFormat("a factor of at least %.7g and below %.7g", from, below)
                      : multiplier < 0 ? absl::StrFormat("a factor from 0 to below %.7g", below)
                                       : absl::StrFormat("a factor below %.7g", below));
    }
    return Verdict::kHolds;
  };
}

Evaluator ScaleLimits(Arguments& arguments) {
  const double below = arguments.Number("below");
  return [below](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized || tensor.dynamic_qparams == Tri::kYes) return Verdict::kHolds;
    if (!Known(tensor.qparams)) return Unknown(outcome, "the scale is not known at this stage");
    for (const double scale : tensor.qparams->scales) {
      // What is not finite or not positive is another rule's.
      if (!(scale > 0) || !std::isfinite(scale) || scale < below) continue;
      return Violated(outcome, ScaleText(scale), absl::StrFormat("a scale below %.7g", below));
    }
    return Verdict::kHolds;
  };
}

Evaluator EqualQparams(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    const BackendTensor* other = TensorAt(subject.op, port.kind, port.first);
    if (other == nullptr || !tensor.type.quantized || !other->type.quantized) return Verdict::kHolds;
    if (!Known(tensor.qparams) || !Known(other->qparams)) {
      if (ObservedApart(tensor, *other, port.name, outcome)) return Verdict::kViolated;
      return NotYetCompared(outcome, port, "scale and zero point are not known at this stage");
    }
    const QuantParams& mine = *tensor.qparams;
    const QuantParams& theirs = *other->qparams;
    const auto of_port = [&](absl::string_view text) { return absl::StrCat(text, " of ", port.name); };
    const size_t count = std::max(mine.scales.size(), theirs.scales.size());
    if (std::min(mine.scales.size(), theirs.scales.size()) != count) {
      outcome.rule = &kUnequalScale;
      return Violated(outcome, ScaleCount(mine.scales), of_port(absl::StrCat("the ", ScaleCount(theirs.scales))));
    }
    // Zero points first: the backend refuses those, while another scale only makes the numbers wrong.
    for (size_t i = 0; i < count; ++i) {
      if (mine.zero_point(i) == theirs.zero_point(i)) continue;
      outcome.rule = &kUnequalZeroPoint;
      return Violated(outcome, absl::StrCat(ScaleText(mine.scales[i]), " and ", ZeroPointText(mine.zero_point(i))),
                      of_port(absl::StrCat(ScaleText(theirs.scales[i]), " and ", ZeroPointText(theirs.zero_point(i)))));
    }
    for (size_t i = 0; i < count; ++i) {
      if (Near(mine.scales[i], theirs.scales[i], kEqualScaleTolerance)) continue;
      outcome.rule = &kUnequalScale;
      return Violated(outcome, ScaleText(mine.scales[i]), of_port(ScaleText(theirs.scales[i])));
    }
    return Verdict::kHolds;
  };
}

}  // namespace quantgate::kinds
