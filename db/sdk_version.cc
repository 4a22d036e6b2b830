#include "db/sdk_version.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace quantgate::db {
namespace {

// Newest of those that `accept` lets through.
template <typename Accept>
std::optional<std::string> Newest(absl::Span<const std::string> available, Accept accept) {
  std::optional<std::string> best;
  for (const std::string& version : available) {
    if (accept(version) && (!best || SdkVersionLess(*best, version))) best = version;
  }
  return best;
}

}  // namespace

std::optional<std::vector<int>> ParseSdkVersion(absl::string_view text) {
  std::vector<int> parts;
  for (absl::string_view part : absl::StrSplit(text, '.')) {
    int number = 0;
    const bool digits = !part.empty() && std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
    if (!digits || part.size() > 9 || parts.size() == 4 || !absl::SimpleAtoi(part, &number)) return std::nullopt;
    parts.push_back(number);
  }
  return parts;
}

bool SdkVersionLess(absl::string_view a, absl::string_view b) {
  auto left = ParseSdkVersion(a);
  auto right = ParseSdkVersion(b);
  if (!left || !right) return !left && (right || a < b);
  const size_t length = std::max(left->size(), right->size());
  left->resize(length);
  right->resize(length);
  return *left < *right;
}

std::optional<std::string> ChooseSdk(absl::Span<const std::string> available, absl::string_view requested) {
  if (requested.empty()) return Newest(available, [](const std::string&) { return true; });
  const auto wanted = ParseSdkVersion(requested);
  if (!wanted) return std::nullopt;
  auto within = Newest(available, [&](const std::string& version) {
    const auto parts = ParseSdkVersion(version);
    return parts && parts->size() >= wanted->size() && std::equal(wanted->begin(), wanted->end(), parts->begin());
  });
  if (within) return within;
  return Newest(available, [&](const std::string& version) { return !SdkVersionLess(requested, version); });
}

}  // namespace quantgate::db
