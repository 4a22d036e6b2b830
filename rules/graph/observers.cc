#include "rules/graph/observers.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
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

ObserverName ParseObserver(absl::string_view name) {
  ObserverName parsed;
  parsed.observer = name;
  parsed.is_object = absl::EndsWith(name, " object");
  if (parsed.is_object) return parsed;
  if (const size_t open = name.find('('); open != absl::string_view::npos && absl::ConsumeSuffix(&name, ")")) {
    parsed.fake_quantizer = name.substr(0, open);
    parsed.observer = name.substr(open + 1);
  }
  if (const size_t comma = parsed.observer.find(", "); comma != absl::string_view::npos) {
    parsed.refused_setting = parsed.observer.substr(comma + 2);
    parsed.observer = parsed.observer.substr(0, comma);
  }
  const absl::string_view outer = parsed.fake_quantizer.empty() ? parsed.observer : parsed.fake_quantizer;
  parsed.is_foreign = absl::StrContains(outer, '.');
  parsed.observer = parsed.observer.substr(parsed.observer.rfind('.') + 1);
  return parsed;
}

Ranges RangesOf(absl::string_view observer) {
  if (observer == "MinMaxObserver" || observer == "MovingAverageMinMaxObserver" || observer == "HistogramObserver") {
    return Ranges::kOne;
  }
  if (observer == "PerChannelMinMaxObserver" || observer == "MovingAveragePerChannelMinMaxObserver") {
    return Ranges::kPerChannel;
  }
  return Ranges::kUnknown;
}

bool TakesNoSpec(const ObserverName& name) {
  static constexpr absl::string_view kWithoutNumbers[] = {"NoopObserver", "RecordingObserver", "ReuseInputObserver",
                                                          "FixedQParamsFakeQuantize"};
  return absl::c_linear_search(kWithoutNumbers, name.observer) ||
         absl::c_linear_search(kWithoutNumbers, name.fake_quantizer);
}

bool AssertsType(absl::string_view observer) {
  static constexpr absl::string_view kAsserting[] = {
      "MinMaxObserver",           "MovingAverageMinMaxObserver",
      "PerChannelMinMaxObserver", "MovingAveragePerChannelMinMaxObserver",
      "HistogramObserver",        "ConcatObserver",
      "PerChannelParamObserver",  "PerChannelParamObserverWithLossEvaluation",
  };
  return absl::c_linear_search(kAsserting, ParseObserver(observer).observer);
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

bool Averages(absl::string_view observer) {
  const ObserverName name = ParseObserver(observer);
  return name.observer == "MovingAverageMinMaxObserver" || name.observer == "MovingAveragePerChannelMinMaxObserver" ||
         name.observer == "FusedMovingAvgObsFakeQuantize" || name.fake_quantizer == "FusedMovingAvgObsFakeQuantize";
}

bool KeepsEnds(absl::string_view observer) {
  const ObserverName name = ParseObserver(observer);
  return !name.is_foreign && absl::EndsWith(name.observer, "MinMaxObserver");
}

bool MakesScaleOfEnds(const v1::Spec& spec, absl::string_view observer) {
  return spec.kind() == v1::Spec::PLAIN && IsInteger(spec.dtype()) && !spec.is_dynamic() && KeepsEnds(observer);
}

bool KeepsNoRange(absl::string_view observer) { return ParseObserver(observer).observer == "PlaceholderObserver"; }

bool TakesAnyType(absl::string_view observer) {
  return KeepsNoRange(observer) || HasFixedNumbers(observer) || observer == kDerivedObserver;
}

bool HasFixedNumbers(absl::string_view observer) {
  const absl::string_view made = ParseObserver(observer).observer;
  return made == kFixedObserver || made == "FixedQParamsFakeQuantize";
}

bool ComputesWhenConverted(absl::string_view observer) {
  const absl::string_view made = ParseObserver(observer).observer;
  return made == "INT4WeightObserver" || made == "INT8WeightObserver";
}

}  // namespace quantgate
