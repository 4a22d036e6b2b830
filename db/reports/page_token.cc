#include "db/reports/page_token.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace quantgate::db {
namespace {

// FNV-1a: guards against mistakes (a token of another filter, one that was cut off or changed on its way), not against
// forgery; a forged token can only ask for another page.
uint64_t Fingerprint(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

// `listing` is the fingerprint of the query.
std::string Token(absl::string_view listing, int64_t position) {
  const std::string said = absl::StrCat(listing, ".", position);
  return absl::WebSafeBase64Escape(absl::StrCat(said, ".", absl::Hex(Fingerprint(said))));
}

}  // namespace

std::string EncodePageToken(absl::string_view query, int64_t position) {
  return Token(absl::StrCat(absl::Hex(Fingerprint(query))), position);
}

absl::StatusOr<int64_t> DecodePageToken(absl::string_view query, absl::string_view token) {
  std::string text;
  if (token.size() <= 128 && absl::WebSafeBase64Unescape(token, &text)) {
    const std::vector<std::string> parts = absl::StrSplit(text, '.');
    int64_t position = 0;
    if (parts.size() == 3 && absl::SimpleAtoi(parts[1], &position) && Token(parts[0], position) == token) {
      if (EncodePageToken(query, position) == token) return position;
      return absl::InvalidArgumentError("page_token: belongs to a listing with other arguments");
    }
  }
  return absl::InvalidArgumentError("page_token: not a token of this service");
}

}  // namespace quantgate::db
