#include "db/reports/age.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quantgate::db {

absl::StatusOr<absl::Duration> ParseAge(absl::string_view text) {
  constexpr int64_t kMaxHours = int64_t{100} * 366 * 24;
  int64_t number = 0;
  const char unit = text.empty() ? '\0' : text.back();
  const int64_t hours = unit == 'h' ? 1 : unit == 'd' ? 24 : unit == 'w' ? 7 * 24 : 0;
  // SimpleAtoi would take blanks and signs.
  const bool is_number = hours > 0 && text.size() > 1 && absl::ascii_isdigit(text[0]) &&
                         absl::SimpleAtoi(text.substr(0, text.size() - 1), &number);
  if (!is_number || number < 1 || number > kMaxHours / hours) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is no age such as 12h, 90d or 8w, of at most 100 years"));
  }
  return absl::Hours(number * hours);
}

}  // namespace quantgate::db
