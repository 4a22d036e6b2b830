#include "rules/corrections/spec_editor.h"

namespace quantgate::corrections {

int32_t SpecAt(const v1::Graph& graph, SpecPlace place) {
  if (!place.is_edge()) return graph.values(place.value).spec();
  const v1::Node& node = graph.nodes(place.node);
  for (int i = 0; i < node.inputs_size() && i < node.input_specs_size(); ++i) {
    if (node.inputs(i) == place.value + 1) return node.input_specs(i);
  }
  return 0;
}

void SpecEditor::Set(SpecPlace place, int32_t spec) {
  if (!place.is_edge()) {
    graph_.mutable_values(place.value)->set_spec(spec);
    return;
  }
  v1::Node& node = *graph_.mutable_nodes(place.node);
  for (int i = 0; i < node.inputs_size(); ++i) {
    if (node.inputs(i) != place.value + 1) continue;
    while (node.input_specs_size() < node.inputs_size()) node.add_input_specs(0);
    node.set_input_specs(i, spec);
  }
  if (node.input_spec_map().empty()) return;
  for (int i = 0; i < node.input_spec_map_size(); ++i) {
    if (node.input_spec_map(i).value() != place.value + 1) continue;
    if (spec != 0) {
      node.mutable_input_spec_map(i)->set_spec(spec);
    } else {
      node.mutable_input_spec_map()->DeleteSubrange(i, 1);
    }
    return;
  }
  if (spec == 0) return;
  v1::InputSpec& entry = *node.add_input_spec_map();
  entry.set_value(place.value + 1);
  entry.set_spec(spec);
}

int32_t SpecEditor::Intern(const v1::Spec& spec) {
  for (; read_ < graph_.specs_size(); ++read_) {
    interned_.emplace(graph_.specs(read_).SerializeAsString(), read_ + 1);
  }
  const auto [found, inserted] = interned_.emplace(spec.SerializeAsString(), graph_.specs_size() + 1);
  if (inserted) {
    *graph_.add_specs() = spec;
    ++read_;
  }
  return found->second;
}

}  // namespace quantgate::corrections
