#include "client/report/github.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/report/correction_text.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/verdict.h"

namespace quantgate {
namespace {

std::string Data(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string Property(absl::string_view text) {
  return absl::StrReplaceAll(Printable(text), {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
}

Style AnnotationStyle() {
  Style style;
  style.unicode = true;
  style.verbose = true;
  return style;
}

struct Place {
  std::string file;
  std::string line;  // empty: none
};

// A path below the working folder as seen from there, which is how annotations name files; any other as it is.
std::string FromHere(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path here = std::filesystem::current_path(ignored);
  const std::filesystem::path relative = std::filesystem::path(path).lexically_normal().lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

// The line of code, where it is one of this repository; else the model.
Place PlaceOf(const std::string& model, const v1::Finding& finding) {
  std::string source = finding.location().source_line();
  if (absl::StartsWith(source, "/")) source = FromHere(source);
  const size_t colon = source.rfind(':');
  if (colon == std::string::npos || absl::StartsWith(source, "/")) return {model, ""};
  const std::string line = source.substr(colon + 1);
  for (const char c : line) {
    if (!absl::ascii_isdigit(c)) return {model, ""};
  }
  return {source.substr(0, colon), line};
}

void Append(std::string& out, absl::string_view command, const Place& place, absl::string_view title,
            absl::string_view message) {
  absl::StrAppend(&out, "::", command, " file=", Property(place.file));
  if (!place.line.empty()) absl::StrAppend(&out, ",line=", place.line);
  absl::StrAppend(&out, ",title=", Property(title), "::", Data(absl::StripTrailingAsciiWhitespace(message)), "\n");
}

const char* Command(const v1::Finding& finding) {
  if (!StandingText(finding).empty()) return "notice";
  if (finding.severity() == v1::Finding::ERROR) return "error";
  return finding.severity() == v1::Finding::WARNING ? "warning" : "notice";
}

const char* Command(const v1::Report& report, const v1::Result& result) {
  const bool accepted =
      result.verdict() == v1::Result::ACCEPTED || result.verdict() == v1::Result::ACCEPTED_WITH_WARNINGS;
  if (accepted) return "notice";
  return report.mode() == v1::Report::WARN ? "warning" : "error";
}

void AppendReport(std::string& out, const v1::Report& report, const std::string& model) {
  const Style style = AnnotationStyle();
  for (const v1::Result& result : report.results()) {
    const std::string verdict = VerdictMark(result.verdict(), style);
    Append(out, Command(report, result), {model, ""}, absl::StrCat(verdict, " on ", result.target()),
           absl::StrCat(Printable(result.target()), ": ", verdict, result.verdict_reason().empty() ? "" : ", ",
                        Printable(result.verdict_reason())));
  }
  for (const FindingGroup& group : GroupFindings(report)) {
    const v1::Finding& first = *group.findings.front();
    Append(out, Command(first), PlaceOf(model, first), absl::StrCat(first.code(), " ", FindingFacts(group, style)),
           FindingBody(report, group, style));
  }
  if (const std::string corrections = RenderCorrections(report, style); !corrections.empty()) {
    Append(out, "notice", {model, ""}, "corrections", corrections);
  }
  Append(out, "notice", {model, ""}, "what was looked at", RenderFacts(report, style));
}

}  // namespace

std::string RenderGithub(absl::Span<const MatrixRow> rows, int exit_code) {
  std::string out;
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) {
      Append(out, "error", {row.model, ""}, "not checked", Printable(row.error));
    } else {
      AppendReport(out, *row.report, row.model);
    }
  }
  return out;
}

}  // namespace quantgate
