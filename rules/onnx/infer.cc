#include "rules/onnx/infer.h"

#include <utility>

#include "rules/onnx/defined.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

Shape Declared(const v1::Value& value) {
  if (!value.has_shape() || value.dims_size() > kMaxRank) return {};
  for (int64_t size : value.dims()) {
    if (size < kAnySize || size > kMaxSize) return {};
  }
  return {true, absl::MakeConstSpan(value.dims().data(), value.dims_size())};
}

bool Agree(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

void Infer(NodeShapes& node) {
  InferElementwise(node) || InferConv(node) || InferMatMul(node) || InferReshaping(node) || InferMoving(node) ||
      InferReducing(node);
}

void Take(const NodeShapes::Output& output, int32_t value, Inferred& inferred) {
  if (!output.known) return;
  Shape& shape = inferred.shapes[value];
  const Shape declared = shape;
  if (!declared.known || !Agree(declared, output.shape)) {
    if (declared.known) {
      inferred.declared_otherwise.push_back({value, Dims(output.shape.dims.begin(), output.shape.dims.end())});
    }
    shape = output.like ? output.shape : Shape{true, inferred.storage.emplace_back(output.dims)};
    return;
  }
  if (declared.is_static()) return;
  // Each may know sizes that the other does not.
  if (output.shape.is_static() && output.like) {
    shape = output.shape;
    return;
  }
  Dims& merged = inferred.storage.emplace_back(declared.dims.begin(), declared.dims.end());
  for (size_t i = 0; i < merged.size(); ++i) {
    if (merged[i] < 0) merged[i] = output.shape.dims[i];
  }
  shape.dims = merged;
}

}  // namespace

Inferred InferShapes(const CheckContext& context) {
  Inferred inferred;
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::ONNX) return inferred;
  inferred.shapes.resize(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) inferred.shapes[value] = Declared(graph.value(value));
  const int64_t opset = OnnxOpset(context.model());
  // Broadcasting as today came with operator set 7, and nothing current writes an older one.
  if (opset < 7) return inferred;
  const std::vector<DefinedOp>& ops = context.Once(DefinedOps);
  NodeShapes node(graph, opset, inferred.shapes);
  const absl::Span<const int32_t> order = graph.order();
  for (int32_t id : order.first(order.size() - graph.num_cyclic())) {
    const Definition* definition = ops[graph.node(id).op()].current;
    // A node with arguments missing is argument-count's.
    if (definition == nullptr || definition->removed || graph.binding(id) == nullptr ||
        graph.num_inputs(id) < definition->inputs.min) {
      continue;
    }
    node.Start(id);
    Infer(node);
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      const int32_t value = graph.output(id, static_cast<int>(i));
      // The first producer counts; constants have the shape that is stored.
      if (value >= 0 && graph.producer(value) == id && !graph.is_constant(value)) {
        Take(node.outputs()[i], value, inferred);
      }
    }
  }
  inferred.contradictions = std::move(node.contradictions);
  return inferred;
}

}  // namespace quantgate
