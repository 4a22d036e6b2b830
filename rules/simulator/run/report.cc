#include "rules/simulator/run/report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/engine/field.h"
#include "rules/engine/simulation_rules.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/simulator/run/choose.h"
#include "rules/simulator/run/judge.h"
#include "rules/simulator/run/worst_output.h"
#include "rules/version.h"

namespace quantgate::simulator {
namespace {

// `resolved` becomes the target's full name.
absl::Status ResolveTarget(const std::string& text, ModuleRegistry* modules, TargetName& name, std::string& resolved) {
  absl::StatusOr<TargetName> parsed = ParseTargetName(text);
  if (!parsed.ok()) return parsed.status();
  if (modules == nullptr) return absl::InternalError("a target is named, and there are no backends");
  const absl::StatusOr<const Module*> module = modules->Get(parsed->backend);
  if (!module.ok()) return module.status();
  const absl::StatusOr<Target> target = (*module)->resolve(*parsed);
  if (!target.ok()) return target.status();
  resolved = target->name;
  name = *std::move(parsed);
  return absl::OkStatus();
}

}  // namespace

absl::Status SimulateReport(const v1::Graph& message, const Request& request, ModuleRegistry* modules,
                            SimulateOptions options, v1::Report& report) {
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok()) return graph.status();
  if (!request.target.empty() && !request.profile.empty()) {
    return AtField(absl::InvalidArgumentError(absl::StrCat("a target, ", request.target, ", and a profile, ",
                                                           request.profile, ": a target has its own")),
                   "options.profile");
  }
  TargetName name;
  std::string target = "any";
  if (!request.target.empty()) {
    const absl::Status status = ResolveTarget(request.target, modules, name, target);
    if (!status.ok()) return AtField(status, "options.target");
  }
  const absl::StatusOr<ProfileChoice> choice = ChooseProfile(request.profile, name.backend, name.soc, graph->origin());
  if (!choice.ok()) return AtField(choice.status(), "options.profile");
  const ResolvedGraph resolved = ResolvedGraph::Resolve(*graph);
  absl::StatusOr<Inputs> inputs = request.given != nullptr
                                      ? TakeInputs(*graph, *request.given)
                                      : MakeInputs(*graph, resolved, request.seed, options.max_bytes);
  if (!inputs.ok()) return inputs.status();
  options.profile = choice->profile;
  absl::StatusOr<v1::Simulation> simulation = Simulate(*graph, resolved, *std::move(inputs), options);
  if (!simulation.ok()) return simulation.status();
  simulation->set_profile_reason(choice->reason);
  simulation->set_only_integers(!options.statistics);
  if (const v1::SimulatedNode* worst = WorstOutput(message, *simulation); worst != nullptr) {
    simulation->set_worst_output(worst->value());
  }
  *report.mutable_simulation() = *std::move(simulation);
  report.set_stage(message.stage());
  report.set_tool_version(kVersion);
  Judge(*graph, target, report);
  v1::Result& result = *report.mutable_results(report.results_size() - 1);
  if (!options.statistics) {
    for (const RuleInfo* rule : SimulationRules()) {
      v1::NotChecked& entry = *result.add_not_checked();
      entry.set_rule(std::string(rule->code));
      entry.set_reason("the float reference and the statistics were left out");
    }
  } else if (!options.real_space) {
    v1::NotChecked& entry = *result.add_not_checked();
    entry.set_rule(std::string(kKernelDisagreement.code));
    entry.set_reason("real space was left out");
  }
  return absl::OkStatus();
}

void DropWeights(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) {
    if (value.has_constant()) value.mutable_constant()->clear_data();
  }
  for (v1::Graph& body : *graph.mutable_subgraphs()) DropWeights(body);
}

}  // namespace quantgate::simulator
