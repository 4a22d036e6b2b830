// SDK versions: dot-separated numbers, compared numerically ("2.9" is older than "2.13").
#ifndef QUANTGATE_DB_SDK_VERSION_H_
#define QUANTGATE_DB_SDK_VERSION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::db {

// One to four numbers below 10^9; nullopt for anything else.
std::optional<std::vector<int>> ParseSdkVersion(absl::string_view text);

// Orders by number; missing parts count as 0. Text that is no version sorts before every version, by its bytes.
bool SdkVersionLess(absl::string_view a, absl::string_view b);

// Which of `available` answers for `requested`: empty asks for the newest; "2.25" takes 2.25.x, the newest of them;
// else the newest that is not newer than requested ("2.30" takes 2.25.0). nullopt: requested is no version, or
// everything there is is newer.
std::optional<std::string> ChooseSdk(absl::Span<const std::string> available, absl::string_view requested);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_SDK_VERSION_H_
