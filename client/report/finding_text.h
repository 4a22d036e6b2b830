// One group of findings as text.
#ifndef QUANTGATE_CLIENT_REPORT_FINDING_TEXT_H_
#define QUANTGATE_CLIENT_REPORT_FINDING_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/report/group.h"
#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

//     error[NR001] scale-range, unsound, 96 nodes
//       tensor 'layer.*.w' has scale 0; a scale must be positive and finite
//       where        layer.*.conv (Conv): layer.0.conv, layer.1.conv and 94 more
//       observed     …
std::string RenderFindingGroup(const v1::Report& report, const FindingGroup& group, const Style& style);

// The parts of that: "error", "warning" or "note"; "scale-range, unsound, 96 nodes"; what follows the first line.
std::string SeverityWord(v1::Finding::Severity severity);
std::string FindingFacts(const FindingGroup& group, const Style& style);
std::string FindingBody(const v1::Report& report, const FindingGroup& group, const Style& style);

// "waived until 2027-01-31: …", "in the baseline"; empty where nobody knows of the finding.
std::string StandingText(const v1::Finding& finding);

// "layer.*.conv: layer.0.conv, layer.1.conv, layer.2.conv and 93 more"; all of them when the style is verbose.
// `names` are of the report; the result is printable.
std::string NameList(const std::vector<std::string>& names, const Style& style);

// "a, b and c", as resolved.
std::string TargetNames(const v1::Report& report, const std::vector<int>& targets);

// The indented, dim label that starts a line, padded to the common column.
std::string Label(absl::string_view label, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_FINDING_TEXT_H_
