// Workflow annotations of GitHub: one line each, "::error file=…,title=…::message".
#ifndef QUANTGATE_CLIENT_REPORT_GITHUB_H_
#define QUANTGATE_CLIENT_REPORT_GITHUB_H_

#include <string>

#include "absl/types/span.h"
#include "client/report/text.h"

namespace quantgate {

// Of each model: a line per target with the verdict (an error where it rejects), one per cause with every place in it,
// one per set of corrections and one per reason for which something was not checked. What is waived or known is a
// notice. Nothing else is printed, so nothing that a model holds can be taken for a command.
std::string RenderGithub(absl::Span<const MatrixRow> rows, int exit_code);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_GITHUB_H_
