#include "rules/constraints/port.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace quantgate {

absl::StatusOr<PortPattern> ParsePort(absl::string_view name) {
  PortPattern port;
  port.name = std::string(name);
  if (name.empty()) return port;
  const size_t bracket = name.find('[');
  if (bracket == absl::string_view::npos) {
    for (char c : name) {
      if (!absl::ascii_isalnum(c) && c != '_')
        return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" names no port"));
    }
    port.kind = PortRef::kParam;
    return port;
  }
  const absl::string_view side = name.substr(0, bracket);
  absl::string_view range = name.substr(bracket + 1);
  const auto bad = [&] { return absl::InvalidArgumentError(absl::StrCat("\"", name, "\" is not a port")); };
  if (range.empty() || range.back() != ']' || (side != "in" && side != "out")) return bad();
  range.remove_suffix(1);
  port.kind = side == "in" ? PortRef::kInput : PortRef::kOutput;
  const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(range, absl::MaxSplits("..", 1));
  if (!absl::SimpleAtoi(ends.first, &port.first)) return bad();
  port.last = port.first;
  if (range.size() != ends.first.size() && !absl::SimpleAtoi(ends.second, &port.last)) {
    if (ends.second != "m" && ends.second != "M") return bad();
    port.last = kMaxPorts;
  }
  if (port.first < 0 || port.first >= kMaxPorts || port.last < port.first || port.last > kMaxPorts) return bad();
  return port;
}

std::string PortName(PortRef port) {
  if (port.kind == PortRef::kInput) return absl::StrCat("in[", port.index, "]");
  if (port.kind == PortRef::kOutput) return absl::StrCat("out[", port.index, "]");
  return "";
}

}  // namespace quantgate
