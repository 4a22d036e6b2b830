#include "rules/backends/qnn_htp/module.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "rules/backends/coverage.h"
#include "rules/backends/emission.h"
#include "rules/backends/folding.h"
#include "rules/backends/in_place.h"
#include "rules/backends/matchers.h"
#include "rules/backends/node_view.h"
#include "rules/backends/qnn/emitted.h"
#include "rules/backends/qnn/fusion.h"
#include "rules/backends/qnn/input_encoding.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/qnn/provider/provider.h"
#include "rules/backends/qnn_htp/composite.h"
#include "rules/backends/qnn_htp/executorch/arguments.h"
#include "rules/backends/qnn_htp/executorch/axis_order.h"
#include "rules/backends/qnn_htp/executorch/defects.h"
#include "rules/backends/qnn_htp/executorch/depthwise_multiplier.h"
#include "rules/backends/qnn_htp/executorch/layout.h"
#include "rules/backends/qnn_htp/executorch/long_edges.h"
#include "rules/backends/qnn_htp/executorch/observed_infinity.h"
#include "rules/backends/qnn_htp/executorch/one_dimension.h"
#include "rules/backends/qnn_htp/executorch/parameters.h"
#include "rules/backends/qnn_htp/executorch/partition.h"
#include "rules/backends/qnn_htp/float_of_some_socs.h"
#include "rules/backends/qnn_htp/float_placement.h"
#include "rules/backends/qnn_htp/gathered_table.h"
#include "rules/backends/qnn_htp/laid_out_anew.h"
#include "rules/backends/qnn_htp/one_observer.h"
#include "rules/backends/qnn_htp/op_rule.h"
#include "rules/backends/qnn_htp/ops/float_kernels.h"
#include "rules/backends/qnn_htp/ops/rewritten_encoding.h"
#include "rules/backends/qnn_htp/overrules.h"
#include "rules/backends/qnn_htp/rule_list.h"
#include "rules/backends/qnn_htp/targets.h"
#include "rules/backends/qnn_htp/unlisted.h"
#include "rules/backends/shared_encoding.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/table_target.h"
#include "rules/backends/undecided.h"
#include "rules/backends/wide_integers.h"
#include "rules/constraints/port.h"
#include "rules/constraints/rules.h"
#include "rules/graph/quantizer.h"
#include "rules/graph/written_buffer.h"
#include "rules/soundness/rules.h"
#include "rules/values/lost_writes.h"

namespace quantgate::qnn_htp {
namespace {

constexpr char kNotRefused[] = "the vendor's tools take it all the same, and the numbers are wrong";
constexpr char kNotEnforced[] = "documented; the vendor's library (QAIRT 2.51.0, x86-64) does not enforce it";

// A node of the toolchain's own beside the operator: refused, it alone runs elsewhere. Of casts that is measured in
// front of linear layers; others are the operator itself, or a part of it.
bool StandsBeside(const ResolvedOp& op, const BackendOp& emitted) {
  return emitted.name == "Reshape" || (emitted.name == "Cast" && op.op != nullptr && op.op->id == OpId::kLinear);
}

// Judges the operators of one graph; keeps its buffers from node to node.
class Judge {
 public:
  Judge(const CheckContext& context, const Target& target, const TableMatcher& matcher, FloatOfSomeSocs socs,
        FindingSink& sink)
      : context_(context), target_(target), matcher_(matcher), socs_(std::move(socs)), sink_(sink) {
    for (const OpRule& rule : OpRules()) {
      if (rule.in_measured_table && matcher.measured()) continue;
      const bool runs = context.stage() == v1::STAGE_UNSPECIFIED || (rule.info->stages & (1u << context.stage())) != 0;
      if (runs) {
        rules_.push_back(&rule);
      } else if (!context.graph().message().specs().empty()) {
        sink.NotChecked(rule.info, -1, "needs quantization parameters, and this graph only has intentions");
      }
    }
  }

