#include "rules/backends/onnxruntime/module.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "rules/backends/coverage.h"
#include "rules/backends/cpu_module.h"
#include "rules/backends/matchers.h"
#include "rules/backends/onnxruntime/byte_products.h"
#include "rules/backends/onnxruntime/external_argument.h"
#include "rules/backends/onnxruntime/form.h"
#include "rules/backends/onnxruntime/fusion.h"
#include "rules/backends/onnxruntime/kernels.h"
#include "rules/backends/onnxruntime/limits.h"
#include "rules/backends/onnxruntime/moved_pair.h"
#include "rules/backends/onnxruntime/node.h"
#include "rules/backends/onnxruntime/outer_weight.h"
#include "rules/backends/onnxruntime/own_quantization.h"
#include "rules/backends/onnxruntime/parameters.h"
#include "rules/backends/onnxruntime/rules.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/backends/table_judge.h"
#include "rules/backends/table_target.h"
#include "rules/constraints/rules.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/element_types.h"
#include "rules/soundness/rules.h"

namespace quantgate::onnxruntime {
namespace {

constexpr absl::string_view kName = "onnxruntime";
constexpr absl::string_view kDefinitions = "onnxruntime_master";
constexpr Variant kProviders[] = {{"cpu"}};

// Newest that a version loads.
struct Newest {
  absl::string_view sdk;
  int opset;
  int ir_version;
  int opset_ml;         // ai.onnx.ml
  int opset_microsoft;  // com.microsoft
};
constexpr Newest kNewest[] = {{"1.31.1", 26, 13, 5, 1}};

// Domains whose operators are part of the runtime; others come with libraries that the program registers.
constexpr absl::string_view kDomains[] = {"", "ai.onnx.ml", "com.microsoft"};

FindingSource Measured(const Target& target, absl::string_view row = {}) {
  return FromTable(target, v1::Source::MEASURED, row);
}

class Judge {
 public:
  Judge(const CheckContext& context, const Target& target, const TableMatcher& matcher, FindingSink& sink)
      : context_(context),
        graph_(context.graph()),
        target_(target),
        matcher_(matcher),
        sink_(sink),
        types_(ElementTypes(context)),
        moved_(MovedPairsOf(context_, types_)),
        is_fused_(graph_.num_nodes(), false) {}

  // Of the model as a whole. True: it is not loaded.
  bool Model() {
    const v1::Graph& model = context_.model();
    if (&model != &graph_.message()) return false;  // said once
    bool refused = false;
    for (const Newest& newest : kNewest) {
      if (newest.sdk != target_.sdk) continue;
      refused = TooNew("", newest.opset) || refused;
      refused = TooNew("ai.onnx.ml", newest.opset_ml) || refused;
      refused = TooNew("com.microsoft", newest.opset_microsoft) || refused;
      if (model.format_version() > newest.ir_version) {
        sink_.Add(kModelTooNew, {}, absl::StrCat("IR version ", model.format_version()),
                  absl::StrCat("up to IR version ", newest.ir_version), Measured(target_));
        refused = true;
      }
    }
    return refused;
  }

  // Of the graph as a whole. True: it is not loaded.
  bool SameNames() {
    if (graph_.distinct_node_names()) return false;
    bool refused = false;
    absl::flat_hash_map<absl::string_view, int32_t> first;
    for (int32_t node = 0; node < graph_.num_nodes(); ++node) {
      const std::string& name = graph_.node_name(node);
      if (name.empty() || first.emplace(name, node).second) continue;
      Place place;
      place.node = node;
      sink_.Add(kSameNodeName, place, "a node before it", "nodes of different names", Measured(target_));
      refused = true;
    }
    return refused;
  }

  // Of what a body gives back. True: the model is not loaded.
  bool OuterValues() {
    const v1::Graph& body = graph_.message();
    if (!context_.is_body()) return false;
    bool refused = false;
    for (const int32_t id : body.outputs()) {
      if (id < 1 || body.values(id - 1).captured() < 1 || graph_.producer(id - 1) >= 0) continue;
      Place place;
      place.value = id - 1;
      sink_.Add(kOuterValue, place, "a tensor of the graph around it", "what a body makes itself", Measured(target_));
      refused = true;
    }
    return refused;
  }

