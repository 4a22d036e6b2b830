#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "client/report/text.h"
#include "client/report/verdict.h"

namespace quantgate {
namespace {

std::string Cell(const MatrixRow& row, const std::string& target, const Style& style) {
  if (row.report == nullptr) return Paint(style, Ink::kRed, "not checked");
  for (const v1::Result& result : row.report->results()) {
    if (result.target() == target) return VerdictMark(result.verdict(), style);
  }
  return "";
}

constexpr int kMinModelWidth = 24;

}  // namespace

std::vector<std::string> MatrixTargets(absl::Span<const MatrixRow> rows) {
  std::vector<std::string> targets;  // resolved names can differ between models only when some fail
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) continue;
    for (const v1::Result& result : row.report->results()) {
      if (!absl::c_linear_search(targets, result.target())) targets.push_back(result.target());
    }
  }
  return targets;
}

std::string RenderMatrix(absl::Span<const MatrixRow> rows, const Style& style) {
  const std::vector<std::string> targets = MatrixTargets(rows);
  std::vector<int> widths;
  for (const std::string& target : targets) {
    int width = DisplayWidth(Printable(target));
    for (const MatrixRow& row : rows) width = std::max(width, DisplayWidth(Cell(row, target, style)));
    widths.push_back(width);
  }
  // Long paths give way to the verdicts, for which one looks at the table.
  int verdicts_width = 0;
  for (int width : widths) verdicts_width += 2 + width;
  const int room = std::max(kMinModelWidth, style.width - verdicts_width);
  std::vector<std::string> models;
  int model_width = DisplayWidth("model");
  for (const MatrixRow& row : rows) {
    models.push_back(Shortened(Printable(row.model), room));
    model_width = std::max(model_width, DisplayWidth(models.back()));
  }

  std::string out;
  for (size_t begin = 0, end = 0; begin < targets.size(); begin = end) {
    int used = model_width;
    while (end < targets.size() && (end == begin || used + 2 + widths[end] <= style.width)) used += 2 + widths[end++];
    std::vector<std::vector<std::string>> table;
    table.push_back({"model"});
    for (size_t i = begin; i < end; ++i) table[0].push_back(Printable(targets[i]));
    for (size_t row = 0; row < rows.size(); ++row) {
      table.push_back({models[row]});
      for (size_t i = begin; i < end; ++i) table.back().push_back(Cell(rows[row], targets[i], style));
    }
    absl::StrAppend(&out, out.empty() ? "" : "\n", RenderTable(table, style));
  }
  return out;
}

std::string RenderSummary(absl::Span<const MatrixRow> rows, int exit_code, const Style& style) {
  int rejected = 0, unknown = 0, results = 0, not_checked = 0;
  bool warn_mode = false;
  for (const MatrixRow& row : rows) {
    if (row.report == nullptr) {
      ++not_checked;
      continue;
    }
    warn_mode = warn_mode || row.report->mode() == v1::Report::WARN;
    for (const v1::Result& result : row.report->results()) {
      ++results;
      rejected += result.verdict() == v1::Result::REJECTED;
      unknown += result.verdict() == v1::Result::UNKNOWN || result.verdict() == v1::Result::VERDICT_UNSPECIFIED;
    }
  }
  const std::string of = absl::StrCat(" of ", Count(results, "result"));
  std::vector<std::string> reasons;
  if (rejected > 0) reasons.push_back(absl::StrCat(rejected, of, " rejected"));
  if (unknown > 0) reasons.push_back(absl::StrCat(unknown, of, " unknown"));
  if (not_checked > 0) reasons.push_back(absl::StrCat(Count(not_checked, "model"), " could not be checked"));
  if (results == 0 && not_checked == 0) reasons.push_back("nothing was checked");
  if (reasons.empty()) reasons.push_back(absl::StrCat(Count(results, "result"), ", all accepted"));
  if (warn_mode) reasons.push_back("warn mode never rejects");
  std::string text = absl::StrCat("exit ", exit_code, ": ");
  for (size_t i = 0; i < reasons.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : "; ", reasons[i]);
  return Paint(style, exit_code == 0 ? Ink::kGreen : Ink::kRed, text) + "\n";
}

}  // namespace quantgate
