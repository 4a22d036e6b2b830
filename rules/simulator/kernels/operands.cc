#include "rules/simulator/kernels/operands.h"

#include "absl/strings/str_cat.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {

absl::StatusOr<Operands> OperandsOf(const QTensor& a, const QTensor& b) {
  absl::StatusOr<std::vector<int64_t>> dims = BroadcastShape(a.tensor.dims, b.tensor.dims);
  if (!dims.ok()) return dims.status();
  absl::StatusOr<int64_t> count = ElementCount(*dims);
  if (!count.ok()) return count.status();
  if (*count > (int64_t{1} << 31)) {
    return absl::ResourceExhaustedError(absl::StrCat("broadcasting to ", *count, " elements"));
  }
  return Operands{*dims, BroadcastIndex(a.tensor.dims, *dims), BroadcastIndex(b.tensor.dims, *dims)};
}

}  // namespace quantgate::simulator
