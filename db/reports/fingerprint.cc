#include "db/reports/fingerprint.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/sha256.h"

namespace quantgate::db {
namespace {

// Unit separator: in no field of a report that was not made to confuse.
constexpr absl::string_view kSeparator = "\x1f";
constexpr size_t kFingerprintBytes = 16;

absl::string_view UnlessCounted(absl::string_view name) {
  const absl::string_view digits = name.substr(!name.empty() && name[0] == '#' ? 1 : 0);
  return absl::c_all_of(digits, [](char c) { return absl::ascii_isdigit(c); }) ? absl::string_view() : name;
}

std::string WithoutDigits(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) out.push_back(c);
  }
  return out;
}

// An input or a constant, which in PT2E graphs has a node's name as well.
bool IsValueAlone(const v1::Location& location) {
  return location.node().empty() ||
         (location.node() == location.value() && !location.has_input() && !location.has_output() &&
          (location.op().empty() || location.op() == "placeholder"));
}

std::string PortOf(const v1::Location& location) {
  if (location.has_input()) return absl::StrCat("input ", location.input());
  return location.has_output() ? absl::StrCat("output ", location.output()) : "";
}

}  // namespace

absl::string_view TargetWithoutSdk(absl::string_view target) { return target.substr(0, target.find('@')); }

std::string FindingKind(absl::string_view target, const v1::Finding& finding) {
  const v1::Location& where = finding.location();
  const bool alone = IsValueAlone(where);
  return absl::StrJoin({std::string(TargetWithoutSdk(target)), finding.code(), absl::StrCat(finding.effect()),
                        alone ? std::string() : where.op(), PortOf(where), WithoutDigits(where.subgraph()),
                        std::string(alone ? "" : "node")},
                       kSeparator);
}

absl::string_view StableNodeName(const v1::Location& location) {
  return IsValueAlone(location) ? absl::string_view() : UnlessCounted(location.node());
}

absl::string_view StableValueName(const v1::Location& location) { return UnlessCounted(location.value()); }

std::vector<std::string> Fingerprints(const v1::Result& result) {
  std::vector<std::string> fingerprints;
  absl::flat_hash_map<std::string, int> times;
  for (const v1::Finding& finding : result.findings()) {
    const v1::Location& where = finding.location();
    std::string text = FindingKind(result.target(), finding);
    absl::StrAppend(&text, kSeparator, where.has_position() ? absl::StrCat(where.position()) : "");
    absl::StrAppend(&text, kSeparator, times[text]++);
    fingerprints.push_back(Sha256Hex(text).substr(0, 2 * kFingerprintBytes));
  }
  return fingerprints;
}

}  // namespace quantgate::db
