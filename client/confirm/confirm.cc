#include "client/confirm/confirm.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/qnn/emitted.h"
#include "rules/backends/qnn_htp/ops/graph_input_matmul.h"
#include "rules/backends/qnn_htp/rule_list.h"
#include "rules/backends/qnn_htp/targets.h"
#include "rules/engine/module.h"
#include "rules/engine/render.h"
#include "rules/onnx/complete.h"

namespace quantgate {
namespace {

using Json = nlohmann::json;

constexpr char kDefinitions[] = "qnn_master";

struct PlannedOp {
  std::string op;
  absl::StatusOr<Json> config;
};

// Also where the node is delegated, and then there is no context binary.
bool IsRefusedByFinding(const v1::Result& result, absl::string_view node) {
  return absl::c_any_of(result.findings(), [node](const v1::Finding& finding) {
    return finding.effect() == v1::Finding::REFUSED && finding.location().node() == node;
  });
}

// What is asked about alone reads the inputs of the graph that it is put into; in its own it does not.
constexpr char kAnotherAlone[] = "alone it would read inputs of the graph, for which there is no kernel";

bool IsAnotherAlone(const BackendOp& op) {
  if (!qnn_htp::NeedsOperatorInFront(op)) return false;
  return absl::c_any_of(op.inputs, [](const BackendTensor& input) { return !input.is_graph_input; });
}

// Every finding that keeps the node away is about more than it: the library is asked about operators one by one.
bool IsRefusedForOthers(const v1::Result& result, absl::string_view node) {
  bool any = false;
  for (const v1::Finding& finding : result.findings()) {
    const bool keeps_away = finding.effect() == v1::Finding::REFUSED || finding.effect() == v1::Finding::FALLBACK;
    if (!keeps_away || finding.location().node() != node) continue;
    if (qnn_htp::IsAboutOneOperator(finding.code())) return false;
    any = true;
  }
  return any;
}

// Name of a step's outcome in case files.
const char* CaseWord(const VendorStep& step) {
  switch (step.outcome) {
    case VendorStep::kAccepted:
      return "accept";
    case VendorStep::kRefused:
      return "reject";
    case VendorStep::kNotAsked:
      return "not_run";
    default:
      return "crash";
  }
}

v1::VendorAnswer::Answer AnswerOf(const VendorStep& step) {
  switch (step.outcome) {
    case VendorStep::kAccepted:
      return v1::VendorAnswer::ACCEPTED;
    case VendorStep::kRefused:
      return v1::VendorAnswer::REFUSED;
    case VendorStep::kCrashed:
      return v1::VendorAnswer::CRASHED;
    case VendorStep::kTimedOut:
      return v1::VendorAnswer::TIMED_OUT;
    case VendorStep::kNotAsked:
      break;
  }
  return v1::VendorAnswer::NOT_ASKED;
}

// The library's id of the target's SoC; of a bare arch, of the first SoC that has it.
std::optional<int> SocId(const db::TableSource& tables, const Target& target) {
  for (const db::Soc& soc : tables.socs()) {
    if (soc.arch == 0) continue;
    if (target.soc.empty() ? soc.arch == target.arch : soc.name == target.soc || absl::StrCat(soc.id) == target.soc) {
      return soc.id;
    }
  }
  return std::nullopt;
}

// Definitions hardly change from version to version; the newest serve all.
absl::StatusOr<std::vector<db::OpDefinition>> LoadDefinitions(const db::TableSource& tables) {
  std::string newest;
  for (const db::TableInfo& info : tables.tables()) {
    if (info.backend == kDefinitions) newest = info.sdk;
  }
  return tables.LoadDefinitions(kDefinitions, newest);
}

}  // namespace

struct Confirmer::PlannedNode {
  std::vector<PlannedOp> ops;
  std::string reason;  // there are none because
};

// What a graph becomes on the way to any target, by one toolchain.
struct Confirmer::Plan {
  // By name, in order: bodies of control flow may repeat names.
  absl::flat_hash_map<std::string, std::deque<PlannedNode>> nodes;

