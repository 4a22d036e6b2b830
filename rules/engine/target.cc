#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/module.h"
#include "rules/engine/toolchain.h"

namespace quantgate {
namespace {

constexpr size_t kMaxTargetLength = 128;

bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == '+'; }

absl::Status Malformed(absl::string_view text, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("target '", text.substr(0, kMaxTargetLength), "': ", problem,
                                                 "; write BACKEND[/SOC][@SDK], for example qnn_htp/SM8650@2.25"));
}

}  // namespace

absl::StatusOr<TargetName> ParseTargetName(absl::string_view text) {
  if (text.empty()) return Malformed(text, "is empty");
  if (text.size() > kMaxTargetLength) return Malformed(text, "is too long");
  TargetName name;
  absl::string_view rest = text;
  if (const size_t at = rest.find('@'); at != absl::string_view::npos) {
    name.sdk = std::string(rest.substr(at + 1));
    rest = rest.substr(0, at);
    if (name.sdk.empty()) return Malformed(text, "has no SDK version after '@'");
    if (const size_t slash = name.sdk.find('/'); slash != std::string::npos && rest.find('/') == rest.npos) {
      return absl::InvalidArgumentError(absl::StrCat("target '", text.substr(0, kMaxTargetLength),
                                                     "': the SDK version comes last; write ", rest,
                                                     name.sdk.substr(slash), "@", name.sdk.substr(0, slash)));
    }
    if (!IsVersion(name.sdk)) return Malformed(text, absl::StrCat("'", name.sdk, "' is no SDK version"));
  }
  if (const size_t slash = rest.find('/'); slash != absl::string_view::npos) {
    name.soc = std::string(rest.substr(slash + 1));
    rest = rest.substr(0, slash);
    if (name.soc.empty()) return Malformed(text, "has no SoC after '/'");
    if (!std::all_of(name.soc.begin(), name.soc.end(), IsNameChar)) return Malformed(text, "has a bad SoC name");
  }
  name.backend = std::string(rest);
  if (name.backend.empty() || !std::all_of(name.backend.begin(), name.backend.end(), IsNameChar)) {
    return Malformed(text, "has a bad backend name");
  }
  return name;
}

}  // namespace quantgate
