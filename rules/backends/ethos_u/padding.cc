#include "rules/backends/ethos_u/padding.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/strings/string_view.h"
#include "rules/backends/ethos_u/used.h"
#include "rules/graph/elements.h"

namespace quantgate::ethos_u {
namespace {

// What a convolution does along height or width.
struct Window {
  int64_t length = 1;  // of the filter, dilated
  int64_t stride = 1;
};

// What a PAD adds along it.
struct Margin {
  int64_t before = 0;
  int64_t after = 0;
};

bool TakesPadding(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  return (op == "CONV_2D" || op == "DEPTHWISE_CONV_2D") && graph.num_inputs(node) >= 2;
}

bool IsPad(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  return (op == "PAD" || op == "PADV2") && graph.num_inputs(node) >= 2 && graph.input(node, 0) >= 0 &&
         graph.input(node, 1) >= 0 && graph.is_constant(graph.input(node, 1));
}

bool Reshapes(const Graph& graph, int32_t node) {
  const absl::string_view op = graph.op_type(node);
  return (op == "RESHAPE" || op == "EXPAND_DIMS" || op == "SQUEEZE") && graph.num_inputs(node) > 0;
}

// The PAD that writes what the convolution reads, a reshape between them aside, which goes before: those of one
// dimension are computed in two. -1: none.
int32_t PadInFront(const Graph& graph, int32_t convolution) {
  const int32_t data = graph.input(convolution, 0);
  int32_t node = data < 0 ? -1 : graph.producer(data);
  if (node >= 0 && Reshapes(graph, node)) {
    const int32_t reshaped = graph.input(node, 0);
    node = reshaped < 0 || graph.uses(reshaped).size() != 1 ? -1 : graph.producer(reshaped);
  }
  return node >= 0 && IsPad(graph, node) ? node : -1;
}

// PADV2 says what to fill with: zero is the zero point.
bool FillsWithZero(const Graph& graph, int32_t pad) {
  if (graph.op_type(pad) == "PAD") return true;
  const int32_t fill = graph.num_inputs(pad) > 2 ? graph.input(pad, 2) : -1;
  const int32_t spec =
      graph.num_outputs(pad) == 0 || graph.output(pad, 0) < 0 ? -1 : graph.value_spec(graph.output(pad, 0));
  if (fill < 0 || spec < 0) return false;
  const auto& zero_points = graph.message().specs(spec).qparams().zero_points();
  const IntegerView filled = IntegersOf(graph.value(fill));
  return filled.size() == 1 && !zero_points.empty() && static_cast<double>(filled[0]) == zero_points[0];
}

std::optional<Window> WindowAlong(const Graph& graph, int32_t convolution, bool height) {
  const auto& filter = graph.value(graph.input(convolution, 1)).dims();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t size = filter[height ? 1 : 2];
  const int64_t stride = graph.int_attribute(convolution, height ? "stride_h" : "stride_w", 1);
  const int64_t dilation = graph.int_attribute(convolution, height ? "dilation_h_factor" : "dilation_w_factor", 1);
  if (std::min({size, stride, dilation}) < 1 || std::max({size, stride, dilation}) > kMost) return std::nullopt;
  return Window{(size - 1) * dilation + 1, stride};
}

// What no window reaches is not added.
int64_t ReachedAfter(int64_t input, const Window& window, const Margin& margin) {
  const int64_t windows = input / window.stride + (input % window.stride != 0 ? 1 : 0);
  const int64_t needed = std::max<int64_t>(0, (windows - 1) * window.stride + window.length - input);
  const int64_t rest = margin.after % window.stride - (needed - margin.before) % window.stride;
  return std::max<int64_t>(0, margin.after - rest - (rest >= 0 ? 0 : window.stride));
}

// Padding that the convolution has already.
bool PadsItself(const Graph& graph, int32_t convolution, const Window& window, int axis) {
  const v1::Attribute* padding = graph.attribute(convolution, "padding");
  if (padding != nullptr && padding->s() == "VALID") return false;
  const int32_t output = graph.num_outputs(convolution) > 0 ? graph.output(convolution, 0) : -1;
  if (output < 0 || graph.rank(output) != 4) return true;
  const double last = static_cast<double>(graph.value(output).dims(axis) - 1) * static_cast<double>(window.stride);
  return last + static_cast<double>(window.length) >
         static_cast<double>(graph.value(graph.input(convolution, 0)).dims(axis));
}

enum class Taken { kNot, kEmpty, kSome };

// What becomes of the PAD's margins along one axis of the convolution.
Taken TakenAlong(const Graph& graph, int32_t convolution, int32_t unpadded, int axis, const Margin& margin) {
  const std::optional<Window> window = WindowAlong(graph, convolution, axis == 1);
  if (!window || PadsItself(graph, convolution, *window, axis)) return Taken::kNot;
  const auto& data = graph.value(graph.input(convolution, 0)).dims();
  const int64_t input = graph.value(unpadded).dims(graph.rank(unpadded) - 4 + axis);
  if (input < 0 || input > std::numeric_limits<int32_t>::max() || input + margin.before + margin.after != data[axis]) {
    return Taken::kNot;
  }
  const int64_t after = ReachedAfter(input, *window, margin);
  if (margin.before >= window->length || after >= window->length) return Taken::kNot;
  return margin.before > 0 || after > 0 ? Taken::kSome : Taken::kEmpty;
}

Taken TakesPad(const Graph& graph, int32_t convolution, int32_t pad) {
  const int32_t unpadded = graph.input(pad, 0);
  const IntegerView amounts = IntegersOf(graph.value(graph.input(pad, 1)));
  const size_t rank = amounts.size() / 2;
  constexpr size_t kMostAxes = 8;  // beyond what LiteRT pads; many nodes may share the amounts
  if (rank < 3 || rank > kMostAxes || graph.rank(unpadded) != static_cast<int>(rank) ||
      graph.rank(graph.input(convolution, 0)) != 4 || graph.input(convolution, 1) < 0 ||
      graph.rank(graph.input(convolution, 1)) != 4 || !FillsWithZero(graph, pad)) {
    return Taken::kNot;
  }
  Taken taken = Taken::kEmpty;
  for (size_t axis = 0; axis < rank; ++axis) {
    const Margin margin = {amounts[2 * axis], amounts[2 * axis + 1]};
    if (std::min(margin.before, margin.after) < 0 ||
        std::max(margin.before, margin.after) > std::numeric_limits<int32_t>::max()) {
      return Taken::kNot;
    }
    const bool window = axis + 3 == rank || axis + 2 == rank;
    if (!window && (margin.before != 0 || margin.after != 0)) return Taken::kNot;
    if (!window) continue;
    const Taken along = TakenAlong(graph, convolution, unpadded, axis + 3 == rank ? 1 : 2, margin);
    if (along == Taken::kNot) return along;
    if (along == Taken::kSome) taken = along;
  }
  return taken;
}

// What the convolution takes of the PAD, if it is one and comes before it is copied.
Taken TakesPadNow(const Graph& graph, int32_t node, int32_t pad, const std::vector<bool>& visited) {
  return pad < 0 || visited[pad] ? Taken::kNot : TakesPad(graph, node, pad);
}

}  // namespace

TakenPads PadsTaken(const CheckContext& context) {
  const Graph& graph = context.graph();
  const size_t nodes = graph.num_nodes();
  TakenPads made = {std::vector<bool>(nodes, false), std::vector<int32_t>(nodes, -1), std::vector<bool>(nodes, false)};
  std::vector<bool> visited(nodes, false);
  std::vector<int32_t> times(nodes, 0);  // that a PAD was taken
  std::vector<int32_t> left;             // the last is next
  for (const int32_t output : graph.message().outputs()) left.push_back(graph.producer(output - 1));
  while (!left.empty()) {
    const int32_t node = left.back();
    left.pop_back();
    if (node < 0 || visited[node]) continue;
    visited[node] = true;
    const int32_t pad = TakesPadding(graph, node) ? PadInFront(graph, node) : -1;
    const Taken taken = TakesPadNow(graph, node, pad, visited);
    if (taken != Taken::kNot) {
      made.pad[node] = pad;
      made.padded[node] = taken == Taken::kSome;
      made.gone[pad] = ++times[pad] == context.Once(ReadersOf)[graph.input(node, 0)].count;
    }
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      // It reads what the PAD read.
      const int32_t input = i == 0 && taken != Taken::kNot ? graph.input(pad, 0) : graph.input(node, i);
      if (input >= 0) left.push_back(graph.producer(input));
    }
  }
  return made;
}

}  // namespace quantgate::ethos_u
