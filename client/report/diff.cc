#include "client/report/diff.h"

#include "absl/strings/str_cat.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "google/protobuf/util/time_util.h"

namespace quantgate {
namespace {

std::string ReportText(const v1::Report& report) {
  google::protobuf::Timestamp time = report.create_time();
  time.set_nanos(0);
  return absl::StrCat(Printable(report.name()), " (", google::protobuf::util::TimeUtil::ToString(time), ", ",
                      Printable(report.model().path()), ")");
}

std::string FindingLine(absl::string_view kind, const v1::Finding& finding) {
  const v1::Location& where = finding.location();
  const std::string place = where.node().empty() ? where.value() : where.node();
  return absl::StrCat("  ", kind, SeverityWord(finding.severity()), "[", Printable(finding.code()), "] ",
                      place.empty() ? "" : absl::StrCat(Printable(place), ": "), Printable(finding.message()), "\n");
}

std::string TargetText(const v1::TargetDiff& target, absl::string_view arrow, const Style& style) {
  if (target.target().empty()) return absl::StrCat(Printable(target.base_target()), ": not checked any more\n");
  std::string out = absl::StrCat(Printable(target.target()), ": ");
  if (target.base_target().empty()) {
    absl::StrAppend(&out, "not checked before", arrow);
  } else {
    if (target.base_target() != target.target()) absl::StrAppend(&out, "from ", Printable(target.base_target()), ", ");
    absl::StrAppend(&out, VerdictMark(target.base_verdict(), style), arrow);
  }
  absl::StrAppend(&out, VerdictMark(target.verdict(), style), "\n");
  for (const v1::Finding& finding : target.new_findings()) out += FindingLine("new    ", finding);
  for (const v1::Finding& finding : target.fixed_findings()) out += FindingLine("fixed  ", finding);
  if (const int remaining = target.remaining_findings_size(); remaining > 0) {
    absl::StrAppend(&out, "  ", remaining, " still there\n");
  }
  return out;
}

}  // namespace

std::string RenderDiff(const v1::DiffReportsResponse& diff, const Style& style) {
  const absl::string_view arrow = " -> ";
  std::string out = absl::StrCat(ReportText(diff.base()), arrow, ReportText(diff.other()), "\n");
  for (const v1::TargetDiff& target : diff.targets()) out += TargetText(target, arrow, style);
  return out;
}

}  // namespace quantgate
