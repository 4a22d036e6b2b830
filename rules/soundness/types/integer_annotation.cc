#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
#include "rules/soundness/annotated.h"
#include "rules/soundness/rules.h"
#include "rules/values/never_quantized.h"

namespace quantgate {
namespace {

constexpr RuleInfo kIntegerAnnotation = {
    "DT002",
    "integer-annotation",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "Quantization is of real numbers, and its operators take float32 and what is narrower. An observer in front of "
    "indices or counts raises, or convert puts a quantize behind it that refuses them, or the indices are rounded to a "
    "scale; convert_pt2e ends at float64 and complex tensors.",
    "Leave integer and boolean tensors out of the annotation; compute in float32 what is to be quantized (constants "
    "from NumPy are float64).",
    "An int8 spec on the int64 output of arange + 1, or on a float64 tensor, fires it; on a float32 or float16 tensor, "
    "or an explicit None, it does not.",
};

bool AsksForQuantization(const v1::Spec& spec) {
  return spec.kind() == v1::Spec::SHARED || (spec.kind() != v1::Spec::EXPLICIT_NONE && !IsFloat(spec.dtype()) &&
                                             spec.dtype() != v1::DATA_TYPE_UNSPECIFIED);
}

void CheckIntegerAnnotation(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const auto takes_no_spec = [&graph](int32_t value) { return IsNeverQuantized(graph.dtype(value)); };
  ForEachAnnotated(context, takes_no_spec, AsksForQuantization, [&](const AnnotatedPlace& at) {
    const v1::DataType type = graph.dtype(at.value);
    const v1::Spec& spec = graph.message().specs(at.spec);
    sink.Add(kIntegerAnnotation, at.place,
             absl::StrCat("is ", DataTypeName(type), " and has a ",
                          spec.kind() == v1::Spec::SHARED ? "shared spec"
                                                          : absl::StrCat("spec of ", DataTypeName(spec.dtype()))),
             "specs on float32 tensors and narrower ones only");
  });
}

}  // namespace

Rule IntegerAnnotation() { return {&kIntegerAnnotation, &CheckIntegerAnnotation}; }

}  // namespace quantgate
