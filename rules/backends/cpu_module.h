// Modules of CPU kernels that a framework takes up where they fit: no SoCs, a table, and a few rules of their own.
#ifndef QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table_source.h"
#include "rules/backends/table_judge.h"
#include "rules/engine/module.h"

namespace quantgate {

// What stands where other backends have a SoC: "avx512_vnni". `arch` is what the table's arch ranges count.
struct CpuVariant {
  absl::string_view name;
  int arch = 0;
};

struct CpuBackend {
  absl::string_view name;
  absl::string_view definitions;          // the family of its operators' definitions
  absl::Span<const CpuVariant> variants;  // empty: the target has no second part
  TableBackend table;
  std::vector<const RuleInfo*> rules;             // that are not those of tables
  absl::string_view variant = "instruction set";  // what a variant is called
};

// FAILED_PRECONDITION when the database has no table of it.
absl::StatusOr<std::unique_ptr<Module>> LoadCpuModule(const CpuBackend& backend, const db::TableSource& tables);

// A node that is quantized all around and computed in float, FALLBACK.
extern const RuleInfo kRunsInFloat;  // CV205
void NoteRunsInFloat(const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_
