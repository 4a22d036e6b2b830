#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"
#include "rules/onnx/bodies.h"
#include "rules/onnx/defined.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kQuantizePairMismatch = {
    "GS009",
    "quantize-pair-mismatch",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The stored integers are written under one scale and zero point and read under another, or the scales of channels "
    "or blocks are those of others, so every number changes on the way.",
    "Give the DequantizeLinear the scale and zero point of the QuantizeLinear that feeds it.",
    "Quantize with scale 0.02 and Dequantize with 0.03 fires it, also where one of them is in the body of an If or "
    "Loop; 0.02 in both does not.",
};

// One number stands for all; an absent zero point is 0.
double At(const RealView& numbers, size_t i) {
  if (numbers.empty()) return 0;
  return numbers[numbers.size() == 1 ? 0 : std::min(i, numbers.size() - 1)];
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// First entry of `count` that differs; -1: none.
int64_t FirstDifference(const RealView& a, const RealView& b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!Same(At(a, i), At(b, i))) return static_cast<int64_t>(i);
  }
  return -1;
}

bool AllAlike(const RealView& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double number) { return Same(number, numbers[0]); });
}

// What a Quantize writes by, or a Dequantize reads by.
struct PairSide {
  const Graph* graph;
  int32_t node;
  RealView scales;  // empty: not known
  RealView zero_points;
  absl::Span<const int32_t> axes;
  absl::Span<const int64_t> block_sizes;

  // Whether it makes no difference which element has which of the numbers.
  bool is_uniform() const { return AllAlike(scales) && AllAlike(zero_points); }
};

bool CountsFromTheEnd(const PairSide& side) {
  return std::any_of(side.axes.begin(), side.axes.end(), [](int32_t axis) { return axis < 0; });
}

// "axis 1 in blocks of 4"; "" for what has no axis.
std::string Along(const PairSide& side) {
  std::string text = side.axes.empty() ? "" : absl::StrCat("axis ", absl::StrJoin(side.axes, ", "));
  if (!side.block_sizes.empty()) absl::StrAppend(&text, " in blocks of ", absl::StrJoin(side.block_sizes, " x "));
  return text;
}

void Compare(const PairSide& writes, const PairSide& reads, Place place, FindingSink& sink) {
  if (writes.scales.empty() || reads.scales.empty()) return;
  const std::string reader =
      reads.node == place.node ? "" : absl::StrCat(" by '", NodeName(*reads.graph, reads.node), "'");
  const std::string writer = absl::StrCat(" by which '", NodeName(*writes.graph, writes.node), "' writes");
  const auto differ = [&](absl::string_view what, const std::string& read, const std::string& written) {
    sink.Add(kQuantizePairMismatch, place, absl::StrCat("is read ", what, read, reader), absl::StrCat(written, writer));
  };
  const size_t scales = std::max(writes.scales.size(), reads.scales.size());
  if (const int64_t i = FirstDifference(writes.scales, reads.scales, scales); i >= 0) {
    if (scales > 1) place.index = i;
    return differ("with scale ", FormatNumber(At(reads.scales, i)), FormatNumber(At(writes.scales, i)));
  }
  const size_t zero_points = std::max(writes.zero_points.size(), reads.zero_points.size());
  if (const int64_t i = FirstDifference(writes.zero_points, reads.zero_points, zero_points); i >= 0) {
    if (zero_points > 1) place.index = i;
    return differ("with zero point ", FormatNumber(At(reads.zero_points, i)), FormatNumber(At(writes.zero_points, i)));
  }
  if (writes.is_uniform() && reads.is_uniform()) return;
  if (CountsFromTheEnd(writes) != CountsFromTheEnd(reads)) return;  // the rank is not known
  const std::string read = Along(reads), written = Along(writes);
  if (!read.empty() && !written.empty() && read != written) differ("along ", read, written);
}

void ComparePairs(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto side = [&](int32_t node) {
    const QuantParams* params = context.resolved().qparams(*context.resolved().quantizer(node));
    return params == nullptr
               ? PairSide{&graph, node}
               : PairSide{&graph, node, params->scales, params->zero_points, params->axes, params->block_sizes};
  };
  for (int32_t node : graph.quantizers()) {
    if (!IsDequantize(graph, node)) continue;
    const int32_t data = QuantizerInputsOf(graph, node).data;
    if (data < 0 || !IsQuantize(graph, graph.producer(data))) continue;
    Place place;
    place.node = node;
    place.value = data;
    Compare(side(graph.producer(data)), side(node), place, sink);
  }
}

// Pairs of which one is in a body and the other around it, or in the next round of a loop. Looked for from the body,
// which knows its place. Of those with one scale: a Scan takes tensors apart.
class PairsAcross {
 public:
  PairsAcross(const CheckContext& context, const BodyPlace& place, FindingSink& sink)
      : context_(context),
        graph_(context.graph()),
        place_(place),
        outer_(place.around->graph()),
        opset_(OnnxOpset(context.model())),
        sink_(sink) {}

