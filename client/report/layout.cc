#include "client/report/layout.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace quantgate {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`; 0: there is none. Overlong forms, surrogates and
// C1 controls do not count as well-formed here.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool control = lead == 0xC2 && second < 0xA0;
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool no_character = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return control || overlong || no_character ? 0 : length;
}

// Columns that the last cell of a table row needs to be wrapped.
constexpr int kMinLastColumn = 24;

// Characters that turn the direction of the text behind them: a line would say other than it shows.
constexpr absl::string_view kDirections[] = {
    "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D",
    "\u202E", "\u2066", "\u2067", "\u2068", "\u2069", "\u061C",
};

}  // namespace

int DisplayWidth(absl::string_view text) {
  int width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size());
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::string Printable(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    const absl::string_view next = text.substr(0, std::max<size_t>(length, 1));
    const bool obeyed =
        length <= 1 ? length == 0 || absl::ascii_iscntrl(text[0]) : absl::c_linear_search(kDirections, next);
    if (obeyed) {
      for (const char byte : next) absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(byte));
    } else {
      out.append(next.data(), next.size());
    }
    text.remove_prefix(next.size());
  }
  return out;
}

std::string Shortened(absl::string_view text, int width) {
  constexpr absl::string_view kCut = "...";
  const int too_wide = DisplayWidth(text) - width;
  if (too_wide <= 0) return std::string(text);
  size_t begin = 0;
  for (int dropped = 0; begin < text.size() && dropped < too_wide + static_cast<int>(kCut.size()); ++dropped) {
    do {
      ++begin;
    } while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80);
  }
  return absl::StrCat(kCut, text.substr(begin));
}

void AppendWrapped(std::string& out, absl::string_view prefix, absl::string_view text, int width, int indent) {
  const int start = DisplayWidth(prefix);
  if (indent < 0) indent = start;
  out.append(prefix.data(), prefix.size());
  int column = start;
  bool first = true;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const int word_width = DisplayWidth(word);
    if (!first && column + 1 + word_width > width) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
      first = true;
    }
    if (!first) {
      out.push_back(' ');
      ++column;
    }
    out.append(word.data(), word.size());
    column += word_width;
    first = false;
  }
  out.push_back('\n');
}

std::string RenderTable(const std::vector<std::vector<std::string>>& rows, const Style& style) {
  std::string out;
  if (rows.empty()) return out;
  const size_t columns = rows.front().size();
  std::vector<int> widths(columns, 0);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size() && i + 1 < columns; ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string prefix;
    const auto& row = rows[r];
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      const int padding = widths[i] - DisplayWidth(row[i]) + 2;
      absl::StrAppend(&prefix, Paint(style, r == 0 ? Ink::kBold : Ink::kPlain, row[i]), std::string(padding, ' '));
    }
    const std::string last = row.empty() ? "" : row.back();
    if (r == 0) {
      absl::StrAppend(&out, prefix, Paint(style, Ink::kBold, last), "\n");
    } else if (last.empty()) {
      absl::StrAppend(&out, absl::StripTrailingAsciiWhitespace(prefix), "\n");
    } else {
      // Where hardly a word would fit, a long line is easier to read than a column of words.
      const bool fits = DisplayWidth(prefix) + kMinLastColumn <= style.width;
      AppendWrapped(out, prefix, last, fits ? style.width : std::numeric_limits<int>::max());
    }
  }
  return out;
}

std::string WithCommas(int64_t number) {
  std::string digits = absl::StrCat(number);
  const int end = number < 0 ? 1 : 0;
  for (int i = static_cast<int>(digits.size()) - 3; i > end; i -= 3) digits.insert(i, 1, ',');
  return digits;
}

std::string Count(int64_t number, absl::string_view noun) {
  return absl::StrCat(WithCommas(number), " ", noun, number == 1 ? "" : "s");
}

}  // namespace quantgate
