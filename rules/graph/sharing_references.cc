#include "rules/graph/sharing_references.h"

#include <algorithm>
#include <tuple>

namespace quantgate {
namespace {

// Nodes with more inputs are left to the annotation table, which has an index of them.
constexpr int kMaxScannedInputs = 32;

}  // namespace

bool EarlierReferences::All(std::vector<bool>& reached) const {
  for (int32_t node = 0; node < graph_.num_nodes(); ++node) {
    if (graph_.has_spec_map(node)) return false;
    for (int i = 0; i < graph_.num_inputs(node); ++i) {
      const int32_t spec = graph_.edge_spec(node, i);
      if (spec >= 0 && graph_.input(node, i) >= 0 && !Check(spec, {graph_.input(node, i), node}, i, reached))
        return false;
    }
  }
  for (int32_t value = 0; value < graph_.num_values(); ++value) {
    const int32_t spec = graph_.value_spec(value);
    if (spec >= 0 && !Check(spec, {value, -1}, 0, reached)) return false;
  }
  return true;
}

bool EarlierReferences::Check(int32_t spec, SpecPlace place, int input, std::vector<bool>& reached) const {
  const v1::Spec::Kind kind = graph_.spec_kind(spec);
  if (kind != v1::Spec::SHARED && kind != v1::Spec::DERIVED) return true;
  // A value that the node reads again: one edge, entered once.
  if (place.is_edge() && input != InputOf(place)) return graph_.num_inputs(place.node) <= kMaxScannedInputs;
  const Position position = PositionOf(place, input);
  const absl::Span<const SpecPlace> references = graph_.references(spec);
  const auto is_earlier = [&](SpecPlace reference) { return IsEarlier(reference, position); };
  if (!std::all_of(references.begin(), references.end(), is_earlier)) return false;
  if (kind == v1::Spec::DERIVED) return true;
  const SpecPlace target = references[0];
  if (reached.empty()) reached.resize(graph_.num_values(), false);
  reached[place.value] = true;
  reached[target.value] = true;
  return true;
}

bool EarlierReferences::IsEarlier(SpecPlace reference, const Position& position) const {
  if (reference.value < 0) return false;
  int input = 0;
  if (reference.is_edge()) {
    input = InputOf(reference);
    if (input < 0) return false;
  } else {
    const int32_t spec = graph_.value_spec(reference.value);
    if (spec < 0 || graph_.spec_kind(spec) == v1::Spec::EXPLICIT_NONE) return false;
  }
  const Position from = PositionOf(reference, input);
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
