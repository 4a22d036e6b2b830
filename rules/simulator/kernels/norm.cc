// Normalizations. No runtime here has integer kernels for them: Dequantize, float32, Quantize.
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rules/simulator/kernels/decomposed.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Element i of the parameter for each element, or nothing where the input is absent.
absl::Status Parameter(const Profile& profile, const KernelCall& call, size_t input, std::vector<float>& out) {
  if (input >= call.inputs.size() || call.inputs[input] == nullptr) return absl::OkStatus();
  return DequantizeToFloats(profile, *call.inputs[input], out);
}

}  // namespace

// Layer and RMS normalization over the axes from `axis` on; inputs: value, scale, shift.
absl::Status LayerNorm(const Profile& profile, KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  if (dims.empty()) return absl::InvalidArgumentError("a normalization of a scalar");
  if (call.outputs.size() > 1) return absl::UnimplementedError("a normalization that also gives its statistics");
  absl::StatusOr<int> axis = NormalizedAxis(attributes.Int("axis", -1), dims.size());
  if (!axis.ok()) return axis.status();
  int64_t size = 1;
  for (size_t d = *axis; d < dims.size(); ++d) size *= dims[d];
  std::vector<float> values, gamma, beta;
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], values); !status.ok()) return status;
  if (absl::Status status = Parameter(profile, call, 1, gamma); !status.ok()) return status;
  if (absl::Status status = Parameter(profile, call, 2, beta); !status.ok()) return status;
  for (const auto* parameter : {&gamma, &beta}) {
    if (!parameter->empty() && static_cast<int64_t>(parameter->size()) != size) {
      return absl::InvalidArgumentError(absl::StrCat("a parameter of ", parameter->size(), " elements for ", size));
    }
  }
  const bool centered = call.op == OpId::kLayerNorm;
  const double epsilon = attributes.Float("epsilon", 1e-5);
  for (size_t first = 0; size > 0 && first < values.size(); first += size) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < size; ++i) mean += values[first + i];
    mean = centered ? mean / static_cast<double>(size) : 0;
    for (int64_t i = 0; i < size; ++i) squares += (values[first + i] - mean) * (values[first + i] - mean);
    const float inverse = static_cast<float>(1 / std::sqrt(squares / static_cast<double>(size) + epsilon));
    for (int64_t i = 0; i < size; ++i) {
      float& x = values[first + i];
      x = (x - static_cast<float>(mean)) * inverse;
      if (!gamma.empty()) x *= gamma[i];
      if (!beta.empty()) x += beta[i];
    }
  }
  return StoreFloats(profile, dims, values, call.outputs[0]);
}

// Batch normalization (inputs: value, scale, shift, mean, variance; the last two may be folded in) and instance and
// group normalization (value, scale, shift), over the channels.
absl::Status ChannelNorm(const Profile& profile, KernelCall& call) {
  const std::vector<int64_t>& dims = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  if (dims.size() < 2) return absl::InvalidArgumentError(absl::StrCat("a normalization of rank ", dims.size()));
  const bool last = call.layout == Layout::kChannelsLast;
  const int64_t channels = last ? dims.back() : dims[1];
  int64_t positions = 1;
  for (size_t d = 1; d < dims.size(); ++d) positions *= dims[d];
  positions = channels == 0 ? 0 : positions / channels;
  std::vector<float> values, parameters[4];
  if (absl::Status status = DequantizeToFloats(profile, *call.inputs[0], values); !status.ok()) return status;
  const int64_t groups = call.op == OpId::kGroupNorm ? attributes.Int("num_groups", 1) : channels;
  if (groups < 1 || channels % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(groups, " groups of ", channels, " channels"));
  }
  const int64_t per_group = channels / groups;
  for (size_t i = 0; i < 4; ++i) {
    if (absl::Status status = Parameter(profile, call, i + 1, parameters[i]); !status.ok()) return status;
    // ONNX's operator sets 18 to 20 have one for each group.
    if (static_cast<int64_t>(parameters[i].size()) == groups && per_group > 1) {
      std::vector<float> each;
      for (const float value : parameters[i]) each.insert(each.end(), static_cast<size_t>(per_group), value);
      parameters[i] = std::move(each);
    }
    if (!parameters[i].empty() && static_cast<int64_t>(parameters[i].size()) != channels) {
      return absl::InvalidArgumentError(
          absl::StrCat("a parameter of ", parameters[i].size(), " elements for ", channels, " channels"));
    }
  }
  const double epsilon = attributes.Float("epsilon", 1e-5);
  const bool batch = call.op == OpId::kBatchNorm;
  const auto at = [&](int64_t n, int64_t c, int64_t p) -> float& {
    return values[last ? (n * positions + p) * channels + c : (n * channels + c) * positions + p];
  };
  for (int64_t n = 0; n < dims[0]; ++n) {
    for (int64_t g = 0; g < groups; ++g) {
      double mean = 0, variance = 0;
      if (!batch) {
        const double size = static_cast<double>(per_group * positions);
        for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
          for (int64_t p = 0; p < positions; ++p) mean += at(n, c, p);
        }
        mean /= size;
        for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
          for (int64_t p = 0; p < positions; ++p) variance += (at(n, c, p) - mean) * (at(n, c, p) - mean);
        }
        variance /= size;
      }
      for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
        double shift = mean, inverse = batch ? 1 : 1 / std::sqrt(variance + epsilon);
        if (batch && !parameters[2].empty()) shift = parameters[2][c];
        if (batch && !parameters[3].empty()) inverse = 1 / std::sqrt(parameters[3][c] + epsilon);
        const double scale = parameters[0].empty() ? inverse : inverse * parameters[0][c];
        const double offset = (parameters[1].empty() ? 0 : parameters[1][c]) - shift * scale;
        for (int64_t p = 0; p < positions; ++p) {
          float& x = at(n, c, p);
          x = x * static_cast<float>(scale) + static_cast<float>(offset);
        }
      }
    }
  }
  return StoreFloats(profile, dims, values, call.outputs[0]);
}

}  // namespace quantgate::simulator
