#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/graph/sharing/sharing.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kImpliedRequantize = {
    "SH004",
    "implied-requantize",
    v1::Finding::PRECISION,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The tensor is quantized one way where it is written and another way where it is read, so a conversion appears "
    "between the two nodes: it costs time, and rounds every number once more.",
    "Annotate the edge like its producer's output (or share it), unless the change of precision is meant.",
    "A 16-bit output read through an 8-bit edge spec fires it; the same spec on both does not. Of a float16 tensor "
    "that meets another one, a float16 weight say, it is an error: behind the second observer convert_pt2e of torchao "
    "0.18 dequantizes to float32, and the operator raises.",
};

std::string Form(const Operand& operand, const QuantParams* params) {
  std::string text = absl::StrCat(DataTypeName(operand.type), " in ", operand.quant_min, "..", operand.quant_max);
  if (params != nullptr && params->scales.size() == 1) {
    absl::StrAppend(&text, ", scale ", FormatNumber(params->scales[0]), ", zero point ",
                    FormatNumber(params->zero_point(0)));
  }
  return text;
}

// `stage`: before calibration a fixed spec alone has numbers, and those that an observer will find are others.
bool Differ(v1::Stage stage, const Operand& written, const QuantParams* a, const Operand& read, const QuantParams* b) {
  if (written.type != read.type || written.quant_min != read.quant_min || written.quant_max != read.quant_max) {
    return true;
  }
  const auto known = [](const QuantParams* params) { return params != nullptr && !params->scales.empty(); };
  if (stage == v1::STAGE_ANNOTATED && known(a) != known(b)) return true;
  if (a == nullptr || b == nullptr || a->scales.size() != 1 || b->scales.size() != 1) return false;
  return std::fabs(a->scales[0] - b->scales[0]) > 1e-6 * std::fabs(a->scales[0]) ||
         a->zero_point(0) != b->zero_point(0);
}

bool Reads(const Operand& operand) {
  return operand.present && operand.quantized && operand.spec >= 0 && operand.quantizer < 0 && operand.edge_value >= 0;
}
bool Writes(const Operand& operand) { return operand.quantized && operand.spec >= 0; }

// Whether all tensors that nodes write, and all that they read and that are not stored in the file, have one form: then
// none is read as another.
bool HasOneForm(const CheckContext& context) {
  const ResolvedGraph& resolved = context.resolved();
  const Operand* first = nullptr;
  const auto same = [&first](const Operand& operand) {
    if (first == nullptr) first = &operand;
    return operand.form >= 0 && operand.form == first->form && operand.type == first->type;
  };
  for (int32_t number : resolved.unlike_ops()) {
    const ResolvedOp& op = resolved.ops()[number];
    for (const Operand& read : resolved.inputs(op)) {
      if (Reads(read) && !context.graph().is_constant(read.edge_value) && !same(read)) return false;
    }
    for (const Operand& written : resolved.outputs(op)) {
      if (Writes(written) && !same(written)) return false;
    }
  }
  if (!context.graph().all_written_once()) return false;  // a constant may also be written
  if (first == nullptr) return true;
  const QuantParams* params = resolved.qparams(*first);
  return !Differ(context.stage(), *first, params, *first, params);  // a number that is none differs from itself
}

// A tensor as it is written, and who says so.
struct Written {
  Operand form;
  const QuantParams* params;
  int32_t node;  // -1: an input of the graph
};

std::string ByWhom(const Graph& graph, int32_t node) {
  return node < 0 ? "the graph's input has it" : absl::StrCat("node '", NodeName(graph, node), "' writes it");
}

// Before calibration specs may differ in who knows numbers and still get one observer, which then makes them for both.
bool ShareObserver(const CheckContext& context, int32_t value, int32_t node) {
  if (context.stage() != v1::STAGE_ANNOTATED || !IsAnnotation(context)) return false;
  const SharingGroups& groups = GroupsOf(context);
  const int32_t written = groups.group_at({value, -1});
  return written >= 0 && written == groups.group_at({value, node});
}

