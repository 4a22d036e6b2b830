#include "rules/tflite/infer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/tflite/bodies.h"
#include "rules/tflite/contradictions.h"
#include "rules/tflite/output_shapes.h"

namespace quantgate {
namespace {

// The file's shape, as far as it is meant. Converters write 1 where a size is found as the model runs, and no sizes at
// all where the rank is. Constants are what they say, and so is what the model is given or keeps as variables
// (`exact`), but for the sizes that a caller is to set.
Shape Declared(const Graph& graph, int32_t value, bool exact, Inferred& inferred) {
  const v1::Value& tensor = graph.value(value);
  const auto& sizes = tensor.dims();
  const bool judged = tensor.has_shape() && tensor.dims_size() <= kMaxRank &&
                      absl::c_all_of(sizes, [](int64_t size) { return size >= kAnySize && size <= kMaxSize; });
  if (!judged || (sizes.empty() && !graph.is_constant(value))) return {};
  const Shape stated{true, absl::MakeConstSpan(sizes.data(), sizes.size())};
  if (graph.is_constant(value) || (exact && tensor.dim_symbols().empty())) return stated;
  if (!exact && !absl::c_linear_search(sizes, 1)) return stated;
  Dims& dims = inferred.storage.emplace_back(sizes.begin(), sizes.end());
  for (int i = 0; i < tensor.dims_size(); ++i) {
    if (exact ? tensor.dim_symbols(i) != 0 : dims[i] == 1) dims[i] = kAnySize;
  }
  return {true, dims};
}

struct Functions {
  ShapeCheck check = nullptr;
  OutputShapes outputs = nullptr;
  bool runs_bodies = false;
};

}  // namespace

Inferred InferTfliteShapes(const CheckContext& context) {
  Inferred inferred;
  const Graph& graph = context.graph();
  if (graph.origin() != v1::Graph::TFLITE) return inferred;
  // By Node.op, so that most nodes cost no look-up.
  std::vector<Functions> by_symbol(graph.message().symbols_size() + 1);
  for (int i = 1; i < static_cast<int>(by_symbol.size()); ++i) {
    by_symbol[i] = {ShapeCheckOf(graph.symbol(i)), OutputShapesOf(graph.symbol(i)), RunsBodies(graph.symbol(i))};
  }
  // A body is given the shapes of its caller's tensors.
  const bool main = !context.is_body();
  inferred.shapes.resize(graph.num_values());
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    const bool exact = main && (graph.is_graph_input(value) || graph.producer(value) < 0);
    inferred.shapes[value] = Declared(graph, value, exact, inferred);
  }
  NodeShapes node(graph, /*opset=*/0, inferred.shapes);
  std::optional<SubgraphCalls> calls;  // asked in the model's own graph: what it does not come to run does not matter
  const absl::Span<const int32_t> order = graph.order();
  for (size_t i = 0; i < order.size(); ++i) {
    const int32_t id = order[i];
    const Functions& functions = by_symbol[graph.node(id).op()];
    // Another operator's parameters are op-attributes'.
    if (graph.attribute(id, "builtin_options") != nullptr) continue;
    node.Start(id);
    const size_t before = node.contradictions.size();
    if (functions.check != nullptr) functions.check(node);
    if (functions.runs_bodies) {
      if (main && !calls.has_value()) calls.emplace(context.model());
      CheckBodies(context.model(), main ? &*calls : nullptr, node);
    }
    const bool ordered = i < order.size() - graph.num_cyclic();
    if (functions.outputs == nullptr || !ordered || node.contradictions.size() != before) continue;
    functions.outputs(node);
    if (node.contradictions.size() != before) continue;
    for (size_t k = 0; k < node.outputs().size(); ++k) {
      const int32_t value = graph.output(id, static_cast<int>(k));
      // The first producer counts; constants have the shape that is stored.
      if (value >= 0 && graph.producer(value) == id && !graph.is_constant(value) && !graph.is_graph_input(value)) {
        Take(node.outputs()[k], value, inferred);
      }
    }
  }
  inferred.contradictions = std::move(node.contradictions);
  return inferred;
}

}  // namespace quantgate
