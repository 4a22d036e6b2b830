#include "rules/engine/subject.h"

#include "absl/strings/str_cat.h"

namespace quantgate {

std::string SubjectText(const v1::Location& location) {
  std::string subject;
  if (!location.node().empty()) {
    // A node whose operator is not known has a name alone.
    subject = absl::StrCat(location.op(), location.op().empty() ? "" : " ", "node '", location.node(), "'");
    if (location.has_input()) absl::StrAppend(&subject, ", input ", location.input());
    if (location.has_output()) absl::StrAppend(&subject, ", output ", location.output());
  }
  const bool port = location.has_input() || location.has_output();
  if (!location.value().empty() && (port || location.value() != location.node())) {
    absl::StrAppend(&subject, subject.empty() ? "tensor " : port ? " " : ", tensor ", "'", location.value(), "'");
  }
  if (subject.empty()) subject = "the graph";
  if (location.has_index()) absl::StrAppend(&subject, " [", location.index(), "]");
  return subject;
}

}  // namespace quantgate
