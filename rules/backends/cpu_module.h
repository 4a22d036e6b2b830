// Modules of CPU kernels that a framework takes up where they fit: no SoCs, a table, and a few rules of their own.
#ifndef QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_
#define QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/table_source.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/variant_target.h"
#include "rules/engine/module.h"

namespace quantgate {

struct CpuBackend {
  absl::string_view name;
  absl::string_view definitions;  // the family of its operators' definitions
  Variants variants;
  TableBackend table;
  std::vector<const RuleInfo*> rules;  // that are not those of tables
};

// FAILED_PRECONDITION when the database has no table of it.
absl::StatusOr<std::unique_ptr<Module>> LoadCpuModule(const CpuBackend& backend, const db::TableSource& tables);

// Says CV205 of a node that is quantized all around.
void NoteRunsInFloat(const BackendOp& op, const Target& target, FindingSink& sink);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_CPU_MODULE_H_
