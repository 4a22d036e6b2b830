#include "rules/backends/ethos_u/products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "rules/graph/elements.h"

namespace quantgate::ethos_u {
namespace {

Found FullyConnectedWeights(const Call& call) {
  const std::optional<Dims> weights = call.input_dims(1);
  if (!weights) return std::nullopt;
  if (weights->size() >= 2 && Product(*weights) == weights->front() * weights->back()) return std::nullopt;
  // The sums of weights are looked at before their shape is, as if it had four axes.
  const Complaint::Kind kind = weights->size() == 4 ? Complaint::kKnown : Complaint::kStops;
  return Complaint{absl::StrCat("weights of ", ShapeText(*weights)), "outputs x inputs, other axes 1", 1, kind};
}

}  // namespace

Found WeightSum(const Call& call) {
  const BackendTensor* weights = call.input(1);
  const std::optional<Dims> dims = call.input_dims(1);
  const BackendTensor* data = call.input(call.Is("TRANSPOSE_CONV") ? 2 : 0);
  if (weights == nullptr || !weights->is_static || !dims || dims->empty() || data == nullptr) return std::nullopt;
  const bool depthwise = call.Is("DEPTHWISE_CONV_2D");
  const int64_t channels = depthwise ? dims->back() : dims->front();
  if (channels <= 0) return std::nullopt;
  const int64_t each = Product(*dims) / channels;
  const bool wide = !call.before_u85() && data->bits != 8;
  const int64_t most = 127 * (wide ? int64_t{1} << 24 : kMost16Bits);
  if (each < most / 255) return std::nullopt;
  const QuantParams* params = weights->qparams;
  const auto zero_point = [&](int64_t channel) -> double {
    if (params == nullptr || params->zero_points.empty()) return 0;
    const bool of_each = params->zero_points.size() == static_cast<size_t>(channels);
    return params->zero_points[of_each ? channel : 0];
  };
  const std::string allowed = absl::StrCat("at most ", most);
  const v1::Value& value = call.graph().value(weights->value);
  const IntegerView numbers = IntegersOf(value);
  if (numbers.size() != static_cast<size_t>(Product(*dims))) {
    if (!value.constant().has_statistics())
      return Complaint{"weights whose sums are not known", allowed, 1, Complaint::kPerhaps};
    const v1::Statistics& statistics = value.constant().statistics();
    const double low = statistics.min() - zero_point(0), high = statistics.max() - zero_point(0);
    const double largest = std::max(std::fabs(low), std::fabs(high));
    const double smallest = low > 0 || high < 0 ? std::min(std::fabs(low), std::fabs(high)) : 0;
    if (largest * static_cast<double>(each) <= static_cast<double>(most)) return std::nullopt;
    const double least = smallest * static_cast<double>(each);
    if (least > static_cast<double>(most)) {
      return Complaint{absl::StrFormat("weights of a channel that add up to %.10g", least), allowed, 1};
    }
    return Complaint{"weights whose sums are not known", allowed, 1, Complaint::kPerhaps};
  }
  for (int64_t channel = 0; channel < channels; ++channel) {
    double sum = 0;
    for (int64_t i = 0; i < each; ++i) {
      const int64_t at = depthwise ? i * channels + channel : channel * each + i;
      sum += std::fabs(static_cast<double>(numbers[at]) - zero_point(channel));
    }
    if (sum <= static_cast<double>(most)) continue;
    return Complaint{absl::StrFormat("weights of channel %d that add up to %.10g", channel, sum), allowed, 1};
  }
  return std::nullopt;
}

Found BiasShape(const Call& call) {
  const size_t at = call.Is("TRANSPOSE_CONV") ? 3 : 2;
  const std::optional<Dims> bias = call.input_dims(at);
  if (!bias || bias->empty() || Product(*bias) <= bias->back()) return std::nullopt;
  return Complaint{absl::StrCat("a bias of ", ShapeText(*bias)), "its numbers along the last axis",
                   static_cast<int>(at)};
}

Found WideBias(const Call& call) {
  const bool transposed = call.Is("TRANSPOSE_CONV");
  const BackendTensor *bias = call.input(transposed ? 3 : 2), *data = call.input(transposed ? 2 : 0);
  if (call.before_u85() || bias == nullptr || data == nullptr || data->bits != 8) return std::nullopt;
  if (bias->type.type != v1::DATA_TYPE_INT64) return std::nullopt;
  return Complaint{"a bias of 64 bits beside 8-bit data", "one of 32 bits", transposed ? 3 : 2, Complaint::kStops};
}

Found ComputedWeights(const Call& call) {
  const BackendTensor* weights = call.input(1);
  if (weights == nullptr || weights->is_static || (!call.before_u85() && !call.Is("TRANSPOSE_CONV")))
    return std::nullopt;
  return Complaint{"weights that are computed", "constants", 1, Complaint::kStops};
}

Found MatMul(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  const BackendTensor* data = call.input(0);
  if (call.Is("FULLY_CONNECTED") && data != nullptr && data->type.type != v1::DATA_TYPE_INT8) {
    return Complaint{"weights that are computed, and an input of another type than int8", "int8", 0};
  }
  if (!in || !out || in->size() < 2 || out->empty()) return std::nullopt;
  const bool turned = call.option("adj_x", 0) != 0;
  const int64_t reduced = (*in)[in->size() - (turned ? 2 : 1)];
  if (reduced > kMost16Bits) return Complaint{absl::StrCat("sums of ", reduced, " products"), "at most 65536"};
  if (out->back() > kMost16Bits)
    return Complaint{absl::StrCat("an output of ", out->back(), " channels"), "at most 65536"};
  return std::nullopt;
}

Found FullyConnected(const Call& call) {
  if (Found found = FirstOf(call, {FullyConnectedWeights, WeightSum, BiasShape, WideBias}); found) return found;
  const BackendTensor* weights = call.input(1);
  const bool computed = weights != nullptr && !weights->is_static;
  return call.before_u85() && computed ? MatMul(call) : std::nullopt;
}

}  // namespace quantgate::ethos_u
