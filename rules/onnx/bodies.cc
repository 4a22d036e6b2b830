#include "rules/onnx/bodies.h"

#include <algorithm>

namespace quantgate {
namespace {

// How the lists of arguments lie beside each other.
struct Layout {
  int first_input;  // of the node, that is the first of `body_input`
  int body_input;   // of the body
  int body_output;  // of the body, that is the node's first output
  int carried;      // inputs from `first_input` on that come back as the first outputs
  std::vector<absl::string_view> bodies;
};

Layout LayoutOf(const Graph& graph, int32_t node, int64_t opset) {
  const absl::string_view op_type = graph.op_type(node);
  const int inputs = graph.num_inputs(node);
  // Branches see the tensors around them.
  if (op_type == "If") return {inputs, 0, 0, 0, {"then_branch", "else_branch"}};
  // Number and condition, and the condition for the next round.
  if (op_type == "Loop") return {2, 2, 1, std::max(inputs - 2, 0), {"body"}};
  if (op_type == "Scan") {
    const int first = opset < 9 ? 1 : 0;  // lengths of the sequences
    const int64_t scanned = graph.int_attribute(node, "num_scan_inputs", inputs);
    const int64_t carried = inputs - first - std::clamp<int64_t>(scanned, 0, inputs);
    return {first, 0, 0, static_cast<int>(std::max<int64_t>(carried, 0)), {"body"}};
  }
  return {0, 0, 0, 0, {}};
}

const v1::Value* ValueOf(const v1::Graph& body, const google::protobuf::RepeatedField<int32_t>& ids, int at) {
  if (at < 0 || at >= ids.size() || ids[at] < 1 || ids[at] > body.values_size()) return nullptr;
  return &body.values(ids[at] - 1);
}

}  // namespace

std::vector<BodyTie> BodyTies(const Graph& graph, int32_t node, int64_t opset) {
  std::vector<BodyTie> ties;
  const Layout layout = LayoutOf(graph, node, opset);
  const auto add = [&ties](BodyTie tie) {
    if (tie.inner != nullptr) ties.push_back(tie);
  };
  for (absl::string_view name : layout.bodies) {
    const v1::Attribute* attribute = graph.attribute(node, name);
    if (attribute == nullptr || attribute->value_case() != v1::Attribute::kGraph) continue;
    const v1::Graph& body = graph.message().subgraphs(attribute->graph() - 1);
    for (int i = layout.first_input; i < graph.num_inputs(node); ++i) {
      const int at = i - layout.first_input;
      add({i, -1, ValueOf(body, body.inputs(), layout.body_input + at), name});
      if (at < layout.carried) add({i, -1, ValueOf(body, body.outputs(), layout.body_output + at), name});
    }
    for (int i = 0; i < graph.num_outputs(node); ++i) {
      add({-1, i, ValueOf(body, body.outputs(), layout.body_output + i), name});
    }
  }
  return ties;
}

}  // namespace quantgate
