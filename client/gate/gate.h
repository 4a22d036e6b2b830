// From what the engine says of a model to what fails: severities, waivers and a baseline, applied to finished reports.
// It makes no difference who finished them, this process or a server.
#ifndef QUANTGATE_CLIENT_GATE_GATE_H_
#define QUANTGATE_CLIENT_GATE_GATE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/gate/waivers.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

struct Gate {
  std::vector<v1::Finding::Effect> fail_on;  // findings with these are errors
  Waivers waivers;
  std::vector<v1::Report> baseline;
  absl::Time now;

  // Of one run, whose reports are all there: a waiver is unused when none of them needs it. First severities (those of
  // the waivers file go before fail_on), then EN304 where the baseline is about another name, then waivers, then EN301
  // to EN303 at the end of the first result that the waiver concerns, then the baseline; verdicts follow. Indices of
  // findings stay what they are.
  void Apply(absl::Span<v1::Report> reports) const;
};

// "": no such file. Errors as ReadWaivers and ReadBaseline.
absl::StatusOr<Gate> OpenGate(const std::string& waivers_path, const std::string& baseline_path, absl::Time now);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_GATE_GATE_H_
