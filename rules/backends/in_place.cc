#include "rules/backends/in_place.h"

#include "absl/algorithm/container.h"
#include "absl/types/optional.h"
#include "rules/graph/node_shapes.h"
#include "rules/graph/written_buffer.h"
#include "rules/values/views.h"

namespace quantgate {
namespace {

absl::optional<int64_t> ElementsOf(const Graph& graph, int32_t value) {
  if (!graph.has_known_shape(value)) return absl::nullopt;
  const auto& dims = graph.value(value).dims();
  return CountOf(absl::MakeConstSpan(dims.data(), dims.size()));
}

bool IsReadAfter(const Graph& graph, int32_t value, int32_t node) {
  if (graph.is_constant(value) || graph.is_graph_output(value)) return true;
  const auto uses = graph.uses(value);
  return !uses.empty() && uses.back().node > node;
}

// Its result may be memory of what it reads, or the other way around: what only moves elements is a copy or a view.
bool MayShareMemory(const Graph& graph, int32_t node) {
  const Binding* binding = graph.binding(node);
  return binding == nullptr || (binding->op->traits & kMovesData) != 0 || WritesInPlace(graph, node);
}

}  // namespace

bool WritesIntoSelection(const Graph& graph, int32_t node) {
  const absl::string_view type = graph.op_type(node);
  if (type != "aten.copy_.default" && type != "aten.fill_.Scalar" && type != "aten.fill_.Tensor") return false;
  const int32_t written = graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1;
  return written >= 0 && graph.producer(written) >= 0 && graph.op_type(graph.producer(written)) == "aten.select.int";
}

bool WritesIntoPart(const Graph& graph, int32_t node) {
  if (!Assigns(graph, node) || graph.input(node, 0) < 0) return false;
  constexpr int kLongestChain = 64;  // of views
  const absl::optional<int64_t> written = ElementsOf(graph, graph.input(node, 0));
  int32_t value = graph.input(node, 0);
  for (int step = 0; step < kLongestChain; ++step) {
    const int32_t producer = graph.producer(value);
    if (producer < 0 || !IsView(graph, producer) || graph.num_inputs(producer) == 0) return false;
    value = graph.input(producer, 0);
    if (value < 0) return false;
    const absl::optional<int64_t> whole = ElementsOf(graph, value);
    if (written && whole && *written != *whole && IsReadAfter(graph, value, node)) return true;
  }
  return false;
}

bool WritesForNobody(const Graph& graph, int32_t node) {
  if (graph.num_inputs(node) == 0 || graph.num_outputs(node) != 1 || !WritesInPlace(graph, node)) return false;
  const int32_t written = graph.input(node, 0);
  const int32_t result = graph.output(node, 0);
  if (written < 0 || result < 0 || graph.is_graph_output(result) || !graph.uses(result).empty()) return false;
  // Memory that has other names may be read under those.
  const int32_t producer = graph.producer(written);
  if (producer < 0 || graph.is_graph_output(written) || graph.is_constant(written)) return false;
  if (MayShareMemory(graph, producer)) return false;
  // The last reader of it; that is one node of all that may work on it, and only for that one the others are looked at.
  const absl::Span<const Use> uses = graph.uses(written);
  if (uses.back().node != node) return false;
  return absl::c_none_of(uses, [&](const Use& use) { return use.node != node && MayShareMemory(graph, use.node); });
}

}  // namespace quantgate
