// Earlier reports: what they have is known, and does not fail again.
#ifndef QUANTGATE_CLIENT_GATE_BASELINE_H_
#define QUANTGATE_CLIENT_GATE_BASELINE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// What `check --format json` wrote: one report or an array of them; what a server answers, {"report": …} or, where all
// of a list with full=true is one page, {"reports": […]}; or what `reports export` wrote, one a line. The newest is
// last. What could not be checked, or not be read by its store, is left out. INVALID_ARGUMENT: none of these, or
// nothing is left.
absl::StatusOr<std::vector<v1::Report>> ParseBaseline(const std::string& path, const std::string& text);
absl::StatusOr<std::vector<v1::Report>> ReadBaseline(const std::string& path);

// Of each of the checked models, what `baseline` has about it, later reports last: that of its path; or of a file with
// the same bytes; or, if nothing else that is checked could be meant, that of the only path with its file name. Where
// the baseline is about one model and one is checked, of as many nodes and values, it is that, whatever the names. Of a
// path where there still is a file it is none of the last three: that model has not moved. Empty: nothing.
std::vector<std::vector<const v1::Report*>> BaselinesOf(absl::Span<const v1::Report> baseline,
                                                        absl::Span<const v1::Report> reports);

// Whether a report that was found so is about another file name.
bool IsRenamed(const v1::Report& known, const v1::Report& report);

// Sets in_baseline of the findings that the last of `known` with the same target has (of another SDK version, when none
// has that one); db/reports/fingerprint.h says which are the same. What was waived in `known` is not known: when its
// waiver ends it counts again.
void MarkKnown(absl::Span<const v1::Report* const> known, v1::Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_BASELINE_H_
