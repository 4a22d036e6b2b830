#include "rules/backends/qnn_lpai/module.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/table_module.h"
#include "rules/backends/table_target.h"
#include "rules/engine/nearest.h"

namespace quantgate::qnn_lpai {
namespace {

constexpr char kBackend[] = "qnn_lpai";

// SoCs with an LPAI, and its hardware version. Source: the SoC table of ExecuTorch 1.5.1
// (backends/qualcomm/serialization/qc_schema.py); the vendor publishes none.
struct Soc {
  absl::string_view name;
  int version;
};
constexpr Soc kSocs[] = {{"SAR2230P", 6}, {"SM8850", 6}};

absl::StatusOr<Target> Resolve(const db::TableSource& tables, const TargetName& name) {
  if (name.soc.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target '", kBackend, "' names no SoC; write for example ", kBackend,
                                                   "/SM8850 or ", kBackend, "/V6"));
  }
  Target target;
  target.backend = kBackend;
  std::vector<std::string> known;
  for (const Soc& soc : kSocs) {
    const std::string version = absl::StrCat("V", soc.version);
    known.push_back(std::string(soc.name));
    if (!absl::c_linear_search(known, version)) known.push_back(version);
    if (absl::EqualsIgnoreCase(name.soc, soc.name)) target.soc = std::string(soc.name);
    if (absl::EqualsIgnoreCase(name.soc, soc.name) || absl::EqualsIgnoreCase(name.soc, version)) {
      target.arch = soc.version;
    }
  }
  if (target.arch == 0) {
    for (const db::Soc& soc : tables.socs()) {
      if (!soc.name.empty() && absl::EqualsIgnoreCase(soc.name, name.soc)) {
        return absl::NotFoundError(absl::StrCat(kBackend, ": the SoC ", soc.name,
                                                " is not known to have an LPAI; these do: ", "SAR2230P, SM8850"));
      }
    }
    return absl::NotFoundError(absl::StrCat(kBackend, ": no SoC or version is named '", name.soc, "'",
                                            DidYouMean(name.soc, known), "; known: SAR2230P, SM8850, V6"));
  }
  SetTables(tables, target.soc.empty() ? absl::StrCat("V", target.arch) : target.soc, name.sdk, target);
  return target;
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() { return {&kNoBackendOperator, &kUnclearLowering, &kOlderTable}; }

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  TableModule module = {kBackend, "qnn_master", {qnn::Lower}, OwnRules(), Resolve, {}};
  for (const Soc& soc : kSocs) module.socs.emplace_back(soc.name);
  return LoadTableModule(std::move(module), tables);
}

}  // namespace quantgate::qnn_lpai
