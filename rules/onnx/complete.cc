#include "rules/onnx/complete.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rules/onnx/element_types.h"
#include "rules/onnx/infer.h"

namespace quantgate {
namespace {

using Completed = std::vector<std::pair<int, Dims>>;  // index of the value

Completed Missing(const v1::Graph& model, const v1::Graph& message) {
  Completed completed;
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok()) return completed;
  const ResolvedGraph unread;  // shapes do not follow from specs
  const Inferred inferred = InferShapes(CheckContext(*graph, unread, &model));
  for (size_t i = 0; i < inferred.shapes.size(); ++i) {
    const Shape& shape = inferred.shapes[i];
    if (shape.known && !message.values(static_cast<int>(i)).has_shape()) {
      completed.emplace_back(static_cast<int>(i), Dims(shape.dims.begin(), shape.dims.end()));
    }
  }
  return completed;
}

}  // namespace

void CompleteShapes(const v1::Graph& model, v1::Graph* graph) {
  if (std::all_of(graph->values().begin(), graph->values().end(), [](const v1::Value& v) { return v.has_shape(); })) {
    return;
  }
  for (const auto& [index, dims] : Missing(model, *graph)) {
    v1::Value& value = *graph->mutable_values(index);
    value.set_has_shape(true);
    value.mutable_dims()->Assign(dims.begin(), dims.end());
  }
}

void CompleteElementTypes(const v1::Graph& model, v1::Graph* graph) {
  const auto stated = [](const v1::Value& value) { return value.dtype() != v1::DATA_TYPE_UNSPECIFIED; };
  if (std::all_of(graph->values().begin(), graph->values().end(), stated)) return;
  std::vector<v1::DataType> types;
  {
    const absl::StatusOr<Graph> built = Graph::Build(*graph);
    if (!built.ok()) return;
    const ResolvedGraph unread;  // types do not follow from specs
    types = ElementTypes(CheckContext(*built, unread, &model));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    v1::Value& value = *graph->mutable_values(static_cast<int>(i));
    if (!stated(value)) value.set_dtype(types[i]);
  }
}

}  // namespace quantgate
