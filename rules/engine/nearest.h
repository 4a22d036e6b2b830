// Suggestions for misspelled names.
#ifndef QUANTGATE_RULES_ENGINE_NEAREST_H_
#define QUANTGATE_RULES_ENGINE_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate {

// At most `count` of `names` that are closest to `text` by edit distance (case-insensitive), closest first, ties in the
// order of `names`; only those within half of the text's length. Names longer than 64 characters are left out.
std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names, int count = 3);

// "; did you mean A, B or C?", or "" when nothing is near.
std::string DidYouMean(absl::string_view text, absl::Span<const std::string> names);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_NEAREST_H_