  void Run(ModuleResult& result) {
    const Graph& graph = context_.graph();
    const std::vector<bool> folded = qnn::FoldedBy(target_.toolchain, graph);
    const LostWrites& lost = context_.Once(LostWritesOf);
    const bool in_place =
        absl::c_any_of(graph.unlike_nodes(), [&graph](int32_t node) { return WritesInPlace(graph, node); });
    // Of two that are alike one may be for nothing.
    const auto is_gone = [&](int32_t node) {
      return lost.IsForNothing(node) || (in_place && WritesForNobody(graph, node));
    };
    const absl::Span<const ResolvedOp> ops = context_.resolved().ops();
    result.ops.resize(ops.size());
    known_of_.assign(ops.size(), kUnknown);
    for (size_t i = 0; i < ops.size(); ++i) {
      if (IsFolded(graph, folded, ops[i].node) || is_gone(ops[i].node)) {
        result.ops[i].checked = true;
      } else {
        JudgeOnce(ops[i], result.ops[i]);
        computes_ = true;
      }
    }
    if (target_.toolchain == Toolchain::kOnnxRuntime && !computes_) NoteConstant(result);
  }

 private:
  // ONNX Runtime's optimizer computes it, where the session lets it. Otherwise the provider takes the nodes, and ends
  // because their graph has no input.
  void NoteConstant(ModuleResult& result) {
    if (result.ops.empty() || context_.is_body()) return;
    for (ModuleResult::OpOutcome& outcome : result.ops) outcome.checked = false;
    sink_.NotChecked(&kUnclearLowering, context_.resolved().ops()[0].node,
                     "the whole graph computes from constants and known shapes alone");
  }

  // What was said of an operator without findings.
  struct Known {
    ModuleResult::OpOutcome outcome;
    std::vector<NotCheckedDraft> not_checked;
  };

  // Judges the first of operators that are alike. When nothing was found, and no constant was looked at, the same holds
  // for the next one.
  void JudgeOnce(const ResolvedOp& op, ModuleResult::OpOutcome& outcome) {
    const bool comparable = IsComparable(op);
    if (comparable && known_of_[op.like] != kUnknown) {
      const Known& known = known_[known_of_[op.like]];
      outcome = known.outcome;
      for (NotCheckedDraft draft : known.not_checked) {
        draft.node = op.node;
        sink_.NotChecked(draft);
      }
      return;
    }
    const int64_t findings = sink_.added();
    const size_t not_checked = sink_.not_checked().size();
    looked_at_observers_ = false;
    JudgeNode(op, outcome);
    const bool looked = *emission_.looked_at_constants() || looked_at_observers_;
    if (!comparable || sink_.added() != findings || looked) return;
    known_of_[op.like] = static_cast<int32_t>(known_.size());
    known_.push_back({outcome, {sink_.not_checked().begin() + not_checked, sink_.not_checked().end()}});
  }

  // What holds for the node follows from what it has in common with those that are like it.
  bool IsComparable(const ResolvedOp& op) const {
    return op.like >= 0 && !qnn::IsFused(context_, op) && !BecomesBias(context_, op) &&
           !(any_shares_ && SharesEncoding(context_, op)) && !ReadsComputed(op) &&
           !(any_wide_ && TouchesWide(context_, op)) && !(any_reads_other_ && qnn::ReadsOtherEncoding(context_, op)) &&
           !qnn::DependsOnReaders(context_, op) && !SortsLongIntegers(context_.graph(), op.node) &&
           !(target_.toolchain == Toolchain::kOnnxRuntime && qnn::DependsOnNeighbors(context_, op));
  }

  // By convert_pt2e or by a backend: it depends on what is in front of the operand. ExecuTorch's builders look up
  // parameters in float, too.
  bool ReadsComputed(const ResolvedOp& op) const {
    const bool looks_up = target_.toolchain == Toolchain::kExecuTorch;
    return absl::c_any_of(context_.resolved().inputs(op), [looks_up](const Operand& input) {
      return (looks_up || input.quantized) && input.static_chain && !input.is_static;
    });
  }

