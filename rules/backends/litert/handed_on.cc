#include "rules/backends/litert/handed_on.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "rules/tflite/bodies.h"

namespace quantgate::litert {

const RuleInfo kHandedOn = {
    "GS603",
    "overwritten-in-body",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; expected {allowed}.",
    "After each round LiteRT copies the body's outputs to its inputs one after the other: an input that has a new "
    "value already is what a later output hands on. And a branch has memory for a tensor once: of two outputs that are "
    "the same one, the first is given memory that nobody writes.",
    "Let the body make a copy of what it hands on, or of what it gives twice (an ADD of 0).",
    "Fires: a body (a, b) -> (a + b, a). Does not: (a, b) -> (b, a + b), or (a, b) -> (a, a + b).",
};

namespace {

// Outputs are copied to the inputs in their order: one that is an input of the body has to be copied before that input
// gets another value.
absl::optional<HandedOn> OverwrittenInput(const v1::Graph& body) {
  if (body.inputs_size() != body.outputs_size()) return absl::nullopt;
  absl::flat_hash_map<int32_t, int> inputs;
  for (int i = 0; i < body.inputs_size(); ++i) inputs.try_emplace(body.inputs(i), i);
  for (int i = 0; i < body.outputs_size(); ++i) {
    const auto found = inputs.find(body.outputs(i));
    if (found == inputs.end() || found->second >= i || body.outputs(found->second) == body.outputs(i)) continue;
    return HandedOn{absl::StrCat("a body whose output ", i, " is its input ", found->second),
                    absl::StrCat("a copy of it: by then the input is what output ", found->second, " gave")};
  }
  return absl::nullopt;
}

absl::optional<HandedOn> GivenTwice(const v1::Graph& branch) {
  absl::flat_hash_set<int32_t> inputs(branch.inputs().begin(), branch.inputs().end());
  absl::flat_hash_map<int32_t, int> outputs;
  for (int i = 0; i < branch.outputs_size(); ++i) {
    const int32_t id = branch.outputs(i);
    // Those that are there before the branch is run are copied.
    const bool computed = id >= 1 && id <= branch.values_size() && !branch.values(id - 1).has_constant();
    if (!computed || inputs.contains(id)) continue;
    const auto [first, is_new] = outputs.try_emplace(id, i);
    if (is_new) continue;
    return HandedOn{absl::StrCat("a branch whose outputs ", first->second, " and ", i, " are one tensor"),
                    "a tensor for each"};
  }
  return absl::nullopt;
}

}  // namespace

absl::optional<HandedOn> LostInBody(const v1::Graph& model, const Graph& graph, int32_t node) {
  if (graph.op_type(node) == "WHILE") {
    const v1::Graph* body = BodyAt(model, graph, node, "body_subgraph_index");
    // Other counts are others' to say.
    return body == nullptr || body->outputs_size() != graph.num_outputs(node) ? absl::nullopt : OverwrittenInput(*body);
  }
  if (graph.op_type(node) != "IF") return absl::nullopt;
  for (const absl::string_view option : {"then_subgraph_index", "else_subgraph_index"}) {
    const v1::Graph* branch = BodyAt(model, graph, node, option);
    if (branch == nullptr || branch->outputs_size() != graph.num_outputs(node) ||
        branch->inputs_size() != graph.num_inputs(node) - 1) {
      continue;
    }
    absl::optional<HandedOn> found = GivenTwice(*branch);
    if (found.has_value()) return found;
  }
  return absl::nullopt;
}

}  // namespace quantgate::litert
