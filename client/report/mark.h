// The sign and color of a verdict and of a severity, the same in every printer.
#ifndef QUANTGATE_CLIENT_REPORT_MARK_H_
#define QUANTGATE_CLIENT_REPORT_MARK_H_

#include <string>

#include "client/report/style.h"
#include "quantgate/v1/report.pb.h"

namespace quantgate {

// "✗ rejected", or "x rejected" where UTF-8 cannot be shown. Colored.
std::string VerdictMark(v1::Result::Verdict verdict, const Style& style);

Ink SeverityInk(v1::Finding::Severity severity);

// Separator between facts of one line.
inline const char* Dot(const Style& style) { return style.unicode ? " · " : " - "; }

// "x" for "how many".
inline const char* Times(const Style& style) { return style.unicode ? "×" : "x"; }

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_MARK_H_
