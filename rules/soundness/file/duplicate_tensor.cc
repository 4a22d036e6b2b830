#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDuplicateTensor = {
    "FI006",
    "duplicate-tensor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Tensors are told apart by name. When one name stands for two tensors, tools bind consumers to different ones and "
    "compute different things from the same file.",
    "Give each tensor a name of its own.",
    "Two initializers named 'w' fire it, and so does a node in the body of an If that writes 'w' again; 'w' and 'w_1' "
    "do not.",
};

const char* Kind(const Graph& graph, int32_t value) {
  if (graph.is_constant(value)) return "a constant";
  if (graph.is_graph_input(value)) return "a graph input";
  return graph.producer(value) >= 0 ? "a node's output" : "a tensor";
}

void CheckNames(const Graph& graph, FindingSink& sink) {
  absl::flat_hash_map<absl::string_view, int32_t> first;
  first.reserve(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const std::string& name = graph.value(value).name();
    if (name.empty() || graph.value(value).foreign()) continue;
    const auto [it, inserted] = first.emplace(name, value);
    if (inserted) continue;
    Place place;
    place.value = value;
    place.node = graph.producer(value);
    FindingDraft draft;
    draft.rule = &kDuplicateTensor;
    draft.place = place;
    draft.observed =
        absl::StrCat("its name stands for ", Kind(graph, it->second), " and again for ", Kind(graph, value));
    draft.allowed = "one tensor for each name";
    if (graph.origin() == v1::Graph::TFLITE) {
      // LiteRT tells tensors apart by number; who looks one up by its name gets the wrong one.
      draft.severity = v1::Finding::WARNING;
      draft.effect = v1::Finding::ADVICE;
    }
    sink.Add(std::move(draft));
  }
}

void CheckGraphInputs(const Graph& graph, FindingSink& sink) {
  std::vector<bool> seen(graph.num_values(), false);
  for (int32_t id : graph.message().inputs()) {
    const int32_t value = id - 1;
    if (seen[value]) {
      Place place;
      place.value = value;
      sink.Add(kDuplicateTensor, place, "is listed as a graph input again", "each graph input once");
    }
    seen[value] = true;
  }
}

// Whether a value is a graph input or a constant beside being the node's output. The node that holds a constant is no
// second source of it, and neither is that which torch.fx has for what is given, here for its annotation.
bool IsAlsoGiven(const Graph& graph, int32_t node, int32_t value) {
  const absl::string_view type = graph.op_type(node);
  if (graph.origin() == v1::Graph::PT2E && (type == "placeholder" || type == "get_attr")) return false;
  return graph.is_graph_input(value) || (graph.is_constant(value) && type != "Constant");
}

void CheckProducers(const Graph& graph, FindingSink& sink) {
  if (graph.all_written_once()) return;
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      const int32_t value = graph.output(node, i);
      if (value < 0) continue;
      const int32_t producer = graph.producer(value);
      if (producer == node && graph.output_index(value) == i && !IsAlsoGiven(graph, node, value)) continue;
      Place place;
      place.node = node;
      place.output = i;
      place.value = value;
      sink.Add(kDuplicateTensor, place,
               producer != node || graph.output_index(value) != i
                   ? absl::StrCat("is also written by node '", NodeName(graph, producer), "'")
                   : absl::StrCat("is also ", Kind(graph, value)),
               "one producer for each tensor");
    }
  }
}

// Values of `graph` by name, those that bodies see.
absl::flat_hash_map<absl::string_view, int32_t> OuterNames(const Graph& graph) {
  absl::flat_hash_map<absl::string_view, int32_t> names;
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const std::string& name = graph.value(value).name();
    if (!name.empty()) names.emplace(name, value);
  }
  return names;
}

// A value of `graph` whose name a node in the body of `node`, or in a body further in, writes again; -1: none. Inputs
// and constants of bodies may hide an outer name, and what comes after the node is not in sight: ONNX's checker and
// runtimes take both.
int32_t WrittenAgain(const Graph& graph, int32_t node, const absl::flat_hash_map<absl::string_view, int32_t>& names,
                     const v1::Graph& body) {
  for (const v1::Node& inner : body.nodes()) {
    for (int32_t output : inner.outputs()) {
      if (output <= 0) continue;
      const auto found = names.find(body.values(output - 1).name());
      if (found != names.end() && graph.producer(found->second) < node) return found->second;
    }
  }
  for (const v1::Graph& deeper : body.subgraphs()) {
    const int32_t found = WrittenAgain(graph, node, names, deeper);
    if (found >= 0) return found;
  }
  return -1;
}

void CheckBodies(const Graph& graph, FindingSink& sink) {
  if (graph.origin() != v1::Graph::ONNX || graph.message().subgraphs().empty()) return;
  const absl::flat_hash_map<absl::string_view, int32_t> names = OuterNames(graph);
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (const v1::Attribute& attribute : graph.node(node).attributes()) {
      if (attribute.value_case() != v1::Attribute::kGraph) continue;
      const int32_t value = WrittenAgain(graph, node, names, graph.message().subgraphs(attribute.graph() - 1));
      if (value < 0) continue;
      Place place;
      place.node = node;
      place.value = value;
      sink.Add(kDuplicateTensor, place,
               absl::StrCat("its name stands for ", Kind(graph, value), ", and a node inside ",
                            graph.symbol(attribute.name()), " writes it again"),
               "one tensor for each name, those of bodies included");
    }
  }
}

void CheckDuplicateTensor(const CheckContext& context, FindingSink& sink) {
  CheckBodies(context.graph(), sink);
  if (!context.graph().distinct_value_names()) CheckNames(context.graph(), sink);
  CheckGraphInputs(context.graph(), sink);
  CheckProducers(context.graph(), sink);
}

}  // namespace

Rule DuplicateTensor() { return {&kDuplicateTensor, &CheckDuplicateTensor}; }

}  // namespace quantgate
