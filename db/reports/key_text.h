// Text as databases can index it.
#ifndef QUANTGATE_DB_REPORTS_KEY_TEXT_H_
#define QUANTGATE_DB_REPORTS_KEY_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quantgate::db::reports {

// `text` itself when it is at most 512 bytes of UTF-8 without NUL, as nearly every name is. Else its beginning, with
// what no database takes replaced by '?', and a digest that tells it from other texts: 512 bytes at most.
std::string KeyText(absl::string_view text);

// Whether `key` can be the key of another text than itself.
bool MayBeShortened(absl::string_view key);

}  // namespace quantgate::db::reports

#endif  // QUANTGATE_DB_REPORTS_KEY_TEXT_H_
