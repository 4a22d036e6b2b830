#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kTensorSize = {
    "FI004",
    "tensor-size",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "The declared shape and the stored bytes of a constant contradict each other. A loader that believes the shape "
    "reads beyond the data, or allocates whatever the file asks for.",
    "Write the tensor again with the shape and packing of its type; the file is damaged or was edited by hand.",
    "An int8 weight of shape [8, 3, 3, 3] with 211 bytes fires it; with 216 bytes it does not.",
};

std::string StatedShape(const v1::Value& value) {
  return absl::StrCat("shape [", absl::StrJoin(value.dims(), ", "), "]");
}

// What the shape and the element type of a tensor come to.
struct Size {
  enum Kind { kNegative, kOverflow, kNoFixedSize, kBytes } kind = kBytes;
  uint64_t bytes = 0;
};

Size SizeOf(const v1::Value& value) {
  const int bits = BitWidth(value.dtype());
  uint64_t count = 1;
  bool overflow = false;
  for (int64_t dim : value.dims()) {
    if (dim < 0) return {Size::kNegative};
    overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  uint64_t total_bits = 0;
  overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(bits == 0 ? 1 : bits), &total_bits);
  if (overflow) return {Size::kOverflow};
  if (bits == 0) return {Size::kNoFixedSize};
  return {Size::kBytes, total_bits / 8 + (total_bits % 8 != 0)};
}

void CheckConstant(const Graph& graph, const Graph::ConstantRecord& constant, const Size& size, FindingSink& sink) {
  if (size.kind == Size::kNoFixedSize) return;
  const bool counted = constant.stored_bytes >= 0;
  if (size.kind == Size::kBytes && (!counted || size.bytes == static_cast<uint64_t>(constant.stored_bytes))) return;
  const v1::Value& value = graph.value(constant.value);
  Place place;
  place.value = constant.value;
  if (size.kind == Size::kNegative) {
    sink.Add(kTensorSize, place, absl::StrCat(StatedShape(value), " has a negative size"), "sizes of 0 or more");
  } else if (size.kind == Size::kOverflow) {
    sink.Add(kTensorSize, place, absl::StrCat(StatedShape(value), " has more elements than 64 bits can count"),
             "a shape that fits the stored bytes");
  } else {
    // An ONNX file may hold the elements in raw_data or in the field of their type; with both, loaders differ.
    const bool twice = static_cast<uint64_t>(constant.stored_bytes) == 2 * size.bytes && size.bytes > 0;
    const std::string& location = value.constant().external().location();
    sink.Add(kTensorSize, place,
             absl::StrCat(constant.stored_bytes, " bytes stored for ", StatedShape(value), " of ",
                          DataTypeName(value.dtype()), twice ? ": everything twice" : "",
                          location.empty() ? "" : absl::StrCat(", in '", location, "'")),
             absl::StrCat(size.bytes, " bytes"));
  }
}

void CheckPackedSize(const Graph& graph, const PackedMatMul& packed, FindingSink& sink) {
  if (!packed.valid()) return;
  const v1::Value& weight = graph.value(packed.weight);
  if (!graph.is_constant(packed.weight) || !weight.has_shape()) return;
  const int64_t expected[] = {packed.n, packed.blocks(), packed.bytes_per_block()};
  if (absl::c_equal(weight.dims(), expected)) return;
  if (absl::c_any_of(weight.dims(), [](int64_t size) { return size < 0; })) return;  // said by CheckConstant
  Place place;
  place.node = packed.node;
  place.value = packed.weight;
  sink.Add(kTensorSize, place, absl::StrCat("packed weights of ", StatedShape(weight)),
           absl::StrCat("[", absl::StrJoin(expected, ", "), "] for N=", packed.n, ", K=", packed.k, ", ", packed.bits,
                        " bits, block_size=", packed.block_size));
}

// A sparse tensor of ONNX that the importer did not make dense.
bool IsUnread(const Graph& graph, const Graph::ConstantRecord& constant) {
  return constant.stored_bytes < 0 && graph.origin() == v1::Graph::ONNX &&
         graph.value(constant.value).constant().has_sparsity();
}

void CheckTensorSize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  std::vector<Size> sizes(graph.num_values());  // of unlike values
  for (int32_t value : graph.unlike_values()) sizes[value] = SizeOf(graph.value(value));
  int64_t unread = 0;
  for (const Graph::ConstantRecord& constant : graph.constants()) {
    unread += IsUnread(graph, constant) ? 1 : 0;
    // Bytes outside of the model folder were not counted; that is another rule's finding.
    if (constant.is_external && constant.stored_bytes == 0 &&
        graph.value(constant.value).constant().external().status() != v1::ExternalData::READ) {
      continue;
    }
    CheckConstant(graph, constant, sizes[graph.value_like(constant.value)], sink);
  }
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) CheckPackedSize(graph, packed, sink);
  if (unread == 0) return;
  sink.NotChecked(&kTensorSize, -1,
                  absl::StrCat(unread, unread == 1 ? " sparse tensor was" : " sparse tensors were",
                               " not read: no rule looked at ", unread == 1 ? "its" : "their", " elements"));
}

}  // namespace

Rule TensorSize() { return {&kTensorSize, &CheckTensorSize}; }

}  // namespace quantgate
