#include "client/tflite/sparsity.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "client/tensor/element.h"
#include "client/tflite/view.h"

namespace quantgate::tflite {
namespace {

constexpr int8_t kDense = 0, kSparse = 1;
// Elements beyond are none that a file could hold.
constexpr int64_t kMaxElements = int64_t{1} << 48;

template <typename T>
std::optional<std::vector<int32_t>> Widened(const flatbuffers::Vector<T>* list) {
  if (list == nullptr) return std::nullopt;
  const std::vector<T> numbers = Numbers(*list);
  return std::vector<int32_t>(numbers.begin(), numbers.end());
}

// None: not there, or of a type that the schema does not have.
std::optional<std::vector<int32_t>> IndicesOf(SparseIndexVector type, const void* list) {
  if (list == nullptr) return std::nullopt;
  switch (type) {
    case SparseIndexVector::Int32Vector:
      return Widened(static_cast<const Int32Vector*>(list)->values());
    case SparseIndexVector::Uint16Vector:
      return Widened(static_cast<const Uint16Vector*>(list)->values());
    case SparseIndexVector::Uint8Vector:
      return Widened(static_cast<const Uint8Vector*>(list)->values());
    default:
      return std::nullopt;
  }
}

template <typename T>
int64_t SizeOfList(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

int64_t CountOfIndices(SparseIndexVector type, const void* list) {
  if (list == nullptr) return 0;
  switch (type) {
    case SparseIndexVector::Int32Vector:
      return SizeOfList(static_cast<const Int32Vector*>(list)->values());
    case SparseIndexVector::Uint16Vector:
      return SizeOfList(static_cast<const Uint16Vector*>(list)->values());
    case SparseIndexVector::Uint8Vector:
      return SizeOfList(static_cast<const Uint8Vector*>(list)->values());
    default:
      return 0;
  }
}

// Whether each of `count` numbers is there once.
bool IsOrder(absl::Span<const int32_t> order, size_t count) {
  std::vector<bool> seen(order.size(), false);
  for (int32_t each : order) {
    if (each < 0 || static_cast<size_t>(each) >= order.size() || seen[each]) return false;
    seen[each] = true;
  }
  return order.size() == count;
}

// Sizes of the dimensions of tensor and blocks, by the numbers that the order gives them; none where blocks do not fit.
std::optional<std::vector<int64_t>> SizesOf(const Sparsity& sparsity, absl::Span<const int32_t> order,
                                            absl::Span<const int32_t> blocks, const v1::Value& value) {
  std::vector<int64_t> sizes(value.dims().begin(), value.dims().end());
  const int32_t rank = value.dims_size();
  sizes.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] < rank) continue;
    const DimensionMetadata& dimension = *sparsity.dim_metadata()->Get(static_cast<uint32_t>(i));
    const int32_t cut = blocks[order[i] - rank];
    const int64_t size = dimension.dense_size();
    if (dimension.format() != kDense || cut < 0 || cut >= rank || size < 1 || sizes[cut] % size != 0) {
      return std::nullopt;
    }
    sizes[order[i]] = size;
    sizes[cut] /= size;
  }
  return sizes;
}

// Follows one sparse dimension: `count` lists of indices become as many elements as they have. "" where they hold.
std::string Follow(const DimensionMetadata& dimension, int64_t size, int64_t& count) {
  const auto segments = IndicesOf(dimension.array_segments_type(), dimension.array_segments());
  auto indices = IndicesOf(dimension.array_indices_type(), dimension.array_indices());
  if (!segments.has_value() || !indices.has_value()) return "without where its elements are";
  if (static_cast<int64_t>(segments->size()) <= count || segments->front() != 0) return "with too few segments";
  const auto end = segments->begin() + count + 1;
  if (!std::is_sorted(segments->begin(), end)) return "with segments that go back";
  const int64_t stored = *(end - 1);
  if (stored > static_cast<int64_t>(indices->size())) return "with segments that go beyond its indices";
  for (int64_t i = 0; i < stored; ++i) {
    const int32_t index = (*indices)[i];
    if (index < 0 || index >= size) return absl::StrCat("with an index ", index, " of ", size);
  }
  for (auto first = segments->begin(); first + 1 != end; ++first) {
    const auto from = indices->begin() + *first, to = indices->begin() + *(first + 1);
    std::sort(from, to);
    if (const auto again = std::adjacent_find(from, to); again != to)
      return absl::StrCat("with an index ", *again, " twice");
  }
  count = stored;
  return "";
}

}  // namespace

int64_t SparsityNumbers(const Sparsity& sparsity) {
  int64_t count = SizeOfList(sparsity.traversal_order()) + SizeOfList(sparsity.block_map());
  if (sparsity.dim_metadata() == nullptr) return count;
  for (const DimensionMetadata* dimension : *sparsity.dim_metadata()) {
    count += 1 + CountOfIndices(dimension->array_segments_type(), dimension->array_segments()) +
             CountOfIndices(dimension->array_indices_type(), dimension->array_indices());
  }
  return count;
}

std::string CheckSparsity(const Sparsity& sparsity, const v1::Value& value, int64_t stored_bytes) {
  if (sparsity.traversal_order() == nullptr || sparsity.dim_metadata() == nullptr) return "without a traversal order";
  const std::vector<int32_t> order = Numbers(*sparsity.traversal_order());
  const std::vector<int32_t> blocks =
      sparsity.block_map() == nullptr ? std::vector<int32_t>() : Numbers(*sparsity.block_map());
  const size_t count_of_dims = static_cast<size_t>(value.dims_size()) + blocks.size();
  if (sparsity.dim_metadata()->size() != count_of_dims) return "with dimensions that are not described";
  if (!IsOrder(order, count_of_dims)) return "with an order that leaves dimensions out";
  const auto sizes = SizesOf(sparsity, order, blocks, value);
  if (!sizes.has_value()) return "in blocks that do not fit";
  int64_t count = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const DimensionMetadata& dimension = *sparsity.dim_metadata()->Get(static_cast<uint32_t>(i));
    const int64_t size = (*sizes)[order[i]];
    if (dimension.format() == kSparse) {
      if (std::string problem = Follow(dimension, size, count); !problem.empty()) return problem;
      continue;
    }
    if (dimension.format() != kDense || dimension.dense_size() != size) {
      return absl::StrCat("with a size of ", dimension.dense_size(), " where it is ", size);
    }
    if (size < 0 || (size > 0 && count > kMaxElements / size)) return "with more elements than can be counted";
    count *= size;
  }
  const int64_t bits = ElementBits(value.dtype());
  if (stored_bytes >= 0 && bits > 0 && count > stored_bytes * 8 / bits) {
    return absl::StrCat("with ", count, " elements in ", stored_bytes, " bytes");
  }
  return "";
}

void SetSparsity(const Sparsity& sparsity, v1::Constant* constant) {
  v1::Sparsity& to = *constant->mutable_sparsity();
  if (sparsity.traversal_order() != nullptr) {
    for (int32_t each : Numbers(*sparsity.traversal_order())) to.add_traversal_order(each);
  }
  if (sparsity.block_map() != nullptr) {
    for (int32_t each : Numbers(*sparsity.block_map())) to.add_block_map(each);
  }
  if (sparsity.dim_metadata() == nullptr) return;
  for (const DimensionMetadata* dimension : *sparsity.dim_metadata()) {
    to.add_sizes(dimension->format() == kDense ? dimension->dense_size() : -1);
  }
}

}  // namespace quantgate::tflite