  void JudgeNode(const ResolvedOp& op, ModuleResult::OpOutcome& outcome) {
    if (target_.toolchain == Toolchain::kExecuTorch) {
      if (FindComputedScales(context_, op, sink_)) {
        outcome.ends_export = outcome.unasked = true;
      } else if (FindRaisingBuilder(context_, op, sink_) || FindRaisingArguments(context_, op, sink_) ||
                 FindComputedParameter(context_, op, sink_) || FindTableToFloats(context_, op, sink_)) {
        outcome.refused = true;
        outcome.ends_export = true;
        outcome.raises = true;
      }
      if (FindQuantizedInteger(context_, op, sink_)) outcome.ends_export = true;
      if (FindReturnedIntegers(context_, op, sink_)) outcome.ends_export = outcome.unasked = true;
      if (FindNeverLowered(context_, target_, op, sink_)) outcome.ends_export = true;
      if (FindBiasOfInput(context_, op, sink_)) outcome.ends_export = true;
      if (FindUsedBeforeDefined(context_, op, sink_)) outcome.ends_export = outcome.unasked = true;
      if (FindUnbatchedConvolution(context_, op, sink_)) outcome.refused = outcome.ends_export = true;
      if (FindPoolWithoutConvert(context_, op, sink_)) outcome.refused = outcome.ends_export = true;
      if (FindBlocksOfConv1d(context_, op, sink_)) outcome.ends_export = outcome.unasked = true;
      if (FindOddBlocks(context_, op, sink_)) outcome.ends_export = outcome.unasked = true;
      if (FindExtremeWithPlaces(context_, op, sink_)) outcome.ends_export = true;
      FindOtherFunction(context_, op, sink_);
      FindIgnoredArguments(context_, op, sink_);
    }
    if (BecomesBias(context_, op)) {
      sink_.NotChecked(&kUnclearLowering, op.node, "the converter makes it the bias of the matrix product in front");
      outcome.checked = true;
      return;
    }
    emission_.Clear();
    const Lowering lowering = qnn::LowerBy(target_.toolchain, context_, op, emission_);
    switch (lowering.status) {
      case Lowering::kFolded:
        outcome.checked = true;
        return;
      case Lowering::kNoCounterpart: {
        outcome.checked = true;
        outcome.refused = true;
        Place place;
        place.node = op.node;
        FindingSource source;
        source.kind = v1::Source::DEFINITION;
        sink_.Add(kNoQnnOperator, place, std::string(lowering.reason), "a QNN operator", std::move(source));
        return;
      }
      case Lowering::kUnknown:
        sink_.NotChecked(&kUnclearLowering, op.node, std::string(lowering.reason));
        return;
      case Lowering::kEmitted:
        break;
    }
    outcome.checked = NoteUndecided(context_, op, sink_);
    // ExecuTorch folds those of a converted graph into the tensors beside them, and puts its own there when all is
    // asked.
    const bool is_asked = target_.toolchain != Toolchain::kExecuTorch || !IsQuantizer(context_.graph(), op.node);
    Verdict whole;
    bool itself = false;  // refused, and not the nodes around it alone
    outcome.beside = !outcome.refused;
    for (const BackendOp& emitted : emission_.Finish()) {
      outcome.backend_ops.emplace_back(emitted.name);
      if (!is_asked) continue;
      if (!emitted.as_stated && emitted.inputs.empty() && emitted.outputs.empty()) {
        JudgeUnlisted(emitted, outcome);
        continue;
      }
      const Verdict verdict = JudgeOp(emitted);
      whole.refused = whole.refused || verdict.refused;
      if (emitted.name != "Dequantize" && emitted.name != "Quantize") itself = itself || verdict.refused;
      if (verdict.refused && !StandsBeside(op, emitted)) outcome.beside = false;
      whole.ends_export = whole.ends_export || verdict.ends_export;
      outcome.raises = outcome.raises || verdict.raises;
      if (verdict.undecided && !verdict.refused) outcome.checked = false;
    }
    outcome.refused = outcome.refused || whole.refused;
    outcome.beside = outcome.beside && outcome.refused;
    if (target_.toolchain == Toolchain::kOnnxRuntime && FindLaidOutAnew(context_, op, itself, sink_)) {
      outcome.refused = true;
      outcome.ends_export = true;
      return;
    }
    if (target_.toolchain == Toolchain::kOnnxRuntime && !outcome.refused) NoteApart(op, outcome);
    // What is not delegated is not prepared.
    const bool is_delegated = target_.toolchain == Toolchain::kExecuTorch && !outcome.refused;
    const bool infinite = is_delegated && FindObservedInfinity(context_, op, sink_, *emission_.looked_at_constants());
    outcome.ends_export = outcome.ends_export || outcome.raises || infinite || (whole.ends_export && !whole.refused);
  }

