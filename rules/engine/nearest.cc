#include "rules/engine/nearest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

constexpr size_t kMaxLength = 64;

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NearestNames(absl::string_view text, absl::Span<const std::string> names, int count) {
  const std::string wanted = absl::AsciiStrToLower(text.substr(0, kMaxLength));
  std::vector<std::pair<size_t, size_t>> ranked;  // distance, index
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() > kMaxLength) continue;
    const size_t distance = EditDistance(wanted, absl::AsciiStrToLower(names[i]));
    // About a third of the letters: "V5" is near "V6", and "Nope" is not near "TopK".
    if (distance * 3 <= std::max(wanted.size(), names[i].size()) + 1) ranked.emplace_back(distance, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, index] : ranked) {
    if (static_cast<int>(nearest.size()) == count) break;
    nearest.push_back(names[index]);
  }
  return nearest;
}

std::string DidYouMean(absl::string_view text, absl::Span<const std::string> names) {
  const std::vector<std::string> nearest = NearestNames(text, names);
  if (nearest.empty()) return "";
  std::string hint = "; did you mean ";
  for (size_t i = 0; i < nearest.size(); ++i) {
    absl::StrAppend(&hint, i == 0 ? "" : i + 1 == nearest.size() ? " or " : ", ", nearest[i]);
  }
  return hint + "?";
}

}  // namespace quantgate
