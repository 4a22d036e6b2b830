#include "client/cli/waiver_targets.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "client/gate/glob.h"
#include "rules/catalog.h"

namespace quantgate {
namespace {

constexpr absl::string_view kAnyTarget = "any";  // what is said without a target

bool IsOfReports(const std::string& pattern, absl::Span<const v1::Report> reports) {
  return absl::c_any_of(reports, [&](const v1::Report& report) {
    return absl::c_any_of(report.results(),
                          [&](const v1::Result& result) { return TargetMatches(pattern, result.target()); });
  });
}

// Names as reports print them: of a SoC, and of its arch alone.
bool Matches(const std::string& pattern, const std::string& backend, const v1::Target& target) {
  std::vector<std::string> names = {target.name()};
  if (!target.arch().empty()) names.push_back(absl::StrCat(backend, "/", target.arch()));
  return absl::c_any_of(names, [&](const std::string& name) {
    return absl::c_any_of(target.sdk_versions(),
                          [&](const std::string& sdk) { return TargetMatches(pattern, absl::StrCat(name, "@", sdk)); });
  });
}

bool IsKnown(const std::string& pattern, ModuleRegistry& modules) {
  if (TargetMatches(pattern, kAnyTarget)) return true;
  const std::string backend = pattern.substr(0, pattern.find_first_of("/@*?"));
  const bool names_backend =
      backend.size() == pattern.size() || pattern[backend.size()] == '/' || pattern[backend.size()] == '@';
  // What cannot be looked at, for want of a module or because it does not load, may have the target.
  if (names_backend) {
    const absl::Status module = modules.Get(backend).status();
    if (!module.ok() && !absl::IsNotFound(module) && !absl::IsInvalidArgument(module)) return true;
  }
  bool is_certain = true;
  for (const std::string& name : modules.names()) {
    if (names_backend && name != backend) continue;  // it need not be loaded
    const absl::StatusOr<std::vector<v1::Target>> targets = CatalogTargets(modules, name);
    is_certain = is_certain && targets.ok();
    if (!targets.ok()) continue;
    if (TargetMatches(pattern, name)) return true;
    if (absl::c_any_of(*targets, [&](const v1::Target& target) { return Matches(pattern, name, target); })) return true;
  }
  return !is_certain;
}

}  // namespace

void ResolveTargets(Waivers& waivers, absl::Span<const v1::Report> reports, ModuleRegistry& modules) {
  for (WaiverEntry& waiver : waivers.entries) {
    waiver.unknown_targets.clear();
    for (std::string& pattern : waiver.targets) {
      if (IsOfReports(pattern, reports) || IsKnown(pattern, modules)) continue;
      if (std::optional<std::string> name = NameInReports(pattern, modules); name.has_value()) {
        pattern = *std::move(name);
      } else {
        waiver.unknown_targets.push_back(pattern);
      }
    }
  }
}

}  // namespace quantgate
