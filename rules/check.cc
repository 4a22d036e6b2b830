#include "rules/check.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/corrections/report.h"
#include "rules/engine/context.h"
#include "rules/engine/field.h"
#include "rules/engine/finding_budget.h"
#include "rules/engine/finding_writer.h"
#include "rules/engine/outcome.h"
#include "rules/engine/render.h"
#include "rules/engine/verdict.h"
#include "rules/soundness/rules.h"
#include "rules/version.h"

namespace quantgate {
namespace {

// One graph of the model: the main one, or the body of a control-flow node. What rules find out about it on the way
// (CheckContext::Once) serves every target.
struct Scope {
  Scope(Graph built, std::string where, const BodyPlace& used, const v1::Graph& model)
      : graph(std::move(built)),
        resolved(ResolvedGraph::Resolve(graph)),
        path(std::move(where)),
        place(used),
        context(graph, resolved, &model, &place) {}
  Scope(const Scope&) = delete;  // the context refers to it
  Graph graph;
  ResolvedGraph resolved;
  std::string path;
  BodyPlace place;
  CheckContext context;
};
using Scopes = std::vector<std::unique_ptr<Scope>>;

absl::Status Limit(absl::string_view name, int limit) {
  return absl::ResourceExhaustedError(absl::StrCat("the graph exceeds ", name, "=", limit));
}

absl::Status Prefixed(const absl::Status& status, const std::string& path) {
  if (path.empty()) return status;
  return absl::Status(status.code(), absl::StrCat("subgraph ", path, ": ", status.message()));
}

// Bodies may stand for values of the graph around them; ids must exist there.
absl::Status CheckCaptures(const v1::Graph& body, int64_t outer_values, const std::string& path) {
  for (int i = 0; i < body.values_size(); ++i) {
    const int64_t captured = body.values(i).captured();
    if (captured <= outer_values) continue;
    return Prefixed(absl::InvalidArgumentError(
                        absl::StrCat("graph.values[", i, "].captured: id ", captured,
                                     path.empty() ? ", but no graph is around this one"
                                                  : absl::StrCat(" is outside of the enclosing graph's values (1 to ",
                                                                 outer_values, ", 0 for none)"))),
                    path);
  }
  return absl::OkStatus();
}

// Main graph first, then bodies depth first in the order of Graph.subgraphs.
absl::Status AddScopes(const v1::Graph& message, const std::string& path, const BodyPlace& place, int depth,
                       int64_t outer_values, const CheckLimits& limits, Scopes& scopes) {
  if (depth > limits.max_subgraph_depth) return Limit("max_subgraph_depth", limits.max_subgraph_depth);
  if (static_cast<int>(scopes.size()) > limits.max_subgraphs) return Limit("max_subgraphs", limits.max_subgraphs);
  absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok() || graph->max_captured() > outer_values) {
    if (absl::Status status = CheckCaptures(message, outer_values, path); !status.ok()) return status;
    return Prefixed(graph.status(), path);
  }
  const v1::Graph& model = scopes.empty() ? message : scopes.front()->graph.message();
  scopes.push_back(std::make_unique<Scope>(*std::move(graph), path, place, model));
  // Name each body after the node and attribute that refer to it.
  std::vector<std::string> names(message.subgraphs_size());
  const Graph& built = scopes.back()->graph;
  std::vector<BodyPlace> places(message.subgraphs_size(), BodyPlace{&scopes.back()->context, -1, ""});
  for (int32_t node = 0; node < built.num_nodes() && !names.empty(); ++node) {
    for (const v1::Attribute& attribute : built.node(node).attributes()) {
      if (attribute.value_case() != v1::Attribute::kGraph) continue;
      const absl::string_view attribute_name = built.symbol(attribute.name());
      std::string& name = names[attribute.graph() - 1];
      places[attribute.graph() - 1].node = name.empty() ? node : -1;
      places[attribute.graph() - 1].attribute = attribute_name;
      name = absl::StrCat(NodeName(built, node), "/", attribute_name);
    }
  }
  const int64_t values = message.values_size();
  for (int i = 0; i < message.subgraphs_size(); ++i) {
    const std::string name = names[i].empty() ? absl::StrCat("subgraph", i) : names[i];
    const std::string below = path.empty() ? name : absl::StrCat(path, "/", name);
    absl::Status status = AddScopes(message.subgraphs(i), below, places[i], depth + 1, values, limits, scopes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A target as asked for, and what was found for it.
struct Asked {
  std::string text;
  Target target;
  const Module* module = nullptr;  // null: could not be loaded, or the target cannot be judged
};

// Each once, where it is first asked for: names of one target, in whatever case, by an alias, with and without the SDK,
// resolve to one name. A SoC and its arch alone are two: what holds of one SoC need not hold of another.
absl::StatusOr<std::vector<Asked>> ResolveTargets(const CheckOptions& options, v1::Graph::Origin origin,
                                                  ModuleRegistry& modules) {
  if (static_cast<int>(options.targets.size()) > options.limits.max_targets) {
    return absl::ResourceExhaustedError(absl::StrCat("the request names ", options.targets.size(),
                                                     " targets; max_targets=", options.limits.max_targets));
  }
  std::vector<Asked> asked;
  if (absl::StatusOr<Toolchain> known = ResolveToolchain(options.toolchain, "", origin); !known.ok()) {
    return AtField(known.status(), "options.toolchain");  // also when no target asks for it
  }
  for (size_t i = 0; i < options.targets.size(); ++i) {
    const std::string& text = options.targets[i];
    const std::string field = absl::StrCat("options.targets[", i, "]");
    absl::StatusOr<TargetName> name = ParseTargetName(text);
    if (!name.ok()) return AtField(name.status(), field);
    Asked entry;
    entry.text = text;
    absl::StatusOr<Toolchain> toolchain = ResolveToolchain(options.toolchain, name->backend, origin);
    if (!toolchain.ok()) return AtField(toolchain.status(), "options.toolchain");
    absl::StatusOr<const Module*> module = modules.Get(name->backend);
    if (!module.ok()) {
      if (absl::IsNotFound(module.status())) return AtField(module.status(), field);
      entry.target.name = text;
      entry.target.backend = name->backend;
      entry.target.unknown_reason = std::string(module.status().message());
    } else {
      absl::StatusOr<Target> target = (*module)->resolve(*name);
      if (!target.ok()) return AtField(target.status(), field);
      entry.target = *std::move(target);
      if (entry.target.unknown_reason.empty()) entry.module = *module;
    }
    entry.target.toolchain = *toolchain;
    const auto is_same = [&](const Asked& other) { return other.target.name == entry.target.name; };
    if (absl::c_none_of(asked, is_same)) asked.push_back(std::move(entry));
  }
  return asked;
}

std::string StageReason(const RuleInfo& rule, v1::Stage stage) {
  std::string needed;
  for (int candidate = v1::STAGE_ANNOTATED; candidate <= v1::STAGE_CONVERTED; ++candidate) {
    if ((rule.stages & (1u << candidate)) == 0) continue;
    absl::StrAppend(&needed, needed.empty() ? "" : " or ", v1::Stage_Name(candidate).substr(6));
  }
  return absl::StrCat("needs a graph that is ", needed, "; this one is ", v1::Stage_Name(stage).substr(6));
}

bool Cancelled(const CheckOptions& options) { return options.cancelled && options.cancelled(); }

// Stops between two rules when the check is cancelled.
absl::Status RunSoundness(const Scope& scope, bool main, const CheckOptions& options, FindingSink& sink) {
  const v1::Stage stage = scope.context.model().stage();
  for (const Rule& rule : SoundnessRules()) {
    if (Cancelled(options)) return absl::CancelledError("the check was cancelled");
    if (stage == v1::STAGE_UNSPECIFIED || (rule.info->stages & (1u << stage)) != 0) {
      rule.check(scope.context, sink);
    } else if (main && !scope.graph.message().specs().empty()) {
      // Without any spec there is nothing whose parameters could be missing.
      sink.NotChecked(rule.info, -1, StageReason(*rule.info, stage));
    }
  }
  return absl::OkStatus();
}

// Results share the bytes of the report evenly.
int64_t BytesOfResult(const CheckOptions& options) {
  return options.limits.max_report_bytes / std::max<int64_t>(1, options.targets.size());
}

FindingWriter Writer(const CheckOptions& options) {
  return FindingWriter(options.limits.max_findings, BytesOfResult(options));
}

FindingBudget Budget(const CheckOptions& options) {
  return FindingBudget(options.limits.max_findings, options.limits.max_report_bytes);
}

// Nodes and values of one graph that were looked at. Quantize and Dequantize nodes count with the operator they
// describe.
void CountCoverage(const Scope& scope, const std::vector<bool>& op_checked, v1::Coverage& coverage) {
  const Graph& graph = scope.graph;
  const auto checked = [&](int32_t node) {
    const int32_t op = scope.resolved.op_of_node(node);
    return op >= 0 ? op_checked[op] : graph.binding(node) != nullptr;
  };
  int checked_nodes = 0;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) checked_nodes += checked(node) ? 1 : 0;
  int checked_values = 0;
  if (checked_nodes == graph.num_nodes()) {
    for (int32_t value = 0; value < graph.num_values(); ++value) {
      checked_values += graph.producer(value) >= 0 || !graph.uses(value).empty() ? 1 : 0;
    }
  } else {
    std::vector<bool> seen(graph.num_values(), false);
    for (int32_t node = 0; node < graph.num_nodes(); ++node) {
      if (!checked(node)) continue;
      for (int i = 0; i < graph.num_inputs(node); ++i) {
        if (graph.input(node, i) >= 0) seen[graph.input(node, i)] = true;
      }
      for (int i = 0; i < graph.num_outputs(node); ++i) {
        if (graph.output(node, i) >= 0) seen[graph.output(node, i)] = true;
      }
    }
    checked_values = static_cast<int>(std::count(seen.begin(), seen.end(), true));
  }
  coverage.set_nodes(coverage.nodes() + graph.num_nodes());
  coverage.set_checked_nodes(coverage.checked_nodes() + checked_nodes);
  coverage.set_values(coverage.values() + graph.num_values());
  coverage.set_checked_values(coverage.checked_values() + checked_values);
}

std::vector<bool> KnownOps(const ResolvedGraph& resolved) {
  std::vector<bool> known;
  known.reserve(resolved.ops().size());
  for (const ResolvedOp& op : resolved.ops()) known.push_back(op.op != nullptr);
  return known;
}

// Rules that the module judges itself, by what is known of the target, take the place of the general ones.
bool Replaced(const Module* module, absl::string_view code) {
  return module != nullptr &&
         absl::c_any_of(module->replaces, [&](const RuleInfo* rule) { return rule->code == code; });
}

FindingDraft Refused(FindingDraft draft) {
  draft.severity = v1::Finding::ERROR;
  draft.effect = v1::Finding::REFUSED;
  return draft;
}

// Findings that hold on any target.
struct Soundness {
  FindingBudget budget;
  std::vector<FindingSink> sinks;  // by scope
};

// By the name of a table.
using Documents = absl::flat_hash_map<std::string, const std::string*>;

Documents DocumentsOf(const db::TableSource& tables) {
  Documents documents;
  for (const db::TableInfo& table : tables.tables()) {
    documents.emplace(absl::StrCat(table.backend, "@", table.sdk), &table.document);
  }
  return documents;
}

// Says what the table that a finding goes by is of, where it goes by nothing else.
void NameDocuments(const Documents& documents, std::vector<FindingDraft>& drafts) {
  for (FindingDraft& draft : drafts) {
    if (!draft.source.document.empty()) continue;
    const auto named = documents.find(draft.source.table);
    if (named != documents.end()) draft.source.document = *named->second;
  }
}

// Both return whether the result lists everything.
bool CheckWithoutTarget(const Scopes& scopes, Soundness& sound, const CheckOptions& options, v1::Report::Mode mode,
                        v1::Result& result) {
  result.set_target("any");
  FindingWriter writer = Writer(options);
  for (size_t i = 0; i < scopes.size(); ++i) {
    writer.Add(scopes[i]->graph, scopes[i]->path, sound.sinks[i].findings());
    writer.AddNotChecked(scopes[i]->graph, sound.sinks[i].not_checked());
    CountCoverage(*scopes[i], KnownOps(scopes[i]->resolved), *result.mutable_coverage());
  }
  for (const auto& [code, dropped] : sound.budget.left_out()) writer.Count(code, dropped);
  const bool complete = writer.Write(result);
  SetVerdict(mode, /*unjudged=*/0, result);
  return complete;
}

absl::StatusOr<bool> CheckTarget(const Asked& asked, const Scopes& scopes, Soundness& sound,
                                 const db::TableSource& tables, const CheckOptions& options, v1::Report::Mode mode,
                                 v1::Result& result) {
  result.set_target(asked.target.name);
  const Documents documents = DocumentsOf(tables);
  result.set_unjudged_reason(asked.target.unknown_reason);
  if (scopes.front()->graph.message().encodings_file().alone()) {
    result.set_unjudged_reason("encodings without their model: there is no operator to judge");
  } else if (scopes.front()->graph.num_nodes() == 0) {
    result.set_unjudged_reason("the graph has no operator to judge");
  }
  for (const std::string& table : asked.target.tables) result.add_tables(table);
  const absl::string_view toolchain = ToolchainName(asked.target.toolchain);
  result.mutable_outcome()->set_toolchain(toolchain.data(), toolchain.size());
  FindingWriter writer = Writer(options);
  FindingBudget budget = Budget(options);
  std::vector<FindingSink> sinks(scopes.size(), FindingSink(&budget));
  const absl::string_view sdk = absl::StartsWith(asked.target.backend, "qnn_") ? asked.target.sdk : absl::string_view();
  if (std::string reason = OtherVersion(options.toolchain, asked.target.toolchain, sdk); !reason.empty()) {
    sinks.front().NotChecked(nullptr, -1, std::move(reason));
  }
  if (scopes.front()->graph.message().has_encodings_file() && !ReadsEncodings(asked.target.toolchain)) {
    sinks.front().NotChecked(
        nullptr, -1,
        absl::StrCat("the encodings file has no effect: ", toolchain,
                     " reads none, and runs the model as it is; faults of the file's own count all the same"));
  }
  int64_t unjudged = 0;
  for (size_t i = 0; i < scopes.size(); ++i) {
    if (Cancelled(options)) return absl::CancelledError("the check was cancelled");
    const Scope& scope = *scopes[i];
    FindingSink& sink = sinks[i];
    ModuleResult judged;
    judged.ops.resize(scope.resolved.ops().size());
    if (asked.module != nullptr) {
      asked.module->check(scope.context, asked.target, sink, judged);
    }
    for (const FindingDraft& draft : sound.sinks[i].findings()) {
      if (Replaced(asked.module, draft.rule->code)) continue;
      const bool refused = draft.refused_when_read && ReadsEncodings(asked.target.toolchain);
      sink.Add(refused ? Refused(draft) : draft);
      if (refused) result.mutable_outcome()->set_kind(v1::Outcome::FAILS);  // the file, not a node of it
    }
    NameDocuments(documents, sink.findings());
    ApplyToolchain(asked.target, scope.graph, scope.resolved, judged, sink.findings(), *result.mutable_outcome());
    writer.Add(scope.graph, scope.path, sink.findings());
    writer.AddNotChecked(scope.graph, sound.sinks[i].not_checked());
    writer.AddNotChecked(scope.graph, sink.not_checked());
    std::vector<bool> checked;
    checked.reserve(judged.ops.size());
    for (const ModuleResult::OpOutcome& op : judged.ops) checked.push_back(op.checked);
    unjudged += std::count(checked.begin(), checked.end(), false);
    CountCoverage(scope, checked, *result.mutable_coverage());
  }
  for (const auto& [code, dropped] : budget.left_out()) writer.Count(code, dropped);
  for (const auto& [code, dropped] : sound.budget.left_out()) {
    if (!Replaced(asked.module, code)) writer.Count(code, dropped);
  }
  const bool complete = writer.Write(result);
  SetVerdict(mode, unjudged, result);
  FinishOutcome(/*judged_all=*/result.unjudged_reason().empty(), result);
  return complete;
}

// `complete`, by result: everything that was found is listed.
absl::Status Correct(const Scope& scope, const std::vector<Asked>& asked, const std::vector<bool>& complete,
                     const CheckOptions& options, ModuleRegistry& modules, v1::Report& report) {
  const CheckContext& context = scope.context;
  CheckOptions again = options;
  again.corrections = false;
  ReportTask task{context, nullptr, {}, options.correction_limits, BytesOfResult(options)};
  task.check = [&](const v1::Graph& changed, absl::Span<const std::string> targets, v1::Report& judged) {
    again.targets.assign(targets.begin(), targets.end());
    if (options.targets.empty()) again.targets.clear();
    return Check(changed, again, modules, judged);
  };
  if (asked.empty()) task.targets.emplace_back();  // what holds on any target
  for (size_t i = 0; i < asked.size(); ++i) {
    ReportTask::OneTarget& target = task.targets.emplace_back();
    const Asked& entry = asked[i];
    target.name = entry.text;
    if (entry.module == nullptr) continue;
    target.others = [&entry] { return OtherTargets(*entry.module, entry.target); };
    if (!entry.module->accepted_types) continue;
    target.accepted = [&context, &entry](const ResolvedOp& op) {
      return entry.module->accepted_types(context, entry.target, op);
    };
  }
  for (size_t i = 0; i < task.targets.size(); ++i) {
    ReportTask::OneTarget& target = task.targets[i];
    target.complete = complete[i];
    if (options.predict == nullptr) continue;
    target.predict = [&](const v1::Correction& correction) { return options.predict(target.name, correction); };
  }
  return CorrectReport(task, report);
}

// A request without a graph, and not one that says what it is and has no nodes: rules speak of that.
bool Blank(const v1::Graph& graph) {
  return graph.origin() == v1::Graph::ORIGIN_UNSPECIFIED && graph.stage() == v1::STAGE_UNSPECIFIED &&
         graph.nodes().empty() && graph.values().empty() && graph.subgraphs().empty();
}

}  // namespace

CheckOptions OptionsOf(const v1::ValidateOptions& asked) {
  CheckOptions options;
  options.targets.assign(asked.targets().begin(), asked.targets().end());
  if (asked.mode() != v1::Report::MODE_UNSPECIFIED) options.mode = asked.mode();
  options.toolchain = asked.toolchain();
  options.corrections = !asked.skip_corrections();
  return options;
}

absl::Status Check(const v1::Graph& message, const CheckOptions& asked, ModuleRegistry& modules, v1::Report& report) {
  if (Blank(message)) {
    return AtField(absl::InvalidArgumentError("the graph is empty: it has no origin, no stage and no nodes"), "graph");
  }
  absl::StatusOr<std::vector<Asked>> targets = ResolveTargets(asked, message.origin(), modules);
  if (!targets.ok()) return targets.status();
  CheckOptions options = asked;
  options.targets.clear();
  for (const Asked& target : *targets) options.targets.push_back(target.text);
  Scopes scopes;
  if (absl::Status status = AddScopes(message, "", BodyPlace(), 0, 0, options.limits, scopes); !status.ok())
    return status;
  int64_t nodes = 0;
  for (const auto& scope : scopes) nodes += scope->graph.num_nodes();
  if (nodes * static_cast<int64_t>(options.targets.size()) > options.limits.max_judgements) {
    return absl::ResourceExhaustedError(absl::StrCat(nodes, " nodes for ", options.targets.size(),
                                                     " targets; max_judgements=", options.limits.max_judgements));
  }
  int64_t scales = 0;
  for (const auto& scope : scopes) scales += ScalesRead(scope->resolved);
  scales *= std::max<int64_t>(1, options.targets.size());
  if (scales > options.limits.max_scales_read) {
    return absl::ResourceExhaustedError(
        absl::StrCat("tensors have ", scales, " scales, those of a spec counted ",
                     "wherever it is, times targets; max_scales_read=", options.limits.max_scales_read));
  }

  report.set_tables_digest(modules.tables().digest());
  report.set_stage(message.stage());
  const v1::Report::Mode mode = options.mode == v1::Report::MODE_UNSPECIFIED ? v1::Report::STRICT : options.mode;
  report.set_mode(mode);
  report.set_tool_version(kVersion);

  // Target-independent findings are made once and rendered into every result.
  Soundness sound{Budget(options), {}};
  sound.sinks.assign(scopes.size(), FindingSink(&sound.budget));
  for (size_t i = 0; i < scopes.size(); ++i) {
    if (absl::Status status = RunSoundness(*scopes[i], i == 0, options, sound.sinks[i]); !status.ok()) {
      return status;
    }
  }
  std::vector<bool> complete;
  if (options.targets.empty()) {
    complete.push_back(CheckWithoutTarget(scopes, sound, options, mode, *report.add_results()));
  }
  for (const Asked& target : *targets) {
    absl::StatusOr<bool> all =
        CheckTarget(target, scopes, sound, modules.tables(), options, mode, *report.add_results());
    if (!all.ok()) return all.status();
    complete.push_back(*all);
  }
  if (!options.corrections) return absl::OkStatus();
  return Correct(*scopes.front(), *targets, complete, options, modules, report);
}

}  // namespace quantgate
