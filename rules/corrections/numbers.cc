#include "rules/corrections/numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/types/span.h"
#include "rules/corrections/spec_form.h"
#include "rules/graph/data_type.h"

namespace quantgate::corrections {
namespace {

// Of biases and other sums.
constexpr int kSumBits = 32;

struct Range {
  double min;
  double max;
};

double QuantMin(const v1::Spec& spec) {
  return static_cast<double>(spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype()));
}
double QuantMax(const v1::Spec& spec) {
  return static_cast<double>(spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype()));
}

struct Numbers {
  double scale;
  double zero_point;
};

std::vector<Numbers> NumbersOf(const v1::QParams& qparams) {
  std::vector<Numbers> numbers;
  numbers.reserve(qparams.scales_size());
  for (int i = 0; i < qparams.scales_size(); ++i) {
    numbers.push_back({qparams.scales(i), ZeroPoint(qparams, i)});
  }
  return numbers;
}

Range RangeOf(const v1::Spec& spec, Numbers numbers) {
  return {numbers.scale * (QuantMin(spec) - numbers.zero_point), numbers.scale * (QuantMax(spec) - numbers.zero_point)};
}

Numbers Cover(const v1::Spec& spec, bool symmetric, Range range) {
  const double min = QuantMin(spec);
  const double max = QuantMax(spec);
  if (symmetric) {
    const double zero_point = min < 0 ? 0.0 : std::ceil((min + max) / 2);
    return {std::max(std::fabs(range.min), std::fabs(range.max)) / (max - zero_point), zero_point};
  }
  const Range with_zero{std::min(range.min, 0.0), std::max(range.max, 0.0)};
  const double scale = (with_zero.max - with_zero.min) / (max - min);
  return {scale, std::clamp(std::round(min - with_zero.min / scale), min, max) + 0.0};  // no "-0"
}

// What a constant holds, for each scale of `spec` as far as it is known; empty: nothing is.
std::vector<Range> HeldRanges(const v1::Value& tensor, const v1::Spec& spec) {
  const v1::Statistics& known = tensor.constant().statistics();
  const Range all{known.min(), known.max()};
  if (known.count() == 0 || known.nan_count() > 0 || known.inf_count() > 0) return {};
  const int count = spec.qparams().scales_size();
  const bool by_channel = count > 1 && known.axis_min_size() == count && known.axis_max_size() == count;
  std::vector<Range> ranges;
  ranges.reserve(count);
  for (int i = 0; i < count; ++i) {
    Range range = by_channel ? Range{known.axis_min(i), known.axis_max(i)} : all;
    if (!IsFloat(tensor.dtype())) {
      const double scale = spec.qparams().scales(i);
      const double zero_point = ZeroPoint(spec.qparams(), i);
      const auto [min, max] = std::minmax({scale * (range.min - zero_point), scale * (range.max - zero_point)});
      range = {min, max};
    }
    ranges.push_back(range);
  }
  return ranges;
}

bool FullRange(const v1::Spec& spec) {
  return QuantMin(spec) == static_cast<double>(MinOf(spec.dtype())) &&
         QuantMax(spec) == static_cast<double>(MaxOf(spec.dtype()));
}

bool AllAlike(const std::vector<Numbers>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](const Numbers& one) {
    return one.scale == numbers[0].scale && one.zero_point == numbers[0].zero_point;
  });
}

// Whether something follows from the numbers: a scale that is one, if with the wrong sign, and zero points that the
// type has.
bool Tell(const v1::Spec& spec) {
  const v1::QParams& qparams = spec.qparams();
  const auto is_scale = [](double number) { return std::isnormal(static_cast<float>(number)); };
  const auto is_stored = [&](double number) { return number >= QuantMin(spec) && number <= QuantMax(spec); };
  return std::all_of(qparams.scales().begin(), qparams.scales().end(), is_scale) &&
         std::all_of(qparams.zero_points().begin(), qparams.zero_points().end(), is_stored);
}

// Whether each scale has its zero point: none stands for 0, one for all, and so do several that are the same.
bool GoTogether(const v1::QParams& qparams) {
  const auto& zero_points = qparams.zero_points();
  return zero_points.size() <= 1 || zero_points.size() == qparams.scales_size() ||
         std::all_of(zero_points.begin(), zero_points.end(), [&](double one) { return one == zero_points[0]; });
}

}  // namespace

double ZeroPoint(const v1::QParams& qparams, int i) {
  const int given = qparams.zero_points_size();
  if (given == 0) return 0.0;
  return qparams.zero_points(i < given ? i : 0);
}

