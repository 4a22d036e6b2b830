#include "rules/simulator/run/work.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/window.h"

namespace quantgate::simulator {
namespace {

constexpr int64_t kMostOfNode = int64_t{1} << 37;
// What an element costs that is stored and measured, and what it costs to find where one comes from.
constexpr int64_t kOfByte = 32;
constexpr double kOfPosition = 512;

constexpr int64_t kTooMuch = std::numeric_limits<int64_t>::max();

int64_t Times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kTooMuch : product;
}

int64_t All(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product = Times(product, size);
  return product;
}

using Sizes = absl::Span<const int64_t>;

// Each element of one matrix meets each row or column of the other.
int64_t OfMatrices(OpId op, const Attributes& attributes, Sizes a, Sizes b) {
  if (a.empty() || b.empty()) return 0;
  const bool turned_a = attributes.Int("transA", 0) != 0;
  const bool turned_b = op == OpId::kLinear || attributes.Int("transB", 0) != 0;
  const int64_t rows = a.size() < 2 ? 1 : a[turned_a ? a.size() - 1 : a.size() - 2];
  const int64_t columns = b.size() < 2 ? 1 : b[turned_b ? b.size() - 2 : b.size() - 1];
  return std::max(Times(All(a), columns), Times(All(b), rows));
}

// Each element of the weight, at each position.
int64_t OfConvolution(OpId op, Layout layout, const Attributes& attributes, Sizes x, Sizes w) {
  if (x.size() > 1 && x.size() + 1 == w.size()) {  // one sample without a batch axis
    std::vector<int64_t> batch = {1};
    batch.insert(batch.end(), x.begin(), x.end());
    return OfConvolution(op, layout, attributes, batch, w);
  }
  if (x.size() < 3 || w.size() != x.size()) return 0;
  const size_t first = layout == Layout::kChannelsFirst ? 2 : 1, rank = x.size() - 2;
  if (op == OpId::kConvTranspose) return Times(Times(x[0], All(x.subspan(first, rank))), All(w));
  const absl::StatusOr<std::vector<Window>> windows =
      Windows(attributes, x.subspan(first, rank), w.subspan(first, rank));
  if (!windows.ok()) return 0;
  int64_t positions = x[0];
  for (const Window& window : *windows) positions = Times(positions, std::max<int64_t>(window.output, 0));
  return Times(positions, All(w));
}

// One axis after the other.
int64_t OfResize(const Attributes& attributes, Sizes x) {
  const absl::Span<const int64_t> sizes = attributes.Ints("sizes");
  const absl::Span<const double> scales = attributes.Floats("scales");
  const size_t given = sizes.empty() ? scales.size() : sizes.size();
  if (given > x.size()) return 0;
  double count = 1, work = 0;
  for (const int64_t size : x) count *= static_cast<double>(size);
  for (size_t axis = x.size() - given; axis < x.size(); ++axis) {
    const size_t at = axis - (x.size() - given);
    const auto before = static_cast<double>(x[axis]);
    const double after = sizes.empty() ? std::floor(before * scales[at]) : static_cast<double>(sizes[at]);
    if (!(after >= 1) || before < 1) return 0;
    if (after == before) continue;
    count *= after / before;
    const double taps = attributes.Int("antialias", 0) != 0 ? 4 + 4 * before / after : 4;
    work += after * (kOfPosition + 16 * taps) + count * taps;
  }
  return work < static_cast<double>(kTooMuch) / 2 ? static_cast<int64_t>(work) : kTooMuch;
}

}  // namespace

absl::Status WorkBudget::Spend(int64_t work) {
  if (work > left_) return absl::ResourceExhaustedError("the run takes more than 2^41 multiplications");
  left_ -= work;
  return absl::OkStatus();
}

absl::Status WorkBudget::SpendOnNode(int64_t work, int results) {
  if (work > kMostOfNode) {
    return absl::ResourceExhaustedError(
        absl::StrCat(work == kTooMuch ? "it takes more than 2^63" : absl::StrCat("it takes ", work),
                     " multiplications, where ", kMostOfNode, " are computed for one node"));
  }
  return Spend(work * results);
}

absl::Status WorkBudget::SpendOnBytes(int64_t bytes) { return Spend(Times(bytes, kOfByte)); }

int64_t WorkOf(OpId op, Layout layout, const Attributes& attributes, absl::Span<const QTensor* const> inputs) {
  if (inputs.empty() || inputs[0] == nullptr) return 0;
  const Sizes first = inputs[0]->tensor.dims;
  const bool has_second = inputs.size() > 1 && inputs[1] != nullptr;
  switch (op) {
    case OpId::kMatMul:
    case OpId::kGemm:
    case OpId::kLinear:
      return has_second ? OfMatrices(op, attributes, first, inputs[1]->tensor.dims) : 0;
    case OpId::kConv:
    case OpId::kDepthwiseConv:
    case OpId::kConvTranspose:
      return has_second ? OfConvolution(op, layout, attributes, first, inputs[1]->tensor.dims) : 0;
    case OpId::kResize:
    case OpId::kResizeNearest:
    case OpId::kResizeBilinear:
      return OfResize(attributes, first);
    default:
      return 0;
  }
}

}  // namespace quantgate::simulator