bool IsHalf(v1::DataType type) { return type == v1::DATA_TYPE_FLOAT16 || type == v1::DATA_TYPE_BFLOAT16; }

// Whether the node raises once its half-precision tensor comes as float32, which is what convert_pt2e makes of the
// second of two observers: it has no meta["val"] that says better.
bool RaisesForFloat32(const CheckContext& context, int32_t node, int32_t value) {
  const Graph& graph = context.graph();
  if (!IsAnnotation(context) || value < 0 || !IsHalf(graph.dtype(value))) return false;
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t other = graph.input(node, i);
    if (other >= 0 && other != value && graph.dtype(other) == graph.dtype(value)) return true;
  }
  return false;
}

// `read` by `node`: what it is written as and what it is read as.
void Compare(const CheckContext& context, const Written& written, int32_t node, const Operand& read,
             FindingSink& sink) {
  const QuantParams* reads = context.resolved().qparams(read);
  if (!Differ(context.stage(), written.form, written.params, read, reads)) return;
  if (ShareObserver(context, read.edge_value, node)) return;
  FindingDraft draft{.rule = &kImpliedRequantize};
  draft.place.node = node;
  draft.place.input = read.argument;
  draft.place.value = read.value;
  draft.observed = absl::StrCat("is read as ", Form(read, reads));
  draft.allowed = absl::StrCat(Form(written.form, written.params), ", as ", ByWhom(context.graph(), written.node));
  if (RaisesForFloat32(context, node, read.edge_value)) {
    draft.effect = v1::Finding::UNSOUND;
    draft.severity = v1::Finding::ERROR;
    absl::StrAppend(&draft.observed, ", which gives float32 where ",
                    DataTypeName(context.graph().dtype(read.edge_value)), " is expected");
  }
  sink.Add(std::move(draft));
}

// What prepare_pt2e puts behind an input of the graph that has a spec of its own.
Operand InputAsWritten(const v1::Spec& spec) {
  Operand written;
  written.type = spec.dtype();
  written.quant_min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
  written.quant_max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
  return written;
}

void CheckInputs(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  for (int32_t id : graph.message().inputs()) {
    const int32_t value = id - 1;
    const int32_t spec_id = graph.value_spec(value);
    if (spec_id < 0 || (graph.spec_kind(spec_id) != v1::Spec::PLAIN && graph.spec_kind(spec_id) != v1::Spec::FIXED)) {
      continue;
    }
    const v1::Spec& spec = graph.message().specs(spec_id);
    QuantParams params;
    params.scales = spec.qparams().scales();
    params.zero_points = spec.qparams().zero_points();
    const Written written{InputAsWritten(spec), &params, -1};
    for (const Use& use : graph.uses(value)) {
      const int32_t op = resolved.op_of_node(use.node);
      if (op < 0) continue;
      for (const Operand& read : resolved.inputs(resolved.ops()[op])) {
        if (Reads(read) && read.argument == use.input) Compare(context, written, use.node, read, sink);
      }
    }
  }
}

// Only where specs sit on edges; in QDQ graphs a conversion is a pair of nodes that everybody can see.
void CheckImpliedRequantize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const ResolvedGraph& resolved = context.resolved();
  if (IsAnnotation(context)) CheckInputs(context, sink);
  if (HasOneForm(context)) return;
  for (const ResolvedOp& op : resolved.ops()) {
    for (const Operand& read : resolved.inputs(op)) {
      if (!Reads(read)) continue;
      const int32_t producer = graph.producer(read.edge_value);
      if (producer < 0 || resolved.op_of_node(producer) < 0) continue;
      for (const Operand& output : resolved.outputs(resolved.ops()[resolved.op_of_node(producer)])) {
        if (output.edge_value != read.edge_value || !Writes(output)) continue;
        Compare(context, {output, resolved.qparams(output), producer}, op.node, read, sink);
      }
    }
  }
}

}  // namespace

Rule ImpliedRequantize() { return {&kImpliedRequantize, &CheckImpliedRequantize}; }

}  // namespace quantgate