  // False: nothing could be said of the node. `refused`: there is no kernel for it.
  bool Node(int32_t node, bool& refused) {
    const absl::string_view op_type = graph_.op_type(node);
    const absl::string_view domain = DomainOf(op_type);
    if (!absl::c_linear_search(kDomains, domain)) {
      sink_.NotChecked(&kNoKernel, node, absl::StrCat("operators of the domain ", domain, " are not part of it"));
      return false;
    }
    const int version = OperatorSet(context_.model(), domain);
    if (version == 0) {
      sink_.NotChecked(&kNoKernel, node, "the model imports no operator set that has it");
      return false;
    }
    // No kernel computes it: what it holds is an initializer once the model is loaded.
    if (op_type == "Constant") return true;
    // A function that is made of its body: the runtime puts a Loop with that in its place. The table, which is of nodes
    // without bodies, does not have it.
    if (op_type == "SequenceMap") return true;
    FillCall(graph_, types_, node, call_);
    refused = CheckForm(context_, types_, node, Measured(target_), sink_) || Kernel(domain, version, call_) ||
              CheckLimits(context_, call_, Measured(target_, TableName(op_type)), sink_) ||
              CheckClip(context_, types_, node, Measured(target_), sink_) ||
              CheckExternalArguments(context_, node, version, Measured(target_), sink_) ||
              CheckOuterWeight(context_, types_, node, Measured(target_), sink_);
    const Tri pair = refused ? Tri::kNo : CheckPair(graph_, types_, moved_, node, Measured(target_), sink_);
    refused = refused || pair == Tri::kYes;
    CheckOwnWeight(graph_, types_, node, Measured(target_), sink_);
    CheckOwnBias(graph_, types_, node, Measured(target_), sink_);
    if (version < kFirstRound && OwnQuantizationOf(graph_, types_, node).bias) {
      RefuseForRound(node, version);
      refused = true;
    }
    FindGroup(graph_, types_, moved_, node, group_);
    if (group_.kind == Group::kFused) {
      is_fused_[node] = true;
      refused |= Kernel(DomainOf(group_.call.op), OperatorSetOf(group_.call.op), group_.call);
      refused |= CheckFusedForm(graph_, node, group_.call.op, Measured(target_), sink_);
    } else if (group_.kind == Group::kInFloat) {
      FindingDraft draft;
      draft.rule = &kRunsInFloat;
      draft.place.node = node;
      draft.observed = absl::StrCat(op_type, " is computed in float: ", group_.reason);
      draft.allowed = group_.needed;
      draft.source = Measured(target_);
      if (group_.fix != nullptr) draft.fix = group_.fix;
      sink_.Add(std::move(draft));
    }
    return pair != Tri::kUnknown;
  }

  // By node: it is one with the pairs around it.
  const std::vector<bool>& is_fused() const { return is_fused_; }

 private:
  // Operator set of ONNX that has Round, by which the optimizer quantizes a float bias.
  static constexpr int kFirstRound = 11;
  void RefuseForRound(int32_t node, int version) {
    FindingDraft draft;
    draft.rule = &kOpsetTooOld;
    draft.place.node = node;
    draft.place.input = 2;
    draft.place.value = InputAt(graph_, node, 2);
    draft.observed = absl::StrCat("opset ", version);
    draft.allowed = absl::StrCat("opset ", kFirstRound, " or later, which has the Round that quantizes a float bias");
    draft.source = Measured(target_);
    draft.fix = "Import opset 11 or later, or quantize the bias to int32 in the model.";
    sink_.Add(std::move(draft));
  }

  bool TooNew(absl::string_view domain, int newest) {
    const int opset = OperatorSet(context_.model(), domain);
    if (opset <= newest) return false;
    const std::string of = domain.empty() ? "" : absl::StrCat(" of ", domain);
    sink_.Add(kModelTooNew, {}, absl::StrCat("opset ", opset, of), absl::StrCat("up to opset ", newest, of),
              Measured(target_));
    return true;
  }

  int OperatorSetOf(absl::string_view op) const {
    const absl::string_view domain = DomainOf(op);
    // What the runtime makes by itself needs no import.
    return domain.empty() ? OperatorSet(context_.model(), domain) : 1;
  }

  // True: there is no kernel that takes the call.
  bool Kernel(absl::string_view domain, int version, const KernelCall& call) {
    const std::string name = TableName(call.op);
    if (!matcher_.HasOp(name)) {
      Place place;
      place.node = call.node;
      sink_.Add(kNoKernel, place, name, "operators that it has a kernel for, and functions of them", Measured(target_));
      return true;
    }
    emission_.Clear();
    Emit(graph_, call, name, emission_);
    bool refused = false;
    for (const BackendOp& op : emission_.Finish()) {
      match_.violations.clear();
      match_.unjudged.clear();
      matcher_.Match(op, version, match_);
      for (const Violation& violation : match_.violations) Report(op, call, violation, domain, version);
      for (const Unjudged& unjudged : match_.unjudged) {
        if (!call.fused) sink_.NotChecked(&kKernelTypes, call.node, absl::StrCat(op.name, ": ", unjudged.reason));
      }
      refused = !match_.violations.empty();
    }
    if (refused) return true;
    const FindingSource source = Measured(target_, name);
    refused = CheckParameters(graph_, call, source, sink_);
    CheckByteProducts(graph_, call, source, sink_);
    return CheckKernel(graph_, call, source, sink_) || refused;
  }