  // Between quantized tensors, and in float all the same.
  void NoteApart(const ResolvedOp& op, const ModuleResult::OpOutcome& outcome) {
    if (context_.graph().origin() != v1::Graph::ONNX || outcome.backend_ops.size() < 3) return;
    if (outcome.backend_ops.front() != "Dequantize" || outcome.backend_ops.back() != "Quantize") return;
    const NodeView view(context_, op, emission_.looked_at_constants());
    const qnn::Apart* known = qnn::WhyApart(view);
    const qnn::Apart& apart = known != nullptr ? *known : qnn::kNoUnit;
    const Operand* output = view.output(0);
    const bool is_between = output != nullptr && output->quantized &&
                            absl::c_any_of(view.inputs(), [](const Operand& input) { return input.quantized; });
    if (!is_between) return;
    FindingDraft draft{.rule = &kRunsInFloat};
    draft.place.node = op.node;
    draft.observed = absl::StrCat("is computed in float: ", apart.reason);
    draft.allowed = std::string(apart.needed);
    draft.fix = absl::StrCat("Give it ", apart.needed, ", or accept that it runs in float, between two conversions.");
    draft.source.kind = v1::Source::MEASURED;
    draft.source.document = "onnxruntime-qnn 2.7.0, the graphs that it builds";
    sink_.Add(std::move(draft));
  }

  void JudgeUnlisted(const BackendOp& op, ModuleResult::OpOutcome& outcome) {
    switch (FateOfUnlisted(op, target_)) {
      case Unlisted::kPrepared:
        return;
      case Unlisted::kNotPrepared: {
        FindingSource source;
        source.kind = v1::Source::MEASURED;
        source.document = "onnxruntime-qnn 2.7.0, asked by SoC";
        FindingDraft draft{.rule = &kFloatKernels};
        draft.place = PlaceOf(op, {});
        draft.observed = absl::StrCat(op.name, " in float");
        draft.allowed = MissingKernels(target_);
        draft.source = std::move(source);
        draft.fix = "Leave the operator to the CPU, or drop the SoC from the targets.";
        sink_.Add(std::move(draft));
        outcome.ends_export = true;
        return;
      }
      case Unlisted::kNotAsked:
        sink_.NotChecked(&kUnclearLowering, op.node, absl::StrCat(op.name, ": not asked for this arch"));
        outcome.checked = false;
    }
  }

  struct Verdict {
    bool refused = false;      // by the step that decides whether the node is delegated
    bool ends_export = false;  // it is delegated, and then there is no context binary
    bool raises = false;       // by the toolchain, before it asks
    bool undecided = false;    // before numbers are known
  };

  // ExecuTorch and ONNX Runtime ask the library to validate each operator, and have the whole prepared afterwards.
  // Documents do not tell the two apart.
  bool InTwoSteps() const {
    const bool asks = target_.toolchain == Toolchain::kExecuTorch || target_.toolchain == Toolchain::kOnnxRuntime;
    return asks && matcher_.measured();
  }

  // A row that later archs have is validated, and has no kernel then.
  bool FailsAtPreparation(const Violation& violation) const {
    return InTwoSteps() && (violation.rule == &kDtypeRowArch ||
                            (violation.effect == db::ItemEffect::kUnprepared && violation.refuses()));
  }

  Verdict JudgeOp(const BackendOp& op) {
    match_.violations.clear();
    match_.unjudged.clear();
    matcher_.Match(op, HardwareOf(target_), match_);
    Verdict verdict;
    size_t kept = 0;
    for (size_t i = 0; i < match_.violations.size(); ++i) {
      Violation& violation = match_.violations[i];
      if (violation.rule == &kEncoding && MayJoinGather(op)) continue;
      if (violation.rule == &kZeroPoint && violation.port.kind == PortRef::kOutput && IsRewritten(op, target_))
        continue;
      const Ruling ruling = matcher_.measured() ? Ruling::kStands : Overrule(op, violation);
      if (ruling == Ruling::kReplaced) continue;
      if (ruling == Ruling::kTolerated) violation.effect = db::ItemEffect::kNotEnforced;
      AddTableFinding(op, violation);
      if (violation.effect == db::ItemEffect::kNotEnforced) continue;
      if (FailsAtPreparation(violation)) {
        verdict.ends_export = true;
      } else {
        verdict.refused = verdict.refused || violation.refuses();
      }
      // Only what stands silences the measured rules about the same port.
      if (kept != i) match_.violations[kept] = std::move(violation);
      ++kept;
    }
    match_.violations.resize(kept);
    for (const Unjudged& unjudged : match_.unjudged) verdict.undecided |= NoteUnjudged(op, unjudged);
    if (!match_.known_op) return verdict;
    if (!verdict.refused && !matcher_.measured()) verdict.refused = JudgeComposite(op);
    for (const OpRule* rule : rules_) {
      OpReport report(op, match_.violations, sink_);
      rule->check(op, target_, report);
      verdict.raises = verdict.raises || (rule->raises && report.refused());
      if (report.refused()) (InTwoSteps() && rule->unprepared ? verdict.ends_export : verdict.refused) = true;
    }
    if (!verdict.refused) socs_.Look(op, sink_);
    return verdict;
  }

