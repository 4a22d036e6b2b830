#include "rules/graph/sharing/annotations.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace quantgate {
namespace {

// Edge annotations of nodes with more inputs than this are found by key, not by walking them.
constexpr int kIndexedFrom = 16;

int64_t EdgeKey(int32_t value, int32_t node) { return (static_cast<int64_t>(node) << 32) | value; }

}  // namespace

std::string SpecPlaceName(const Graph& graph, SpecPlace place) {
  const std::string value = place.value < 0 ? "?" : graph.value(place.value).name();
  return place.is_edge() ? absl::StrCat("(", value, ", ", graph.node_name(place.node), ")") : value;
}

SpecPlace SpecPlaceOf(const v1::EdgeRef& reference) { return {reference.value() - 1, reference.consumer() - 1}; }

Annotations::Annotations(const Graph& graph, const std::vector<bool>& values)
    : graph_(&graph),
      only_(values.empty() ? nullptr : &values),
      value_entry_(graph.num_values(), -1),
      first_edge_(graph.num_nodes(), -1),
      edge_count_(graph.num_nodes(), 0),
      in_map_of_(graph.num_values(), -1) {
  entries_.reserve(only_ == nullptr ? graph.num_values() * 2 : graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const int32_t node = graph.producer(value);
    if (node >= 0 && first_edge_[node] < 0) AddEdges(node);
    const int32_t spec = graph.value_spec(value);
    if (spec < 0 || graph.spec_kind(spec) == v1::Spec::EXPLICIT_NONE) continue;
    if (only_ != nullptr && !(*only_)[value]) continue;
    value_entry_[value] = size();
    entries_.push_back({{value, -1}, spec});
  }
  // Nodes without outputs have no place in the order of values: fx's `output`, which comes last anyway.
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    if (first_edge_[node] < 0) AddEdges(node);
  }
  in_map_of_ = {};
  read_by_ = {};
  only_ = nullptr;
  FindTargets();
  FollowReferences();
  CollectSiblings();
}

void Annotations::AddEdges(int32_t node) {
  first_edge_[node] = size();
  if (!graph_->has_spec_map(node)) {
    for (int i = 0; i < graph_->num_inputs(node); ++i) {
      const int32_t value = graph_->input(node, i);
      if (value >= 0 && graph_->edge_spec(node, i) >= 0) AddEdge(node, value, graph_->edge_spec(node, i), false);
    }
  } else {
    const v1::Node& message = graph_->node(node);
    read_by_.resize(graph_->num_values(), -1);
    for (int32_t input : message.inputs()) {
      if (input > 0) read_by_[input - 1] = node;
    }
    for (const v1::InputSpec& entry : message.input_spec_map()) {
      const int32_t value = entry.value() - 1;
      AddEdge(node, value, entry.spec() - 1, read_by_[value] != node);
    }
  }
  edge_count_[node] = size() - first_edge_[node];
  for (int32_t entry = first_edge_[node]; entry < size(); ++entry) {
    entries_[entry].starts_sharing = !graph_->no_implicit_sharing(node);
  }
  if (edge_count_[node] <= kIndexedFrom) return;
  for (int32_t entry = first_edge_[node]; entry < size(); ++entry) {
    wide_edges_.emplace(EdgeKey(place(entry).value, node), entry);
  }
}

void Annotations::AddEdge(int32_t node, int32_t value, int32_t spec, bool stray) {
  if (only_ != nullptr && !(*only_)[value]) return;
  if (in_map_of_[value] == node) return;  // a map has each key once
  in_map_of_[value] = node;
  Entry& entry = entries_.emplace_back();
  entry.place = {value, node};
  entry.spec = spec;
  entry.stray = stray;
  has_stray_edges_ |= stray;
}

int32_t Annotations::Find(SpecPlace place) const {
  if (place.value < 0) return -1;
  if (!place.is_edge()) return value_entry_[place.value];
  const int32_t first = first_edge_[place.node];
  const int32_t count = edge_count_[place.node];
  if (count > kIndexedFrom) {
    const auto found = wide_edges_.find(EdgeKey(place.value, place.node));
    return found == wide_edges_.end() ? -1 : found->second;
  }
  for (int32_t entry = first; entry < first + count; ++entry) {
    if (entries_[entry].place.value == place.value) return entry;
  }
  return -1;
}

