#include "rules/backends/ethos_u/module.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/ethos_u/call.h"
#include "rules/backends/ethos_u/dilated.h"
#include "rules/backends/ethos_u/lost.h"
#include "rules/backends/ethos_u/placement.h"
#include "rules/backends/ethos_u/semantics.h"
#include "rules/backends/ethos_u/used.h"
#include "rules/backends/table_module.h"
#include "rules/backends/table_target.h"
#include "rules/backends/tflite_lowering.h"
#include "rules/backends/variant_target.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate::ethos_u {
namespace {

constexpr char kBackend[] = "ethos_u";
// Ethos-U55 and Ethos-U65 have one table, Ethos-U85 its own.
constexpr char kTableOf85[] = "ethos_u85";

// As Vela's option --accelerator-config names them; the number of multipliers makes no difference to what is taken.
constexpr Variant kAccelerators[] = {
    {"ethos-u55-32", 55},  {"ethos-u55-64", 55},   {"ethos-u55-128", 55},  {"ethos-u55-256", 55},
    {"ethos-u65-256", 65}, {"ethos-u65-512", 65},  {"ethos-u85-128", 85},  {"ethos-u85-256", 85},
    {"ethos-u85-512", 85}, {"ethos-u85-1024", 85}, {"ethos-u85-2048", 85},
};

const RuleInfo kLeftToCpu = {
    "CV701",
    "left-to-cpu",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} is not placed on the NPU: {observed}; it takes {allowed}.",
    "A size, a stride, a factor or an option is beyond what the hardware computes, whatever the types are. Vela leaves "
    "the node to the CPU of the microcontroller and cuts the model there.",
    "Change the layer to what the NPU takes, or accept that it runs on the CPU.",
    "Fires: a CONV_2D with strides 4 x 4 and padding on ethos-u55. Does not: with strides 3 x 3, or on ethos-u85.",
};

const RuleInfo kStopsCompiler = {
    "EN701",
    "stops-compiler",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} ends the compilation: {observed}; Vela takes {allowed}.",
    "Vela checks every operator before it looks for those that the NPU takes, and reads no file of which one breaks a "
    "rule. Others it places, and ends, or its process does, when it writes them. Nothing is compiled then, and no part "
    "of the model reaches the NPU.",
    "Write the operator as Vela reads it, or take it out of the model that it compiles.",
    "Fires: an int8 ADD whose output is uint8. Does not: one whose output is int16.",
};

const RuleInfo kLostOutput = {
    "EN702",
    "lost-output",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is not computed: {observed}; Vela keeps {allowed}.",
    "Vela makes one of several operators (a dilated convolution of SPACE_TO_BATCH_ND, a convolution and "
    "BATCH_TO_SPACE_ND; a padded one of PAD and a convolution; one TRANSPOSE of two), and asks who reads the values "
    "between them. It does not ask whether they are outputs of the model: the compiled model has such an output still, "
    "and no operator writes it.",
    "Let a second operator read the value as well and give its result as an output, or take the value out of the "
    "model's outputs.",
    "Fires: a model of two TRANSPOSE whose outputs are those of both. Does not: with ABS behind the first as well, "
    "whose result is an output, too.",
};

absl::StatusOr<Target> Resolve(const db::TableSource& tables, const TargetName& name) {
  absl::StatusOr<Target> target = ResolveVariant(kBackend, {"accelerator", kAccelerators}, tables, name);
  if (!target.ok()) return target;
  const bool of_85 = target->arch == 85;
  target->tables.erase(std::remove_if(target->tables.begin(), target->tables.end(),
                                      [&](const std::string& table) {
                                        return absl::StartsWith(table, absl::StrCat(kTableOf85, "@")) != of_85;
                                      }),
                       target->tables.end());
  return target;
}

Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission) {
  const Graph& graph = context.graph();
  if (graph.origin() == v1::Graph::TFLITE) {
    if (!context.Once(UsedNodes)[op.node] || IsMergedIntoConvolution(context, op.node)) return Folded();
  }
  return LowerTflite(context, op, emission);
}

