#include "rules/backends/litert/module.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/litert/handed_on.h"
#include "rules/backends/litert/scatter.h"
#include "rules/backends/litert/several_scales.h"
#include "rules/backends/litert/sparse.h"
#include "rules/backends/litert/versions.h"
#include "rules/backends/matchers.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/table_target.h"
#include "rules/backends/tflite_lowering.h"
#include "rules/constraints/rules.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"

namespace quantgate::litert {
namespace {

// What archs of the tables count: the kernels that each target's resolver registers differ a little.
constexpr Variant kVariants[] = {{"reference", 1}, {"xnnpack", 2}};

// In front of operators as the delegate takes them.
constexpr absl::string_view kDelegate = "XNN_";

const RuleInfo kNoKernel = {
    "CV601",
    "no-litert-kernel",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has no kernel: {observed}; LiteRT has {allowed}.",
    "The interpreter resolves every operator when it is made: one that it has no kernel for, and that no delegate "
    "takes, keeps the whole model from running.",
    "Replace the operator, or register a kernel or a delegate for it in the application.",
    "Fires: a custom operator AcmeMagic, or ELU with reference kernels. Does not: ELU with XNNPACK in front.",
};

const RuleInfo kNotDelegated = {
    "CV602",
    "not-delegated",
    v1::Finding::FALLBACK,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject} is not taken by the XNNPACK delegate: {observed}; it takes {allowed}.",
    "The node stays with a built-in kernel: the numbers may round otherwise, the graph is split there, and the kernel "
    "is slower.",
    "Use what the delegate takes, or accept the built-in kernel.",
    "Fires: an int16 ADD on litert/xnnpack. Does not: an int8 ADD.",
};

const RuleInfo kOperatorVersion = {
    "EN601",
    "operator-version",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is of {observed}; LiteRT has {allowed}.",
    "The interpreter looks its kernels up by operator and version when it is made. A converter that is newer than the "
    "runtime writes versions that it does not have, and the model does not load, whichever delegate would take the "
    "node.",
    "Convert with an older converter, or ship a newer runtime.",
    "Fires: a CONV_2D of version 99. Does not: one of version 3.",
};

const RuleInfo kRewrittenWeight = {
    "GS601",
    "weight-read-as-data",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; expected {allowed}.",
    "When the XNNPACK delegate makes an int8 FULLY_CONNECTED, or a CONV_2D of float input and int8 weights, it repeats "
    "the one scale of the weight for every output channel, in the tensor itself. A delegated node that comes later and "
    "reads the tensor as data finds scales that it does not take, and the interpreter cannot be made.",
    "Give the node a copy of the constant, or the weight a scale for each channel and the copy one for all.",
    "Fires: an int8 ADD of a constant that is the weight of a FULLY_CONNECTED in front of it. Does not: the ADD in "
    "front of the FULLY_CONNECTED, or two FULLY_CONNECTED of one weight.",
};

// Statements of the delegate's table that have a source of their own are not about what it takes: it takes the node,
// and then fails to make its subgraph of it, which ends the interpreter.
bool EndsDelegate(const Violation& violation) {
  return violation.effect == db::ItemEffect::kRefused && !violation.document.empty();
}

class Judge {
 public:
  Judge(const CheckContext& context, const Target& target, const TableMatcher& matcher, FindingSink& sink)
      : context_(context), target_(target), matcher_(matcher), sink_(sink) {}

  void JudgeNode(const ResolvedOp& op, ModuleResult::OpOutcome& outcome) {
    if (!HasVersion(op.node)) {
      outcome.checked = outcome.refused = outcome.ends_export = true;
      return;
    }
    emission_.Clear();
    const Lowering lowering = LowerTflite(context_, op, emission_);
    if (lowering.status == Lowering::kUnknown) {
      sink_.NotChecked(&kUnclearLowering, op.node, std::string(lowering.reason));
      return;
    }
    const BackendOp& stated = emission_.Finish()[0];
    const absl::optional<ScalesAsOne> scales = FindScalesAsOne(context_, op);
    if (scales.has_value()) {
      // The delegate takes one scale, and leaves the node.
      if (!IsReference()) NoteFallback(stated, scales->observed, "one scale", {}, outcome);
      NoteScales(op.node, *scales, outcome);
    } else if (!IsReference() && IsDelegated(stated, outcome)) {
      return;
    }
    JudgeKernel(op, stated, outcome);
  }

