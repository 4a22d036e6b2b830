#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingRange = {
    "NR008",
    "encoding-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Converters compute scale and offset from min and max. A range that ends before it begins, or at no number at all, "
    "gives a scale below zero or none.",
    "Calibrate the tensor again.",
    "min 1 with max -1 fires it; min -1 with max 1 does not.",
};

void CheckEncodingRange(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  for (const v1::Encoding& encoding : file->encodings()) {
    for (int i = 0; i < encoding.minima_size() && i < encoding.maxima_size(); ++i) {
      const double min = encoding.minima(i);
      const double max = encoding.maxima(i);
      if (std::isfinite(min) && std::isfinite(max) && min <= max) continue;
      Place place = PlaceOf(context.graph(), encoding);
      if (encoding.minima_size() > 1) place.index = i;
      sink.Add(kEncodingRange, place,
               absl::StrCat("min ", FormatNumber(min), " and max ", FormatNumber(max),
                            AtPlace(encoding.line(), encoding.column())),
               "finite numbers, min not above max");
      break;
    }
  }
}

}  // namespace

Rule EncodingRange() { return {&kEncodingRange, &CheckEncodingRange}; }

}  // namespace quantgate
