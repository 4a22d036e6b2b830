#include "rules/soundness/annotated.h"

#include <algorithm>

namespace quantgate {

Place PlaceOf(const Graph& graph, SpecPlace at) {
  Place place;
  place.value = at.value;
  place.node = at.is_edge() ? at.node : graph.producer(at.value);
  if (!at.is_edge()) place.output = place.node < 0 ? -1 : graph.output_index(at.value);
  for (int i = 0; at.is_edge() && i < graph.num_inputs(at.node) && place.input < 0; ++i) {
    if (graph.input(at.node, i) == at.value) place.input = i;
  }
  return place;
}

bool IsAnnotation(const CheckContext& context) {
  return context.graph().origin() == v1::Graph::PT2E && context.stage() != v1::STAGE_CONVERTED;
}

void ForEachAnnotated(const CheckContext& context, absl::FunctionRef<bool(const v1::Spec&)> wanted,
                      absl::FunctionRef<void(const AnnotatedPlace&)> visit) {
  if (!IsAnnotation(context)) return;
  const Graph& graph = context.graph();
  std::vector<bool> picked;
  picked.reserve(graph.message().specs_size());
  for (const v1::Spec& spec : graph.message().specs()) picked.push_back(wanted(spec));
  if (std::find(picked.begin(), picked.end(), true) == picked.end()) return;
  AnnotatedPlace found;
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    found.spec = graph.value_spec(value);
    if (found.spec < 0 || !picked[found.spec]) continue;
    found.place = Place();
    found.place.node = graph.producer(value);
    found.place.output = found.place.node < 0 ? -1 : graph.output_index(value);
    found.place.value = found.value = value;
    visit(found);
  }
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_inputs(node); ++i) {
      found.spec = graph.edge_spec(node, i);
      if (found.spec < 0 || !picked[found.spec] || graph.input(node, i) < 0) continue;
      found.place = Place();
      found.place.node = node;
      found.place.input = i;
      found.place.value = found.value = graph.input(node, i);
      visit(found);
    }
  }
}

bool IsPerChannel(const v1::Spec& spec) {
  return spec.qscheme() == v1::Spec::PER_CHANNEL_AFFINE || spec.qscheme() == v1::Spec::PER_CHANNEL_SYMMETRIC ||
         spec.qscheme() == v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS;
}

}  // namespace quantgate
