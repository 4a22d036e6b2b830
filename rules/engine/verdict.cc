#include "rules/engine/verdict.h"

#include "absl/strings/str_cat.h"

namespace quantgate {

void DecideVerdict(v1::Report::Mode mode, v1::Result& result) {
  bool errors = false;
  bool listed_errors = false;
  bool warnings = !result.not_checked().empty();
  for (const v1::Finding& finding : result.findings()) {
    listed_errors |= finding.severity() == v1::Finding::ERROR;
    if (finding.has_waiver() || finding.in_baseline()) continue;
    errors |= finding.severity() == v1::Finding::ERROR;
    warnings |= finding.severity() == v1::Finding::WARNING;
  }
  // The least severe ones are left out: where there are errors, others may be among them, and nobody answers for those.
  errors |= listed_errors && result.unlisted_findings() > 0;
  const bool unknown = !result.unjudged_reason().empty();
  result.clear_verdict_reason();
  if (errors && mode == v1::Report::STRICT) {
    result.set_verdict(v1::Result::REJECTED);
  } else if (unknown) {
    result.set_verdict(v1::Result::UNKNOWN);
    result.set_verdict_reason(result.unjudged_reason());
  } else {
    result.set_verdict(errors || warnings ? v1::Result::ACCEPTED_WITH_WARNINGS : v1::Result::ACCEPTED);
  }
}

void SetVerdict(v1::Report::Mode mode, int64_t unjudged, v1::Result& result) {
  const v1::Coverage& coverage = result.coverage();
  if (result.unjudged_reason().empty()) {
    if (coverage.nodes() > 0 && coverage.checked_nodes() == 0) {
      result.set_unjudged_reason("no node of the graph was checked");
    } else if (unjudged > 0) {
      result.set_unjudged_reason(absl::StrCat(unjudged, " of ", coverage.nodes(), " nodes could not be judged"));
    }
  }
  DecideVerdict(mode, result);
}

}  // namespace quantgate
