#include "client/report/pattern.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate {
namespace {

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || (static_cast<unsigned char>(c) & 0x80) != 0; }

// Runs of letters and digits, and every other character on its own.
std::vector<absl::string_view> Words(absl::string_view text) {
  std::vector<absl::string_view> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (IsWordCharacter(text[begin])) {
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
    }
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

size_t FixedCharacters(const std::vector<absl::string_view>& words) {
  size_t count = 0;
  for (absl::string_view word : words) {
    if (IsWordCharacter(word[0])) count += word.size();
  }
  return count;
}

// Fewer fixed letters say nothing ("*_*").
constexpr size_t kMinFixedCharacters = 3;
// More of them are noise ("*.*.*.*_*"): what is common at both ends says as much.
constexpr int kMaxStars = 3;

}  // namespace

std::string CommonPattern(const std::vector<std::string>& strings) {
  if (strings.empty()) return "";
  const std::vector<absl::string_view> first = Words(strings[0]);
  std::vector<absl::string_view> aligned = first;
  size_t prefix = first.size();  // words that all share at the start, at the end
  size_t suffix = first.size();
  size_t shortest = first.size();
  bool same_length = true;
  bool equal = true;
  for (const std::string& text : strings) {
    equal = equal && text == strings[0];
    const std::vector<absl::string_view> words = Words(text);
    shortest = std::min(shortest, words.size());
    prefix = std::min(prefix, words.size());
    suffix = std::min(suffix, words.size());
    prefix = std::mismatch(first.begin(), first.begin() + prefix, words.begin()).first - first.begin();
    suffix = std::mismatch(first.rbegin(), first.rbegin() + suffix, words.rbegin()).first - first.rbegin();
    same_length = same_length && words.size() == first.size();
    // Of as many words by accident: other separators mean another text.
    for (size_t i = 0; same_length && i < words.size(); ++i) {
      if (first[i] == words[i]) continue;
      same_length = IsWordCharacter(first[i][0]) && IsWordCharacter(words[i][0]);
      aligned[i] = "*";
    }
  }
  if (equal) return strings[0];
  same_length = same_length && absl::c_count(aligned, "*") <= kMaxStars;
  if (!same_length) {
    suffix = std::min(suffix, shortest - prefix);
    aligned.assign(first.begin(), first.begin() + prefix);
    aligned.push_back("*");
    aligned.insert(aligned.end(), first.end() - suffix, first.end());
  }
  return FixedCharacters(aligned) < kMinFixedCharacters ? "" : absl::StrJoin(aligned, "");
}

std::string MaskNumbers(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool inside_name = i > 0 && (IsWordCharacter(text[i - 1]) || text[i - 1] == '_');
    const size_t digits = i + (text[i] == '-' ? 1 : 0);
    if (inside_name || digits >= text.size() || !absl::ascii_isdigit(text[digits])) {
      out.push_back(text[i++]);
      continue;
    }
    size_t end = digits;
    while (end < text.size()) {
      const char c = text[end];
      const bool exponent_sign = (c == '-' || c == '+') && absl::ascii_tolower(text[end - 1]) == 'e';
      const bool decimal_point = c == '.' && end + 1 < text.size() && absl::ascii_isdigit(text[end + 1]);
      if (!absl::ascii_isdigit(c) && absl::ascii_tolower(c) != 'e' && !decimal_point && !exponent_sign) break;
      ++end;
    }
    const bool starts_name = end < text.size() && (IsWordCharacter(text[end]) || text[end] == '_');
    if (starts_name) {
      absl::StrAppend(&out, text.substr(i, end - i));
    } else {
      out.push_back('#');
    }
    i = end;
  }
  return out;
}

}  // namespace quantgate