  // Kernels are looked up for the whole table of operators, whatever the nodes are of. One that is the application's
  // own is missed where a node is of it, if it has a name.
  void JudgeUnused(const v1::ListedOperator& unused) {
    const KernelVersions* kernel = VersionsOf(unused.op());
    if (kernel != nullptr && LastVersion(*kernel) > 0) {
      IsOfVersion(*kernel, unused.version(), {});
    } else if (!absl::StartsWith(unused.op(), "CUSTOM::")) {
      sink_.Add(kNoKernel, {}, absl::StrCat("its table of operators has ", unused.op(), ", which no node is of"),
                IsReference() ? "reference kernels of other operators" : "kernels of other operators", Measured(false));
    }
  }

 private:
  // Whether there are kernels of the node's version; of an operator without any, others say so.
  bool HasVersion(int32_t node) {
    const Graph& graph = context_.graph();
    const KernelVersions* kernel = VersionsOf(graph.op_type(node));
    if (kernel == nullptr) return true;
    Place place;
    place.node = node;
    return LastVersion(*kernel) == 0 || IsOfVersion(*kernel, graph.int_attribute(node, "operator_version", 1), place);
  }

  int LastVersion(const KernelVersions& kernel) const { return IsReference() ? kernel.reference : kernel.optimized; }

  // Notes where it is of none that there are kernels of.
  bool IsOfVersion(const KernelVersions& kernel, int64_t version, const Place& place) {
    const int last = LastVersion(kernel);
    if (version >= kernel.first && version <= last) return true;
    FindingSource source = Measured(false);
    source.row = std::string(kernel.op);
    const std::string versions =
        kernel.first == last ? absl::StrCat("version ", last) : absl::StrCat("versions ", kernel.first, " to ", last);
    const std::string name = place.node < 0 ? absl::StrCat(" of ", kernel.op, ", which no node is of") : "";
    sink_.Add(kOperatorVersion, place, absl::StrCat("version ", version, name),
              absl::StrCat(IsReference() ? "reference kernels of " : "kernels of ", versions), std::move(source));
    return false;
  }

  // Notes the reason where it is not.
  bool IsDelegated(const BackendOp& stated, ModuleResult::OpOutcome& outcome) {
    const std::string name = absl::StrCat(kDelegate, stated.name);
    BackendOp delegated = stated;
    delegated.name = name;
    if (!matcher_.HasOp(name)) {
      // The delegate keeps variables itself, under conditions that the table does not have: others say so.
      if (absl::EndsWith(stated.name, "_VARIABLE") || stated.name == "VAR_HANDLE") return false;
      NoteFallback(stated, "it has no such operator", "other operators", {}, outcome);
      return false;
    }
    match_ = MatchResult();
    matcher_.Match(delegated, target_.arch, match_);
    const Violation* first = nullptr;
    bool ends = false;
    for (const Violation& violation : match_.violations) {
      if (EndsDelegate(violation)) {
        ends = true;
      } else if (violation.effect == db::ItemEffect::kRefused && first == nullptr) {
        first = &violation;
      }
    }
    if (first != nullptr) {
      NoteFallback(stated, first->observed, first->allowed, first->row, outcome);
      return false;
    }
    outcome.checked = true;
    outcome.backend_ops.emplace_back(stated.name);
    for (const Violation& violation : match_.violations) AddFinding(delegated, violation);
    NoteSparse(stated, Reader::kDelegate, outcome);
    if (ReadsRewrittenWeight(stated)) ends = true;
    NoteRewrittenWeight(stated);
    outcome.refused = outcome.ends_export = ends;
    AddUnjudged(stated);
    return true;
  }

  // Argument 1 of these is a weight, whose scales may be one for each channel.
  static bool TakesRewritten(absl::string_view op) { return op == "FULLY_CONNECTED" || op == "CONV_2D"; }

  // Nodes are made in the order of the file: the weight of this one is another tensor for those that come.
  void NoteRewrittenWeight(const BackendOp& op) {
    const Graph& graph = context_.graph();
    if (!TakesRewritten(op.name) || graph.num_inputs(op.node) < 2) return;
    const int32_t data = graph.input(op.node, 0), weight = graph.input(op.node, 1);
    if (data < 0 || weight < 0 || !graph.is_constant(weight) || graph.dtype(weight) != v1::DATA_TYPE_INT8) return;
    if (op.name == "CONV_2D" && !IsFloat(graph.dtype(data))) return;
    const int32_t spec = graph.value_spec(weight);
    const v1::Value& value = graph.value(weight);
    if (spec < 0 || graph.message().specs(spec).qparams().scales_size() != 1) return;
    if (value.dims_size() > 0 && value.dims(0) > 1) rewritten_.emplace(weight, op.node);
  }

