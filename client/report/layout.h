// Words into lines, cells into columns.
#ifndef QUANTGATE_CLIENT_REPORT_LAYOUT_H_
#define QUANTGATE_CLIENT_REPORT_LAYOUT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/report/style.h"

namespace quantgate {

// Columns that `text` takes: one per code point, none for color sequences.
int DisplayWidth(absl::string_view text);

// Text of others (names in a model file) made harmless for a terminal: control characters and bytes that are not UTF-8
// become \xNN, and it stays on one line.
std::string Printable(absl::string_view text);

// Printable text of at most `width` columns: of a longer one the end, which is where paths differ, after "...".
std::string Shortened(absl::string_view text, int width);

// Appends `prefix` and then `text`, broken at spaces so that no line is wider than `width`; further lines are indented
// to the end of the prefix, or by `indent` when that is not negative. A word that is too wide has a line of its own.
// Every line ends with a newline.
void AppendWrapped(std::string& out, absl::string_view prefix, absl::string_view text, int width, int indent = -1);

// Left-aligned columns two spaces apart; the last one is wrapped if there is room for a few words. The first row is the
// header, drawn bold. Rows may be shorter than the header.
std::string RenderTable(const std::vector<std::vector<std::string>>& rows, const Style& style);

// "1,086".
std::string WithCommas(int64_t number);

// "1 node", "96 nodes".
std::string Count(int64_t number, absl::string_view noun);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_LAYOUT_H_
