#ifndef QUANTGATE_RULES_ENGINE_VERDICT_H_
#define QUANTGATE_RULES_ENGINE_VERDICT_H_

#include <cstdint>

#include "quantgate/v1/report.pb.h"

namespace quantgate {

// Sets result.verdict (and verdict_reason when UNKNOWN) from its findings, coverage and not_checked, and
// unjudged_reason unless that is known. `unjudged`: how many operators the target's module could not judge. An error
// rejects in strict mode even when other things are unknown; without one, whatever was not looked at keeps the verdict
// from being ACCEPTED.
void SetVerdict(v1::Report::Mode mode, int64_t unjudged, v1::Result& result);

// The verdict alone, again: after a change of severities, waivers or Finding.in_baseline.
void DecideVerdict(v1::Report::Mode mode, v1::Result& result);

// A finding that corrections are made for: the target refuses, runs it elsewhere or computes something else.
inline bool IsFault(const v1::Finding& finding) {
  return finding.severity() == v1::Finding::ERROR || finding.effect() == v1::Finding::FALLBACK;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_VERDICT_H_
