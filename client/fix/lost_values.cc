#include "client/fix/lost_values.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace quantgate {
namespace {

using Ids = google::protobuf::RepeatedField<int32_t>;

// Visits every place of a graph that holds the id of one of its values, as visit(id) -> new id. Bodies name values of
// the graph around them as captured.
template <typename Visit>
void ForEachValueId(v1::Graph& graph, const Visit& visit) {
  const auto at = [&](int32_t id) { return id > 0 && id <= graph.values_size() ? visit(id) : id; };
  const auto each = [&](Ids& ids) {
    for (int32_t& id : ids) id = at(id);
  };
  const auto edge = [&](v1::EdgeRef& reference) { reference.set_value(at(reference.value())); };
  each(*graph.mutable_inputs());
  each(*graph.mutable_outputs());
  for (v1::Node& node : *graph.mutable_nodes()) {
    each(*node.mutable_inputs());
    each(*node.mutable_outputs());
    for (v1::InputSpec& spec : *node.mutable_input_spec_map()) spec.set_value(at(spec.value()));
    for (v1::Attribute& attribute : *node.mutable_attributes()) {
      if (attribute.value_case() == v1::Attribute::kTensor) attribute.set_tensor(at(attribute.tensor()));
    }
  }
  for (v1::Spec& spec : *graph.mutable_specs()) {
    if (spec.has_shared_with()) edge(*spec.mutable_shared_with());
    for (v1::EdgeRef& reference : *spec.mutable_derived_from()) edge(reference);
  }
  if (graph.has_encodings_file()) {
    for (v1::Encoding& entry : *graph.mutable_encodings_file()->mutable_encodings()) entry.set_value(at(entry.value()));
  }
  for (v1::Graph& body : *graph.mutable_subgraphs()) {
    for (v1::Value& value : *body.mutable_values()) value.set_captured(at(value.captured()));
  }
}

// By id.
std::vector<bool> Named(v1::Graph& graph) {
  std::vector<bool> named(graph.values_size() + 1, false);
  ForEachValueId(graph, [&](int32_t id) {
    named[id] = true;
    return id;
  });
  return named;
}

}  // namespace

void DropLostValues(const v1::Graph& before, v1::Graph& changed) {
  v1::Graph original = before;
  const std::vector<bool> was = Named(original);
  const std::vector<bool> is = Named(changed);
  std::vector<int32_t> new_id(is.size(), 0);
  int32_t kept = 0;
  for (int32_t id = 1; id < static_cast<int32_t>(is.size()); ++id) {
    const bool lost = !is[id] && (id >= static_cast<int32_t>(was.size()) || was[id]);
    if (lost) continue;
    new_id[id] = ++kept;
    if (kept != id) changed.mutable_values()->SwapElements(kept - 1, id - 1);
  }
  // Before the values go: ids are told from what is none by how many there are.
  ForEachValueId(changed, [&](int32_t id) { return new_id[id]; });
  changed.mutable_values()->DeleteSubrange(kept, changed.values_size() - kept);
}

}  // namespace quantgate
