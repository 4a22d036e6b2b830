#include "rules/backends/qnn_htp/targets.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/table_target.h"
#include "rules/engine/nearest.h"

namespace quantgate::qnn_htp {
namespace {

// "V75" -> 75; 0 when it is no arch name.
int ArchNumber(absl::string_view text) {
  int number = 0;
  if (text.size() < 2 || (text[0] != 'V' && text[0] != 'v')) return 0;
  return absl::SimpleAtoi(text.substr(1), &number) && number > 0 ? number : 0;
}

// By its name, a toolchain's name for it, or its id: some are known by number only.
bool Names(const db::Soc& soc, absl::string_view name) {
  if (absl::EqualsIgnoreCase(soc.name, name) || absl::StrCat(soc.id) == name) return true;
  return std::any_of(soc.aliases.begin(), soc.aliases.end(),
                     [&](const std::string& alias) { return absl::EqualsIgnoreCase(alias, name); });
}

absl::Status Unknown(const db::TableSource& tables, absl::string_view name) {
  std::vector<std::string> known;
  std::vector<int> archs;
  for (const db::Soc& soc : tables.socs()) {
    if (soc.arch == 0) continue;
    archs.push_back(soc.arch);
    known.push_back(soc.name);
    known.insert(known.end(), soc.aliases.begin(), soc.aliases.end());
  }
  std::sort(archs.begin(), archs.end());
  archs.erase(std::unique(archs.begin(), archs.end()), archs.end());
  for (int arch : archs) known.push_back(absl::StrCat("V", arch));
  return absl::NotFoundError(absl::StrCat(kBackend, ": no SoC or arch is named '", name, "'", DidYouMean(name, known),
                                          "; archs: V", absl::StrJoin(archs, ", V"),
                                          "; `quantgate targets` lists the SoCs"));
}

std::string NameOf(const db::Soc& soc) { return soc.name.empty() ? absl::StrCat(soc.id) : soc.name; }

// Archs and ids are numbers alike: "68" may be meant for V68, and is the id of an SM8635, which is a V73.
absl::Status RefuseArchOrId(const db::TableSource& tables, absl::string_view name) {
  int number = 0;
  if (!absl::SimpleAtoi(name, &number)) return absl::OkStatus();
  const auto& socs = tables.socs();
  const auto with_id = absl::c_find_if(socs, [&](const db::Soc& soc) { return soc.id == number; });
  const bool is_arch = absl::c_any_of(socs, [&](const db::Soc& soc) { return soc.arch == number; });
  if (number == 0 || !is_arch || with_id == socs.end() || with_id->name.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(kBackend, ": '", name, "' is the number of an arch and of a SoC: V",
                                                 number, ", or ", with_id->name, ", whose number is ", number, "?"));
}

absl::Status ResolveSoc(const db::TableSource& tables, absl::string_view name, Target& target) {
  if (absl::Status status = RefuseArchOrId(tables, name); !status.ok()) return status;
  const db::Soc* without_htp = nullptr;
  for (const db::Soc& soc : tables.socs()) {
    if (!Names(soc, name)) continue;
    if (soc.arch == 0) {
      without_htp = &soc;
      continue;
    }
    target.soc = NameOf(soc);
    target.arch = soc.arch;
    target.kernels = soc.kernels;
    target.has_float = soc.has_float;
    return absl::OkStatus();
  }
  if (without_htp != nullptr) {
    return absl::NotFoundError(absl::StrCat(kBackend, ": the SoC ", without_htp->name, " has no HTP"));
  }
  const int arch = ArchNumber(name);
  for (const db::Soc& soc : tables.socs()) {
    if (arch == 0 || soc.arch != arch) continue;
    target.arch = arch;
    target.kernels = arch;
    return absl::OkStatus();
  }
  return Unknown(tables, name);
}

// The list of SoCs is SDK 2.51.0's; older tables are about fewer. The table of 2.25.0 names V79 as its newest arch.
// That of 2.13.0 names none, and V79, which the next one treats apart, is later than it.
constexpr std::pair<absl::string_view, int> kNewestArch[] = {{"2.13.0", 75}, {"2.25.0", 79}};

// A table does not answer for an arch that came after it.
void RefuseLaterArch(Target& target) {
  for (const auto& [sdk, newest] : kNewestArch) {
    if (target.sdk != sdk || target.arch <= newest) continue;
    target.unknown_reason = absl::StrCat("the table of SDK ", sdk, " knows archs up to V", newest, "; ",
                                         target.soc.empty() ? "" : absl::StrCat(target.soc, " has "), "V", target.arch,
                                         target.soc.empty() ? " came later" : ", which came later");
    target.tables.clear();
  }
}

}  // namespace

absl::StatusOr<Target> ResolveTarget(const db::TableSource& tables, const TargetName& name) {
  Target target;
  target.backend = kBackend;
  if (name.soc.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target '", kBackend, "' names no SoC; write for example ", kBackend,
                                                   "/SM8650 or ", kBackend, "/V75"));
  }
  if (absl::Status status = ResolveSoc(tables, name.soc, target); !status.ok()) return status;
  SetTables(tables, target.soc.empty() ? absl::StrCat("V", target.arch) : target.soc, name.sdk, target);
  RefuseLaterArch(target);
  return target;
}

std::vector<Target> AllTargets(const db::TableSource& tables) {
  std::vector<Target> targets;
  for (const db::Soc& soc : tables.socs()) {
    if (soc.arch == 0) continue;
    absl::StatusOr<Target> target = ResolveTarget(tables, {kBackend, NameOf(soc), ""});
    if (target.ok()) targets.push_back(*std::move(target));
  }
  return targets;
}

}  // namespace quantgate::qnn_htp