  // The next node of that name; an empty one when there is none.
  PlannedNode Take(const std::string& name) {
    std::deque<PlannedNode>& named = nodes[name];
    if (named.empty()) return {};
    PlannedNode node = std::move(named.front());
    named.pop_front();
    return node;
  }
};

// The device that a result is about.
struct Confirmer::Asked {
  int soc;
  std::string name;  // of the SoC; empty: a bare arch
  int arch;
  VendorProcess& process;
};

absl::StatusOr<Confirmer> Confirmer::Create(ConfirmOptions options, const db::TableSource& tables) {
  absl::StatusOr<std::vector<db::OpDefinition>> definitions = LoadDefinitions(tables);
  if (!definitions.ok()) return definitions.status();
  return Confirmer(std::move(options), tables, CaseConfigWriter(*definitions));
}

absl::Status Confirmer::Confirm(const v1::Graph& graph, const std::function<void(const std::string&)>& progress,
                                v1::Report& report) {
  v1::Graph completed = graph;
  CompleteShapes(graph, &completed);
  std::map<Toolchain, Plan> plans;
  bool any = false;
  for (v1::Result& result : *report.mutable_results()) {
    if (!absl::StartsWith(result.target(), absl::StrCat(qnn_htp::kBackend, "/"))) continue;
    any = true;
    const absl::StatusOr<Toolchain> toolchain =
        ResolveToolchain(result.outcome().toolchain(), qnn_htp::kBackend, graph.origin());
    if (!toolchain.ok()) return toolchain.status();
    if (plans.find(*toolchain) == plans.end()) {
      absl::StatusOr<Plan> plan = MakePlan(completed, *toolchain);
      if (!plan.ok()) return plan.status();
      plans.emplace(*toolchain, *std::move(plan));
    }
    if (absl::Status confirmed = ConfirmResult(plans[*toolchain], progress, result); !confirmed.ok()) return confirmed;
  }
  if (any) return absl::OkStatus();
  return absl::FailedPreconditionError("the vendor's library knows HTP only: name a target such as qnn_htp/SM8650");
}

absl::StatusOr<Confirmer::Plan> Confirmer::MakePlan(const v1::Graph& graph, Toolchain toolchain) const {
  Plan plan;
  absl::Status status = qnn::ForEachEmitted(graph, toolchain, [&](const qnn::EmittedNode& emitted) {
    PlannedNode node;
    node.reason = std::string(emitted.lowering.reason);
    for (const BackendOp& op : emitted.ops) {
      absl::StatusOr<Json> config = absl::FailedPreconditionError(kAnotherAlone);
      if (op.inputs.empty() && op.outputs.empty()) {
        config = absl::FailedPreconditionError("its tensors are not known");
      } else if (!IsAnotherAlone(op)) {
        config = writer_.Write(op, graph.stage());
      }
      node.ops.push_back({std::string(op.name), std::move(config)});
    }
    plan.nodes[NodeName(emitted.graph, emitted.node)].push_back(std::move(node));
  });
  if (!status.ok()) return status;
  return plan;
}

absl::Status Confirmer::ConfirmResult(Plan plan, const std::function<void(const std::string&)>& progress,
                                      v1::Result& result) {
  absl::StatusOr<TargetName> name = ParseTargetName(result.target());
  if (!name.ok()) return name.status();
  absl::StatusOr<Target> target = qnn_htp::ResolveTarget(*tables_, *name);
  if (!target.ok()) return target.status();
  const std::optional<int> soc = SocId(*tables_, *target);
  if (!soc) return absl::FailedPreconditionError(absl::StrCat(result.target(), ": no SoC id is known"));
  const Asked asked = {*soc, target->soc, target->arch, ProcessFor(*soc)};
  if (absl::Status started = asked.process.Start(); !started.ok()) return started;
  v1::Confirmation& confirmation = *result.mutable_confirmation();
  confirmation.set_sdk(asked.process.sdk());
  if (asked.process.sdk() != target->sdk) {
    notes_.push_back(absl::StrCat("the vendor's library is of version ", asked.process.sdk(), ", the table for ",
                                  result.target(), " of ", target->sdk, ": verdicts may differ for that reason"));
  }
  const int count = result.outcome().nodes_size();
  for (const v1::NodeOutcome& outcome : result.outcome().nodes()) {
    v1::ConfirmedNode& node = *confirmation.add_nodes();
    node.set_node(outcome.node());
    node.set_refused(outcome.refused() || IsRefusedByFinding(result, outcome.node()));
    progress(absl::StrCat("asking the vendor's library about ", outcome.node(), " (", confirmation.nodes_size(), " of ",
                          count, ")"));
    const bool for_others = node.refused() && IsRefusedForOthers(result, outcome.node());
    if (absl::Status status = AskNode(asked, plan.Take(outcome.node()), for_others, node); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Confirmer::AskNode(const Asked& asked, const PlannedNode& planned, bool refused_for_others,
                                v1::ConfirmedNode& node) {
  bool all_asked = !planned.ops.empty();
  std::string cases;
  for (const PlannedOp& op : planned.ops) {
    v1::VendorAnswer& answer = *node.add_answers();
    answer.set_backend_op(op.op);
    if (!op.config.ok()) {
      answer.set_answer(v1::VendorAnswer::NOT_ASKED);
      answer.set_reason(std::string(op.config.status().message()));
      all_asked = false;
      continue;
    }
    const absl::StatusOr<const VendorReply*> asked_once = AskOnce(asked, op.op, *op.config);
    if (!asked_once.ok()) return asked_once.status();
    const VendorReply& reply = **asked_once;
    const VendorStep& deciding = reply.deciding();
    answer.set_answer(AnswerOf(deciding));
    answer.set_step(deciding.step);
    answer.set_code(static_cast<int32_t>(deciding.code));
    answer.set_reason(deciding.reason);
    all_asked = all_asked && reply.asked();
    if (!reply.asked()) continue;
    if (!reply.accepted()) node.set_refused_by_vendor(true);
    absl::StrAppend(&cases, CaseLine(asked, op.op, *op.config, reply));
  }
  if (planned.ops.empty()) {
    v1::VendorAnswer& answer = *node.add_answers();
    answer.set_answer(v1::VendorAnswer::NOT_ASKED);
    answer.set_reason(planned.reason.empty() ? "no operator is emitted here" : planned.reason);
  }
  // A refusal is one even when other operators of the node could not be asked about.
  node.set_differs(node.refused() ? all_asked && !node.refused_by_vendor() : node.refused_by_vendor());
  if (refused_for_others) node.set_differs(false);  // nothing is said of the library
  if (node.differs()) absl::StrAppend(&cases_, cases);
  return absl::OkStatus();
}

absl::StatusOr<const VendorReply*> Confirmer::AskOnce(const Asked& asked, const std::string& op, const Json& config) {
  const std::string key = absl::StrCat(asked.soc, " ", op, " ", config.dump());
  if (const auto known = known_.find(key); known != known_.end()) return &known->second;
  absl::StatusOr<VendorReply> reply = asked.process.Ask(op, config);
  if (!reply.ok()) return reply.status();
  return &known_.emplace(key, *std::move(reply)).first->second;
}

std::string Confirmer::CaseLine(const Asked& asked, const std::string& op, const Json& config,
                                const VendorReply& reply) {
  Json line = {{"id", absl::StrCat("confirm/", op, "/", ++num_cases_)},
               {"op", op},
               {"arch", absl::StrCat("V", asked.arch)},
               {"sdk", asked.process.sdk()},
               {"kind", "confirm"},
               {"config", config},
               {"vendor",
                {{"validate", CaseWord(reply.validate)},
                 {"finalize", CaseWord(reply.prepare)},
                 {"text", reply.deciding().reason}}}};
  if (!asked.name.empty()) line["soc"] = asked.name;
  return absl::StrCat(line.dump(-1, ' ', false, Json::error_handler_t::replace), "\n");
}

VendorProcess& Confirmer::ProcessFor(int soc_id) {
  std::unique_ptr<VendorProcess>& process = processes_[soc_id];
  if (process == nullptr) {
    std::vector<std::string> command = options_.worker;
    command.push_back(options_.library);
    command.push_back(absl::StrCat(soc_id));
    process = std::make_unique<VendorProcess>(std::move(command), options_.timeout);
  }
  return *process;
}

std::vector<std::string> Confirmer::TakeNotes() { return std::exchange(notes_, {}); }

}  // namespace quantgate
