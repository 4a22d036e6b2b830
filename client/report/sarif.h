// SARIF 2.1.0, for code scanning.
#ifndef QUANTGATE_CLIENT_REPORT_SARIF_H_
#define QUANTGATE_CLIENT_REPORT_SARIF_H_

#include <string>

#include "absl/types/span.h"
#include "client/report/text.h"

namespace quantgate {

// One run. A result per finding, with
//   - its rule, described by what `quantgate explain` prints;
//   - the model as its artifact, node and tensor as logical locations, the line of code where the graph has one;
//   - partialFingerprints["quantgate/v1"], which no renumbering changes (db/reports/fingerprint.h);
//   - a suppression where it is waived, and with a baseline its baselineState;
//   - the correction that removes it as a fix. What a fix replaces is no range of the model file but the text of one
//     spec: the artifact is "model.onnx#spec/…", and a correction that removes several findings stands at the first.
// Verdicts are in run.properties.verdicts. Notifications: what was not checked, what the vendor's library said, how a
// simulation came out, and models that could not be read.
std::string RenderSarif(absl::Span<const MatrixRow> rows, int exit_code, bool has_baseline);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_SARIF_H_