void Annotations::FindTargets() {
  constexpr int32_t kNotLookedUp = -2;
  std::vector<int32_t> target_of_spec(graph_->message().specs_size(), kNotLookedUp);
  for (Entry& entry : entries_) {
    if (graph_->spec_kind(entry.spec) != v1::Spec::SHARED) continue;
    int32_t& target = target_of_spec[entry.spec];
    if (target == kNotLookedUp) target = Find(graph_->references(entry.spec)[0]);
    entry.shared = true;
    entry.target = target;
  }
}

void Annotations::FollowReferences() {
  constexpr int32_t kOnPath = -2;
  std::vector<int32_t> path;
  for (int32_t start = 0; start < size(); ++start) {
    int32_t at = start;
    while (entries_[at].end == -1 && entries_[at].target >= 0) {
      entries_[at].end = kOnPath;
      path.push_back(at);
      at = entries_[at].target;
    }
    Entry& last = entries_[at];
    if (last.end == kOnPath) {
      last.state = SpecState::kCycle;
      last.end = at;
    } else if (last.end == -1) {
      last.end = at;
      const bool none = graph_->spec_kind(last.spec) == v1::Spec::EXPLICIT_NONE;
      last.state = last.shared ? SpecState::kDangling : none ? SpecState::kNone : SpecState::kConcrete;
    }
    for (int32_t entry : path) {
      entries_[entry].state = last.state;
      entries_[entry].end = last.end;
    }
    path.clear();
  }
}

std::optional<SpecResolution> Annotations::Resolve(SpecPlace place) const {
  const int32_t entry = Find(place);
  if (entry < 0) return std::nullopt;
  return Resolve(entry);
}

std::vector<int32_t> Annotations::Path(int32_t entry) const {
  std::vector<int32_t> path = {entry};
  const SpecResolution resolution = Resolve(entry);
  bool at_end = entry == resolution.end && resolution.state != SpecState::kCycle;
  for (int met = entry == resolution.end; !at_end;) {
    path.push_back(entries_[path.back()].target);
    if (path.back() == resolution.end) at_end = resolution.state != SpecState::kCycle || ++met == 2;
  }
  return path;
}

void Annotations::CollectSiblings() {
  first_sibling_.assign(graph_->num_values() + 1, 0);
  const auto is_sibling = [](const Entry& entry) { return entry.place.is_edge() && !entry.stray; };
  for (const Entry& entry : entries_) first_sibling_[entry.place.value + 1] += is_sibling(entry);
  for (int32_t value = 0; value < graph_->num_values(); ++value) first_sibling_[value + 1] += first_sibling_[value];
  siblings_.resize(first_sibling_.back());
  std::vector<int32_t> next(first_sibling_.begin(), first_sibling_.end() - 1);
  for (int32_t entry = 0; entry < size(); ++entry) {
    if (is_sibling(entries_[entry])) siblings_[next[entries_[entry].place.value]++] = entry;
  }
  // Where fx registered the users in another order, theirs counts. Users that are not listed come behind.
  if (!graph_->has_user_orders()) return;
  std::vector<int32_t> rank;
  for (int32_t value = 0; value < graph_->num_values(); ++value) {
    const auto& users = graph_->value(value).users();
    if (users.empty()) continue;
    if (rank.empty()) rank.assign(graph_->num_nodes(), 0);
    for (int i = users.size() - 1; i >= 0; --i) rank[users.Get(i) - 1] = i - users.size();
    std::stable_sort(siblings_.begin() + first_sibling_[value], siblings_.begin() + first_sibling_[value + 1],
                     [&](int32_t a, int32_t b) { return rank[entries_[a].place.node] < rank[entries_[b].place.node]; });
    for (int32_t user : users) rank[user - 1] = 0;
  }
}

}  // namespace quantgate
