// Ways to know less of a graph than its file says: what cannot be known of others.
#ifndef QUANTGATE_TESTS_RULES_LESS_KNOWN_H_
#define QUANTGATE_TESTS_RULES_LESS_KNOWN_H_

#include <cstdint>

#include "quantgate/v1/graph.pb.h"

namespace quantgate::testing {

inline void ForgetShape(v1::Value& value) {
  value.clear_dims();
  value.clear_dim_symbols();
  value.set_has_shape(false);
}

inline void ForgetShapes(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) ForgetShape(value);
}
inline void ForgetSizes(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) {
    for (int64_t& size : *value.mutable_dims()) size = -1;
  }
}
inline void ForgetOneShape(v1::Graph& graph, int64_t which) {
  constexpr int64_t kStride = 7919;  // a prime: few draws reach all parts of a large graph
  if (graph.values().empty()) return;
  ForgetShape(*graph.mutable_values(static_cast<int>(which * kStride % graph.values_size())));
}
inline void ForgetNumbers(v1::Graph& graph) {
  for (v1::Spec& spec : *graph.mutable_specs()) {
    spec.mutable_qparams()->clear_scales();
    spec.mutable_qparams()->clear_zero_points();
  }
  for (v1::Value& value : *graph.mutable_values()) {
    if (!value.has_constant()) continue;
    value.mutable_constant()->clear_ints();
    value.mutable_constant()->clear_reals();
    value.mutable_constant()->clear_data();
  }
}
inline void ForgetParameters(v1::Graph& graph) {
  for (v1::Node& node : *graph.mutable_nodes()) node.clear_attributes();
}

// What an optional input is like when it is left out; of any input, for whoever counts on it. Of some nodes.
inline void ForgetInputs(v1::Graph& graph, int64_t which) {
  constexpr int kEvery = 3;
  for (int i = graph.nodes_size() < kEvery ? 0 : static_cast<int>(which % kEvery); i < graph.nodes_size();
       i += kEvery) {
    v1::Node& node = *graph.mutable_nodes(i);
    if (!node.inputs().empty()) node.set_inputs(static_cast<int>(which % node.inputs_size()), 0);
  }
}
inline void ForgetTypes(v1::Graph& graph) {
  for (v1::Value& value : *graph.mutable_values()) value.clear_dtype();
}

// The ways are numbered, so that many cases draw each.
inline constexpr int kWaysToKnowLess = 7;
inline constexpr int kWithoutSizes = 1;
// From here on it is another graph rather than less of one: defaults take the place of parameters.
inline constexpr int kWithoutParameters = 4;
inline void KnowLess(v1::Graph& graph, int way, int64_t which) {
  switch (way) {
    case 0:
      return ForgetShapes(graph);
    case kWithoutSizes:
      return ForgetSizes(graph);
    case 2:
      return ForgetOneShape(graph, which);
    case 3:
      return ForgetNumbers(graph);
    case kWithoutParameters:
      return ForgetParameters(graph);
    case 5:
      return ForgetInputs(graph, which);
    default:
      return ForgetTypes(graph);
  }
}

}  // namespace quantgate::testing

#endif  // QUANTGATE_TESTS_RULES_LESS_KNOWN_H_
