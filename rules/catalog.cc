#include "rules/catalog.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/sdk_version.h"
#include "rules/engine/nearest.h"

namespace quantgate {

absl::StatusOr<std::vector<v1::Target>> CatalogTargets(ModuleRegistry& modules, const std::string& backend) {
  absl::StatusOr<const Module*> module = modules.Get(backend);
  if (!module.ok()) return module.status();
  const db::TableSource& tables = modules.tables();
  std::map<std::string, v1::Target> targets;
  for (const Target& target : (*module)->targets()) {
    const std::string key = target.name.substr(0, target.name.find('@'));
    v1::Target& entry = targets[key];
    if (!entry.name().empty()) continue;
    entry.set_name(key);
    entry.set_backend(target.backend);
    entry.set_soc(target.soc);
    const auto is_target = [&](const db::Soc& soc) {
      return target.soc == (soc.name.empty() ? absl::StrCat(soc.id) : soc.name);
    };
    // Of what is no silicon (kernels that a process was linked with) the number is the table's own way of counting.
    const bool has_arch = target.arch != 0 && (target.soc.empty() || absl::c_any_of(tables.socs(), is_target));
    if (has_arch) entry.set_arch(absl::StrCat("V", target.arch));
    if (target.kernels != 0 && target.kernels != target.arch) entry.set_kernels(absl::StrCat("V", target.kernels));
    entry.set_integers_only(!target.has_float);
    for (const db::TableInfo& table : tables.tables()) {
      if (table.backend != target.backend) continue;
      // Not every version's table answers for every SoC.
      const absl::StatusOr<Target> versioned = (*module)->resolve({target.backend, target.soc, table.sdk});
      if (versioned.ok() && versioned->unknown_reason.empty()) entry.add_sdk_versions(table.sdk);
    }
    for (const db::Soc& soc : tables.socs()) {
      if (soc.name != target.soc) continue;
      for (const std::string& alias : soc.aliases) entry.add_aliases(alias);
    }
  }
  std::vector<v1::Target> list;
  list.reserve(targets.size());
  for (auto& [name, target] : targets) list.push_back(std::move(target));
  return list;
}

std::optional<std::string> NameInReports(const std::string& text, ModuleRegistry& modules) {
  const absl::StatusOr<TargetName> name = ParseTargetName(text);
  if (!name.ok() || name->soc.empty()) return std::nullopt;
  const absl::StatusOr<const Module*> module = modules.Get(name->backend);
  if (!module.ok()) return std::nullopt;
  const absl::StatusOr<Target> target = (*module)->resolve(*name);
  if (!target.ok()) return std::nullopt;
  const std::string without_sdk = target->name.substr(0, target->name.find('@'));
  return name->sdk.empty() ? without_sdk : absl::StrCat(without_sdk, "@", name->sdk);
}

absl::StatusOr<db::TableInfo> FindTable(const db::TableSource& tables, const std::string& name) {
  const std::string backend = name.substr(0, name.find('@'));
  const std::string sdk = name.size() > backend.size() ? name.substr(backend.size() + 1) : "";
  if (name.size() > backend.size() && sdk.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("table '", name, "' has no SDK version after '@'"));
  }
  if (absl::StrContains(name, '/')) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "' is a target; tables are BACKEND[@SDK], as ", name.substr(0, name.find('/'))));
  }
  std::vector<std::string> names;
  const db::TableInfo* found = nullptr;
  for (const db::TableInfo& table : tables.tables()) {
    names.push_back(absl::StrCat(table.backend, "@", table.sdk));
    const bool fits = sdk.empty() || table.sdk == sdk || absl::StartsWith(table.sdk, sdk + ".");
    if (table.backend == backend && fits && (found == nullptr || db::SdkVersionLess(found->sdk, table.sdk))) {
      found = &table;
    }
  }
  if (found != nullptr) return *found;
  return absl::NotFoundError(absl::StrCat("there is no table '", name, "'", DidYouMean(name, names)));
}

v1::Rule CatalogRule(ModuleRegistry& modules, const RuleInfo& info) {
  v1::Rule rule;
  rule.set_name(absl::StrCat("rules/", info.code));
  rule.set_code(info.code);
  rule.set_title(info.name);
  rule.set_severity(info.severity);
  rule.set_effect(info.effect);
  for (int stage = v1::STAGE_ANNOTATED; stage <= v1::STAGE_CONVERTED; ++stage) {
    if (info.stages & (1u << stage)) rule.add_stages(static_cast<v1::Stage>(stage));
  }
  // Rules about tables belong to every backend with tables.
  int owners = 0;
  for (const std::string& name : modules.names()) {
    absl::StatusOr<const Module*> module = modules.Get(name);
    if (!module.ok()) continue;
    const std::vector<const RuleInfo*>& rules = (*module)->rules;
    if (std::find(rules.begin(), rules.end(), &info) == rules.end()) continue;
    rule.set_backend(name);
    ++owners;
  }
  if (owners > 1) rule.clear_backend();
  rule.set_explanation(ExplainRule(info));
  return rule;
}

}  // namespace quantgate
