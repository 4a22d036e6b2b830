// One node of a graph lowered to QNN, for tests.
#ifndef QUANTGATE_TESTS_RULES_BACKENDS_LOWERED_H_
#define QUANTGATE_TESTS_RULES_BACKENDS_LOWERED_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rules/backends/qnn/lowering.h"
#include "tests/rules/graph_builder.h"

namespace quantgate::qnn {

using ::quantgate::testing::GraphBuilder;

// Keeps alive what BackendOps point into.
struct Lowered {
  explicit Lowered(GraphBuilder b, const std::string& node) : builder(std::move(b)) {
    graph = std::make_unique<Graph>(*Graph::Build(builder.graph));
    resolved = std::make_unique<ResolvedGraph>(ResolvedGraph::Resolve(*graph));
    context = std::make_unique<CheckContext>(*graph, *resolved);
    for (const ResolvedOp& op : resolved->ops()) {
      if (graph->node(op.node).name() == node) result = Lower(*context, op, emission);
    }
    ops = emission.Finish();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const BackendOp& op : ops) all.emplace_back(op.name);
    return all;
  }
  const BackendOp& op(absl::string_view name) const {
    for (const BackendOp& candidate : ops) {
      if (candidate.name == name) return candidate;
    }
    ADD_FAILURE() << "no " << name << " was emitted";
    static const BackendOp none;
    return none;
  }

  GraphBuilder builder;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<ResolvedGraph> resolved;
  std::unique_ptr<CheckContext> context;
  Emission emission;
  Lowering result;
  absl::Span<const BackendOp> ops;
};

// What another node of the same graph becomes.
inline std::vector<std::string> LoweredName(const Lowered& from, const std::string& node) {
  return Lowered(from.builder, node).names();
}

inline const BackendParam* Param(const BackendOp& op, absl::string_view name) {
  for (const BackendParam& param : op.params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

inline void Ints(GraphBuilder& b, v1::Node& node, const std::string& name, const std::vector<int64_t>& values) {
  v1::Attribute& attribute = *node.add_attributes();
  attribute.set_name(b.Symbol(name));
  for (int64_t value : values) attribute.mutable_ints()->add_values(value);
}

// x (float, NCHW) -> op -> y, with a weight of the given shape.
inline GraphBuilder FloatOp(const std::string& op, const std::vector<int64_t>& x, const std::vector<int64_t>& w,
                            const std::vector<int64_t>& y) {
  GraphBuilder b;
  b.Input("x", v1::DATA_TYPE_FLOAT32, x);
  std::vector<std::string> inputs = {"x"};
  if (!w.empty()) {
    b.Weight("w", v1::DATA_TYPE_FLOAT32, w, -1);
    inputs.push_back("w");
  }
  b.Node(op, "n", inputs, {"y"});
  b.Shape("y", v1::DATA_TYPE_FLOAT32, y);
  b.Output("y");
  return b;
}

}  // namespace quantgate::qnn

#endif  // QUANTGATE_TESTS_RULES_BACKENDS_LOWERED_H_
