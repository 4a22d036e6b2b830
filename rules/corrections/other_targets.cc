#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

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
  // Newer archs, the nearest first, then older ones.
  const auto distance = [&](int arch) { return std::make_pair(arch < target.arch, std::abs(arch - target.arch)); };
  std::map<std::pair<bool, int>, std::string> by_arch;
  const size_t at = target.name.rfind('@');
  const std::string sdk = at == std::string::npos ? "" : target.name.substr(at);
  for (const Target& other : module.targets()) {
    if (other.arch == 0 || other.arch == target.arch || other.soc.empty()) continue;
    by_arch.emplace(distance(other.arch), absl::StrCat(other.backend, "/", other.soc, sdk));
  }
  for (auto& [order, name] : by_arch) names.push_back(std::move(name));
  return names;
}

}  // namespace quantgate
