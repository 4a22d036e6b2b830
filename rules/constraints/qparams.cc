// Predicates about the values of scales and zero points.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"
#include "rules/constraints/rules.h"

namespace quantgate::kinds {
namespace {

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

std::string ScaleText(double scale) { return absl::StrFormat("scale %.7g", scale); }
std::string ZeroPointText(double zero_point) { return absl::StrFormat("zero point %.10g", zero_point); }

}  // namespace

Check FixedQparams(Arguments& arguments) {
  const double scale = arguments.Number("scale");
  const double zero_point = arguments.Number("zero_point");
  return [scale, zero_point](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized) return Verdict::kHolds;
    if (!Known(tensor.qparams)) return Unknown(outcome, "scale and zero point are not known at this stage");
    const absl::Span<const double> scales = tensor.qparams->scales;
    for (size_t i = 0; i < scales.size(); ++i) {
      // An expected scale of 0 (the backend derives the real one itself) is met by 0 alone.
      if (Near(scales[i], scale, kFixedScaleTolerance) && tensor.qparams->zero_point(i) == zero_point) continue;
      return Violated(outcome,
                      absl::StrCat(ScaleText(scales[i]), " and ", ZeroPointText(tensor.qparams->zero_point(i)),
                                   scales.size() > 1 ? absl::StrCat(" at index ", i) : ""),
                      absl::StrCat(ScaleText(scale), " and ", ZeroPointText(zero_point)));
    }
    return Verdict::kHolds;
  };
}

Check EqualQparams(Arguments& arguments) {
  const PortPattern port = arguments.Port("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    const BackendTensor* other = TensorAt(subject.op, port.kind, port.first);
    if (other == nullptr || !tensor.type.quantized || !other->type.quantized) return Verdict::kHolds;
    if (!Known(tensor.qparams) || !Known(other->qparams)) {
      return Unknown(outcome, "scale and zero point are not known at this stage");
    }
    const QuantParams& mine = *tensor.qparams;
    const QuantParams& theirs = *other->qparams;
    const auto of_port = [&](std::string text) { return absl::StrCat(text, " of ", port.name); };
    const size_t count = std::max(mine.scales.size(), theirs.scales.size());
    if (std::min(mine.scales.size(), theirs.scales.size()) != count) {
      outcome.rule = &kUnequalScale;
      return Violated(outcome, absl::StrCat(mine.scales.size(), " scale(s)"),
                      of_port(absl::StrCat("the ", theirs.scales.size(), " scale(s)")));
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
