#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/module.h"
#include "rules/engine/nearest.h"

namespace quantgate {
namespace {

// Backends that a target may name and that nothing here judges yet; a module of that name, once registered, comes
// first.
constexpr absl::string_view kWithoutModule[] = {
    "cadence", "coreml",  "cortex_m", "ethos_u", "mediatek_neuropilot", "nxp_neutron", "openvino",
    "qnn_cpu", "qnn_dsp", "qnn_gpu",  "qnn_hta", "samsung_enn",         "vgf",         "vulkan",
};

}  // namespace

struct ModuleRegistry::Entry {
  std::string name;
  ModuleLoader loader;
  std::mutex loading;              // held while the loader runs, so that callers who come at once share one load
  std::unique_ptr<Module> module;  // guarded by loading
  std::atomic<const Module*> loaded{nullptr};
};

ModuleRegistry::ModuleRegistry(const db::TableSource& tables) : tables_(tables) {}
ModuleRegistry::~ModuleRegistry() = default;

void ModuleRegistry::Register(std::string name, ModuleLoader loader) {
  auto entry = std::make_unique<Entry>();
  entry->name = std::move(name);
  entry->loader = std::move(loader);
  entries_.push_back(std::move(entry));
}

absl::StatusOr<const Module*> ModuleRegistry::Get(absl::string_view name) {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->name != name) continue;
    if (const Module* module = entry->loaded.load(std::memory_order_acquire)) return module;
    const std::lock_guard lock(entry->loading);
    if (const Module* module = entry->loaded.load(std::memory_order_relaxed)) return module;
    absl::StatusOr<std::unique_ptr<Module>> module = entry->loader(tables_);
    if (!module.ok()) {
      return absl::Status(module.status().code() == absl::StatusCode::kNotFound
                              ? absl::StatusCode::kFailedPrecondition  // NOT_FOUND means: no such name
                              : module.status().code(),
                          absl::StrCat("module ", name, " failed to load: ", module.status().message()));
    }
    entry->module = *std::move(module);
    entry->loaded.store(entry->module.get(), std::memory_order_release);
    return entry->module.get();
  }
  const std::vector<std::string> known = names();
  if (absl::c_linear_search(kWithoutModule, name)) {
    return absl::FailedPreconditionError(
        absl::StrCat("there is no module for ", name, " (there are ", absl::StrJoin(known, ", "), ")"));
  }
  const bool is_soc =
      absl::c_any_of(tables_.socs(), [&](const db::Soc& soc) { return absl::EqualsIgnoreCase(soc.name, name); });
  if (is_soc) {
    return absl::NotFoundError(absl::StrCat("'", name, "' is a SoC, and a target begins with a backend: one of ",
                                            absl::StrJoin(known, ", "), ", as in qnn_htp/", name));
  }
  return absl::NotFoundError(absl::StrCat("no backend is named '", name, "'", DidYouMean(name, known),
                                          " (known: ", absl::StrJoin(known, ", "), ")"));
}

bool ModuleRegistry::IsLoaded(absl::string_view name) const {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry->name == name) return entry->loaded.load(std::memory_order_acquire) != nullptr;
  }
  return false;
}

std::vector<std::string> ModuleRegistry::names() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Entry>& entry : entries_) names.push_back(entry->name);
  return names;
}

}  // namespace quantgate
