#include "client/report/style.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

constexpr int kDefaultWidth = 100;
// Below, a label and one word no longer fit beside each other; above, lines are hard to read.
constexpr int kMinWidth = 40;
constexpr int kMaxWidth = 160;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal DescribeTerminal(int fd) {
  Terminal terminal;
  terminal.is_tty = isatty(fd) == 1;
  winsize size{};
  if (terminal.is_tty && ioctl(fd, TIOCGWINSZ, &size) == 0) terminal.columns = size.ws_col;
  terminal.columns_env = Environment("COLUMNS");
  terminal.no_color_env = Environment("NO_COLOR");
  terminal.term_env = Environment("TERM");
  std::setlocale(LC_CTYPE, "");
  terminal.utf8 = absl::string_view(nl_langinfo(CODESET)) == "UTF-8";
  return terminal;
}

Style ChooseStyle(const Terminal& terminal, ColorMode mode) {
  Style style;
  int columns = 0;
  if (!absl::SimpleAtoi(terminal.columns_env, &columns) || columns <= 0) columns = terminal.columns;
  style.width = columns <= 0 ? kDefaultWidth : std::clamp(columns, kMinWidth, kMaxWidth);
  style.width_stated = columns > 0;
  const bool wanted = terminal.is_tty && terminal.no_color_env.empty() && terminal.term_env != "dumb";
  style.color = mode == ColorMode::kAlways || (mode == ColorMode::kAuto && wanted);
  style.unicode = terminal.utf8;
  return style;
}

std::string Paint(const Style& style, Ink ink, absl::string_view text) {
  if (!style.color || ink == Ink::kPlain || text.empty()) return std::string(text);
  const char* code = "";
  switch (ink) {
    case Ink::kPlain:
      break;
    case Ink::kBold:
      code = "1";
      break;
    case Ink::kDim:
      code = "2";
      break;
    case Ink::kRed:
      code = "1;31";
      break;
    case Ink::kGreen:
      code = "1;32";
      break;
    case Ink::kYellow:
      code = "1;33";
      break;
    case Ink::kCyan:
      code = "1;36";
      break;
  }
  return absl::StrCat("\033[", code, "m", text, "\033[0m");
}

}  // namespace quantgate
