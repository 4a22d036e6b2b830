#include "rules/backends/qnn_htp/ops/constant_extremum.h"

#include <algorithm>

#include "rules/backends/qnn_htp/ops/operand_shapes.h"
#include "rules/backends/qnn_htp/ops/output_shape.h"

namespace quantgate::qnn_htp {
namespace {

bool IsExtremum(const BackendOp& op) {
  constexpr int64_t kMaximum = 10, kMinimum = 11;  // of ElementWiseBinary's parameter operation
  if (Is(op, {"ElementWiseMaximum", "ElementWiseMinimum"})) return true;
  const int64_t operation = op.name == "ElementWiseBinary" ? ParamElement(op, "operation", 0, -1) : -1;
  return operation == kMaximum || operation == kMinimum;
}

// Nothing is broadcast, and there is more than one element. Sizes that are not known: false.
bool HaveOneShape(const BackendTensor& a, const BackendTensor& b) {
  absl::Span<const int64_t> longer = a.dims, shorter = b.dims;
  if (!KnownSizes(longer) || !KnownSizes(shorter)) return false;
  if (longer.size() < shorter.size()) std::swap(longer, shorter);
  const size_t more = longer.size() - shorter.size();
  const auto is_one = [](int64_t size) { return size == 1; };
  return std::all_of(longer.begin(), longer.begin() + more, is_one) && longer.subspan(more) == shorter &&
         !std::all_of(shorter.begin(), shorter.end(), is_one);
}

bool HaveOneEncoding(const BackendTensor& a, const BackendTensor& b) {
  return a.type == b.type && HasScalarQparams(a) && HasScalarQparams(b) && SameScale(ScaleOf(a), ScaleOf(b)) &&
         ZeroPointOf(a) == ZeroPointOf(b);
}

}  // namespace

const RuleInfo kConstantExtremum = {
    "GS206",
    "constant-extremum",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kFromCalibrated,
    "{subject} {observed}; {allowed}.",
    "Validation lets it pass; then the graph cannot be prepared (\"could not create op: q::Minimum_u8_simple\"): the "
    "kernel for 8-bit operands that need no requantization takes no constant.",
    "Broadcast a constant of fewer elements, or give the constant or the output a scale of its own.",
    "Fires: ElementWiseMinimum of UFIXED_POINT_8 [1, 8, 8, 16] and a constant [1, 8, 8, 16], both and the output with "
    "scale 0.02 and zero point 128. Does not: a constant [16], or one with scale 0.01.",
};

void CheckConstantExtremum(const BackendOp& op, const Target&, OpReport& report) {
  if (!IsExtremum(op)) return;
  const BackendTensor &a = Input(op, 0), &b = Input(op, 1);
  if (a.is_static == b.is_static || !IsFixed8(a) || !HaveOneShape(a, b)) return;
  if (!HaveOneEncoding(a, b) || !HaveOneEncoding(a, Output(op, 0))) return;
  report.Add(kConstantExtremum, In(b.is_static ? 1 : 0), "is a constant of the other operand's shape and encoding",
             "it must be broadcast, or have an encoding of its own");
}

}  // namespace quantgate::qnn_htp
