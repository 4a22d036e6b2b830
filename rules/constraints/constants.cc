// Predicates about constness and the contents of constants.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/constraints/kinds.h"

namespace quantgate::kinds {
namespace {

// The extremes of a constant's elements.
struct Extremes {
  double min = 0;
  double max = 0;
  int64_t min_index = 0;
  int64_t max_index = 0;
  bool has_nan = false;
};

template <typename Values>
Extremes Scan(const Values& values) {
  Extremes extremes;
  extremes.min = extremes.max = static_cast<double>(values[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    extremes.has_nan |= value != value;
    if (value < extremes.min) extremes.min = value, extremes.min_index = static_cast<int64_t>(i);
    if (value > extremes.max) extremes.max = value, extremes.max_index = static_cast<int64_t>(i);
  }
  return extremes;
}

// Nothing when the sender gave neither elements nor statistics.
std::optional<Extremes> ExtremesOf(const ConstantContent& constant) {
  if (constant == nullptr) return std::nullopt;
  if (const IntegerView integers = constant.integers(); !integers.empty()) return Scan(integers);
  if (const RealView reals = constant.reals(); !reals.empty()) return Scan(reals);
  if (!constant->has_statistics() || constant->statistics().count() <= 0) return std::nullopt;
  const v1::Statistics& statistics = constant->statistics();
  return Extremes{statistics.min(), statistics.max(), statistics.min_index(), statistics.max_index(),
                  statistics.nan_count() > 0};
}

Verdict WithinRange(const Extremes& extremes, const Interval& allowed, Outcome& outcome) {
  if (extremes.has_nan) return Violated(outcome, "NaN", allowed.text());
  if (!allowed.Contains(extremes.min)) {
    return Violated(outcome, absl::StrFormat("%.10g at element %d", extremes.min, extremes.min_index), allowed.text());
  }
  if (!allowed.Contains(extremes.max)) {
    return Violated(outcome, absl::StrFormat("%.10g at element %d", extremes.max, extremes.max_index), allowed.text());
  }
  return Verdict::kHolds;
}

constexpr char kNotConstant[] = "it is not a constant whose values are known";

}  // namespace

Evaluator Static(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (subject.tensor->is_static) return Verdict::kHolds;
    return Violated(outcome, subject.tensor->static_chain ? "computed from constants" : "computed at run time",
                    "a constant");
  };
}

Evaluator StaticChain(Arguments&) {
  return [](const Subject& subject, Outcome& outcome) {
    if (subject.tensor->is_static || subject.tensor->static_chain) return Verdict::kHolds;
    return Violated(outcome, "computed at run time", "a constant, or computed from constants alone");
  };
}

Evaluator ValueRange(Arguments& arguments) {
  return [allowed = arguments.MinAndMax()](const Subject& subject, Outcome& outcome) {
    const std::optional<Extremes> extremes = ExtremesOf(subject.tensor->constant);
    if (!extremes) return Unknown(outcome, kNotConstant);
    return WithinRange(*extremes, allowed, outcome);
  };
}

Evaluator IndexRange(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port, axis_param = arguments.Text("axis_param")](const Subject& subject, Outcome& outcome) {
    const BackendTensor* data = TensorAt(subject.op, port.kind, port.first);
    const std::optional<Extremes> extremes = ExtremesOf(subject.tensor->constant);
    if (data == nullptr) return Verdict::kHolds;
    if (!extremes) return Unknown(outcome, kNotConstant);
    // Without the size of the dimension a negative index is still wrong.
    Interval allowed{0, std::numeric_limits<double>::infinity()};
    const ParamValue axis = ValueOf(subject.op, subject.defaults, axis_param);
    bool size_known = axis.known() && data->rank >= 0 && static_cast<size_t>(data->rank) == data->dims.size();
    if (size_known) {
      const double position = axis.at(0) < 0 ? axis.at(0) + data->rank : axis.at(0);
      size_known = position >= 0 && position < data->rank && data->dims[static_cast<size_t>(position)] >= 0;
      if (size_known) allowed.max = static_cast<double>(data->dims[static_cast<size_t>(position)]) - 1;
    }
    const Verdict verdict = WithinRange(*extremes, allowed, outcome);
    if (verdict != Verdict::kHolds || size_known) return verdict;
    return Unknown(outcome, absl::StrCat("the size of the indexed dimension of ", port.name, " is not known"));
  };
}

