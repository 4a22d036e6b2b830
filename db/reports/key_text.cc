#include "db/reports/key_text.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "db/sha256.h"

namespace quantgate::db::reports {
namespace {

constexpr size_t kMaxKeyBytes = 512;
constexpr size_t kDigestBytes = 16;

// Length of the UTF-8 sequence at `at`; 0: there is none, or it is a NUL.
size_t SequenceAt(absl::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
      (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

bool IsPlain(absl::string_view text) {
  if (text.size() > kMaxKeyBytes) return false;
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceAt(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

std::string KeyText(absl::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string key;
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceAt(text, at);
    const absl::string_view piece = length > 0 ? text.substr(at, length) : "?";
    if (key.size() + piece.size() > kMaxKeyBytes - 2 * kDigestBytes - 1) break;
    absl::StrAppend(&key, piece);
    at += piece.size();
  }
  return absl::StrCat(key, "#", Sha256Hex(text).substr(0, 2 * kDigestBytes));
}

bool MayBeShortened(absl::string_view key) {
  constexpr size_t kEnd = 2 * kDigestBytes + 1;
  return key.size() >= kEnd && key[key.size() - kEnd] == '#' &&
         absl::c_all_of(key.substr(key.size() - kEnd + 1), absl::ascii_isxdigit);
}

}  // namespace quantgate::db::reports
