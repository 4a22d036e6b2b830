#include "client/gate/glob.h"

#include <filesystem>
#include <string>

namespace quantgate {

bool GlobMatches(absl::string_view pattern, absl::string_view text) {
  size_t p = 0, t = 0;
  size_t star = absl::string_view::npos;  // the last star, and where its share of the text ends
  size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool PathMatches(absl::string_view written_pattern, absl::string_view written_path) {
  const auto normal = [](absl::string_view path) {
    return std::filesystem::path(std::string(path)).lexically_normal().string();
  };
  const std::string pattern = normal(written_pattern), whole = normal(written_path);
  for (absl::string_view path = whole;;) {
    if (GlobMatches(pattern, path)) return true;
    const size_t slash = path.find('/');
    if (slash == absl::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool TargetMatches(absl::string_view pattern, absl::string_view target) {
  if (GlobMatches(pattern, target)) return true;
  const size_t at = target.find('@');
  for (size_t end = target.rfind('.'); at != absl::string_view::npos && end != absl::string_view::npos && end > at;
       end = target.rfind('.', end - 1)) {
    if (GlobMatches(pattern, target.substr(0, end))) return true;
  }
  return GlobMatches(pattern, target.substr(0, at)) || GlobMatches(pattern, target.substr(0, target.find('/')));
}

}  // namespace quantgate
