#include "client/text.h"

#include "absl/strings/str_format.h"

namespace quantgate {
namespace {

// Length of the well-formed character at the start; 0 when there is none.
size_t CharacterLength(absl::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = 0;
  unsigned low = 0x80, high = 0xbf;  // of the second byte
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  }
  if (length == 0 || bytes.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

size_t Utf8Prefix(absl::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t length = CharacterLength(bytes.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::string ToUtf8(absl::string_view bytes) {
  size_t good = Utf8Prefix(bytes);
  std::string text(bytes.substr(0, good));
  while (good < bytes.size()) {
    absl::StrAppendFormat(&text, "\\x%02x", static_cast<unsigned char>(bytes[good]));
    bytes.remove_prefix(good + 1);
    good = Utf8Prefix(bytes);
    text.append(bytes.data(), good);
  }
  return text;
}

}  // namespace quantgate
