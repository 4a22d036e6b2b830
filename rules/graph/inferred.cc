#include "rules/graph/inferred.h"

namespace quantgate {
namespace {

bool Agree(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

}  // namespace

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

}  // namespace quantgate