// Copies the indices (once per evaluation) in order to sort them. A duplicate counts within one line along the axis.
Evaluator UniqueIndices(Arguments& arguments) {
  const PortPattern port = arguments.Port("port");
  return [port](const Subject& subject, Outcome& outcome) {
    const BackendTensor* tensor = TensorAt(subject.op, port.kind, port.first);
    if (tensor == nullptr) return Verdict::kHolds;
    if (tensor->constant == nullptr || tensor->constant.integers().empty()) return Unknown(outcome, kNotConstant);
    const IntegerView integers = tensor->constant.integers();
    std::vector<int64_t> indices(integers.begin(), integers.end());
    const auto duplicate_in = [&](std::vector<int64_t> line) -> std::optional<int64_t> {
      std::sort(line.begin(), line.end());
      const auto found = std::adjacent_find(line.begin(), line.end());
      return found == line.end() ? std::nullopt : std::optional<int64_t>(*found);
    };
    if (!duplicate_in(indices)) return Verdict::kHolds;  // all different: whatever the axis
    const auto violated = [&](int64_t index) {
      return Violated(outcome, absl::StrCat("index ", index, " twice in ", port.name), "each index once");
    };
    if (tensor->rank == 1) return violated(*duplicate_in(indices));
    const ParamValue axis = ValueOf(subject.op, subject.defaults, "axis");
    const bool shape_known = tensor->rank == 2 && tensor->dims.size() == 2 && tensor->dims[0] > 0 &&
                             tensor->dims[1] > 0 && tensor->dims[0] <= static_cast<int64_t>(indices.size()) &&
                             tensor->dims[1] == static_cast<int64_t>(indices.size()) / tensor->dims[0] &&
                             indices.size() % tensor->dims[0] == 0;
    // From rank 3 on the order of the elements in the file need not be that of the backend's layout.
    if (!shape_known || !axis.known())
      return Unknown(outcome, "indices repeat, perhaps in different lines of the axis");
    const int64_t columns = tensor->dims[1];
    const bool along_rows = axis.at(0) == 0 || axis.at(0) == -2;
    const int64_t lines = along_rows ? columns : tensor->dims[0];
    const int64_t length = along_rows ? tensor->dims[0] : columns;
    for (int64_t i = 0; i < lines; ++i) {
      std::vector<int64_t> line(length);
      for (int64_t j = 0; j < length; ++j) line[j] = indices[along_rows ? j * columns + i : i * columns + j];
      if (const std::optional<int64_t> duplicate = duplicate_in(std::move(line))) return violated(*duplicate);
    }
    return Verdict::kHolds;
  };
}

Evaluator PortGiven(Arguments& arguments) {
  const PortPattern port = arguments.OtherPort("port");
  return [port](const Subject& subject, Outcome& outcome) {
    if (TensorAt(subject.op, port.kind, port.first) != nullptr) return Verdict::kHolds;
    return Violated(outcome, absl::StrCat("no ", port.name), absl::StrCat(port.name, " as well"));
  };
}

Evaluator Absent(Arguments&) {
  return [](const Subject&, Outcome& outcome) { return Violated(outcome, "a tensor at this port", "none"); };
}

Evaluator InputDefault(Arguments& arguments) {
  return [value = arguments.Number("value")](const Subject& subject, Outcome& outcome) {
    const auto allowed = [&] { return absl::StrFormat("none, or a constant of %.10g", value); };
    if (!subject.tensor->is_static && subject.tensor->constant == nullptr) {
      return Violated(outcome, "a tensor computed at run time", allowed());
    }
    const std::optional<Extremes> extremes = ExtremesOf(subject.tensor->constant);
    if (!extremes) return Unknown(outcome, kNotConstant);
    if (!extremes->has_nan && extremes->min == value && extremes->max == value) return Verdict::kHolds;
    return Violated(outcome, absl::StrFormat("values from %.10g to %.10g", extremes->min, extremes->max), allowed());
  };
}

}  // namespace quantgate::kinds
