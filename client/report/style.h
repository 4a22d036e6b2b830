// How text is drawn: width, colors, box characters. Decided once from the terminal, passed by value to the printers.
#ifndef QUANTGATE_CLIENT_REPORT_STYLE_H_
#define QUANTGATE_CLIENT_REPORT_STYLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quantgate {

enum class ColorMode { kAuto, kAlways, kNever };

struct Style {
  int width = 100;            // columns; lines are longer only where one word is
  bool width_stated = false;  // it is a terminal's or $COLUMNS', not the one above
  bool color = false;
  bool unicode = false;
  bool verbose = false;  // every name instead of the first few
};

// What decides a style, so that tests can state it.
struct Terminal {
  bool is_tty = false;
  int columns = 0;           // 0: not known
  std::string columns_env;   // $COLUMNS, wins over `columns`
  std::string no_color_env;  // $NO_COLOR, any content switches `auto` off
  std::string term_env;      // $TERM, "dumb" switches `auto` off
  bool utf8 = false;
};

// Asks the operating system about an open file, and the environment. Calls setlocale(LC_CTYPE, "").
Terminal DescribeTerminal(int fd);

Style ChooseStyle(const Terminal& terminal, ColorMode mode);

enum class Ink { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

// `text` in a color, or unchanged when the style has none.
std::string Paint(const Style& style, Ink ink, absl::string_view text);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_REPORT_STYLE_H_
