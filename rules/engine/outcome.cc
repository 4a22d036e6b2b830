#include "rules/engine/outcome.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_replace.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// The reshape is delegated with it.
bool IsReshaped(const Graph& graph, const ResolvedOp& op, const Operand& input) {
  if (op.op == nullptr || !ReshapesOperands(op.op->id) || input.value < 0) return false;
  const int32_t output = graph.num_outputs(op.node) > 0 ? graph.output(op.node, 0) : -1;
  const int rank = output < 0 ? -1 : graph.rank(output);
  constexpr int kMostDimensions = 5;  // a reshape to more is refused as well
  return rank >= 0 && rank <= kMostDimensions && graph.rank(input.value) >= 0 && graph.rank(input.value) != rank;
}

bool DequantizesConstant(const Graph& graph, int32_t value) {
  const int32_t producer = value < 0 ? -1 : graph.producer(value);
  if (producer < 0 || graph.op(producer) != OpId::kDequantize || graph.num_inputs(producer) == 0) return false;
  return graph.input(producer, 0) >= 0 && graph.is_constant(graph.input(producer, 0));
}

// ExecuTorch delegates the Dequantize of a constant unconditionally, and HTP cannot run it: a refused node with a
// quantized weight or bias takes the whole export down. So does one of a converted graph that counts as computing in
// float: what it reads is the Dequantize all the same.
bool HasQuantizedConstant(const Graph& graph, const ResolvedGraph& resolved, const ResolvedOp& op) {
  return absl::c_any_of(resolved.inputs(op), [&](const Operand& input) {
    if (!input.is_static || IsReshaped(graph, op, input)) return false;
    return input.quantized || DequantizesConstant(graph, input.edge_value);
  });
}

// ATen operators that ExecuTorch 1.5.1 keeps whole for QNN (backends/qualcomm/partition/utils.py): one that is refused
// is neither delegated nor decomposed for the CPU, and the export ends with "was not decomposed or delegated". It asks
// the same for unbind, which PyTorch's exporter does not grant.
constexpr absl::string_view kNotDecomposed[] = {
    "aten._safe_softmax.default",
    "aten.adaptive_avg_pool1d.default",  // becomes adaptive_avg_pool2d first
    "aten.adaptive_avg_pool2d.default",
    "aten.channel_shuffle.default",
    "aten.col2im.default",
    "aten.elu.default",
    "aten.floor_divide.default",
    "aten.hardsigmoid.default",
    "aten.hardswish.default",
    "aten.im2col.default",
    "aten.instance_norm.default",
    "aten.leaky_relu.default",
    "aten.linear.default",
    "aten.matmul.default",
    "aten.pixel_shuffle.default",
    "aten.pixel_unshuffle.default",
    "aten.prelu.default",
    "aten.reflection_pad1d.default",
    "aten.reflection_pad2d.default",
    "aten.rms_norm.default",
    "aten.scatter.src",
    "aten.scatter_add.default",
    "aten.scatter_reduce.two",
    "aten.selu.default",  // becomes elu first
    "aten.stack.default",
    "aten.upsample_bicubic2d.vec",
    // Of its own, and nothing on the CPU computes it: the export ends with "Missing out variants".
    "qnn_custom.hadamard_transform.default",
};

// Of integers they are taken apart in front of the partitioner all the same.
constexpr OpId kTakenApartForIntegers[] = {OpId::kFloorDiv, OpId::kStack};

bool IsKeptWhole(const Graph& graph, const ResolvedGraph& resolved, const ResolvedOp& op) {
  const absl::Span<const Operand> outputs = resolved.outputs(op);
  const bool integers = !outputs.empty() && !outputs[0].quantized && IsInteger(outputs[0].type);
  // What works in place is made to work beside it first.
  const std::string type = absl::StrReplaceAll(graph.op_type(op.node), {{"_.", "."}});
  const bool apart = integers && op.op != nullptr && absl::c_linear_search(kTakenApartForIntegers, op.op->id);
  return absl::c_linear_search(kNotDecomposed, type) && !apart;
}

// What prepare_pt2e raises for: nothing comes after it, whatever the backend takes.
constexpr absl::string_view kEndsPrepare[] = {"SH001", "SH002", "SH003"};

// Kernels of the CPU: whatever their partitioner does not take, constants included, stays with the portable ones.
constexpr absl::string_view kCpuKernels[] = {"x86_inductor", "xnnpack"};

