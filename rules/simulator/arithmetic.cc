#include "rules/simulator/arithmetic.h"

#include "absl/strings/str_format.h"

namespace quantgate::simulator {
namespace {

int64_t AddClamped(int64_t x, int64_t zero_point, int64_t low, int64_t high) {
  // Far outside of any output type, so that the sum cannot overflow.
  constexpr int64_t kFar = int64_t{1} << 40;
  return std::clamp(std::clamp(x, -kFar, kFar) + zero_point, low, high);
}

}  // namespace

absl::StatusOr<Multiplier> MakeMultiplier(double real) {
  if (!(real >= 0) || !(real < 2147483648.0)) {
    return absl::InvalidArgumentError(absl::StrFormat("a requantization multiplier of %.9g", real));
  }
  if (real == 0) return Multiplier{};
  int shift = 0;
  const double mantissa = std::frexp(real, &shift);
  int64_t fixed = static_cast<int64_t>(std::round(mantissa * 2147483648.0));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -31) return Multiplier{};
  return Multiplier{static_cast<int32_t>(fixed), shift};
}

double RealMultiplier(Rescale form, float a, float b, float y) {
  if (form == Rescale::kFloat || form == Rescale::kMultiplier24) return a * b / y;
  return static_cast<double>(a) * static_cast<double>(b) / static_cast<double>(y);
}

absl::StatusOr<Rescaler> Rescaler::Make(Rescale form, double real) {
  Rescaler rescaler;
  if (absl::Status status = rescaler.Set(form, real); !status.ok()) return status;
  return rescaler;
}

absl::Status Rescaler::Set(Rescale form, double real) {
  form_ = form;
  if (form == Rescale::kFloat) {
    scale_ = static_cast<float>(real);
    if (scale_ >= 0 && std::isfinite(scale_)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat("a requantization multiplier of %.9g", real));
  }
  absl::StatusOr<Multiplier> multiplier =
      MakeMultiplier(form == Rescale::kMultiplier24 ? static_cast<float>(real) : real);
  if (!multiplier.ok()) return multiplier.status();
  multiplier_ = *multiplier;
  return absl::OkStatus();
}

int64_t Rescaler::operator()(int64_t accumulator, int64_t zero_point, int64_t low, int64_t high) const {
  switch (form_) {
    case Rescale::kNone:
      break;
    case Rescale::kFloat:
      return RoundEvenClamped(static_cast<float>(accumulator) * scale_, low - zero_point, high - zero_point) +
             zero_point;
    case Rescale::kDoubleRounding:
      return AddClamped(MultiplyDoubleRounding(Wrap32(accumulator), multiplier_), zero_point, low, high);
    case Rescale::kDoubleRoundingUp:
      return AddClamped(MultiplyDoubleRoundingUp(Wrap32(accumulator), multiplier_), zero_point, low, high);
    case Rescale::kSingleRounding:
    case Rescale::kMultiplier24:
      return AddClamped(MultiplySingleRounding(accumulator, multiplier_), zero_point, low, high);
    case Rescale::kMultiplier15:
      return AddClamped(MultiplyBy15Bits(accumulator, multiplier_), zero_point, low, high);
    case Rescale::kTosaDouble: {
      // (x * mantissa + half + correction) >> s with s = 31 - shift; the correction where s > 31.
      const int s = 31 - multiplier_.shift;
      __int128 product = static_cast<__int128>(accumulator) * multiplier_.mantissa;
      if (s > 62 || s < 1) return AddClamped(0, zero_point, low, high);
      product += static_cast<__int128>(1) << (s - 1);
      if (s > 31) product += accumulator >= 0 ? (int64_t{1} << 30) : -(int64_t{1} << 30);
      return AddClamped(static_cast<int64_t>(std::clamp<__int128>(product >> s, INT64_MIN, INT64_MAX)), zero_point, low,
                        high);
    }
  }
  return low;
}

}  // namespace quantgate::simulator
