// JUnit's XML, as CI systems read it.
#ifndef QUANTGATE_CLIENT_REPORT_JUNIT_H_
#define QUANTGATE_CLIENT_REPORT_JUNIT_H_

#include <string>

#include "absl/types/span.h"
#include "client/report/text.h"

namespace quantgate {

// One suite per model and target. Its cases: the verdict; each cause of findings, a failure where it rejects, skipped
// where it is waived or known; each reason for which something was not checked, skipped. Corrections and what was
// looked at are the suite's output. A model that could not be checked is a suite with an error.
std::string RenderJunit(absl::Span<const MatrixRow> rows, int exit_code);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_JUNIT_H_