std::optional<v1::QParams> Renumbered(const v1::Spec& before, const v1::Spec& after, const v1::Value& tensor,
                                      bool stored) {
  const absl::Span<const int64_t> dims(tensor.dims().data(), static_cast<size_t>(tensor.dims_size()));
  const v1::QParams& known = before.qparams();
  if (known.scales().empty() || !GoTogether(known) || !Tell(before)) return std::nullopt;
  const SpecForm from = FormOf(before);
  const SpecForm to = FormOf(after);
  if (from.granularity == Granularity::kBlock || to.granularity == Granularity::kBlock || from.bits <= 0 ||
      to.bits <= 0) {
    return std::nullopt;
  }
  const auto has = [&](int axis) { return axis >= 0 && axis < static_cast<int>(dims.size()); };
  const int64_t channels = has(to.axis) ? dims[to.axis] : -1;
  const bool fits = from.granularity != Granularity::kChannel || known.scales_size() == 1 || dims.empty() ||
                    (has(from.axis) && (dims[from.axis] < 0 || dims[from.axis] == known.scales_size()));
  if (!fits && to.granularity == Granularity::kChannel) {
    if (channels != known.scales_size() || !(TypeOf(from) == TypeOf(to)) || from.bits != to.bits) return std::nullopt;
    v1::QParams moved = known;
    moved.clear_axes();
    moved.add_axes(to.axis);
    return moved;
  }
  const std::vector<Numbers> old = NumbersOf(known);
  if (!fits && stored && !AllAlike(old)) return std::nullopt;
  std::vector<Numbers> made;
  // Stored sums of products are small beside what 32 bits can be, and would be lost in steps for all of that: what they
  // are counts.
  const bool narrowed_sum = stored && from.bits >= kSumBits && to.bits < from.bits;
  const std::vector<Range> held = narrowed_sum ? HeldRanges(tensor, before) : std::vector<Range>();
  if (narrowed_sum && held.empty()) return std::nullopt;
  const bool positive = std::all_of(old.begin(), old.end(), [](Numbers numbers) { return numbers.scale > 0; });
  const bool same_steps = from.symmetric ? FullRange(before) && FullRange(after) : positive;
  if (from.symmetric == to.symmetric && same_steps && from.granularity == to.granularity && !narrowed_sum) {
    // The steps become finer or coarser, everything else stays: exact for prescribed parameters (1/256 of a Sigmoid).
    // What is symmetric and has the wrong sign is turned.
    const double ratio = std::exp2(from.bits - to.bits);
    for (Numbers numbers : old) {
      const double zero_point = std::round((numbers.zero_point - QuantMin(before)) / ratio) + QuantMin(after);
      made.push_back({std::fabs(numbers.scale) * ratio, std::clamp(zero_point, QuantMin(after), QuantMax(after))});
    }
  } else {
    std::vector<Range> ranges = held;
    ranges.reserve(old.size());
    for (size_t i = ranges.size(); i < old.size(); ++i) ranges.push_back(RangeOf(before, old[i]));
    if (to.granularity == Granularity::kTensor && ranges.size() > 1) {
      Range all = ranges[0];
      for (Range range : ranges) all = {std::min(all.min, range.min), std::max(all.max, range.max)};
      ranges = {all};
    } else if (to.granularity == Granularity::kChannel && from.granularity == Granularity::kTensor) {
      if (channels <= 0) return std::nullopt;
      ranges.assign(static_cast<size_t>(channels), ranges[0]);
    } else if (from.granularity == Granularity::kChannel && from.axis != to.axis) {
      return std::nullopt;
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
      Numbers numbers = Cover(after, to.symmetric, ranges[i]);
      // Nothing but zeros, which any scale keeps.
      if (!std::isnormal(static_cast<float>(numbers.scale))) {
        numbers.scale = std::fabs(old[i < old.size() ? i : 0].scale);
        if (!to.symmetric) numbers.zero_point = std::clamp(0.0, QuantMin(after), QuantMax(after));
      }
      made.push_back(numbers);
    }
  }
  v1::QParams out;
  for (Numbers numbers : made) {
    out.add_scales(numbers.scale);
    out.add_zero_points(numbers.zero_point);
  }
  if (to.granularity == Granularity::kChannel && to.axis >= 0) out.add_axes(to.axis);
  out.set_scale_type(known.scale_type());
  return out;
}

std::optional<v1::QParams> ProductOf(const v1::Spec& input, const v1::Spec& weight, int bias_axis) {
  if (input.qparams().scales_size() != 1 || weight.qparams().scales().empty() ||
      !weight.qparams().block_sizes().empty()) {
    return std::nullopt;
  }
  v1::QParams out;
  for (double scale : weight.qparams().scales()) {
    out.add_scales(scale * input.qparams().scales(0));
    out.add_zero_points(0);
  }
  if (weight.qparams().axes_size() > 0) out.add_axes(bias_axis);
  return out;
}

bool SameScales(const v1::QParams& a, const v1::QParams& b) {
  return std::equal(a.scales().begin(), a.scales().end(), b.scales().begin(), b.scales().end(),
                    [](double x, double y) { return std::fabs(x - y) <= 1e-5 * std::fabs(x); });
}

}  // namespace quantgate::corrections
