#include "rules/backends/ethos_u/call.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "rules/constraints/defaults.h"

namespace quantgate::ethos_u {

int64_t Call::option(absl::string_view name, int64_t fallback) const {
  const BackendParam* param = FindParam(op_, name);
  if (param == nullptr || param->ints.size() != 1) return fallback;
  return std::clamp<int64_t>(param->ints[0], std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
}

double Call::real_option(absl::string_view name, double fallback) const {
  const BackendParam* param = FindParam(op_, name);
  return param == nullptr || param->reals.size() != 1 ? fallback : param->reals[0];
}

std::optional<Dims> Call::dims(const BackendTensor* tensor) const {
  if (tensor == nullptr || tensor->rank < 0 || static_cast<size_t>(tensor->rank) != tensor->dims.size()) {
    return std::nullopt;
  }
  const auto fits = [](int64_t size) { return size >= 0 && size <= std::numeric_limits<int32_t>::max(); };
  if (!absl::c_all_of(tensor->dims, fits)) return std::nullopt;
  return tensor->dims;
}

bool Call::resizable(const BackendTensor* tensor, int axis) const {
  if (tensor == nullptr || tensor->value < 0) return false;
  const auto& symbols = graph_.value(tensor->value).dim_symbols();
  return axis >= 0 && axis < symbols.size() && symbols[axis] != 0;
}

bool Call::resizable(const BackendTensor* tensor) const {
  for (int axis = 1; tensor != nullptr && axis < tensor->rank; ++axis) {
    if (resizable(tensor, axis)) return true;
  }
  return false;
}

std::optional<IntegerView> Call::integers(size_t position) const {
  const BackendTensor* tensor = input(position);
  if (tensor == nullptr || tensor->value < 0 || !graph_.is_constant(tensor->value)) return std::nullopt;
  const IntegerView numbers = IntegersOf(graph_.value(tensor->value));
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

std::string ShapeText(Dims dims) { return dims.empty() ? "a scalar" : absl::StrJoin(dims, " x "); }

int64_t Product(Dims dims) {
  int64_t product = 1;
  for (const int64_t size : dims) {
    if (__builtin_mul_overflow(product, size, &product)) return std::numeric_limits<int64_t>::max();
  }
  return product;
}

}  // namespace quantgate::ethos_u
