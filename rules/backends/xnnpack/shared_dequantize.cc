#include "rules/backends/xnnpack/shared_dequantize.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/backends/table_target.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"
#include "rules/operators/op_id.h"

namespace quantgate::xnnpack {

const RuleInfo kSharedDequantize = {
    "GS606",
    "shared-dequantize",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; needed is {allowed}.",
    "What convolutions and pools put out keeps its channels last in a delegate. Where a reader behind a Dequantize "
    "wants PyTorch's layout (a reshape, or all that is not in the delegate), ExecuTorch 1.5.1 puts a copy of that "
    "layout in the place of the Dequantize, for all of its readers. One that was to run on channels last then puts "
    "out tensors of another shape, and the program ends when it runs; with as many channels as rows and columns its "
    "numbers are wrong. Where a reader in the delegate wants PyTorch's layout and the tensor leaves it too, the "
    "export ends. Readers that the quantizer left without a spec have one Dequantize in common.",
    "Annotate the readers: each that has a spec for the input gets a Dequantize of its own.",
    "Fires: a quantized convolution read by a sigmoid and an atan. Does not: read by a sigmoid and a tanh, by an atan "
    "alone, behind a Dequantize for each, or a linear layer's output.",
};

namespace {

// Whoever reads one Dequantize.
struct Readers {
  int32_t last = -1;     // the first of the delegate that runs on channels last
  int32_t first = -1;    // the first of the delegate that does not
  int32_t behind = -1;   // one of those, behind `last`: the copy that is made for what comes before is found
  int32_t outside = -1;  // one that is left to the CPU
  bool is_output = false;
  bool unclear = false;

  // The one that is told.
  int32_t node() const { return last >= 0 ? last : first; }
  bool leaves() const { return outside >= 0 || is_output; }
  // The copy has no shape yet where the delegate's outputs are looked at, and the export ends.
  bool ends_export() const { return first >= 0 && leaves(); }
  bool is_misread() const { return last >= 0 && (behind >= 0 || leaves()); }
};

// Taken apart into nodes of which some are taken and others are not, of those that read the input.
bool IsTakenInPart(absl::string_view op_type) {
  static constexpr absl::string_view kOps[] = {"aten.hardshrink.default", "aten.log_sigmoid.default",
                                               "aten.mish.default", "aten.softplus.default"};
  return absl::c_linear_search(kOps, op_type);
}

void SetOnce(int32_t node, int32_t& reader) {
  if (reader < 0) reader = node;
}

void Add(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts, int32_t value,
         int32_t node, Readers& readers) {
  if (delegates.leaves(node)) {
    SetOnce(node, readers.outside);
    if (IsTakenInPart(context.graph().op_type(node))) SetOnce(node, readers.last);
    return;
  }
  if (!delegates.takes(node) || !delegates.same_level(context.graph().producer(value), node)) {
    readers.unclear = true;
    return;
  }
  const Tri runs_last = layouts.runs(context.resolved().ops()[context.resolved().op_of_node(node)]);
  readers.unclear = readers.unclear || runs_last == Tri::kUnknown;
  if (runs_last == Tri::kYes) SetOnce(node, readers.last);
  if (runs_last != Tri::kNo) return;
  SetOnce(node, readers.first);
  if (readers.last >= 0) SetOnce(node, readers.behind);
}

// Those of one Dequantize, written or to be: prepare and convert give one to each edge with a spec, and one to all
// others.
Readers ReadersOf(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts, int32_t value) {
  const Graph& graph = context.graph();
  Readers readers;
  readers.is_output = graph.is_graph_output(value);
  for (const Use& use : graph.uses(value)) {
    if (graph.edge_spec(use.node, use.input) < 0) Add(context, delegates, layouts, value, use.node, readers);
  }
  return readers;
}

bool IsDequantized(const CheckContext& context, int32_t value) {
  const Graph& graph = context.graph();
  if (graph.producer(value) < 0) return false;
  return IsAnnotation(context) ? graph.value_spec(value) >= 0 : graph.op(graph.producer(value)) == OpId::kDequantize;
}

// Of another shape when the channels are last.
bool HasOtherShape(const v1::Value& value) {
  constexpr int kImageRank = 4;
  if (value.dims_size() != kImageRank || *std::min_element(value.dims().begin(), value.dims().end()) < 0) return false;
  return value.dims(1) != value.dims(2) || value.dims(2) != value.dims(3);
}

FindingDraft Conflict(const CheckContext& context, int32_t value, const Readers& readers, const Target& target) {
  const Graph& graph = context.graph();
  FindingDraft draft;
  draft.rule = &kSharedDequantize;
  draft.place.node = readers.node();
  draft.place.value = value;
  const int32_t other = readers.outside >= 0 ? readers.outside : readers.behind;
  const std::string with = other < 0                   ? "the model's output"
                           : other == draft.place.node ? "parts of it that are left to the CPU"
                                                       : absl::StrCat("'", graph.node_name(other), "'");
  draft.observed = absl::StrCat("the Dequantize of its input in common with ", with);
  draft.allowed = "one of its own";
  draft.source = FromTable(target, v1::Source::MEASURED, "XNNConvert",
                           "ExecuTorch 1.5.1, a quantized convolution with two readers, lowered and run");
  if (!readers.ends_export() && !HasOtherShape(graph.value(value))) draft.effect = v1::Finding::WRONG_NUMBERS;
  return draft;
}

}  // namespace

void CheckSharedDequantize(const CheckContext& context, const Delegates& delegates, const ChannelsLast& layouts,
                           const Target& target, FindingSink& sink, ModuleResult& result) {
  const Graph& graph = context.graph();
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (layouts.written(value) != Tri::kYes || !IsDequantized(context, value)) continue;
    const Readers readers = ReadersOf(context, delegates, layouts, value);
    if (!readers.is_misread() && !readers.ends_export()) {
      if (readers.unclear && readers.node() >= 0) {
        sink.NotChecked(&kSharedDequantize, readers.node(),
                        "whether all that read its quantized input come to one delegate with it is not known");
      }
      continue;
    }
    ModuleResult::OpOutcome& outcome = result.ops[context.resolved().op_of_node(readers.node())];
    FindingDraft draft = Conflict(context, value, readers, target);
    outcome.ends_export = outcome.ends_export || EffectOf(draft) == v1::Finding::REFUSED;
    sink.Add(std::move(draft));
  }
}

}  // namespace quantgate::xnnpack
