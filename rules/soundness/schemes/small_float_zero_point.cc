#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/described.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kSmallFloatZeroPoint = {
    "QS001",
    "small-float-zero-point",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: the zero point is {observed}; expected {allowed}",
    "Floating-point numbers of few bits have a 0 and a sign of their own. Kernels for them scale and do not shift, so "
    "with a zero point every number is off by zero point x scale.",
    "Quantize with zero point 0.",
    "A float8 tensor with zero point 1 fires it; with 0 it does not.",
};

void CheckSmallFloatZeroPoint(const CheckContext& context, FindingSink& sink) {
  for (const Described& described : context.Once(DescribedTensors)) {
    if (!IsSmallFloat(described.operand->type)) continue;
    const RealView zero_points = described.params->zero_points;
    for (size_t i = 0; i < zero_points.size(); ++i) {
      if (zero_points[i] == 0) continue;
      Place place = described.place;
      if (zero_points.size() > 1) place.index = static_cast<int64_t>(i);
      sink.Add(kSmallFloatZeroPoint, place, FormatNumber(zero_points[i]),
               absl::StrCat("0: ", DataTypeName(described.operand->type), " is not shifted"));
      break;
    }
  }
}

}  // namespace

Rule SmallFloatZeroPoint() { return {&kSmallFloatZeroPoint, &CheckSmallFloatZeroPoint}; }

}  // namespace quantgate
