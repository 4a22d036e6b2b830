#include "client/report/markdown.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/report/correction_text.h"
#include "client/report/finding_text.h"
#include "client/report/layout.h"
#include "client/report/mark.h"

namespace quantgate {
namespace {

constexpr int kNameWidth = 120;
constexpr size_t kRoomForNote = 200;
// Details with every name in them; longer ones name the first few.
constexpr size_t kMaxDetailBytes = 4000;

Style PlainStyle() {
  Style style;
  style.unicode = true;
  return style;
}

// In HTML code, which may stand anywhere: in a cell, in a summary, in a heading.
std::string Code(absl::string_view text) {
  return absl::StrCat("<code>",
                      absl::StrReplaceAll(Shortened(Printable(text), kNameWidth), {{"&", "&amp;"},
                                                                                   {"<", "&lt;"},
                                                                                   {">", "&gt;"},
                                                                                   {"\"", "&quot;"},
                                                                                   {"'", "&#39;"},
                                                                                   {"|", "&#124;"},
                                                                                   {"`", "&#96;"},
                                                                                   {"*", "&#42;"},
                                                                                   {"_", "&#95;"},
                                                                                   {"[", "&#91;"},
                                                                                   {"]", "&#93;"},
                                                                                   {"~", "&#126;"},
                                                                                   {"\\", "&#92;"},
                                                                                   {"$", "&#36;"},
                                                                                   {":", "&#58;"},
                                                                                   {"@", "&#64;"},
                                                                                   {"#", "&#35;"}}),
                      "</code>");
}

// Printable text as a block of code, in a fence that it does not hold.
std::string Block(absl::string_view text) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return absl::StrCat(fence, "text\n", absl::StripTrailingAsciiWhitespace(text), "\n", fence, "\n");
}

std::string Folded(absl::string_view summary, absl::string_view text) {
  return absl::StrCat("<details><summary>", summary, "</summary>\n\n", Block(text), "\n</details>\n");
}

const char* Sign(const v1::Finding& finding) {
  if (!StandingText(finding).empty()) return "☑️";
  if (finding.severity() == v1::Finding::ERROR) return "❌";
  return finding.severity() == v1::Finding::WARNING ? "⚠️" : "ℹ️";
}

std::string Cell(const MatrixRow& row, const std::string& target) {
  if (row.report == nullptr) return "❌ not checked";
  for (const v1::Result& result : row.report->results()) {
    if (result.target() == target) return VerdictMark(result.verdict(), PlainStyle());
  }
  return "";
}

std::string MatrixLine(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) absl::StrAppend(&line, " ", cell, " |");
  return absl::StrCat(line, "\n");
}

// Text up to a limit. What does not fit is left out whole, and counted.
class Bounded {
 public:
  explicit Bounded(size_t max_bytes) : room_(max_bytes - std::min(max_bytes, kRoomForNote)) {}

  void Add(absl::string_view part) {
    if (part.size() > room_) {
      ++left_out_;
      return;
    }
    room_ -= part.size();
    text_.append(part.data(), part.size());
  }

  std::string Finish() && {
    if (left_out_ > 0) {
      absl::StrAppend(&text_, "\n_", Count(left_out_, "part"),
                      " left out: a comment's size is limited. `quantgate check ",
                      "--format text` says everything._\n");
    }
    return std::move(text_);
  }

 private:
  size_t room_;
  int left_out_ = 0;
  std::string text_;
};

void AddMatrix(absl::Span<const MatrixRow> rows, Bounded& out) {
  const std::vector<std::string> targets = MatrixTargets(rows);
  std::vector<std::string> head = {"model"}, rule = {"---"};
  for (const std::string& target : targets) {
    head.push_back(Code(target));
    rule.push_back("---");
  }
  out.Add(absl::StrCat("\n", MatrixLine(head), MatrixLine(rule)));
  for (const MatrixRow& row : rows) {
    std::vector<std::string> cells = {Code(row.model)};
    for (const std::string& target : targets) cells.push_back(Cell(row, target));
    out.Add(MatrixLine(cells));
  }
}

// Every name, where there is room for that.
template <typename Render>
std::string Details(Style style, Render render) {
  style.verbose = true;
  std::string details = render(style);
  if (details.size() <= kMaxDetailBytes) return details;
  style.verbose = false;
  return render(style);
}

void AddReport(const v1::Report& report, const Style& style, Bounded& out) {
  for (const FindingGroup& group : GroupFindings(report)) {
    const v1::Finding& first = *group.findings.front();
    const std::string summary =
        absl::StrCat(Sign(first), " ", Code(absl::StrCat(first.code(), " ", FindingFacts(group, style))));
    out.Add(Folded(summary, Details(style, [&](const Style& names) { return FindingBody(report, group, names); })));
  }
  const std::string corrections = Details(style, [&](const Style& names) { return RenderCorrections(report, names); });
  if (!corrections.empty()) out.Add(Folded("🔧 corrections", corrections));
  out.Add(Folded("what was looked at, and what was not",
                 Details(style, [&](const Style& names) { return RenderFacts(report, names); })));
}

// Warn mode rejects nothing; that is not yet all accepted.
const char* Headline(absl::Span<const MatrixRow> rows, int exit_code) {
  if (exit_code != 0) return "❌";
  const auto is_accepted = [](const v1::Result& result) {
    return result.verdict() == v1::Result::ACCEPTED || result.verdict() == v1::Result::ACCEPTED_WITH_WARNINGS;
  };
  const bool all = absl::c_all_of(rows, [&](const MatrixRow& row) {
    return row.report != nullptr && absl::c_all_of(row.report->results(), is_accepted);
  });
  return all ? "✅" : "⚠️";
}

}  // namespace

std::string RenderMarkdown(absl::Span<const MatrixRow> rows, int exit_code, size_t max_bytes) {
  const Style style = PlainStyle();
  Bounded out(max_bytes);
  const std::string summary(absl::StripTrailingAsciiWhitespace(RenderSummary(rows, exit_code, style)));
  out.Add(absl::StrCat("## ", Headline(rows, exit_code), " QuantGate\n\n", summary, "\n"));
  AddMatrix(rows, out);
  for (const MatrixRow& row : rows) {
    out.Add(absl::StrCat("\n### ", Code(row.model), "\n\n"));
    if (row.report == nullptr) {
      out.Add(Block(Printable(row.error)));
    } else {
      AddReport(*row.report, style, out);
    }
  }
  return std::move(out).Finish();
}

}  // namespace quantgate
