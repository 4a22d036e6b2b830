#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/render.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/described.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/rules.h"
#include "rules/soundness/stored_writer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kZeroPointRange = {
    "NR002",
    "zero-point-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: the zero point is {observed}; expected {allowed}",
    "The zero point is the stored value of 0.0. Outside of the stored range no stored value means zero, padding is "
    "wrong, and loaders truncate it to something else.",
    "Calibrate again with a range that includes 0, or correct the type.",
    "A zero point of 300 on uint8 fires it; 128 does not.",
};

// Type of the zero point of an ONNX operator, where it is a tensor.
v1::DataType StatedType(const Graph& graph, const Described& described) {
  if (graph.origin() != v1::Graph::ONNX) return v1::DATA_TYPE_UNSPECIFIED;
  if (described.zero_point >= 0) return graph.dtype(described.zero_point);
  const Place& place = described.place;
  return place.node >= 0 && place.input >= 0 ? ZeroPointTypeStated(graph, place.node, place.input)
                                             : v1::DATA_TYPE_UNSPECIFIED;
}

void CheckZeroPointRange(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  // Where zero points were made of offsets, encoding-offset says it in the file's own terms.
  const v1::EncodingsFile* encodings = EncodingsOf(context);
  const bool offsets = encodings != nullptr && StatesOffsets(*encodings);
  for (const Described& described : context.Once(DescribedTensors)) {
    if (offsets && described.operand->spec >= 0) continue;
    const v1::DataType type = described.operand->type;
    if (!IsInteger(type)) continue;
    // Types below eight bits that the operator packs itself may have real-valued zero points.
    const bool is_real = described.integer_operator && described.params->blocked();
    // Nor do those of a scheme whose parameters are real numbers.
    const int32_t spec = described.operand->spec;
    if (spec >= 0 && graph.message().specs(spec).qscheme() == v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS) continue;
    // A zero point of another type is type-mismatch's, or output-type-expected's.
    const v1::DataType stated = StatedType(graph, described);
    if (IsInteger(stated) && stated != type) continue;
    const double low = static_cast<double>(MinOf(type));
    const double high = static_cast<double>(MaxOf(type));
    const RealView zero_points = described.params->zero_points;
    for (size_t i = 0; i < zero_points.size(); ++i) {
      if (is_real ? std::isfinite(zero_points[i]) : zero_points[i] >= low && zero_points[i] <= high) continue;
      Place place = described.place;
      if (zero_points.size() > 1) place.index = static_cast<int64_t>(i);
      std::string observed = FormatNumber(zero_points[i]);
      if (described.zero_point >= 0) absl::StrAppend(&observed, " ('", graph.value(described.zero_point).name(), "')");
      sink.Add(
          kZeroPointRange, place, std::move(observed),
          is_real ? "a finite number"
                  : absl::StrCat(FormatNumber(low), " to ", FormatNumber(high), ", the range of ", DataTypeName(type)));
      break;
    }
  }
}

}  // namespace

Rule ZeroPointRange() { return {&kZeroPointRange, &CheckZeroPointRange}; }

}  // namespace quantgate