FindingDraft Draft(const RuleInfo& rule, const BackendOp& op, Complaint complaint, const Target& target) {
  FindingDraft draft{.rule = &rule};
  draft.place.node = op.node;
  if (complaint.input >= 0) {
    draft.place = PlaceOf(op, {PortRef::kInput, static_cast<int16_t>(std::min(complaint.input, 32767))});
  }
  draft.observed = std::move(complaint.observed);
  draft.allowed = std::move(complaint.allowed);
  draft.source = FromTable(target, v1::Source::MEASURED, op.name);
  return draft;
}

// Whatever rule of the table is broken: the operator is not placed, if it does not say that it is.
bool IsLeft(const MatchResult& match) {
  return absl::c_any_of(match.violations,
                        [](const Violation& violation) { return violation.effect == db::ItemEffect::kRefused; });
}

Fate FateOf(const BackendOp&, const Violation& violation) {
  return violation.effect == db::ItemEffect::kUnprepared ? Fate::kEndsExport : Fate::kRefused;
}

Fate Judge(const CheckContext& context, const BackendOp& op, const MatchResult& match, const Target& target,
           FindingSink& sink) {
  const Call call(context, op, target.arch);
  if (std::optional<Complaint> complaint = Stops(call); complaint) {
    sink.Add(Draft(kStopsCompiler, op, *std::move(complaint), target));
    return Fate::kEndsExport;
  }
  std::optional<Complaint> complaint = match.known_op ? NotPlaced(call) : std::nullopt;
  if (!complaint) return Fate::kByRule;
  switch (complaint->kind) {
    case Complaint::kPerhaps:
      sink.NotChecked(&kLeftToCpu, op.node, absl::StrCat(complaint->observed, "; the NPU takes ", complaint->allowed));
      return Fate::kByRule;
    case Complaint::kStops:
      // What the types leave to the CPU is not compiled.
      if (IsLeft(match)) return Fate::kByRule;
      sink.Add(Draft(kStopsCompiler, op, *std::move(complaint), target));
      return Fate::kEndsExport;
    case Complaint::kKnown:
      break;
  }
  sink.Add(Draft(kLeftToCpu, op, *std::move(complaint), target));
  return Fate::kRefused;
}

std::vector<bool> NodesOnCpu(const CheckContext& context, const ModuleResult& result) {
  std::vector<bool> on_cpu(context.graph().num_nodes(), false);
  for (size_t i = 0; i < result.ops.size(); ++i) on_cpu[context.resolved().ops()[i].node] = result.ops[i].refused;
  return on_cpu;
}

void AddLostOutputs(const CheckContext& context, const Target& target, const ModuleResult& result, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::TFLITE) return;
  for (const LostOutput& lost : LostOutputs(context, NodesOnCpu(context, result))) {
    FindingDraft draft{.rule = &kLostOutput};
    draft.place.value = lost.value;
    draft.observed = absl::StrCat("an output of the model ", lost.where);
    draft.allowed = "outputs that a second operator reads as well";
    draft.source = FromTable(target, v1::Source::MEASURED, graph.op_type(graph.producer(lost.value)));
    sink.Add(std::move(draft));
  }
}

// The NPU rescales wherever two parameters meet. What is left to the CPU is computed by LiteRT's kernels, which do not.
void JudgeRest(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) {
  AddLostOutputs(context, target, result, sink);
  for (size_t i = 0; i < result.ops.size(); ++i) {
    if (!result.ops[i].refused) continue;
    CheckSameQParams(context, context.resolved().ops()[i], sink);
    CheckFixedOutput(context, context.resolved().ops()[i], sink);
  }
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  return {&kUnclearLowering, &kOlderTable, &kLeftToCpu, &kStopsCompiler, &kLostOutput};
}

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  TableModule module = {kBackend, "ethos_u_master", {Lower}, OwnRules(), Resolve, {}};
  module.table.judge = Judge;
  module.table.fate = FateOf;
  module.table.folds = false;
  module.table.finish = JudgeRest;
  for (const Variant& accelerator : kAccelerators) module.socs.emplace_back(accelerator.name);
  absl::StatusOr<std::unique_ptr<Module>> loaded = LoadTableModule(std::move(module), tables);
  if (loaded.ok()) (*loaded)->replaces = {FixedOutput().info, SameQParams().info};
  return loaded;
}

}  // namespace quantgate::ethos_u
