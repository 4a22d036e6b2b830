#include "rules/backends/litert/sparse.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"

namespace quantgate::litert {

const RuleInfo kSparseAsDense = {
    "GS602",
    "sparse-read-as-dense",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is a sparse constant, {observed}; what reads it takes {allowed}.",
    "Only DENSIFY and the built-in kernels of FULLY_CONNECTED look at how a constant is stored. Every other kernel "
    "takes the elements that are stored for the first ones of the whole tensor, and reads on behind them.",
    "Put a DENSIFY in front, or store the constant whole.",
    "Fires: an ADD of a sparse constant, or a sparse FULLY_CONNECTED of version 1 on litert/xnnpack. Does not: one of "
    "version 8, or the ADD of what a DENSIFY makes of the constant.",
};

namespace {

constexpr int32_t kSomeStored = -1;

bool InOrder(const v1::Sparsity& sparsity) {
  for (int i = 0; i < sparsity.traversal_order_size(); ++i) {
    if (sparsity.traversal_order(i) != i) return false;
  }
  return true;
}

// Every element is stored, where it would be without. More dimensions are none that a kernel takes.
bool StoredAsDense(const v1::Sparsity& sparsity) {
  constexpr int kMostDimensions = 32;
  return sparsity.sizes_size() <= kMostDimensions && sparsity.traversal_order_size() <= kMostDimensions &&
         sparsity.block_map().empty() && InOrder(sparsity) &&
         std::find(sparsity.sizes().begin(), sparsity.sizes().end(), kSomeStored) == sparsity.sizes().end();
}

// All rows, and of each some columns.
bool InRows(const v1::Sparsity& sparsity) {
  return sparsity.sizes_size() >= 2 && sparsity.sizes(0) != kSomeStored && sparsity.sizes(1) == kSomeStored;
}

// Elements of a row that are stored together: 1, or those of blocks along rows; 0: it is in another form.
int32_t RunOfRow(const v1::Sparsity& sparsity) {
  if (!InRows(sparsity) || sparsity.sizes_size() > 3) return 0;
  return sparsity.sizes_size() == 2 ? 1 : sparsity.sizes(2);
}

// Kernels look at sizes alone: other orders and blocks they take for rows.
bool IsOfRows(const v1::Sparsity& sparsity) {
  return InOrder(sparsity) &&
         (sparsity.block_map().empty() || (sparsity.block_map_size() == 1 && sparsity.block_map(0) == 1));
}

std::string FormText(const v1::Sparsity& sparsity) {
  const int32_t run = IsOfRows(sparsity) ? RunOfRow(sparsity) : 0;
  return run == 0   ? "stored in another form than rows"
         : run == 1 ? "stored one by one"
                    : absl::StrCat("stored in runs of ", run);
}

// Weights of a FULLY_CONNECTED, by the kernels: of real numbers the reference one takes every form.
absl::optional<SparseRead> MisreadWeight(const Graph& graph, int32_t node, const v1::Sparsity& sparsity,
                                         Reader reader) {
  const int32_t data = graph.input(node, 0), weight = graph.input(node, 1);
  const v1::DataType in = data < 0 ? v1::DATA_TYPE_UNSPECIFIED : graph.dtype(data), type = graph.dtype(weight);
  const bool reals = in == v1::DATA_TYPE_FLOAT32 && type == v1::DATA_TYPE_FLOAT32;
  const bool bytes = type == v1::DATA_TYPE_INT8 && (in == v1::DATA_TYPE_FLOAT32 || in == v1::DATA_TYPE_INT8);
  if (!reals && !bytes) {
    return SparseRead{1, false, absl::StrCat(DataTypeName(type), " beside ", DataTypeName(in)),
                      "float32 beside float32, or int8 beside int8 or float32"};
  }
  if (reals && reader == Reader::kReferenceKernel) return absl::nullopt;
  const int32_t run = RunOfRow(sparsity);
  const bool taken = reals ? run == 1 || run == 4 : run == 16;
  if (taken && IsOfRows(sparsity)) return absl::nullopt;
  // Beside real numbers it does not look at how bytes are stored.
  const bool refused = !taken && (reals || in == v1::DATA_TYPE_INT8);
  return SparseRead{1, refused, FormText(sparsity),
                    reals ? "rows stored one by one or in runs of 4" : "rows stored in runs of 16"};
}

}  // namespace

absl::optional<SparseRead> MisreadSparse(const Graph& graph, int32_t node, Reader reader) {
  const absl::string_view op = graph.op_type(node);
  const bool densifies = op == "DENSIFY";
  for (int i = 0; i < graph.num_inputs(node); ++i) {
    const int32_t value = graph.input(node, i);
    if (value < 0 || !graph.is_constant(value) || !graph.value(value).constant().has_sparsity()) continue;
    const v1::Sparsity& sparsity = graph.value(value).constant().sparsity();
    // The delegate unpacks what DENSIFY reads.
    if (densifies && i == 0) return absl::nullopt;
    const bool asked = op == "FULLY_CONNECTED" && i == 1 && reader != Reader::kDelegate;
    if (!asked && StoredAsDense(sparsity)) continue;
    if (asked) {
      absl::optional<SparseRead> misread = MisreadWeight(graph, node, sparsity, reader);
      if (misread.has_value()) return misread;
      continue;
    }
    return SparseRead{i, false, FormText(sparsity),
                      reader == Reader::kDelegate && op == "FULLY_CONNECTED" && i == 1
                          ? "operator version 8, which the delegate leaves to a kernel for sparse weights"
                          : "a DENSIFY in front, or a weight of FULLY_CONNECTED"};
  }
  if (!densifies) return absl::nullopt;
  return SparseRead{0, true, "all elements of its input are stored", "it for constants of which some are"};
}

}  // namespace quantgate::litert
