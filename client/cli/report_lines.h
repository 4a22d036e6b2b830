// Reports as `reports export` writes them: one JSON object per line, a v1.Report, with the v1.Graph that it is about as
// `graph` where that travels with it.
#ifndef QUANTGATE_CLIENT_CLI_REPORT_LINES_H_
#define QUANTGATE_CLIENT_CLI_REPORT_LINES_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/v1/report_service.pb.h"

namespace quantgate {

// With a newline. `graph` may be null. RESOURCE_EXHAUSTED: the line would be longer than can be read again. INTERNAL: a
// string that is not UTF-8.
absl::StatusOr<std::string> ReportLine(const v1::Report& report, const v1::Graph* graph);

// INVALID_ARGUMENT: the file ("-": standard input) is not there, a folder, or not to be read.
absl::Status CheckReportLines(const std::string& path);

// Hands the reports of a file ("-": standard input) and their graphs on, some at a time. INVALID_ARGUMENT names file
// and line: not a report, or one that `take` refuses ("reports[3].name: ...", "graphs[0]: ..."); RESOURCE_EXHAUSTED: a
// line of more than 64 MiB. A line that has a report's name alone is of one that its store could not read: it is
// left out, and `leave` gets DATA_LOSS.
absl::Status ReadReportLines(const std::string& path,
                             const std::function<absl::Status(const v1::ImportReportsRequest&)>& take,
                             const std::function<void(const absl::Status&)>& leave);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_CLI_REPORT_LINES_H_
