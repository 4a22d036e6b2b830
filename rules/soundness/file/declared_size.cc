#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/quantizer.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kDeclaredSize = {
    "FI013",
    "declared-size",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "A size says how much memory a tensor takes. One below 0 (other than the -1 that stands for an unknown one), or "
    "sizes whose product no machine can count, lead to allocations of any length.",
    "Declare the size, or leave it unknown.",
    "A graph input of shape [-7, 3] fires it; [-1, 3] does not.",
};

// Quantize and Dequantize keep the shape; what is wrong with it is said of their input.
bool Repeats(const Graph& graph, int32_t value) {
  const int32_t producer = graph.producer(value);
  if (!IsQuantize(graph, producer) && !IsDequantize(graph, producer)) return false;
  const int32_t data = QuantizerInputsOf(graph, producer).data;
  return data >= 0 && std::equal(graph.value(value).dims().begin(), graph.value(value).dims().end(),
                                 graph.value(data).dims().begin(), graph.value(data).dims().end());
}

struct DeclaredShape {
  bool negative = false;  // has a size below that of an unknown one
  bool overflow = false;
};

// LiteRT writes the shape that it allocates; which sizes may change is said elsewhere in the file.
int64_t SmallestSize(const Graph& graph) { return graph.origin() == v1::Graph::TFLITE ? 0 : -1; }

DeclaredShape JudgeShape(const v1::Value& value, int64_t smallest) {
  DeclaredShape shape;
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : value.dims()) {
    shape.negative = shape.negative || size < smallest;
    empty = empty || size == 0;
    if (size > 0) shape.overflow = shape.overflow || __builtin_mul_overflow(count, size, &count);
  }
  shape.overflow = shape.overflow && !empty;
  return shape;
}

void CheckValue(const Graph& graph, int32_t id, FindingSink& sink) {
  const v1::Value& value = graph.value(id);
  // Constants are tensor-size's.
  if (!value.has_shape() || graph.is_constant(id) || Repeats(graph, id)) return;
  const DeclaredShape shape = JudgeShape(value, SmallestSize(graph));
  Place place;
  place.value = id;
  if (shape.negative) {
    const int64_t smallest = *std::min_element(value.dims().begin(), value.dims().end());
    sink.Add(kDeclaredSize, place, absl::StrCat("size ", smallest),
             SmallestSize(graph) == 0 ? "0 or more" : "0 or more, or -1 for any");
  }
  if (shape.overflow) {
    sink.Add(kDeclaredSize, place, "more elements than 64 bits can count", "a shape that fits into memory");
  }
}

void CheckDeclaredSize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<bool> odd(graph.num_values(), false);  // of the first value of each shape
  bool any = false;
  for (int32_t id : graph.unlike_values()) {
    const DeclaredShape shape = JudgeShape(graph.value(id), SmallestSize(graph));
    odd[id] = shape.negative || shape.overflow;
    any |= odd[id];
  }
  for (int32_t id = 0; any && id < graph.num_values(); ++id) {
    if (odd[graph.value_like(id)]) CheckValue(graph, id, sink);
  }
}

}  // namespace

Rule DeclaredSize() { return {&kDeclaredSize, &CheckDeclaredSize}; }

}  // namespace quantgate
