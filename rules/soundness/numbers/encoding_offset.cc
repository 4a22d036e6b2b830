#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingOffset = {
    "NR007",
    "encoding-offset",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "In the older versions of the format an offset is the negative of the zero point, counted on the unsigned grid. A "
    "positive one is a zero point that somebody wrote as it is: converters clip it, and all numbers are shifted. On "
    "grids of eight bits and more an offset is an integer; a fraction is rounded away.",
    "Write offset = -zero_point, an integer.",
    "Offset 121 on 8 bits fires it, -121 does not; -121.5 is a warning.",
};

// "offset" or "zero point", as the file calls it.
void CheckFraction(const google::protobuf::RepeatedField<double>& numbers, const char* name,
                   const v1::Encoding& encoding, int64_t bits, Place place, FindingSink& sink) {
  constexpr int64_t kByte = 8;
  if (bits < kByte) return;
  for (int i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]) || numbers[i] == std::trunc(numbers[i])) continue;
    if (numbers.size() > 1) place.index = i;
    FindingDraft draft;
    draft.rule = &kEncodingOffset;
    draft.place = place;
    draft.observed = absl::StrCat(name, " ", FormatNumber(numbers[i]), AtPlace(encoding.line(), encoding.column()));
    draft.allowed = absl::StrCat("an integer on a grid of ", bits, " bits");
    draft.severity = v1::Finding::WARNING;
    draft.effect = v1::Finding::PRECISION;
    return sink.Add(std::move(draft));
  }
}

void CheckGrid(const v1::Encoding& encoding, int64_t bits, Place place, FindingSink& sink) {
  if (bits < 1 || bits > kMaxGridBits) return;
  const double lowest = 1 - std::ldexp(1.0, static_cast<int>(bits));
  for (int i = 0; i < encoding.offsets_size(); ++i) {
    const double offset = encoding.offsets(i);
    if (offset <= 0 && offset >= lowest) continue;
    if (encoding.offsets_size() > 1) place.index = i;
    return sink.Add(kEncodingOffset, place,
                    absl::StrCat("offset ", FormatNumber(offset), AtPlace(encoding.line(), encoding.column()),
                                 offset > 0 ? ": is this a zero point? An offset is its negative" : ""),
                    absl::StrCat(FormatNumber(lowest), " to 0, the grid of ", bits, " bits"));
  }
}

void CheckEncodingOffset(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  const Graph& graph = context.graph();
  const bool offsets = StatesOffsets(*file);
  for (const v1::Encoding& encoding : file->encodings()) {
    const Place place = PlaceOf(graph, encoding);
    if (offsets) {
      const int64_t bits = GridBits(graph, encoding);
      CheckGrid(encoding, bits, place, sink);
      CheckFraction(encoding.offsets(), "offset", encoding, bits, place, sink);
    } else if (const v1::Spec* spec = SpecOf(graph, encoding); spec != nullptr) {
      CheckFraction(spec->qparams().zero_points(), "zero point", encoding, encoding.bit_width(), place, sink);
    }
  }
}

}  // namespace

Rule EncodingOffset() { return {&kEncodingOffset, &CheckEncodingOffset}; }

}  // namespace quantgate
