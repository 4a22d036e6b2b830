#include "client/report/mark.h"

#include "absl/strings/str_cat.h"
#include "client/report/verdict.h"

namespace quantgate {

std::string VerdictMark(v1::Result::Verdict verdict, const Style& style) {
  const char* sign = "?";
  Ink ink = Ink::kYellow;
  if (verdict == v1::Result::ACCEPTED) {
    sign = style.unicode ? "✓" : "+";
    ink = Ink::kGreen;
  } else if (verdict == v1::Result::ACCEPTED_WITH_WARNINGS) {
    sign = "!";
  } else if (verdict == v1::Result::REJECTED) {
    sign = style.unicode ? "✗" : "x";
    ink = Ink::kRed;
  }
  const std::string name = verdict == v1::Result::VERDICT_UNSPECIFIED || !v1::Result::Verdict_IsValid(verdict)
                               ? "unknown"
                               : Readable(v1::Result::Verdict_Name(verdict));
  return Paint(style, ink, absl::StrCat(sign, " ", name));
}

Ink SeverityInk(v1::Finding::Severity severity) {
  if (severity == v1::Finding::ERROR) return Ink::kRed;
  return severity == v1::Finding::WARNING ? Ink::kYellow : Ink::kCyan;
}

}  // namespace quantgate
