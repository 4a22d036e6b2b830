#include "rules/backends/qnn_htp/ops/strided_integers.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "rules/constraints/defaults.h"

namespace quantgate::qnn_htp {
namespace {

enum : size_t { kBatch, kHeight, kWidth, kChannels, kDims };

struct View {
  std::array<int64_t, kDims> size = {1, 1, 1, 1};
  std::array<bool, kDims> steps = {};  // a step beyond 1
};

// The last four dimensions. False: something is not known, or a dimension in front is stepped over, which has a kernel.
bool ViewOf(const BackendOp& op, View& view) {
  const absl::Span<const int64_t> dims = Input(op, 0).dims;
  const BackendParam* ranges = FindParam(op, "ranges");
  if (dims.empty() || ranges == nullptr || ranges->ints.size() != 3 * dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool steps = ranges->ints[3 * i + 2] > 1 && dims[i] > 1;
    const size_t from_end = dims.size() - i;
    if (dims[i] < 0 || (steps && from_end > kDims)) return false;
    if (from_end > kDims) continue;
    view.size[kDims - from_end] = dims[i];
    view.steps[kDims - from_end] = steps;
  }
  return true;
}

bool HasKernel(const View& view) {
  const auto& steps = view.steps;
  const int stepped = steps[kBatch] + steps[kHeight] + steps[kWidth] + steps[kChannels];
  if (stepped == 0) return true;
  if (view.size[kBatch] > 1) return steps[kWidth] || steps[kChannels];
  if (view.size[kHeight] > 1) return stepped > 1 || steps[kWidth];
  return true;
}

}  // namespace

const RuleInfo kStridedIntegers = {
    "GS205",
    "strided-integers",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} {observed}; {allowed}.",
    "Validation lets it pass, preparation of the graph then fails: with a batch, no kernel takes every second INT_32 "
    "along batch or height alone; without one, none along height or channels alone.",
    "Slice with a step of 1 and drop the rest afterwards, or gather the indices.",
    "Fires: StridedSlice of INT_32 [1, 8, 8, 16] with step 2 along the channels. Does not: step 2 along the width.",
};

void CheckStridedIntegers(const BackendOp& op, const Target&, OpReport& report) {
  if (op.name != "StridedSlice") return;
  if (Input(op, 0).type != db::ElementType{v1::DATA_TYPE_INT32, false}) return;
  View view;
  if (!ViewOf(op, view) || HasKernel(view)) return;
  report.Add(kStridedIntegers, Whole(), "steps over INT_32 along dimensions that have no kernel",
             view.size[kBatch] > 1 ? "step along width or channels as well" : "step along the width as well");
}

}  // namespace quantgate::qnn_htp
