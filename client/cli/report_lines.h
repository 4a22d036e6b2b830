// Reports as `reports export` writes them: one JSON object per line.
#ifndef QUANTGATE_CLIENT_CLI_REPORT_LINES_H_
#define QUANTGATE_CLIENT_CLI_REPORT_LINES_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {

// Hands the reports of a file ("-": standard input) on, some at a time. INVALID_ARGUMENT names file and line: not a
// report, or one that `take` refuses ("reports[3].name: ..."); RESOURCE_EXHAUSTED: a line of more than 64 MiB.
absl::Status ReadReportLines(const std::string& path,
                             const std::function<absl::Status(const v1::ImportReportsRequest&)>& take);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_REPORT_LINES_H_
