// The waivers file: findings that somebody answers for until a date, and severities that a team has decided on.
//
//     waivers:
//       - rule: DT105                      # code, name or family of a rule; or a list of them
//         model: "vision/*.onnx"           # patterns; what is left out matches all
//         node: ["layer.0.*", "head"]      # of a finding about a tensor alone: the tensor
//         targets: qnn_htp/SM8350
//         reason: "SM8350 is served by the 8-bit model"
//         expires: 2027-01-31              # the last day, in UTC
//     severities:
//       CV: info                           # a code or a name goes before its family
//       DT105: warning
#ifndef QUANTGATE_CLIENT_GATE_WAIVERS_H_
#define QUANTGATE_CLIENT_GATE_WAIVERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

struct WaiverEntry {
  std::vector<std::string> rules;                   // codes ("DT105") and families ("DT"); never empty
  std::vector<std::string> models, nodes, targets;  // patterns (client/gate/glob.h); empty: all
  std::string reason;
  std::string expires;     // "2027-01-31"
  absl::Time valid_until;  // the first moment at which it waives nothing
  int line = 0;            // 1-based
  // Of `targets`, those that are none; for who knows the backends to fill (client/cli/waiver_targets.h).
  std::vector<std::string> unknown_targets;

  bool ConcernsModel(absl::string_view path) const;
  bool ConcernsTarget(absl::string_view target) const;
  // Of the model and target that it concerns.
  bool Matches(const v1::Finding& finding) const;
};

struct Waivers {
  std::string path;  // as the user gave it
  std::vector<WaiverEntry> entries;
  std::map<std::string, v1::Finding::Severity> severities;  // by code or family

  // SEVERITY_UNSPECIFIED: the rule's own.
  v1::Finding::Severity SeverityOf(const std::string& code) const;
};

// INVALID_ARGUMENT names line and column: no YAML, an unknown key or rule, a date that is none, no reason.
absl::StatusOr<Waivers> ParseWaivers(const std::string& path, const std::string& text);
absl::StatusOr<Waivers> ReadWaivers(const std::string& path);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_WAIVERS_H_
