#include "rules/backends/table_module.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/backends/folding.h"
#include "rules/backends/matchers.h"
#include "rules/backends/table_target.h"

namespace quantgate {

absl::StatusOr<std::unique_ptr<Module>> LoadTableModule(TableModule backend, const db::TableSource& tables) {
  if (SdkVersions(tables, backend.name).empty()) {
    return absl::FailedPreconditionError(absl::StrCat("the database has no table of ", backend.name));
  }
  auto matchers = std::make_shared<Matchers>(tables, backend.definitions);
  auto module = std::make_unique<Module>();
  module->name = backend.name;
  module->rules = backend.rules;
  for (const RuleInfo* rule : ConstraintRules()) module->rules.push_back(rule);
  module->resolve = [resolve = backend.resolve, &tables](const TargetName& name) { return resolve(tables, name); };
  module->check = [table = backend.table, matchers](const CheckContext& context, const Target& target,
                                                    FindingSink& sink, ModuleResult& result) {
    const absl::StatusOr<const TableMatcher*> matcher = matchers->Get(target);
    if (!matcher.ok()) {
      sink.NotChecked(nullptr, -1, std::string(matcher.status().message()));
      return;
    }
    const Graph& graph = context.graph();
    const std::vector<bool> folded =
        table.folds ? FoldedValues(graph, table.generators) : std::vector<bool>(graph.num_values(), false);
    JudgeByTable(context, target, **matcher, table, folded, sink, result);
  };
  module->accepted_types = [lower = backend.table.lower, matchers](const CheckContext& context, const Target& target,
                                                                   const ResolvedOp& op) {
    return AcceptedByTable(context, target, *matchers, lower, op);
  };
  module->targets = [backend = std::move(backend), &tables] {
    std::vector<Target> targets;
    for (const std::string& soc : backend.socs) {
      absl::StatusOr<Target> target = backend.resolve(tables, {backend.name, soc, ""});
      if (target.ok()) targets.push_back(*std::move(target));
    }
    return targets;
  };
  return module;
}

}  // namespace quantgate
