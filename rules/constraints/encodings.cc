// Predicates about quantization encodings: kind, axis, symmetry.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"
#include "rules/constraints/rules.h"

namespace quantgate::kinds {
namespace {

// Quantized, but neither the scheme nor parameters say how.
bool EncodingUnknown(const BackendTensor& tensor) {
  return tensor.type.quantized && (tensor.encoding == Encoding::kNone || tensor.encoding == Encoding::kUndefined);
}

bool PerTensor(Encoding encoding) { return encoding == Encoding::kPerTensor || encoding == Encoding::kBwPerTensor; }

// Per-tensor encodings, of either storage.
constexpr uint32_t kPerTensorKinds =
    1u << static_cast<int>(Encoding::kPerTensor) | 1u << static_cast<int>(Encoding::kBwPerTensor);

// Index of the first zero point that is not the symmetric one; -1: all are.
int64_t FirstAsymmetric(const BackendTensor& tensor) {
  const double neutral = NeutralPoint(tensor);
  const RealView zero_points = tensor.qparams->zero_points;
  if (zero_points.empty()) return neutral == 0 ? -1 : 0;  // not given: all 0
  for (size_t i = 0; i < zero_points.size(); ++i) {
    if (zero_points[i] != neutral) return static_cast<int64_t>(i);
  }
  return -1;
}

bool QparamsKnown(const BackendTensor& tensor) {
  return tensor.qparams != nullptr && !tensor.qparams->scales.empty() && tensor.bits > 0;
}

}  // namespace

Evaluator RunTimeQparams(Arguments& arguments) {
  const bool wanted = arguments.YesNo("value");
  return [wanted](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized) return Verdict::kHolds;
    if (tensor.dynamic_qparams == Tri::kUnknown) {
      return Unknown(outcome, "it is not known whether scale and zero point are computed at run time");
    }
    if ((tensor.dynamic_qparams == Tri::kYes) == wanted) return Verdict::kHolds;
    const char* const known = "scale and zero point that are known beforehand";
    const char* const computed = "scale and zero point that are computed at run time";
    return Violated(outcome, wanted ? known : computed, wanted ? computed : known);
  };
}

Evaluator Encodings(Arguments& arguments) {
  return [allowed = arguments.Encodings("allowed")](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized || allowed.Contains(tensor.encoding)) return Verdict::kHolds;
    if (EncodingUnknown(tensor)) return Unknown(outcome, "the quantization encoding is not known");
    if ((allowed.kinds & ~kPerTensorKinds) == 0 && !PerTensor(tensor.encoding)) outcome.rule = &kGranularity;
    return Violated(outcome, std::string(EncodingName(tensor.encoding)), allowed.text);
  };
}

Evaluator EncodingUnsupported(Arguments& arguments) {
  return [forbidden = arguments.Encodings("encodings")](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized) return Verdict::kHolds;
    if (EncodingUnknown(tensor)) return Unknown(outcome, "the quantization encoding is not known");
    if (!forbidden.Contains(tensor.encoding)) return Verdict::kHolds;
    return Violated(outcome, std::string(EncodingName(tensor.encoding)), absl::StrCat("any but ", forbidden.text));
  };
}

Evaluator EncodingAxis(Arguments& arguments) {
  return [axis = arguments.Int("axis")](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized || PerTensor(tensor.encoding)) return Verdict::kHolds;
    if (EncodingUnknown(tensor)) return Unknown(outcome, "the quantization encoding is not known");
    if (tensor.axis < 0) return Unknown(outcome, "the quantized axis is not known");
    if (axis < 0 && tensor.rank < 0) return Unknown(outcome, "the rank is not known, so neither is the last axis");
    const int wanted = axis < 0 ? axis + tensor.rank : axis;
    if (tensor.axis == wanted) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat(tensor.axis),
                    axis == -1 ? absl::StrCat("axis ", wanted, ", the last") : absl::StrCat("axis ", wanted));
  };
}

Evaluator Symmetric(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized) return Verdict::kHolds;
    const auto allowed = [&] { return absl::StrFormat("symmetric, zero point %.10g", NeutralPoint(tensor)); };
    if (QparamsKnown(tensor)) {
      const int64_t i = FirstAsymmetric(tensor);
      if (i >= 0) {
        const bool several = tensor.qparams->zero_points.size() > 1;
        return Violated(outcome,
                        absl::StrFormat("zero point %.10g%s",
                                        several ? tensor.qparams->zero_points[i] : tensor.qparams->zero_point(0),
                                        several ? absl::StrCat(" at index ", i) : ""),
                        allowed());
      }
    }
    // Symmetric zero points around a lopsided range (-100..27) are not symmetric either.
    if (tensor.symmetric == Tri::kNo) return Violated(outcome, "an asymmetric range or scheme", allowed());
    if (tensor.symmetric == Tri::kYes || QparamsKnown(tensor)) return Verdict::kHolds;
    return Unknown(outcome, "neither zero point nor scheme is known");
  };
}

Evaluator BlockSize(Arguments& arguments) {
  return [allowed = arguments.Choices("allowed")](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (tensor.encoding != Encoding::kBlock && tensor.encoding != Encoding::kBlockExpansion) return Verdict::kHolds;
    if (tensor.qparams == nullptr) return Unknown(outcome, "the block sizes are not known");
    for (int64_t size : tensor.qparams->block_sizes) {
      if (size == 1 || allowed.Contains(static_cast<double>(size))) continue;
      return Violated(outcome, absl::StrCat("blocks of ", size), absl::StrCat("blocks of ", allowed.text));
    }
    return Verdict::kHolds;
  };
}

Evaluator Asymmetric(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (!tensor.type.quantized || tensor.symmetric == Tri::kNo) return Verdict::kHolds;
    if (QparamsKnown(tensor)) {
      if (FirstAsymmetric(tensor) >= 0) return Verdict::kHolds;
      // An asymmetric scheme can arrive at a symmetric zero point; the numbers do not tell which scheme it was.
      return Unknown(outcome, "the zero point is the symmetric one, and the scheme is not recorded");
    }
    if (tensor.symmetric == Tri::kYes) return Violated(outcome, "a symmetric scheme", "an asymmetric scheme");
    return Unknown(outcome, "neither zero point nor scheme is known");
  };
}

}  // namespace quantgate::kinds
