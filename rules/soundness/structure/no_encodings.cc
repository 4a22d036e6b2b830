#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kNoEncodings = {
    "GS016",
    "no-encodings",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: the encodings file has {observed}; expected {allowed}",
    "Nothing is quantized by such a file, and a converter that is given it says nothing. It is what an exporter writes "
    "when calibration was left out or every quantizer was switched off.",
    "Calibrate the quantization simulation before its encodings are exported.",
    "A file with empty activation_encodings and param_encodings fires it; one encoding is enough not to.",
};

void CheckNoEncodings(const CheckContext& context, FindingSink& sink) {
  const v1::EncodingsFile* file = WholeEncodings(context);
  // What could not be read as a list of encodings is said to be that.
  if (file == nullptr || !file->encodings().empty() || !file->problems().empty()) return;
  sink.Add(kNoEncodings, {}, "no encodings", "at least one");
}

}  // namespace

Rule NoEncodings() { return {&kNoEncodings, &CheckNoEncodings}; }

}  // namespace quantgate
