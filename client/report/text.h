// The report as text for people: verdicts first, then what is wrong by cause, then what was looked at.
#ifndef QUANTGATE_CLIENT_REPORT_TEXT_H_
#define QUANTGATE_CLIENT_REPORT_TEXT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/report/group.h"
#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// One report, without a line that sums it up. Strings of the report may be hostile; what is printed is harmless.
std::string RenderText(const v1::Report& report, const Style& style);

// What ends it: the outcome of each target, what was looked at and what was not, what the vendor's library says.
std::string RenderFacts(const v1::Report& report, const Style& style);

// "SH003, 2 nodes (concat_0, concat_1): qparams are not known".
std::string NotCheckedText(const v1::Report& report, const NotCheckedGroup& group, const Style& style);

// A model of a run with several: its report, or null when the model could not be checked, and why.
struct MatrixRow {
  std::string model;
  const v1::Report* report = nullptr;
  std::string error;
};

// Its report as text, or that it could not be checked and why.
std::string RenderRow(const MatrixRow& row, const Style& style);

// Targets of all reports in order of first mention.
std::vector<std::string> MatrixTargets(absl::Span<const MatrixRow> rows);

// Models × targets. Columns that do not fit the width follow in further blocks.
std::string RenderMatrix(absl::Span<const MatrixRow> rows, const Style& style);

// The last line: the exit code and why.
std::string RenderSummary(absl::Span<const MatrixRow> rows, int exit_code, const Style& style);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_TEXT_H_
