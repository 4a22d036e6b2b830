// Predicates about ranks and sizes.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"

namespace quantgate::kinds {

Evaluator Rank(Arguments& arguments) {
  const Interval allowed = arguments.MinMax();
  if (!allowed.of_counts()) arguments.Fail("a rank is an integer from 0 on");
  return [allowed](const Subject& subject, Outcome& outcome) {
    const int rank = subject.tensor->rank;
    if (rank < 0) return Unknown(outcome, "the rank is not known");
    if (allowed.Contains(rank)) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat(rank), allowed.text());
  };
}

namespace {

// Whether `fits` the size of dimension `dim` (negative: from the end); `allowed` says which sizes do.
template <typename Fits>
Verdict DimSize(const BackendTensor& tensor, int dim, Fits fits, const std::string& allowed, Outcome& outcome) {
  if (tensor.rank < 0) return Unknown(outcome, "the rank is not known");
  const int position = dim < 0 ? dim + tensor.rank : dim;
  if (position < 0 || position >= tensor.rank) return Violated(outcome, absl::StrCat("rank ", tensor.rank), allowed);
  if (static_cast<size_t>(position) >= tensor.dims.size() || tensor.dims[position] < 0) {
    return Unknown(outcome, absl::StrCat("the size of dimension ", dim, " is not known"));
  }
  if (fits(tensor.dims[position])) return Verdict::kHolds;
  return Violated(outcome, absl::StrCat("dimension ", dim, " of size ", tensor.dims[position]), allowed);
}

}  // namespace

Evaluator DimValue(Arguments& arguments) {
  const int dim = arguments.Int("dim");
  const double value = arguments.Count("value");
  return [dim, value, allowed = absl::StrFormat("dimension %d of size %.10g", dim, value)](const Subject& subject,
                                                                                           Outcome& outcome) {
    return DimSize(
        *subject.tensor, dim, [value](int64_t size) { return static_cast<double>(size) == value; }, allowed, outcome);
  };
}

Evaluator PowerOfTwo(Arguments& arguments) {
  const int dim = arguments.Int("dim");
  return
      [dim, allowed = absl::StrFormat("dimension %d a power of two", dim)](const Subject& subject, Outcome& outcome) {
        return DimSize(
            *subject.tensor, dim, [](int64_t size) { return size > 0 && (size & (size - 1)) == 0; }, allowed, outcome);
      };
}

Evaluator StaticDims(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] < 0) return Violated(outcome, absl::StrCat("a dynamic dimension ", i), "fixed sizes only");
    }
    if (tensor.dynamic_shape == Tri::kYes) return Violated(outcome, "a dynamic shape", "fixed sizes only");
    if (tensor.rank >= 0 && static_cast<size_t>(tensor.rank) == tensor.dims.size()) return Verdict::kHolds;
    return Unknown(outcome, "the shape is not known");
  };
}

Evaluator SqueezedRank(Arguments& arguments) {
  const int max = arguments.Count("max");
  return [max](const Subject& subject, Outcome& outcome) {
    const BackendTensor& tensor = *subject.tensor;
    if (tensor.rank >= 0 && tensor.rank <= max) return Verdict::kHolds;
    if (tensor.rank < 0 || static_cast<size_t>(tensor.rank) != tensor.dims.size()) {
      return Unknown(outcome, "the shape is not known");
    }
    int wide = 0, unknown = 0;
    for (int64_t size : tensor.dims) {
      unknown += size < 0 ? 1 : 0;
      wide += size >= 0 && size != 1 ? 1 : 0;
    }
    if (wide > max) {
      return Violated(outcome, absl::StrCat(wide, " dimensions of more than one element"),
                      absl::StrCat("at most ", max));
    }
    return unknown == 0 ? Verdict::kHolds : Unknown(outcome, "the shape is not known");
  };
}

// Of images: [batch, height, width, channels].
Evaluator IntegerUpscale(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* from = TensorAt(subject.op, port.kind, port.first);
    if (from == nullptr) return Verdict::kHolds;
    const absl::Span<const int64_t> in = from->dims;
    const absl::Span<const int64_t> out = subject.tensor->dims;
    if (in.size() != 4 || out.size() != 4 || in[1] <= 0 || in[2] <= 0 || out[1] <= 0 || out[2] <= 0) {
      return Unknown(outcome, "height and width are not known");
    }
    if (out[1] % in[1] == 0 && out[2] % in[2] == 0 && out[1] / in[1] == out[2] / in[2]) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat(in[1], " x ", in[2], " resized to ", out[1], " x ", out[2]),
                    "one whole factor for height and width");
  };
}

Evaluator SpatialAreaBelow(Arguments& arguments) {
  const PortPattern port = arguments.Port("port");
  const double limit = arguments.Count("limit");
  return [port, limit](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr) return Verdict::kHolds;
    const absl::Span<const int64_t> dims = tensor->dims;
    if (dims.size() < 3 || dims[1] < 0 || dims[2] < 0) {
      return Unknown(outcome, absl::StrCat("height and width of ", port.name, " are not known"));
    }
    // Doubles do not overflow; the limits are far below 2^53.
    if (static_cast<double>(dims[1]) * static_cast<double>(dims[2]) < limit) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat("height x width ", dims[1], " x ", dims[2], " at ", port.name),
                    absl::StrFormat("less than %.10g", limit));
  };
}

}  // namespace quantgate::kinds
