#include "client/report/list.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/report/layout.h"
#include "client/report/mark.h"
#include "google/protobuf/util/time_util.h"

namespace quantgate {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows RowsOf(const v1::ListReportsResponse& list, const Style& style) {
  Rows rows = {{"name", "time", "model", "verdict"}};
  for (const v1::Report& report : list.reports()) {
    v1::Report stamp = report;
    stamp.mutable_create_time()->set_nanos(0);
    std::string verdicts;
    for (const v1::Result& result : report.results()) {
      absl::StrAppend(&verdicts, verdicts.empty() ? "" : ", ", VerdictMark(result.verdict(), style), " ",
                      Printable(result.target()));
    }
    rows.push_back({Printable(report.name()), google::protobuf::util::TimeUtil::ToString(stamp.create_time()),
                    Printable(report.model().path()), verdicts});
  }
  return rows;
}

int WidthOf(const std::string& table) {
  int width = 0;
  for (const absl::string_view line : absl::StrSplit(table, '\n')) width = std::max(width, DisplayWidth(line));
  return width;
}

}  // namespace

std::string RenderList(const v1::ListReportsResponse& list, const Style& style) {
  const Rows rows = RowsOf(list, style);
  Style wide = style;
  wide.width = std::numeric_limits<int>::max();
  std::string table = RenderTable(rows, wide);
  if (!style.width_stated || WidthOf(table) <= style.width) return table;
  std::string out;
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string>& row = rows[i];
    AppendWrapped(out, "", absl::StrCat(Paint(style, Ink::kBold, row[0]), " ", row[1]), style.width, 2);
    for (const std::string& text : {row[2], row[3]}) {
      if (!text.empty()) AppendWrapped(out, "  ", text, style.width, 4);
    }
  }
  return out;
}

}  // namespace quantgate
