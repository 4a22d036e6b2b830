// Targets whose second part is one of a few names: an instruction set, an execution provider, an accelerator.
#ifndef QUANTGATE_RULES_BACKENDS_VARIANT_TARGET_H_
#define QUANTGATE_RULES_BACKENDS_VARIANT_TARGET_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table_source.h"
#include "rules/engine/module.h"

namespace quantgate {

// What stands where other backends have a SoC: "avx512_vnni". `arch` is what the table's arch ranges count.
struct Variant {
  absl::string_view name;
  int arch = 0;
};

struct Variants {
  absl::string_view called;         // what one of them is: "instruction set"
  absl::Span<const Variant> known;  // empty: the target has no second part
};

// The target with its tables, which are those of `backend`. INVALID_ARGUMENT when the name has no second part and needs
// one, NOT_FOUND when nothing is called so; both say what is.
absl::StatusOr<Target> ResolveVariant(absl::string_view backend, const Variants& variants,
                                      const db::TableSource& tables, const TargetName& name);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_VARIANT_TARGET_H_
