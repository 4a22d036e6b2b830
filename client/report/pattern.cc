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

using Text = std::vector<absl::string_view>;  // its words

std::vector<Text> WordsOfEach(const std::vector<std::string>& strings) {
  std::vector<Text> texts;
  texts.reserve(strings.size());
  for (const std::string& text : strings) texts.push_back(Words(text));
  return texts;
}

// The first text with a star for every word in which others differ; empty when that are too many, or when they differ
// in more than words. Of as many words by accident: other separators mean another text.
Text Aligned(const std::vector<Text>& texts) {
  const Text& first = texts[0];
  Text aligned = first;
  for (const Text& text : texts) {
    if (text.size() != first.size()) return {};
    for (size_t i = 0; i < text.size(); ++i) {
      if (first[i] == text[i]) continue;
      if (!IsWordCharacter(first[i][0]) || !IsWordCharacter(text[i][0])) return {};
      aligned[i] = "*";
    }
  }
  return absl::c_count(aligned, "*") <= kMaxStars ? aligned : Text();
}

// How many words all share at the start, and behind those at the end.
struct Ends {
  size_t prefix;
  size_t suffix;
};

Ends CommonEnds(const std::vector<Text>& texts) {
  const Text& first = texts[0];
  Ends ends = {first.size(), first.size()};
  size_t shortest = first.size();
  for (const Text& text : texts) {
    shortest = std::min(shortest, text.size());
    ends.prefix = std::min(ends.prefix, text.size());
    ends.suffix = std::min(ends.suffix, text.size());
    ends.prefix = std::mismatch(first.begin(), first.begin() + ends.prefix, text.begin()).first - first.begin();
    ends.suffix = std::mismatch(first.rbegin(), first.rbegin() + ends.suffix, text.rbegin()).first - first.rbegin();
  }
  ends.suffix = std::min(ends.suffix, shortest - ends.prefix);
  return ends;
}

bool AllEqual(const std::vector<std::string>& strings) {
  return absl::c_all_of(strings, [&](const std::string& text) { return text == strings[0]; });
}

}  // namespace

std::string CommonPattern(const std::vector<std::string>& strings) {
  if (strings.empty() || AllEqual(strings)) return strings.empty() ? "" : strings[0];
  const std::vector<Text> texts = WordsOfEach(strings);
  Text pattern = Aligned(texts);
  if (pattern.empty()) {
    const Ends ends = CommonEnds(texts);
    pattern.assign(texts[0].begin(), texts[0].begin() + ends.prefix);
    pattern.push_back("*");
    pattern.insert(pattern.end(), texts[0].end() - ends.suffix, texts[0].end());
  }
  return FixedCharacters(pattern) < kMinFixedCharacters ? "" : absl::StrJoin(pattern, "");
}

std::string Alternatives(const std::vector<std::string>& strings) {
  if (strings.empty() || AllEqual(strings)) return strings.empty() ? "" : strings[0];
  const std::vector<Text> texts = WordsOfEach(strings);
  const Ends ends = CommonEnds(texts);
  std::vector<std::string> middles;
  middles.reserve(texts.size());
  for (const Text& text : texts) {
    middles.push_back(absl::StrJoin(text.begin() + ends.prefix, text.end() - ends.suffix, ""));
  }
  return absl::StrCat(absl::StrJoin(texts[0].begin(), texts[0].begin() + ends.prefix, ""),
                      absl::StrJoin(middles, " or "), absl::StrJoin(texts[0].end() - ends.suffix, texts[0].end(), ""));
}

std::string MaskName(absl::string_view text, absl::string_view name) {
  const auto in_name = [](char c) { return IsWordCharacter(c) || c == '_'; };
  std::string out;
  size_t copied = 0;
  for (size_t at = text.find(name); !name.empty() && at != absl::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (at < copied || (at > 0 && in_name(text[at - 1])) || (end < text.size() && in_name(text[end]))) continue;
    absl::StrAppend(&out, text.substr(copied, at - copied), "*");
    copied = end;
  }
  absl::StrAppend(&out, text.substr(copied));
  return out;
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
