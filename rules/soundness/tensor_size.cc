#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "FI004",
    "tensor-size",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The declared shape and the stored bytes of a constant contradict each other. A loader that believes the shape "
    "reads "
    "beyond the data, or allocates whatever the file asks for.",
    "Write the tensor again with the shape and packing of its type; the file is damaged or was edited by hand.",
    "An int8 weight of shape [8, 3, 3, 3] with 211 bytes fires it; with 216 bytes it does not.",
};

std::string Shape(const v1::Value& value) { return absl::StrCat("shape [", absl::StrJoin(value.dims(), ", "), "]"); }

void CheckConstant(const Graph& graph, int32_t id, FindingSink& sink) {
  const v1::Value& value = graph.value(id);
  const int bits = BitWidth(value.dtype());
  Place place;
  place.value = id;
  uint64_t count = 1;
  bool overflow = false;
  for (int64_t dim : value.dims()) {
    if (dim < 0) {
      sink.Add(kInfo, place, absl::StrCat(Shape(value), " has a negative size"), "sizes of 0 or more");
      return;
    }
    overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  uint64_t total_bits = 0;
  overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(bits == 0 ? 1 : bits), &total_bits);
  if (overflow) {
    sink.Add(kInfo, place, absl::StrCat(Shape(value), " has more elements than 64 bits can count"),
             "a shape that fits the stored bytes");
    return;
  }
  if (bits == 0 || value.constant().stored_bytes() < 0) return;
  const uint64_t bytes = total_bits / 8 + (total_bits % 8 != 0);
  if (bytes == static_cast<uint64_t>(value.constant().stored_bytes())) return;
  sink.Add(kInfo, place,
           absl::StrCat(value.constant().stored_bytes(), " bytes stored for ", Shape(value), " of ",
                        DataTypeName(value.dtype())),
           absl::StrCat(bytes, " bytes"));
}

void CheckPacked(const Graph& graph, int32_t node, FindingSink& sink) {
  const PackedMatMul packed = PackedMatMulOf(graph, node);
  if (!packed.valid()) return;
  const auto check = [&](int32_t id, absl::string_view what, int64_t expected) {
    if (id < 0 || !graph.is_constant(id) || !graph.value(id).has_shape()) return;
    int64_t count = 1;
    for (int64_t dim : graph.value(id).dims()) {
      if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return;  // said by CheckConstant
    }
    if (count == expected) return;
    Place place;
    place.node = node;
    place.value = id;
    sink.Add(kInfo, place, absl::StrCat(what, " of ", Shape(graph.value(id)), ", ", count, " bytes"),
             absl::StrCat(expected, " bytes for N=", packed.n, ", K=", packed.k, ", ", packed.bits,
                          " bits, block_size=", packed.block_size));
  };
  check(packed.weight, "packed weights", packed.n * packed.blocks() * packed.bytes_per_block());
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (!graph.is_constant(value)) continue;
    // Bytes outside of the model folder were not counted; that is another rule's finding.
    const v1::Constant& constant = graph.value(value).constant();
    if (constant.has_external() && constant.external().status() != v1::ExternalData::READ &&
        constant.stored_bytes() == 0) {
      continue;
    }
    CheckConstant(graph, value, sink);
  }
  for (int32_t node = 0; node < graph.num_nodes(); ++node) CheckPacked(graph, node, sink);
}

}  // namespace

Rule TensorSize() { return {&kInfo, &Check}; }

}  // namespace quantgate