  // True: whether the operator is taken depends on numbers that are still to be found.
  bool NoteUnjudged(const BackendOp& op, const Unjudged& unjudged) {
    std::string reason = absl::StrCat(op.name, ": ", unjudged.reason);
    const bool comparing = unjudged.compared.kind != PortRef::kOp;
    const Tri one = comparing ? OneObserver(op, unjudged) : Tri::kUnknown;
    if (one == Tri::kYes) return false;
    const bool open = one == Tri::kNo && unjudged.refuses;
    if (open) absl::StrAppend(&reason, ", and ", PortName(unjudged.compared), " has an observer of its own");
    sink_.NotChecked(unjudged.rule, op.node, std::move(reason));
    return open;
  }

  Tri OneObserver(const BackendOp& op, const Unjudged& unjudged) {
    const BackendTensor* tensor = TensorAt(op, unjudged.port.kind, unjudged.port.index);
    const BackendTensor* other = TensorAt(op, unjudged.compared.kind, unjudged.compared.index);
    const ResolvedOp& whose = context_.resolved().ops()[context_.resolved().op_of_node(op.node)];
    looked_at_observers_ = true;
    return HaveOneObserver(context_, whose, *tensor, *other);
  }

  bool MayJoinGather(const BackendOp& op) {
    const Tri joins = JoinsGather(context_.graph(), op);
    if (joins == Tri::kUnknown) {
      sink_.NotChecked(&kEncoding, op.node, "Convert: whether it is one with the Gather behind it is not known");
    }
    return joins != Tri::kNo;
  }

  // A composite that its own table accepts, by the rows of the stand-alone operator.
  bool JudgeComposite(const BackendOp& op) {
    const absl::string_view name = StandAloneName(op);
    if (name.empty() || !matcher_.HasOp(name)) return false;
    BackendOp alone = op;
    alone.name = name;
    stand_alone_.violations.clear();
    stand_alone_.unjudged.clear();
    matcher_.Match(alone, HardwareOf(target_), stand_alone_);
    for (const Violation& violation : stand_alone_.violations) {
      if (violation.rule != &kDtypeRow && violation.rule != &kDtypeRowArch) continue;
      if (TakesEitherSign(op, violation.port)) continue;
      FindingSource source = FromTable(target_, v1::Source::MEASURED, name, kMeasuredWith);
      sink_.Add(kCompositeOperation, PlaceOf(op, violation.port), violation.observed, violation.allowed,
                std::move(source));
      return true;
    }
    return false;
  }

  // An axis finding counts in the backend's layout; the user's file may count otherwise.
  static std::string AxisInFile(const BackendOp& op, const Violation& violation) {
    if (violation.rule != &kEncodingAxis || violation.port.kind != PortRef::kInput) return "";
    const BackendTensor& tensor = Input(op, violation.port.index);
    if (tensor.qparams == nullptr || tensor.qparams->axes.size() != 1 || tensor.qparams->axes[0] == tensor.axis) {
      return "";
    }
    return absl::StrCat(" (axis ", tensor.qparams->axes[0], " in the file)");
  }

  void AddTableFinding(const BackendOp& op, const Violation& violation) {
    FindingDraft draft = TableFinding(op, violation, target_);
    // Which SoCs have floats was asked, whatever the table's document is.
    if (violation.rule == &kNoFloat && !matcher_.measured()) {
      draft.source.kind = v1::Source::MEASURED;
      draft.source.document = kMeasuredWith;
    }
    absl::StrAppend(&draft.observed, AxisInFile(op, violation));
    if (violation.effect == db::ItemEffect::kNotEnforced) absl::StrAppend(&draft.allowed, " (", kNotEnforced, ")");
    if (violation.effect == db::ItemEffect::kWrongNumbers) absl::StrAppend(&draft.allowed, " (", kNotRefused, ")");
    sink_.Add(std::move(draft));
  }