  bool ReadsRewrittenWeight(const BackendOp& op) {
    const Graph& graph = context_.graph();
    if (rewritten_.empty() || op.name == "DEQUANTIZE") return false;
    for (int i = 0; i < graph.num_inputs(op.node); ++i) {
      const auto found = rewritten_.find(graph.input(op.node, i));
      if (found == rewritten_.end()) continue;
      // What the other two convolutions make of such a weight was not asked.
      const bool other = op.name == "DEPTHWISE_CONV_2D" || op.name == "TRANSPOSE_CONV";
      if (i == 1 && (other || TakesRewritten(op.name))) continue;
      Place place;
      place.node = op.node;
      place.input = i;
      sink_.Add(kRewrittenWeight, place,
                absl::StrCat("the weight of ", graph.op_type(found->second), " #", found->second, " in front of it"),
                "a constant that is no weight of a delegated node before", Measured(/*delegate=*/true));
      return true;
    }
    return false;
  }

  void NoteSparse(const BackendOp& op, Reader reader, ModuleResult::OpOutcome& outcome) {
    absl::optional<SparseRead> misread = MisreadSparse(context_.graph(), op.node, reader);
    if (!misread.has_value()) return;
    FindingDraft draft{.rule = misread->refused ? &kNoKernel : &kSparseAsDense};
    draft.place.node = op.node;
    draft.place.input = misread->input;
    draft.observed = std::move(misread->observed);
    draft.allowed = std::move(misread->allowed);
    draft.source = Measured(reader == Reader::kDelegate);
    if (misread->refused) outcome.refused = outcome.ends_export = true;
    sink_.Add(std::move(draft));
  }

  void NoteScales(int32_t node, const ScalesAsOne& scales, ModuleResult::OpOutcome& outcome) {
    FindingDraft draft{.rule = &kScalesAsOne};
    draft.place.node = node;
    draft.place.input = scales.input;
    draft.observed = scales.observed;
    draft.allowed = "one scale";
    draft.source = Measured(false);
    if (scales.refused) {
      draft.effect = v1::Finding::REFUSED;
      outcome.refused = outcome.ends_export = true;
    }
    sink_.Add(std::move(draft));
  }

  void NoteUpdate(const BackendOp& op, ModuleResult::OpOutcome& outcome) {
    std::string other = OtherUpdate(context_.model(), context_.graph(), op.node);
    if (other.empty()) return;
    Place place;
    place.node = op.node;
    sink_.Add(kNoKernel, place, std::move(other), std::string(kUpdatesOfScatter), Measured(false));
    outcome.refused = outcome.ends_export = true;
  }

  void NoteHandedOn(const BackendOp& op) {
    absl::optional<HandedOn> found = LostInBody(context_.model(), context_.graph(), op.node);
    if (!found.has_value()) return;
    Place place;
    place.node = op.node;
    sink_.Add(kHandedOn, place, std::move(found->observed), std::move(found->allowed), Measured(false));
  }

  bool IsReference() const { return target_.soc == kVariants[0].name; }

  FindingSource Measured(bool delegate) const {
    FindingSource source = FromTable(target_, v1::Source::MEASURED);
    if (delegate && !target_.tables.empty()) source.table = target_.tables.back();
    return source;
  }

  void NoteFallback(const BackendOp& op, std::string observed, std::string allowed, std::string row,
                    ModuleResult::OpOutcome& outcome) {
    Place place;
    place.node = op.node;
    FindingSource source = Measured(/*delegate=*/true);
    source.row = std::move(row);
    sink_.Add(kNotDelegated, place, std::move(observed), std::move(allowed), std::move(source));
    outcome.refused = true;
  }

  bool RunsGraphs(const ResolvedOp& op) const {
    const absl::string_view name = context_.graph().op_type(op.node);
    return (op.op != nullptr && (op.op->traits & kControlFlow) != 0) || name == "CALL_ONCE" ||
           name == "STABLEHLO_COMPOSITE";
  }

