#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingAgreement = {
    "FI024",
    "encoding-agreement",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Encodings say some things twice: a symmetric tensor has its offset in the middle of the grid, and min and max "
    "follow from scale and offset. Converters check the one (\"Invalid offset overridden for symmetric encodings\") "
    "and take min and max for the truth in the other, so that other numbers are compiled than were simulated.",
    "Export the encodings again; when they were written by hand, compute min = scale * offset and "
    "max = scale * (offset + 2^bitwidth - 1).",
    "is_symmetric with offset -7 on 8 bits fires it, -128 does not; -127 is a warning, and an error where QNN's "
    "converter reads the file; min and max that are not those of scale and offset are a warning.",
};

FindingDraft Warning(Place place, std::string observed, std::string allowed) {
  FindingDraft draft;
  draft.rule = &kEncodingAgreement;
  draft.place = place;
  draft.observed = std::move(observed);
  draft.allowed = std::move(allowed);
  draft.severity = v1::Finding::WARNING;
  draft.effect = v1::Finding::PRECISION;
  return draft;
}

// Symmetric grids are in use that leave out the smallest number (AIMET's strict ones), or are those of an unsigned
// type: the numbers are clear. The converter is known to refuse the former.
void CheckSymmetry(const v1::Encoding& encoding, Place place, int64_t bits, FindingSink& sink) {
  if (!encoding.is_symmetric() || bits < 2 || bits > kMaxGridBits) return;
  const double middle = -std::ldexp(1.0, static_cast<int>(bits) - 1);
  for (int i = 0; i < encoding.offsets_size(); ++i) {
    const double offset = encoding.offsets(i);
    // A fraction is encoding-offset's.
    if (offset == middle || offset != std::trunc(offset)) continue;
    if (encoding.offsets_size() > 1) place.index = i;
    std::string observed = absl::StrCat("marked as symmetric, and the offset is ", FormatNumber(offset),
                                        AtPlace(encoding.line(), encoding.column()));
    std::string allowed = absl::StrCat(FormatNumber(middle), ", the middle of ", bits, " bits");
    if (offset == middle + 1 || offset == 0) {
      FindingDraft draft = Warning(place, std::move(observed), std::move(allowed));
      draft.refused_when_read = offset == middle + 1;
      return sink.Add(std::move(draft));
    }
    return sink.Add(kEncodingAgreement, place, std::move(observed), std::move(allowed));
  }
}

void CheckRange(const v1::Encoding& encoding, const v1::Spec& spec, Place place, FindingSink& sink) {
  const int64_t bits = encoding.bit_width();
  const int count = encoding.minima_size();
  const auto& scales = spec.qparams().scales();
  if (encoding.scale_is_computed() || count != scales.size() || count != encoding.offsets_size()) return;
  if (bits < 2 || bits > kMaxGridBits) return;
  for (int i = 0; i < count; ++i) {
    const double min = encoding.minima(i);
    const double max = encoding.maxima(i);
    const double scale = scales[i];
    // Numbers that are none are other rules'.
    if (!std::isfinite(scale) || scale <= 0 || !(min <= max)) continue;
    const double low = scale * encoding.offsets(i);
    const double high = scale * (encoding.offsets(i) + std::ldexp(1.0, static_cast<int>(bits)) - 1);
    // Half a step, and what float32 loses of the limits.
    constexpr double kFloat32 = 1e-6;
    const double tolerance = scale / 2 + kFloat32 * std::max(std::fabs(low), std::fabs(high));
    if (std::fabs(min - low) <= tolerance && std::fabs(max - high) <= tolerance) continue;
    if (count > 1) place.index = i;
    return sink.Add(Warning(place,
                            absl::StrCat("min ", FormatNumber(min), " and max ", FormatNumber(max),
                                         AtPlace(encoding.line(), encoding.column())),
                            absl::StrCat(FormatNumber(low), " and ", FormatNumber(high), ", by scale ",
                                         FormatNumber(scale), " and offset ", FormatNumber(encoding.offsets(i)))));
  }
}

void CheckEncodingAgreement(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr || !StatesOffsets(*file)) return;
  const Graph& graph = context.graph();
  for (const v1::Encoding& encoding : file->encodings()) {
    const Place place = PlaceOf(graph, encoding);
    CheckSymmetry(encoding, place, GridBits(graph, encoding), sink);
    if (const v1::Spec* spec = SpecOf(graph, encoding); spec != nullptr) CheckRange(encoding, *spec, place, sink);
  }
}

}  // namespace

Rule EncodingAgreement() { return {&kEncodingAgreement, &CheckEncodingAgreement}; }

}  // namespace quantgate
