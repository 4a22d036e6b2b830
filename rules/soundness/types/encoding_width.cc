#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kEncodingWidth = {
    "DT006",
    "encoding-width",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed} bits; expected {allowed}",
    "No accelerator and no exchange format stores integers of other widths than these; a width of 0 or less is no "
    "width at all.",
    "Quantize the tensor again with a width that there is.",
    "A bitwidth of 3 or of 33 fires it; 4 and 16 do not.",
};

bool IsIntegerWidth(int64_t bits) { return bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 32; }
bool IsRealWidth(int64_t bits) { return bits == 4 || bits == 8 || bits == 16 || bits == 32; }

void CheckEncodingWidth(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = EncodingsOf(context);
  if (file == nullptr) return;
  for (const v1::Encoding& encoding : file->encodings()) {
    if (!encoding.has_bit_width()) continue;
    const int64_t bits = encoding.bit_width();
    if (encoding.is_float() ? IsRealWidth(bits) : IsIntegerWidth(bits)) continue;
    sink.Add(kEncodingWidth, PlaceOf(context.graph(), encoding),
             absl::StrCat(bits, AtPlace(encoding.line(), encoding.column())),
             encoding.is_float() ? "8, 16 or 32 for real numbers" : "2, 4, 8, 16 or 32");
  }
}

}  // namespace

Rule EncodingWidth() { return {&kEncodingWidth, &CheckEncodingWidth}; }

}  // namespace quantgate
