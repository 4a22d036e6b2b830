#include "rules/backends/variant_target.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/backends/table_target.h"
#include "rules/engine/nearest.h"

namespace quantgate {

absl::StatusOr<Target> ResolveVariant(absl::string_view backend, const Variants& variants,
                                      const db::TableSource& tables, const TargetName& name) {
  std::vector<std::string> known;
  const Variant* found = nullptr;
  for (const Variant& variant : variants.known) {
    known.emplace_back(variant.name);
    if (absl::EqualsIgnoreCase(variant.name, name.soc)) found = &variant;
  }
  if (known.empty() && !name.soc.empty()) {
    return absl::NotFoundError(
        absl::StrCat(backend, ": the target has no second part; write ", backend, ", not ", backend, "/", name.soc));
  }
  if (!known.empty() && name.soc.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target '", backend, "' names no ", variants.called,
                                                   "; write for example ", backend, "/", known.front()));
  }
  if (!known.empty() && found == nullptr) {
    return absl::NotFoundError(absl::StrCat(backend, ": no ", variants.called, " is named '", name.soc, "'",
                                            DidYouMean(name.soc, known), "; known: ", absl::StrJoin(known, ", ")));
  }
  Target target;
  target.backend = std::string(backend);
  if (found != nullptr) {
    target.soc = std::string(found->name);
    target.arch = found->arch;
  }
  SetTables(tables, target.soc, name.sdk, target);
  return target;
}

}  // namespace quantgate
