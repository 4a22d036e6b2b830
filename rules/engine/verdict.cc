#include "rules/engine/verdict.h"

#include "absl/strings/str_cat.h"

namespace quantgate {

void SetVerdict(v1::Report::Mode mode, int64_t unjudged, v1::Result& result) {
  bool errors = false;
  bool warnings = !result.not_checked().empty();
  for (const v1::Finding& finding : result.findings()) {
    if (finding.has_waiver()) continue;
    errors |= finding.severity() == v1::Finding::ERROR;
    warnings |= finding.severity() == v1::Finding::WARNING;
  }
  const v1::Coverage& coverage = result.coverage();
  if (result.verdict_reason().empty()) {
    if (coverage.nodes() > 0 && coverage.checked_nodes() == 0) {
      result.set_verdict_reason("no node of the graph was checked");
    } else if (unjudged > 0) {
      result.set_verdict_reason(absl::StrCat(unjudged, " of ", coverage.nodes(), " nodes could not be judged"));
    }
  }
  const bool unknown = !result.verdict_reason().empty();
  if (errors && mode == v1::Report::STRICT) {
    result.clear_verdict_reason();
    result.set_verdict(v1::Result::REJECTED);
  } else if (unknown) {
    result.set_verdict(v1::Result::UNKNOWN);
  } else {
    result.set_verdict(errors || warnings ? v1::Result::ACCEPTED_WITH_WARNINGS : v1::Result::ACCEPTED);
  }
}

}  // namespace quantgate
