#include "rules/backends/qnn_htp/ops/select_broadcast.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace quantgate::qnn_htp {
namespace {

// How a run-time operand is spread over the output. Constants are spread when the graph is prepared.
enum class Spread { kNone, kPart, kOverSlices, kUnknown };

bool IsConstant(const BackendTensor& tensor) { return tensor.is_static || tensor.static_chain; }

bool AllSizesKnown(const BackendTensor& tensor) {
  return tensor.rank >= 0 && tensor.dims.size() == static_cast<size_t>(tensor.rank) &&
         absl::c_none_of(tensor.dims, [](int64_t size) { return size < 0; });
}

Spread SpreadOf(const BackendTensor& operand, const BackendTensor& output) {
  if (IsConstant(operand)) return Spread::kNone;
  if (!AllSizesKnown(operand) || !AllSizesKnown(output) || operand.rank > output.rank) return Spread::kUnknown;
  const size_t added = output.dims.size() - operand.dims.size();
  if (absl::c_all_of(operand.dims, [](int64_t size) { return size == 1; })) return Spread::kNone;
  // Of rank 5 the library takes slices of rank 4.
  const size_t first = output.dims.size() == 5 ? 1 : 0;
  bool is_scalar = true;
  bool is_whole = true;
  for (size_t axis = 0; axis < output.dims.size(); ++axis) {
    const int64_t size = axis < added ? 1 : operand.dims[axis - added];
    if (axis < first && size != output.dims[axis]) return Spread::kOverSlices;
    if (axis < first) continue;
    if (size != 1) is_scalar = false;
    if (size != output.dims[axis]) is_whole = false;
  }
  return is_scalar || is_whole ? Spread::kNone : Spread::kPart;
}

}  // namespace

const RuleInfo kSelectBroadcast = {
    "GS209",
    "select-broadcast",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Validation passes and preparation finds no kernel. Of SFIXED_POINT_16 no run-time operand may be spread over the "
    "output, a single number aside; of SFIXED_POINT_8 not the first one beside a run-time second one that is not "
    "spread. Of rank 5 neither may be spread along the first axis. Constants are spread while the graph is prepared.",
    "Quantize the data to UFIXED_POINT_8 or UFIXED_POINT_16, or expand the operand before it.",
    "Fires: ElementWiseSelect of SFIXED_POINT_16 [5] and [2,3,4,5]. Does not: of UFIXED_POINT_16, of two operands of "
    "[2,3,4,5], or where [5] is a constant.",
};

void CheckSelectBroadcast(const BackendOp& op, const Target&, OpReport& report) {
  if (op.name != "ElementWiseSelect") return;
  const BackendTensor& output = Output(op, 0);
  const bool is_wide = IsFixed(output, v1::DATA_TYPE_INT16);
  if (!is_wide && !IsFixed(output, v1::DATA_TYPE_INT8)) return;
  const Spread spread[] = {SpreadOf(Input(op, 1), output), SpreadOf(Input(op, 2), output)};
  if (absl::c_linear_search(spread, Spread::kUnknown)) {
    report.NotChecked(kSelectBroadcast, "how an operand is broadcast is not known");
    return;
  }
  const bool suits_8_bits = spread[1] == Spread::kPart || IsConstant(Input(op, 2));
  for (const int i : {0, 1}) {
    if (spread[i] == Spread::kNone) continue;
    if (spread[i] == Spread::kPart && !is_wide && (i == 1 || suits_8_bits)) continue;
    const BackendTensor& operand = Input(op, 1 + i);
    report.Add(kSelectBroadcast, In(1 + i),
               absl::StrCat(TypeText(operand), " [", absl::StrJoin(operand.dims, ","), "] broadcast to [",
                            absl::StrJoin(output.dims, ","), "]"),
               "signed data must have the shape of the output");
  }
}

}  // namespace quantgate::qnn_htp