bool RunsElsewhere(const Target& target, const Graph& graph, const ResolvedGraph& resolved, const ResolvedOp& op,
                   bool beside) {
  switch (target.toolchain) {
    case Toolchain::kQnnConverter:
      return false;
    case Toolchain::kOnnxRuntime:
    case Toolchain::kLiteRt:
      return true;
    case Toolchain::kExecuTorch:
      return absl::c_linear_search(kCpuKernels, target.backend) || beside ||
             (!HasQuantizedConstant(graph, resolved, op) && !IsKeptWhole(graph, resolved, op));
  }
  return false;
}

}  // namespace

void ApplyToolchain(const Target& target, const Graph& graph, const ResolvedGraph& resolved, const ModuleResult& judged,
                    std::vector<FindingDraft>& findings, v1::Outcome& outcome) {
  std::vector<bool> elsewhere(graph.num_nodes(), false);
  outcome.mutable_nodes()->Reserve(outcome.nodes_size() + static_cast<int>(judged.ops.size()));
  for (size_t i = 0; i < judged.ops.size(); ++i) {
    const ModuleResult::OpOutcome& op = judged.ops[i];
    const int32_t node = resolved.ops()[i].node;
    if (i + kNamesAhead < judged.ops.size()) FetchName(graph, resolved.ops()[i + kNamesAhead].node);
    if (op.ends_export) outcome.set_kind(v1::Outcome::FAILS);
    if (op.backend_ops.empty() && !op.refused) continue;
    v1::NodeOutcome& entry = *outcome.add_nodes();
    SetNodeName(graph, node, *entry.mutable_node());
    for (absl::string_view backend_op : op.backend_ops) entry.add_backend_ops(backend_op.data(), backend_op.size());
    if (!op.refused) continue;
    entry.set_refused(op.reached);
    elsewhere[node] = !op.ends_export && RunsElsewhere(target, graph, resolved, resolved.ops()[i], op.beside);
    // The worst fate of any node is that of the model.
    const v1::Outcome::Kind fate = elsewhere[node] ? v1::Outcome::PARTIAL : v1::Outcome::FAILS;
    if (outcome.kind() != v1::Outcome::FAILS) outcome.set_kind(fate);
  }
  for (FindingDraft& finding : findings) {
    if (EffectOf(finding) != v1::Finding::REFUSED || finding.place.node < 0 || !elsewhere[finding.place.node]) continue;
    finding.effect = v1::Finding::FALLBACK;
    finding.severity = v1::Finding::WARNING;
  }
}

void FinishOutcome(bool judged_all, v1::Result& result) {
  v1::Outcome& outcome = *result.mutable_outcome();
  const auto raised = absl::c_find_if(result.findings(), [](const v1::Finding& finding) {
    return finding.severity() == v1::Finding::ERROR && absl::c_linear_search(kEndsPrepare, finding.code());
  });
  if (raised != result.findings().end()) {
    outcome.set_kind(v1::Outcome::FAILS);
    outcome.set_cause(static_cast<int>(raised - result.findings().begin()));
    return;
  }
  if (outcome.kind() == v1::Outcome::KIND_UNSPECIFIED) {
    // What does not hold together anywhere has no outcome that one could promise.
    const bool sound = absl::c_none_of(result.findings(), [](const v1::Finding& finding) {
      return finding.effect() == v1::Finding::UNSOUND && finding.severity() == v1::Finding::ERROR;
    });
    outcome.set_kind(judged_all && sound ? v1::Outcome::FULL : v1::Outcome::UNKNOWN);
    return;
  }
  const bool fails = outcome.kind() == v1::Outcome::FAILS;
  const v1::Finding::Effect deciding = fails ? v1::Finding::REFUSED : v1::Finding::FALLBACK;
  // What runs in float is not elsewhere.
  absl::flat_hash_set<absl::string_view> refused;
  for (const v1::NodeOutcome& node : outcome.nodes()) {
    if (!fails && node.refused()) refused.insert(node.node());
  }
  // What is said of a node tells more than what is said of the graph.
  int cause = -1;
  for (int i = result.findings_size() - 1; i >= 0; --i) {
    const v1::Finding& finding = result.findings(i);
    if (finding.effect() != deciding) continue;
    const bool at_node = !finding.location().node().empty();
    if (at_node && !fails && !refused.contains(finding.location().node())) continue;
    if (at_node || cause < 0 || result.findings(cause).location().node().empty()) cause = i;
  }
  if (cause >= 0) outcome.set_cause(cause);
}

}  // namespace quantgate