  void Check() {
    for (int32_t node : graph_.quantizers()) {
      const int32_t data = IsDequantize(graph_, node) ? QuantizerInputsOf(graph_, node).data : -1;
      if (data >= 0 && graph_.value(data).captured() > 0) Read(SideOf(WriterAround(data)), node);
    }
    if (place_.node >= 0) CheckArguments();
  }

 private:
  struct Writer {
    const Graph* graph;
    int32_t node;  // -1: none
  };

  // Of a tensor that a body takes from the graphs around it.
  Writer WriterAround(int32_t value) const {
    const CheckContext* context = &context_;
    int32_t captured = graph_.value(value).captured();
    while (captured > 0 && context->around() != nullptr) {
      context = context->around();
      value = captured - 1;
      captured = context->graph().value(value).captured();
    }
    return {&context->graph(), context->graph().producer(value)};
  }

  // No scales: the node is no quantizer, or they are no constants, or several.
  static PairSide SideOf(Writer of) {
    PairSide side{of.graph, of.node};
    if (!IsQuantize(*of.graph, of.node) && !IsDequantize(*of.graph, of.node)) return side;
    const QuantizerInputs inputs = QuantizerInputsOf(*of.graph, of.node);
    if (inputs.zero_point >= 0) {
      side.zero_points = NumbersOf(of.graph->value(inputs.zero_point));
      if (side.zero_points.size() != 1) return side;
    }
    const RealView scales = inputs.scale < 0 ? RealView() : NumbersOf(of.graph->value(inputs.scale));
    if (scales.size() == 1) side.scales = scales;
    return side;
  }

  void CheckArguments() {
    absl::flat_hash_map<const v1::Value*, int32_t> ids;
    for (int32_t id : graph_.message().inputs()) ids.emplace(&graph_.value(id - 1), id - 1);
    for (int32_t id : graph_.message().outputs()) {
      if (id > 0) ids.emplace(&graph_.value(id - 1), id - 1);
    }
    absl::flat_hash_set<int32_t> seen;
    absl::flat_hash_map<int, int32_t> entering;  // by input of the node around it: the body's
    for (const BodyTie& tie : BodyTies(outer_, place_.node, opset_)) {
      const auto found = ids.find(tie.inner);
      if (tie.body != place_.attribute || found == ids.end()) continue;
      const int32_t inner = found->second;
      if (tie.output >= 0) {
        Leaves(inner, tie.output);
      } else if (graph_.is_graph_input(inner)) {
        if (!seen.insert(inner).second) continue;  // a file may list it again and again
        entering[tie.input] = inner;
        const int32_t outer = outer_.input(place_.node, tie.input);
        if (outer >= 0) ReadAll(SideOf({&outer_, outer_.producer(outer)}), inner);
      } else if (const auto again = entering.find(tie.input); again != entering.end()) {
        ReadAll(SideOf({&graph_, graph_.producer(inner)}), again->second);
      }
    }
  }

  void Leaves(int32_t inner, int output) {
    const int32_t outer = outer_.output(place_.node, output);
    const PairSide writes = SideOf({&graph_, graph_.producer(inner)});
    if (outer < 0 || writes.scales.empty() || !IsQuantize(graph_, writes.node)) return;
    // One that is written twice is another finding.
    if (outer_.producer(outer) != place_.node || outer_.output_index(outer) != output) return;
    Place place;
    place.node = writes.node;
    place.output = 0;
    place.value = inner;
    for (const Use& use : outer_.uses(outer)) {
      if (use.input != 0 || !IsDequantize(outer_, use.node)) continue;
      Compare(writes, SideOf({&outer_, use.node}), place, sink_);
    }
  }

  void ReadAll(const PairSide& writes, int32_t value) {
    for (const Use& use : graph_.uses(value)) {
      if (use.input == 0 && IsDequantize(graph_, use.node)) Read(writes, use.node);
    }
  }
  void Read(const PairSide& writes, int32_t dequantize) {
    if (!IsQuantize(*writes.graph, writes.node)) return;
    Place place;
    place.node = dequantize;
    place.value = QuantizerInputsOf(graph_, dequantize).data;
    Compare(writes, SideOf({&graph_, dequantize}), place, sink_);
  }

  const CheckContext& context_;
  const Graph& graph_;
  const BodyPlace& place_;
  const Graph& outer_;
  const int64_t opset_;
  FindingSink& sink_;
};

void CheckQuantizePairMismatch(const CheckContext& context, FindingSink& sink) {
  ComparePairs(context, sink);
  if (context.graph().origin() != v1::Graph::ONNX || context.around() == nullptr) return;
  PairsAcross(context, *context.place(), sink).Check();
}

}  // namespace

Rule QuantizePairMismatch() { return {&kQuantizePairMismatch, &CheckQuantizePairMismatch}; }

}  // namespace quantgate
