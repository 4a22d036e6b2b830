#include "rules/backends/ethos_u/call.h"

#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "rules/constraints/defaults.h"
#include "rules/graph/elements.h"

namespace quantgate::ethos_u {

int64_t Call::option(absl::string_view name, int64_t fallback) const {
  const BackendParam* param = FindParam(op_, name);
  return param == nullptr || param->ints.size() != 1 ? fallback : param->ints[0];
}

double Call::real_option(absl::string_view name, double fallback) const {
  const BackendParam* param = FindParam(op_, name);
  return param == nullptr || param->reals.size() != 1 ? fallback : param->reals[0];
}

std::optional<Dims> Call::dims(const BackendTensor* tensor) const {
  if (tensor == nullptr || tensor->rank < 0 || static_cast<size_t>(tensor->rank) != tensor->dims.size()) {
    return std::nullopt;
  }
  if (absl::c_any_of(tensor->dims, [](int64_t size) { return size < 0; })) return std::nullopt;
  return tensor->dims;
}

std::optional<std::vector<int64_t>> Call::integers(size_t position) const {
  const BackendTensor* tensor = input(position);
  if (tensor == nullptr || tensor->value < 0 || !graph_.is_constant(tensor->value)) return std::nullopt;
  const IntegerView numbers = IntegersOf(graph_.value(tensor->value));
  if (numbers.empty()) return std::nullopt;
  return std::vector<int64_t>(numbers.begin(), numbers.end());
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
