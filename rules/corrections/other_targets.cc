#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "rules/corrections/report.h"
#include "rules/engine/module.h"

namespace quantgate {

std::vector<std::string> OtherTargets(const Module& module, const Target& target) {
  std::vector<std::string> names;
  if (!module.targets || target.arch == 0) return names;
  const std::string soc = target.soc.empty() ? absl::StrCat("V", target.arch) : target.soc;
  const absl::StatusOr<Target> newest = module.resolve({target.backend, soc, ""});
  if (newest.ok() && newest->sdk != target.sdk) names.push_back(newest->name);
  // Of each kind of hardware one. The target's own arch first, then newer ones, the nearest first, then older ones; of
  // one arch its own kernels first.
  using Kind = std::tuple<bool, int, int>;
  const auto kind = [&](const Target& soc) {
    return Kind(soc.arch < target.arch, std::abs(soc.arch - target.arch), soc.kernels);
  };
  const std::vector<Target> targets = module.targets();
  std::map<Kind, const Target*> kinds;
  for (const Target& other : targets) {
    if (other.arch == 0 || other.soc.empty()) continue;
    // A SoC without floats takes nothing that another of its kind does not.
    if (kind(other) == kind(target) && (target.has_float || !other.has_float)) continue;
    const Target*& first = kinds.emplace(kind(other), &other).first->second;
    if (other.has_float && !first->has_float) first = &other;
  }
  const size_t at = target.name.rfind('@');
  const std::string sdk = at == std::string::npos ? "" : target.name.substr(at);
  for (const auto& [order, other] : kinds) names.push_back(absl::StrCat(other->backend, "/", other->soc, sdk));
  return names;
}

}  // namespace quantgate