  void Report(const BackendOp& op, const KernelCall& call, const Violation& violation, absl::string_view domain,
              int version) {
    FindingDraft draft = TableFinding(op, violation, target_);
    if (call.fused) {
      draft.rule = &kFusedTypes;
      draft.allowed = absl::StrCat(op.name, ", into which it is fused, takes ", violation.allowed);
      draft.place = Place();
      draft.place.node = call.node;
    } else if (violation.rule == &kDtypeRowArch) {
      // What the table counts as architectures are operator sets.
      draft.rule = &kOpsetTooOld;
      draft.observed = absl::StrCat(domain, domain.empty() ? "" : " ", "opset ", version);
      draft.allowed = absl::StrCat("opset ", absl::StrReplaceAll(violation.allowed, {{"V", ""}}));
    } else if (violation.rule == &kDtypeRow) {
      draft.rule = &kKernelTypes;
    }
    sink_.Add(std::move(draft));
  }

  const CheckContext& context_;
  const Graph& graph_;
  const Target& target_;
  const TableMatcher& matcher_;
  FindingSink& sink_;
  const std::vector<v1::DataType> types_;
  const std::vector<MovedPair> moved_;
  std::vector<bool> is_fused_;
  KernelCall call_;
  Group group_;
  Emission emission_;
  MatchResult match_;
};

// What the general rule says of operator sets, but for what it says of those that this runtime has had before.
void CheckVersions(const CheckContext& context, FindingSink& sink) {
  std::vector<FindingDraft>& findings = sink.findings();
  const auto before = static_cast<std::ptrdiff_t>(findings.size());
  OperatorVersion().check(context, sink);
  const auto is_older = [](const FindingDraft& draft) { return draft.effect == v1::Finding::ADVICE; };
  findings.erase(std::remove_if(findings.begin() + before, findings.end(), is_older), findings.end());
}

// Of what a general rule says and this runtime does not mind.
void Soften(FindingDraft& draft, absl::string_view why, const Target& target) {
  draft.effect = v1::Finding::ADVICE;
  draft.severity = v1::Finding::WARNING;
  absl::StrAppend(&draft.allowed, why);
  draft.source = Measured(target);
}

// What the general rule says of the order of nodes. The runtime sorts those of the model itself; in a body it refuses
// them.
void CheckOrder(const CheckContext& context, const Target& target, FindingSink& sink) {
  std::vector<FindingDraft>& findings = sink.findings();
  const size_t before = findings.size();
  NodeOrder().check(context, sink);
  if (context.graph().origin() != v1::Graph::ONNX || context.is_body()) return;
  for (size_t i = before; i < findings.size(); ++i) {
    Soften(findings[i], ", as ONNX demands; this runtime sorts them", target);
  }
}

// What the general rule says of axes. The DequantizeLinear of a bias is gone once the node behind it is an integer one.
void CheckAxes(const CheckContext& context, const Target& target, const std::vector<bool>& is_fused,
               FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<FindingDraft>& findings = sink.findings();
  const size_t before = findings.size();
  AxisRange().check(context, sink);
  constexpr int kBias = 2;
  for (size_t i = before; i < findings.size(); ++i) {
    const int32_t node = findings[i].place.node;
    const int32_t output = IsDequantize(graph, node) ? FirstOutput(graph, node) : -1;
    if (output < 0 || graph.is_graph_output(output) || graph.is_read_in_body(output)) continue;
    const auto drops = [&](const Use& use) { return use.input == kBias && is_fused[use.node]; };
    if (!absl::c_all_of(graph.uses(output), drops)) continue;
    Soften(findings[i], ", as ONNX demands; this runtime fuses the bias without asking", target);
  }
}

// By node: the operator that a folded Quantize or Dequantize belongs to; its fate is theirs. -1: none.
std::vector<int32_t> OpsOfNodes(const CheckContext& context) {
  const ResolvedGraph& resolved = context.resolved();
  std::vector<int32_t> ops(context.graph().num_nodes(), -1);
  for (size_t i = 0; i < resolved.ops().size(); ++i) {
    const ResolvedOp& op = resolved.ops()[i];
    for (const absl::Span<const Operand> side : {resolved.inputs(op), resolved.outputs(op)}) {
      for (const Operand& operand : side) {
        if (operand.quantizer >= 0) ops[operand.quantizer] = static_cast<int32_t>(i);
      }
    }
  }
  for (size_t i = 0; i < resolved.ops().size(); ++i) ops[resolved.ops()[i].node] = static_cast<int32_t>(i);
  return ops;
}

void Check(const CheckContext& context, const Target& target, const TableMatcher& matcher, FindingSink& sink,
           ModuleResult& result) {
  NoteOlderTable(target, sink);
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  result.ops.resize(ops.size());
  CheckOrder(context, target, sink);
  if (context.graph().origin() != v1::Graph::ONNX) {
    AxisRange().check(context, sink);
    for (const ResolvedOp& op : ops) sink.NotChecked(&kOtherOrigin, op.node, "the graph is not an ONNX model");
    return;
  }
  CheckVersions(context, sink);
  Judge judge(context, target, matcher, sink);
  const bool is_refused = judge.Model();
  const bool repeats_names = judge.SameNames();
  const bool gives_outer_values = judge.OuterValues();
  const bool loads = !is_refused && !repeats_names && !gives_outer_values;
  const std::vector<int32_t> op_of = OpsOfNodes(context);
  for (int32_t node = 0; node < context.graph().num_nodes(); ++node) {
    bool refused = false;
    const bool checked = judge.Node(node, refused);
    const int32_t index = op_of[node];
    if (index < 0) continue;
    ModuleResult::OpOutcome& outcome = result.ops[index];
    if (ops[index].node == node) {
      outcome.checked = checked;
      outcome.backend_ops.emplace_back(context.graph().op_type(node));
    }
    // There is nothing behind the CPU provider that would take the node.
    outcome.refused |= refused;
    outcome.ends_export |= refused || !loads;
  }
  CheckAxes(context, target, judge.is_fused(), sink);
}

}  // namespace

std::vector<const RuleInfo*> OwnRules() {
  return {&kModelTooNew,       &kOpsetTooOld,    &kSameNodeName,   &kNoKernel,         &kKernelTypes,
          &kFusedTypes,        &kRunTimeWhere,   &kRemovedRelu,    &kUnlikeTypes,      &kUnknownAttribute,
          &kConcatTypes,       &kClippedType,    &kParameterShape, &kOtherAxis,        &kMissingZeroPoint,
          &kBlockGeometry,     &kRunTimeBlocks,  &kFusedBias,      &kSoftmaxOverflow,  &kFusedAttribute,
          &kByteProducts,      &kNotImplemented, &kOtherOrigin,    &kRunsInFloat,      &kOlderTable,
          &kUnknownArgument,   &kOuterValue,     &kMovedSigned,    &kMovedIntoBody,    &kMovedAccumulators,
          &kMovedWithoutPoint, &kOwnWeight,      &kHalfBias,       &kExternalArgument, &kOuterWeight,
          &kOuterZeroPoint};
}

absl::StatusOr<std::unique_ptr<Module>> LoadModule(const db::TableSource& tables) {
  CpuBackend backend;
  backend.name = kName;
  backend.definitions = kDefinitions;
  backend.variants = {"execution provider", kProviders};
  backend.rules = OwnRules();
  absl::StatusOr<std::unique_ptr<Module>> module = LoadCpuModule(backend, tables);
  if (!module.ok()) return module.status();
  // Not by lowered operators: every node is judged as it is written, Quantize and Dequantize included.
  auto matchers = std::make_shared<Matchers>(tables, std::string(kDefinitions));
  (*module)->check = [matchers](const CheckContext& context, const Target& target, FindingSink& sink,
                                ModuleResult& result) {
    const absl::StatusOr<const TableMatcher*> matcher = matchers->Get(target);
    if (!matcher.ok()) {
      sink.NotChecked(nullptr, -1, std::string(matcher.status().message()));
      return;
    }
    Check(context, target, **matcher, sink, result);
  };
  (*module)->accepted_types = nullptr;
  // Kernels read scales and zero points at run time; what becomes of a bias depends on whether it is fused (FX501).
  // Some operators it has in older operator sets. Nodes it sorts. The axis of a bias it does not read.
  (*module)->replaces = {ConstantQParams().info, BiasScale().info, BiasZeroPoint().info,
                         OperatorVersion().info, NodeOrder().info, AxisRange().info};
  return module;
}

}  // namespace quantgate::onnxruntime
