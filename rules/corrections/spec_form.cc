#include "rules/corrections/spec_form.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/algorithm/container.h"
#include "rules/graph/data_type.h"
#include "rules/graph/qscheme.h"

namespace quantgate::corrections {
namespace {

// Loss is counted in eighths of a bit.
constexpr int kPerBit = 8;
// One scale where there was one per channel, or per channel where there was one per block: about two bits each, by how
// much the ranges of channels usually differ.
constexpr int kCoarser = 16;
// What holds for all inputs has to cover the widest, as one scale has to cover the widest channel.
constexpr int kForAllRuns = 16;
// A symmetric range wastes up to half of the steps on numbers that do not occur.
constexpr int kSymmetric = 8;
// So does one in which 0 has to have a step.
constexpr int kWithZero = 8;

int StorageOf(v1::DataType type) { return IsInteger(type) ? std::max(8, BitWidth(type)) : 0; }

v1::DataType IntegerType(int storage, bool is_signed) {
  switch (storage) {
    case 8:
      return is_signed ? v1::DATA_TYPE_INT8 : v1::DATA_TYPE_UINT8;
    case 16:
      return is_signed ? v1::DATA_TYPE_INT16 : v1::DATA_TYPE_UINT16;
    case 64:
      return is_signed ? v1::DATA_TYPE_INT64 : v1::DATA_TYPE_UINT64;
    default:
      return is_signed ? v1::DATA_TYPE_INT32 : v1::DATA_TYPE_UINT32;
  }
}

v1::Spec::QScheme SchemeOf(const SpecForm& form) {
  switch (form.granularity) {
    case Granularity::kTensor:
      return form.symmetric ? v1::Spec::PER_TENSOR_SYMMETRIC : v1::Spec::PER_TENSOR_AFFINE;
    case Granularity::kChannel:
      return form.symmetric ? v1::Spec::PER_CHANNEL_SYMMETRIC : v1::Spec::PER_CHANNEL_AFFINE;
    default:
      return form.symmetric ? v1::Spec::PER_BLOCK_SYMMETRIC : v1::Spec::PER_BLOCK_AFFINE;
  }
}

std::vector<std::pair<int64_t, int64_t>> BlocksOf(const v1::Spec& spec) {
  std::vector<std::pair<int64_t, int64_t>> blocks;
  blocks.reserve(spec.block_size_size());
  for (int i = 0; i < spec.block_size_size(); ++i) blocks.emplace_back(i, spec.block_size(i));
  const v1::QParams& qparams = spec.qparams();
  for (int i = 0; blocks.empty() && i < std::min(qparams.axes_size(), qparams.block_sizes_size()); ++i) {
    blocks.emplace_back(qparams.axes(i), qparams.block_sizes(i));
  }
  return blocks;
}

bool HasRealZeroPoints(const v1::Spec& spec) {
  return spec.qscheme() == v1::Spec::PER_CHANNEL_AFFINE_FLOAT_QPARAMS ||
         absl::c_any_of(spec.qparams().zero_points(), [](double one) { return one != std::round(one); });
}

// Whether each block of `after` is within one of `before`.
bool Divide(const SpecForm& before, const SpecForm& after) {
  return absl::c_equal(before.blocks, after.blocks, [](const auto& was, const auto& is) {
    return was == is || (was.first == is.first && is.second > 0 && was.second % is.second == 0);
  });
}

// Whether what has a scale in common has had one: as many scales along another axis are others.
bool IsAsFine(const SpecForm& before, const SpecForm& after, absl::Span<const int64_t> dims) {
  const auto axis = static_cast<size_t>(before.axis);
  switch (before.granularity) {
    case Granularity::kTensor:
      return true;
    case Granularity::kChannel:
      if (before.axis >= 0 && axis < dims.size() && dims[axis] == 1) return true;  // one scale
      if (after.granularity == Granularity::kChannel) return before.axis == after.axis;
      return absl::c_linear_search(after.blocks, std::make_pair(int64_t{before.axis}, int64_t{1}));
    default:
      return after.granularity == Granularity::kBlock && Divide(before, after);
  }
}

}  // namespace

SpecForm FormOf(const v1::Spec& spec) {
  SpecForm form;
  form.storage = StorageOf(spec.dtype());
  if (form.storage == 0) return form;
  const int64_t min = spec.has_quant_min() ? spec.quant_min() : MinOf(spec.dtype());
  const int64_t max = spec.has_quant_max() ? spec.quant_max() : MaxOf(spec.dtype());
  form.bits = BitWidth(spec.dtype());
  form.is_signed = IsSigned(spec.dtype());
  if (max > min && form.bits < 64) {
    form.bits = 0;
    const uint64_t steps = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
    while (form.bits < 64 && (steps >> form.bits) != 0) ++form.bits;
  }
  // The range says what an int32 stands for.
  if (spec.dtype() == v1::DATA_TYPE_INT32 && form.bits <= 16) {
    form.storage = form.bits <= 8 ? 8 : 16;
    form.is_signed = min < 0;
  }
  form.symmetric = IsSymmetric(spec.qscheme());
  form.is_dynamic = spec.is_dynamic();
  form.real_zero_points = HasRealZeroPoints(spec);
  if (spec.block_size_size() > 0 || IsPerBlock(spec.qscheme()) || spec.qparams().block_sizes_size() > 0) {
    form.granularity = Granularity::kBlock;
    form.blocks = BlocksOf(spec);
  } else if (IsPerChannel(spec.qscheme()) || spec.qparams().axes_size() > 0) {
    form.granularity = Granularity::kChannel;
    form.axis = spec.has_axis() ? spec.axis() : spec.qparams().axes_size() > 0 ? spec.qparams().axes(0) : -1;
  }
  return form;
}

bool SayTheSame(const v1::Spec& a, const v1::Spec& b) {
  const auto said = [](v1::Spec spec) {
    spec.clear_observer();
    spec.clear_observer_name();
    if (!spec.is_dynamic()) spec.clear_is_dynamic();
    return spec.SerializeAsString();
  };
  return said(a) == said(b);
}

db::ElementType TypeOf(const SpecForm& form) { return {IntegerType(form.storage, form.is_signed), true}; }

bool IsFixedPoint(db::ElementType type) {
  return type.quantized && IsInteger(type.type) && BitWidth(type.type) >= 8 && BitWidth(type.type) <= 32;
}

v1::Spec Rewritten(const v1::Spec& spec, const SpecForm& form, bool native) {
  v1::Spec out;
  out.set_kind(v1::Spec::PLAIN);
  out.set_observer(spec.observer());
  if (spec.has_is_dynamic()) out.set_is_dynamic(spec.is_dynamic());
  out.set_qscheme(SchemeOf(form));
  if (form.granularity == Granularity::kChannel && form.axis >= 0) out.set_axis(form.axis);
  if (form.granularity == Granularity::kBlock) *out.mutable_block_size() = spec.block_size();
  const int64_t half = int64_t{1} << (form.bits - 1);
  out.set_dtype(IntegerType(form.storage, form.is_signed));
  if (native) {
    if (form.bits == 4) out.set_dtype(form.is_signed ? v1::DATA_TYPE_INT4 : v1::DATA_TYPE_UINT4);
    if (form.bits == 2) out.set_dtype(form.is_signed ? v1::DATA_TYPE_INT2 : v1::DATA_TYPE_UINT2);
    return out;  // the range is that of the type
  }
  if (form.is_signed) {
    out.set_quant_min(form.symmetric ? -half + 1 : -half);
    out.set_quant_max(half - 1);
  } else {
    if (form.storage == 16) out.set_dtype(v1::DATA_TYPE_INT32);
    out.set_quant_min(0);
    out.set_quant_max(2 * half - 1);
  }
  return out;
}

int Loss(const SpecForm& before, const SpecForm& after, absl::Span<const int64_t> dims) {
  int loss = kPerBit * std::max(0, before.bits - after.bits);
  if (!IsAsFine(before, after, dims)) {
    loss += kCoarser * std::max(1, static_cast<int>(before.granularity) - static_cast<int>(after.granularity));
  }
  if (before.is_dynamic && !after.is_dynamic) loss += kForAllRuns;
  if (after.symmetric && !before.symmetric) loss += kSymmetric;
  if (before.real_zero_points && !after.real_zero_points && !after.symmetric) loss += kWithZero;
  return loss;
}

int Distance(const SpecForm& before, const SpecForm& after) {
  return std::abs(before.bits - after.bits) + (before.is_signed != after.is_signed ? 1 : 0) +
         2 * std::abs(static_cast<int>(before.granularity) - static_cast<int>(after.granularity)) +
         (before.symmetric != after.symmetric ? 1 : 0) + (before.axis != after.axis && after.axis >= 0 ? 1 : 0);
}

}  // namespace quantgate::corrections
