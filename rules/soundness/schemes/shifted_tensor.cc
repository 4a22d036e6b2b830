#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/tflite.h"

namespace quantgate {
namespace {

constexpr RuleInfo kShiftedTensor = {
    "QS002",
    "shifted-tensor",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: the zero point is {observed}; expected {allowed}",
    "LiteRT's specification fixes the zero point of int16 tensors and of signed weights at 0, and its kernels leave "
    "the terms out that another one would need: every product is off, or the model does not load.",
    "Quantize the tensor symmetrically.",
    "int8 weights with zero point 5 fire it, and so does an int16 activation with 12; an int8 activation with 12 does "
    "not.",
};

// Index of the first zero point that is not 0; -1: none.
template <typename Numbers>
int64_t FirstShift(const Numbers& zero_points) {
  const auto found = std::find_if(zero_points.begin(), zero_points.end(), [](double zero) { return zero != 0; });
  return found == zero_points.end() ? -1 : found - zero_points.begin();
}

void Add(Place place, double zero_point, int64_t index, size_t count, absl::string_view what, FindingSink& sink) {
  if (count > 1) place.index = index;
  sink.Add(kShiftedTensor, place, FormatNumber(zero_point), absl::StrCat("0: ", what, " are not shifted"));
}

// What SOFTMAX writes when int8 goes in and int16 comes out.
bool IsUnsignedProbability(const v1::QParams& qparams) {
  return qparams.zero_points_size() == 1 && qparams.zero_points(0) == -32768 && qparams.scales_size() == 1 &&
         qparams.scales(0) == 1.0 / 65536;
}

void CheckWideTensors(const Graph& graph, FindingSink& sink) {
  for (int32_t value = 0; value < graph.num_values(); ++value) {
    if (graph.value_spec(value) < 0 || graph.dtype(value) != v1::DATA_TYPE_INT16) continue;
    const v1::QParams& qparams = graph.message().specs(graph.value_spec(value)).qparams();
    const int64_t index = FirstShift(qparams.zero_points());
    if (index < 0 || IsUnsignedProbability(qparams)) continue;
    Add(PlaceOfValue(graph, value), qparams.zero_points(static_cast<int>(index)), index, qparams.zero_points_size(),
        "int16 tensors", sink);
  }
}

void CheckShiftedTensor(const CheckContext& context, FindingSink& sink) {
  if (!IsTflite(context)) return;
  CheckWideTensors(context.graph(), sink);
  ForEachWeight(context, [&](const ResolvedOp& op, const Operand& weight) {
    const QuantParams* params = context.resolved().qparams(weight);
    if (params == nullptr || !IsSigned(weight.type) || BitWidth(weight.type) > 8) return;
    const int64_t index = FirstShift(params->zero_points);
    if (index < 0) return;
    Place place;
    place.node = op.node;
    place.input = weight.argument;
    place.value = weight.value;
    Add(place, params->zero_points[index], index, params->zero_points.size(),
        absl::StrCat(DataTypeName(weight.type), " weights"), sink);
  });
}

}  // namespace

Rule ShiftedTensor() { return {&kShiftedTensor, &CheckShiftedTensor}; }

}  // namespace quantgate