  const CheckContext& context_;
  const Target& target_;
  const TableMatcher& matcher_;
  FloatOfSomeSocs socs_;
  FindingSink& sink_;
  // Few graphs have such a node, and then each need not be asked.
  const bool any_shares_ = AnySharesEncoding(context_);
  const bool any_wide_ = AnyTouchesWide(context_);
  const bool any_reads_other_ = qnn::AnyReadsOtherEncoding(context_);
  std::vector<const OpRule*> rules_;
  bool computes_ = false;             // some node of the graph depends on an input
  bool looked_at_observers_ = false;  // which are not those of other nodes that are alike
  Emission emission_;
  MatchResult match_;
  MatchResult stand_alone_;

  static constexpr int32_t kUnknown = -1;
  std::vector<int32_t> known_of_;  // by ResolvedOp::like: index into known_
  std::vector<Known> known_;
};

void Check(const db::TableSource& tables, Matchers& matchers, const CheckContext& context, const Target& target,
           FindingSink& sink, ModuleResult& result) {
  result.ops.resize(context.resolved().ops().size());
  // Compiled when the target was resolved; here only looked up.
  const absl::StatusOr<const TableMatcher*> matcher = matchers.Get(target);
  if (!matcher.ok()) {
    sink.NotChecked(nullptr, -1, std::string(matcher.status().message()));
    return;
  }
  NoteOlderTable(target, sink);
  Judge(context, target, **matcher, FloatOfSomeSocs(tables, target, **matcher), sink).Run(result);
  if (target.toolchain == Toolchain::kExecuTorch) {
    CheckAxisOrder(context, sink, result);
    MarkUnreached(context, result);
    CheckDelegates(context, sink, result);
    CheckLongEdges(context, sink, result);
    CheckLayout(context, sink, result);
    CheckDepthwiseMultiplier(context, sink, result);
  }
  CheckFloatPlacement(context, target, sink, result);  // when it is known what is refused
}

// Judges the graph as the toolchain reads it; `context` reads it by unit.
void CheckAsRead(const db::TableSource& tables, Matchers& matchers, const CheckContext& context, const Target& target,
                 FindingSink& sink, ModuleResult& result) {
  const Reading reading = qnn::ReadingBy(target.toolchain, context.graph().origin());
  if (reading == Reading::kByUnit || !context.resolved().depends_on_reading()) {
    Check(tables, matchers, context, target, sink, result);
    return;
  }
  const ResolvedGraph resolved = ResolvedGraph::Resolve(context.graph(), reading);
  ModuleResult folded;
  Check(tables, matchers, CheckContext(context.graph(), resolved, &context.model(), context.place()), target, sink,
        folded);
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  result.ops.resize(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    const int32_t number = resolved.op_of_node(ops[i].node);
    if (number >= 0) {
      result.ops[i] = folded.ops[number];
    } else {
      result.ops[i].checked = true;
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  if (SdkVersions(tables, kBackend).empty()) {
    return absl::FailedPreconditionError(absl::StrCat("the database has no table of ", kBackend));
  }
  auto matchers = std::make_shared<Matchers>(tables, "qnn_master");
  auto module = std::make_unique<Module>();
  module->name = kBackend;
  module->rules = OwnRules();
  module->replaces = {SummedAxis().info};  // tables say along which axis there can be scales
  for (const RuleInfo* rule : ConstraintRules()) module->rules.push_back(rule);
  module->resolve = [&tables, matchers](const TargetName& name) -> absl::StatusOr<Target> {
    absl::StatusOr<Target> target = ResolveTarget(tables, name);
    if (target.ok() && target->unknown_reason.empty()) {
      if (absl::Status status = matchers->Get(*target).status(); !status.ok()) {
        target->unknown_reason = std::string(status.message());
      }
    }
    return target;
  };
  module->check = [matchers, &tables](const CheckContext& context, const Target& target, FindingSink& sink,
                                      ModuleResult& result) {
    CheckAsRead(tables, *matchers, context, target, sink, result);
  };
  module->accepted_types = [matchers](const CheckContext& context, const Target& target, const ResolvedOp& op) {
    return AcceptedByTable(context, target, *matchers, qnn::Lower, op);
  };
  module->targets = [&tables] { return AllTargets(tables); };
  return module;
}

}  // namespace quantgate::qnn_htp
