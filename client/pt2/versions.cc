#include "client/pt2/versions.h"

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/error.h"
#include "client/text.h"

namespace quantgate::pt2 {
namespace {

// torch compares the whole member with it: "0\n" is another version.
constexpr absl::string_view kArchiveVersion = "0";
// caffe2/serialize/versions.h
constexpr int64_t kMinZipVersion = 1;
constexpr int64_t kMaxZipVersion = 10;
constexpr int64_t kMaxVersionBytes = 64;

absl::Status OfVersion(absl::string_view member, absl::string_view what) {
  return UnreadableFile(absl::StrCat(ToUtf8(member), ": ", what));
}

// As std::stoull reads it, which leaves alone what is behind the digits. nullopt: no number; below 0: none that is
// read, as a number beyond all is.
std::optional<int64_t> LeadingNumber(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  const bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative) absl::ConsumePrefix(&text, "+");
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
  int64_t number = 0;
  if (digits == 0) return std::nullopt;
  return absl::SimpleAtoi(text.substr(0, digits), &number) && !negative ? number : -1;
}

}  // namespace

absl::Status CheckVersions(Archive* archive, const std::string& root) {
  std::string path = absl::StrCat(root, ".data/version");
  const Archive::Member* zip = archive->Find(path);
  if (zip == nullptr) {
    zip = archive->Find(absl::StrCat(root, "version"));
    if (zip != nullptr) path = absl::StrCat(root, "version");
  }
  if (zip == nullptr) return OfVersion(path, "is missing: PyTorch reads no zip file without its version");
  absl::StatusOr<std::string> text = archive->Read(*zip, kMaxVersionBytes);
  if (!text.ok()) return text.status();
  const std::optional<int64_t> number = LeadingNumber(*text);
  if (!number.has_value() || *number < kMinZipVersion || *number > kMaxZipVersion) {
    return OfVersion(path, absl::StrCat("is version '", absl::Utf8SafeCEscape(*text), "' of PyTorch's zip files; ",
                                        kMinZipVersion, " to ", kMaxZipVersion, " are read"));
  }

  path = absl::StrCat(root, "archive_version");
  const Archive::Member* version = archive->Find(path);
  if (version == nullptr) return OfVersion(path, "is missing: torch.export.load reads no archive without it");
  text = archive->Read(*version, kMaxVersionBytes);
  if (!text.ok()) return text.status();
  if (*text == kArchiveVersion) return absl::OkStatus();
  return OfVersion(path, absl::StrCat("has archive version '", absl::Utf8SafeCEscape(*text), "'; this version reads '",
                                      kArchiveVersion, "'"));
}

}  // namespace quantgate::pt2
