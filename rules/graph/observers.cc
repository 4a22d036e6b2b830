#include "rules/graph/observers.h"

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"

namespace quantgate {
namespace {

// -128..127 and its like are even enough.
constexpr double kUneven = 2;

}  // namespace

int64_t SymmetricZeroPoint(const v1::Spec& spec) {
  switch (spec.dtype()) {
    case v1::DATA_TYPE_UINT8:
      return spec.has_quant_min() && spec.has_quant_max() ? (spec.quant_min() + spec.quant_max()) / 2 : 128;
    case v1::DATA_TYPE_UINT16:
      return 1 << 15;
    default:
      return 0;
  }
}

bool HoldsNegatives(const v1::Spec& spec) {
  const bool symmetric =
      spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC || spec.qscheme() == v1::Spec::PER_CHANNEL_SYMMETRIC;
  // Observers of blocks have rules of their own; prescribed and derived numbers are not observed.
  if (spec.kind() != v1::Spec::PLAIN || !symmetric || spec.block_size_size() > 0 || !IsInteger(spec.dtype())) {
    return true;
  }
  // Known numbers were observed, or chosen for what was.
  for (double zero_point : spec.qparams().zero_points()) {
    if (zero_point != 0) return true;
  }
  const auto min = static_cast<double>(spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype()));
  const auto max = static_cast<double>(spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype()));
  const auto zero_point = static_cast<double>(SymmetricZeroPoint(spec));
  return min < zero_point && max - zero_point <= zero_point - min + kUneven;
}

bool AssertsType(absl::string_view observer) {
  static constexpr absl::string_view kAsserting[] = {
      "MinMaxObserver",           "MovingAverageMinMaxObserver",
      "PerChannelMinMaxObserver", "MovingAveragePerChannelMinMaxObserver",
      "HistogramObserver",        "ConcatObserver",
      "PerChannelParamObserver",  "PerChannelParamObserverWithLossEvaluation",
  };
  return absl::c_linear_search(kAsserting, observer);
}

bool IsObservable(v1::DataType type) {
  switch (type) {
    case v1::DATA_TYPE_INT8:
    case v1::DATA_TYPE_UINT8:
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_UINT16:
    case v1::DATA_TYPE_INT32:
    case v1::DATA_TYPE_FLOAT8_E5M2:
    case v1::DATA_TYPE_FLOAT8_E4M3FN:
      return true;
    default:
      return false;
  }
}

bool HasFixedNumbers(absl::string_view observer) {
  return observer == "FixedQParamsObserver" || observer == "FixedQParamsFakeQuantize";
}

bool ComputesWhenConverted(absl::string_view observer) {
  return observer == "INT4WeightObserver" || observer == "INT8WeightObserver";
}

}  // namespace quantgate
