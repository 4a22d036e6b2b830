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

// Of each of the checked models, the report in `baseline` that is about it: the one of that path; or, if nothing else
// that is checked could be meant, the only one with that file name. Where one report is there and one model is checked,
// it is that, whatever the names. Null: none.
std::vector<const v1::Report*> BaselinesOf(absl::Span<const v1::Report> baseline, absl::Span<const std::string> models);

// Sets in_baseline of the findings that `known` has for the same target (of another SDK version, when it does not have
// that one); db/reports/fingerprint.h says which are the same. What was waived in `known` is not known: when its
// waiver ends it counts again.
void MarkKnown(const v1::Report& known, v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_BASELINE_H_
