#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kGraphCycle = {
    "GS004",
    "graph-cycle",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A node waits for a tensor that depends on the node itself, so nothing on the circle can ever run.",
    "Break the circle: the tensor named here is the one that closes it.",
    "a = Add(b), b = Relu(a) fires it; a = Add(x), b = Relu(a) does not.",
};

constexpr int kMaxNamesInPath = 8;

// Strongly connected components among the nodes that have no topological place (Tarjan, with a stack of its own:
// hostile graphs are deep).
class Components {
 public:
  explicit Components(const Graph& graph)
      : graph_(graph),
        index_(graph.num_nodes(), kOutside),
        low_(graph.num_nodes(), 0),
        component_(graph.num_nodes(), -1) {
    const absl::Span<const int32_t> cyclic = graph.order().last(graph.num_cyclic());
    for (int32_t node : cyclic) index_[node] = kUnvisited;
    for (int32_t node : cyclic) {
      if (index_[node] == kUnvisited) Visit(node);
    }
  }

  int count() const { return count_; }
  int of(int32_t node) const { return component_[node]; }

 private:
  static constexpr int kOutside = -2;
  static constexpr int kUnvisited = -1;

  struct Frame {
    int32_t node;
    int output = 0;
    size_t use = 0;
  };

  void Visit(int32_t root) {
    std::vector<Frame> frames;
    Enter(root, frames);
    while (!frames.empty()) {
      const int32_t next = NextReader(frames.back());
      if (next >= 0) {
        if (index_[next] == kUnvisited) {
          Enter(next, frames);
        } else if (component_[next] < 0 && index_[next] >= 0) {
          low_[frames.back().node] = std::min(low_[frames.back().node], index_[next]);
        }
        continue;
      }
      const int32_t node = frames.back().node;
      frames.pop_back();
      if (!frames.empty()) low_[frames.back().node] = std::min(low_[frames.back().node], low_[node]);
      if (low_[node] != index_[node]) continue;
      while (true) {
        const int32_t member = open_.back();
        open_.pop_back();
        component_[member] = count_;
        if (member == node) break;
      }
      ++count_;
    }
  }

  void Enter(int32_t node, std::vector<Frame>& frames) {
    index_[node] = low_[node] = next_index_++;
    open_.push_back(node);
    frames.push_back({node});
  }

  // The next node inside the cyclic part that reads an output of the frame's node; -1: no more.
  int32_t NextReader(Frame& frame) const {
    while (frame.output < graph_.num_outputs(frame.node)) {
      const int32_t value = graph_.output(frame.node, frame.output);
      if (value >= 0 && graph_.producer(value) == frame.node) {
        const absl::Span<const Use> uses = graph_.uses(value);
        while (frame.use < uses.size()) {
          const int32_t reader = uses[frame.use++].node;
          if (index_[reader] != kOutside) return reader;
        }
      }
      ++frame.output;
      frame.use = 0;
    }
    return -1;
  }

  const Graph& graph_;
  std::vector<int> index_;
  std::vector<int> low_;
  std::vector<int> component_;
  std::vector<int32_t> open_;
  int next_index_ = 0;
  int count_ = 0;
};

// Names from `start` along the circle to `end`, shortest way.
std::string CirclePath(const Graph& graph, const Components& components, int32_t start, int32_t end) {
  std::vector<int32_t> from(graph.num_nodes(), -1);
  std::vector<int32_t> queue = {start};
  from[start] = start;
  for (size_t head = 0; head < queue.size() && from[end] < 0; ++head) {
    const int32_t node = queue[head];
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0) continue;
      for (const Use& use : graph.uses(value)) {
        if (components.of(use.node) != components.of(start) || from[use.node] >= 0) continue;
        from[use.node] = node;
        queue.push_back(use.node);
      }
    }
  }
  if (from[end] < 0) return NodeName(graph, start);
  std::vector<int32_t> path;
  for (int32_t node = end; node != start; node = from[node]) path.push_back(node);
  path.push_back(start);
  std::reverse(path.begin(), path.end());
  std::string text;
  const int length = static_cast<int>(path.size());
  for (int i = 0; i < length; ++i) {
    if (length > kMaxNamesInPath && i == kMaxNamesInPath / 2) {
      const int skipped = length - kMaxNamesInPath;
      absl::StrAppend(&text, " -> (", skipped, " more)");
      i += skipped;
    }
    absl::StrAppend(&text, i == 0 ? "" : " -> ", NodeName(graph, path[i]));
  }
  return text;
}

void CheckGraphCycle(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  if (graph.num_cyclic() == 0) return;
  const Components components(graph);
  std::vector<bool> reported(components.count(), false);
  // The edge that closes a circle, in file order: a node that reads what a node at or behind it writes.
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    const int component = components.of(node);
    if (component < 0 || reported[component]) continue;
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      const int32_t value = graph.input(node, i);
      if (value < 0) continue;
      const int32_t producer = graph.producer(value);
      if (producer < node || components.of(producer) != component) continue;
      Place place;
      place.node = node;
      place.input = i;
      place.value = value;
      sink.Add(kGraphCycle, place,
               absl::StrCat("depends on itself: ", CirclePath(graph, components, node, producer), " -> ",
                            NodeName(graph, node)),
               "a tensor that does not depend on the node");
      reported[component] = true;
      break;
    }
  }
}

}  // namespace

Rule GraphCycle() { return {&kGraphCycle, &CheckGraphCycle}; }

}  // namespace quantgate
