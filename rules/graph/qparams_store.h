// Concrete quantization parameters of a graph, and the room that keeps their numbers.
#ifndef QUANTGATE_RULES_GRAPH_QPARAMS_STORE_H_
#define QUANTGATE_RULES_GRAPH_QPARAMS_STORE_H_

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "rules/graph/number_view.h"

namespace quantgate {

// Concrete parameters; spans refer to the message or to a QParamsStore. Empty `scales`: not known (yet).
struct QuantParams {
  RealView scales;
  RealView zero_points;            // empty: all 0
  absl::Span<const int32_t> axes;  // 0-based, origin's layout; empty: per tensor
  absl::Span<const int64_t> block_sizes;
  absl::Span<const double> block_scales;

  double zero_point(int64_t i) const {
    return zero_points.empty() ? 0.0 : zero_points[zero_points.size() == 1 ? 0 : i];
  }
  bool per_tensor() const { return axes.empty(); }
  bool blocked() const { return !block_sizes.empty(); }
};

class QParamsStore {
 public:
  // Index for operator[].
  int32_t Add(const QuantParams& params) {
    params_.push_back(params);
    return static_cast<int32_t>(params_.size()) - 1;
  }
  const QuantParams& operator[](int32_t index) const { return params_[index]; }
  absl::Span<const QuantParams> all() const { return params_; }

  // Numbers that the message does not hold in the form QuantParams needs; valid as long as the store, moved or not.
  absl::Span<const double> Keep(std::vector<double> numbers) { return numbers_.emplace_back(std::move(numbers)); }
  absl::Span<const int32_t> Keep(std::vector<int32_t> axes) { return axes_.emplace_back(std::move(axes)); }
  absl::Span<const int64_t> Keep(std::vector<int64_t> blocks) { return blocks_.emplace_back(std::move(blocks)); }

 private:
  std::vector<QuantParams> params_;
  // A deque never moves what it holds.
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<int32_t>> axes_;
  std::deque<std::vector<int64_t>> blocks_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_QPARAMS_STORE_H_
