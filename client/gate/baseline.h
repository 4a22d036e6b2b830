// Earlier reports: what they have is known, and does not fail again.
#ifndef QUANTGATE_CLIENT_GATE_BASELINE_H_
#define QUANTGATE_CLIENT_GATE_BASELINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// What `check --format json` wrote: one report or an array of them. INVALID_ARGUMENT: not that.
absl::StatusOr<std::vector<v1::Report>> ParseBaseline(const std::string& path, const std::string& text);
absl::StatusOr<std::vector<v1::Report>> ReadBaseline(const std::string& path);

// The report in `baseline` that is about the model at `path`: the one of that path, or the only one with that file
// name. Where one report is there and one model is checked (`only_model`), it is that, whatever the names. Null: none.
const v1::Report* BaselineOf(absl::Span<const v1::Report> baseline, const std::string& path, bool only_model);

// Sets in_baseline of the findings that `known` has for the same target (of another SDK version, when it does not have
// that one); db/reports/fingerprint.h says which are the same. What was waived in `known` is not known: when its
// waiver ends it counts again.
void MarkKnown(const v1::Report& known, v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_BASELINE_H_
