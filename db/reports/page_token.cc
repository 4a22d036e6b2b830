#include "db/reports/page_token.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace quantgate::db {
namespace {

// FNV-1a: guards against mistakes (a token used with another filter), not against forgery; a forged token can only
// ask for another page.
uint64_t Fingerprint(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::string EncodePageToken(absl::string_view query, int64_t position) {
  return absl::WebSafeBase64Escape(absl::StrCat(absl::Hex(Fingerprint(query)), ".", position, "."));
}

absl::StatusOr<int64_t> DecodePageToken(absl::string_view query, absl::string_view token) {
  std::string text;
  int64_t position = 0;
  if (token.size() <= 128 && absl::WebSafeBase64Unescape(token, &text)) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
    absl::string_view rest = parts.second;
    // The end mark tells a token that was cut off.
    if (absl::ConsumeSuffix(&rest, ".") && absl::SimpleAtoi(rest, &position)) {
      if (parts.first == absl::StrCat(absl::Hex(Fingerprint(query)))) return position;
      return absl::InvalidArgumentError("page_token: belongs to a listing with other arguments");
    }
  }
  return absl::InvalidArgumentError("page_token: not a token of this service");
}

}  // namespace quantgate::db
