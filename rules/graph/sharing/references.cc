#include "rules/graph/sharing/references.h"

#include <algorithm>
#include <tuple>

namespace quantgate {
namespace {

// Nodes with more inputs are left to the annotation table, which has an index of them.
constexpr int kMaxScannedInputs = 32;

}  // namespace

bool EarlierReferences::All() {
  if (graph_.has_spec_maps()) return false;
  for (Use edge : graph_.referring_edges()) {
    const SpecPlace place = {graph_.input(edge.node, edge.input), edge.node};
    if (!Check(graph_.edge_spec(edge.node, edge.input), place, edge.input)) return false;
  }
  for (int32_t value : graph_.referring_values()) {
    if (!Check(graph_.value_spec(value), {value, -1}, 0)) return false;
  }
  return true;
}

bool EarlierReferences::Check(int32_t spec, SpecPlace place, int input) {
  // A value that the node reads again: one edge, entered once.
  if (place.is_edge() && input != InputOf(place)) return graph_.num_inputs(place.node) <= kMaxScannedInputs;
  const absl::Span<const SpecPlace> references = graph_.references(spec);
  const auto is_earlier = [&](SpecPlace reference) { return IsEarlier(reference, place, input); };
  if (!std::all_of(references.begin(), references.end(), is_earlier)) return false;
  if (graph_.spec_kind(spec) == v1::Spec::DERIVED) return true;
  if (parent_.empty()) parent_.resize(graph_.num_values(), kNone);
  int32_t& parent = parent_[place.value];
  if (parent == kNone) {
    parent = references[0].value;
  } else {
    further_.push_back({place.value, references[0].value});
  }
  return true;
}

bool EarlierReferences::MakeNoCircle() const {
  if (!further_.empty()) return false;
  // The value from which each was first come to, on the way up.
  std::vector<int32_t> met_from(parent_.size(), kNone);
  for (int32_t start = 0; start < static_cast<int32_t>(parent_.size()); ++start) {
    for (int32_t value = start; parent_[value] != kNone && met_from[value] == kNone; value = parent_[value]) {
      met_from[value] = start;
      if (met_from[parent_[value]] == start) return false;
    }
  }
  return true;
}

std::vector<bool> EarlierReferences::Reached() const {
  std::vector<bool> reached(parent_.size(), false);
  for (size_t value = 0; value < parent_.size(); ++value) {
    if (parent_[value] != kNone) reached[value] = reached[parent_[value]] = true;
  }
  for (const Edge& edge : further_) reached[edge.parent] = true;
  return reached;
}

bool EarlierReferences::IsEarlier(SpecPlace reference, SpecPlace place, int place_input) const {
  if (reference.value < 0) return false;
  int input = 0;
  if (reference.is_edge()) {
    input = InputOf(reference);
    if (input < 0 || graph_.spec_kind(graph_.edge_spec(reference.node, input)) == v1::Spec::EXPLICIT_NONE) return false;
  } else {
    const int32_t spec = graph_.value_spec(reference.value);
    if (spec < 0 || graph_.spec_kind(spec) == v1::Spec::EXPLICIT_NONE) return false;
  }
  if (reference.is_edge() && reference.node == place.node) return input < place_input;
  const Position from = PositionOf(reference, input);
  const Position position = PositionOf(place, place_input);
  return std::tie(from.value, from.node, from.input) < std::tie(position.value, position.node, position.input);
}

int EarlierReferences::InputOf(SpecPlace edge) const {
  const int inputs = graph_.num_inputs(edge.node);
  if (inputs > kMaxScannedInputs) return -1;
  for (int i = 0; i < inputs; ++i) {
    if (graph_.input(edge.node, i) == edge.value && graph_.edge_spec(edge.node, i) >= 0) return i;
  }
  return -1;
}

EarlierReferences::Position EarlierReferences::PositionOf(SpecPlace place, int input) const {
  if (!place.is_edge()) return {place.value, kNoNode, 0};
  int32_t first = INT32_MAX;
  for (int i = 0; i < graph_.num_outputs(place.node); ++i) {
    const int32_t value = graph_.output(place.node, i);
    if (value >= 0 && graph_.producer(value) == place.node) first = std::min(first, value);
  }
  return {first, place.node, input};
}

}  // namespace quantgate
