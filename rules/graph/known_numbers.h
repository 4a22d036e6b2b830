// Numbers that nodes compute from constants and from shapes: where exporters put sizes, pads and indices.
#ifndef QUANTGATE_RULES_GRAPH_KNOWN_NUMBERS_H_
#define QUANTGATE_RULES_GRAPH_KNOWN_NUMBERS_H_

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/node_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace quantgate {

// An element that is not known, among others that are: a size that changes from run to run.
constexpr int64_t kUnknownNumber = INT64_MIN;
// The same of real numbers, of which none is to be told from it.
constexpr double kUnknownReal = std::numeric_limits<double>::quiet_NaN();

// None: an element is not known.
inline absl::optional<absl::Span<const int64_t>> WholeOrNone(absl::optional<absl::Span<const int64_t>> numbers) {
  return numbers && !absl::c_linear_search(*numbers, kUnknownNumber) ? numbers : absl::nullopt;
}

// By value id, all elements in row-major order; as many as its shape has, which is known. What is longer than a list of
// sizes ever is stays unknown, and so does what comes after more of them than any model has.
template <typename T>
class KnownElements {
 public:
  static constexpr int64_t kMost = 64;
  static constexpr size_t kMostOfAll = size_t{1} << 20;

  // None: nothing is known of the value.
  absl::optional<absl::Span<const T>> of(int32_t value) const {
    const auto found = numbers_.find(value);
    if (found == numbers_.end()) return absl::nullopt;
    return absl::MakeConstSpan(found->second);
  }
  void Set(int32_t value, std::vector<T> numbers) {
    kept_ += numbers.size() + 1;
    if (kept_ <= kMostOfAll) numbers_.insert_or_assign(value, std::move(numbers));
  }

 private:
  size_t kept_ = 0;
  absl::node_hash_map<int32_t, std::vector<T>> numbers_;  // elements stay where they are
};
using KnownNumbers = KnownElements<int64_t>;
using KnownReals = KnownElements<double>;

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_KNOWN_NUMBERS_H_