  void JudgeKernel(const ResolvedOp& op, const BackendOp& stated, ModuleResult::OpOutcome& outcome) {
    // Bodies are judged as graphs of their own.
    if (RunsGraphs(op)) {
      outcome.checked = true;
      NoteHandedOn(stated);
      return;
    }
    NoteSparse(stated, IsReference() ? Reader::kReferenceKernel : Reader::kOptimizedKernel, outcome);
    if (!matcher_.HasOp(stated.name)) {
      JudgeWithoutRow(op, stated, outcome);
      return;
    }
    outcome.checked = true;
    outcome.backend_ops.emplace_back(stated.name);
    match_ = MatchResult();
    matcher_.Match(stated, target_.arch, match_);
    for (const Violation& violation : match_.violations) {
      if (violation.rule == &kDtypeRowArch) {
        NoteOtherKernels(stated, violation);
      } else {
        AddFinding(stated, violation);
      }
      if (violation.effect == db::ItemEffect::kRefused) outcome.refused = outcome.ends_export = true;
    }
    NoteUpdate(stated, outcome);
    AddUnjudged(stated);
  }

  void NoteOtherKernels(const BackendOp& op, const Violation& violation) {
    const bool reference = target_.soc == kVariants[0].name;
    Place place;
    place.node = op.node;
    FindingSource source = FromTable(target_, v1::Source::MEASURED, violation.row);
    sink_.Add(kNoKernel, place, absl::StrCat("no ", reference ? "reference" : "optimized", " one of these types"),
              absl::StrCat("it with its ", reference ? "optimized" : "reference", " kernels"), std::move(source));
  }

  // LiteRT has the operators of its schema; the table may lack some of them.
  void JudgeWithoutRow(const ResolvedOp& op, const BackendOp& stated, ModuleResult::OpOutcome& outcome) {
    if (op.op != nullptr) {
      sink_.NotChecked(&kUnclearLowering, op.node, absl::StrCat("the table has no row of ", stated.name, " yet"));
      return;
    }
    outcome.checked = outcome.refused = outcome.ends_export = true;
    Place place;
    place.node = op.node;
    sink_.Add(kNoKernel, place, absl::StrCat(stated.name, " is not known"), "the operators of its schema", {});
  }

  // A violation that refuses is an error whatever its rule says of other backends.
  void AddFinding(const BackendOp& op, const Violation& violation) {
    FindingDraft draft = TableFinding(op, violation, target_);
    if (violation.effect == db::ItemEffect::kRefused) {
      draft.effect = v1::Finding::REFUSED;
      draft.severity = v1::Finding::ERROR;
    }
    sink_.Add(std::move(draft));
  }

  void AddUnjudged(const BackendOp& op) {
    for (Unjudged& unjudged : match_.unjudged) {
      sink_.NotChecked(unjudged.rule, op.node, absl::StrCat(op.name, ": ", unjudged.reason));
    }
  }

  const CheckContext& context_;
  const Target& target_;
  const TableMatcher& matcher_;
  FindingSink& sink_;
  Emission emission_;
  MatchResult match_;
  absl::flat_hash_map<int32_t, int32_t> rewritten_;  // weights by value, with the node that they are the weight of
};

void CheckGraph(const CheckContext& context, const Target& target, const TableMatcher& matcher, FindingSink& sink,
                ModuleResult& result) {
  NoteOlderTable(target, sink);
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  result.ops.resize(ops.size());
  Judge judge(context, target, matcher, sink);
  for (size_t i = 0; i < ops.size(); ++i) judge.JudgeNode(ops[i], result.ops[i]);
  const v1::Graph& message = context.graph().message();
  if (context.is_body() || message.origin() != v1::Graph::TFLITE) return;
  for (const v1::ListedOperator& unused : message.unused_operators()) judge.JudgeUnused(unused);
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  return {&kUnclearLowering, &kOlderTable,    &kNoKernel, &kNotDelegated, &kOperatorVersion,
          &kRewrittenWeight, &kSparseAsDense, &kHandedOn, &kScalesAsOne};
}

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  absl::StatusOr<std::unique_ptr<Module>> module =
      LoadCpuModule({"litert", "tflite_master", {"set of kernels", kVariants}, {LowerTflite}, OwnRules()}, tables);
  if (!module.ok()) return module;
  // Which kernels insist on the parameters of their output is in the table; the delegate takes others.
  (*module)->replaces = {FixedOutput().info};
  auto matchers = std::make_shared<Matchers>(tables, "tflite_master");
  (*module)->check = [matchers](const CheckContext& context, const Target& target, FindingSink& sink,
                                ModuleResult& result) {
    const absl::StatusOr<const TableMatcher*> matcher = matchers->Get(target);
    if (!matcher.ok()) {
      sink.NotChecked(nullptr, -1, std::string(matcher.status().message()));
      return;
    }
    CheckGraph(context, target, **matcher, sink, result);
  };
  return module;
}

}  // namespace quantgate::litert
