#include "rules/onnx/complete.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rules/onnx/element_types.h"
#include "rules/onnx/infer.h"

namespace quantgate {
namespace {

using Completed = std::vector<std::pair<int, Dims>>;  // index of the value

bool IsStatic(const v1::Value& value) {
  return value.has_shape() && std::all_of(value.dims().begin(), value.dims().end(), [](int64_t d) { return d >= 0; });
}

Completed Missing(const v1::Graph& model, const v1::Graph& message) {
  Completed completed;
  const absl::StatusOr<Graph> graph = Graph::Build(message);
  if (!graph.ok()) return completed;
  const ResolvedGraph unread;  // shapes do not follow from specs
  const Inferred inferred = InferShapes(CheckContext(*graph, unread, &model));
  for (size_t i = 0; i < inferred.shapes.size(); ++i) {
    const Shape& shape = inferred.shapes[i];
    if (shape.known && !IsStatic(message.values(static_cast<int>(i)))) {
      completed.emplace_back(static_cast<int>(i), Dims(shape.dims.begin(), shape.dims.end()));
    }
  }
  return completed;
}

// Sizes that the value does not state; the name of one that is known now says nothing any more.
void Complete(const Dims& dims, v1::Value& value) {
  if (!value.has_shape()) {
    value.set_has_shape(true);
    value.mutable_dims()->Assign(dims.begin(), dims.end());
    return;
  }
  for (int i = 0; i < value.dims_size() && value.dims_size() == static_cast<int>(dims.size()); ++i) {
    if (value.dims(i) >= 0 || dims[i] < 0) continue;
    value.set_dims(i, dims[i]);
    if (i < value.dim_symbols_size()) value.set_dim_symbols(i, 0);
  }
}

}  // namespace

void CompleteShapes(const v1::Graph& model, v1::Graph* graph) {
  if (std::all_of(graph->values().begin(), graph->values().end(), IsStatic)) return;
  for (const auto& [index, dims] : Missing(model, *graph)) Complete(dims, *graph->mutable_values(index));
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
