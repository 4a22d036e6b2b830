#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/infer.h"
#include "rules/soundness/rules.h"
#include "rules/tflite/infer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDeclaredShape = {
    "FI015",
    "declared-shape",
    v1::Finding::ADVICE,
    v1::Finding::WARNING,
    kAtAnyStage,
    "{subject}: declared {observed}; expected {allowed}",
    "The shape that the file declares is not the one that the operator makes. Runtimes that look at the operators warn "
    "and go on; programs that allocate by the declaration do not.",
    "Declare the shape that the operator makes, or leave it out.",
    "An output declared [1, 77] of a Conv that makes [1, 4, 6, 6] fires it; one declared [1, 4, 6, 6] does not.",
};

void CheckDeclaredShape(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const bool tflite = graph.origin() == v1::Graph::TFLITE;
  for (const DeclaredOtherwise& found : context.Once(tflite ? InferTfliteShapes : InferShapes).declared_otherwise) {
    const v1::Value& value = graph.value(found.value);
    Place place;
    place.node = graph.producer(found.value);
    place.output = graph.output_index(found.value);
    place.value = found.value;
    sink.Add(kDeclaredShape, place, ShapeText({value.dims().data(), static_cast<size_t>(value.dims_size())}),
             absl::StrCat(ShapeText(found.inferred), ", which ", graph.op_type(place.node), " makes"));
  }
}

}  // namespace

Rule DeclaredShape() { return {&kDeclaredShape, &CheckDeclaredShape}; }

}  // namespace quantgate
