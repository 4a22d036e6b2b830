// What a report means for the caller: the exit code, and the words that people use for it.
#ifndef QUANTGATE_CLIENT_REPORT_VERDICT_H_
#define QUANTGATE_CLIENT_REPORT_VERDICT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// The names that flags use.
std::vector<std::string> EffectNames();

// Effect by the name that flags use, "fallback", "wrong_numbers". INVALID_ARGUMENT lists the names.
absl::StatusOr<v1::Finding::Effect> EffectFromName(absl::string_view name);

// 0: every target accepted, or warn mode. 1: a target rejects, is UNKNOWN, or there is no result at all.
int ExitCodeFor(const v1::Report& report);

// "ACCEPTED_WITH_WARNINGS" as text: "accepted with warnings". Also for severities and effects.
std::string Readable(absl::string_view enum_name);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_VERDICT_H_
