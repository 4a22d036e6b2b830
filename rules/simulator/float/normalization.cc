// Softmax and its kin, and normalizations by statistics of the data.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {

absl::Status RunSoftmax(FloatCall& call) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  const Dims& dims = call.inputs[0]->dims;
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  if (dims.empty()) {
    call.outputs[0].as<float>()[0] = call.op == OpId::kLogSoftmax ? 0.0f : 1.0f;
    return absl::OkStatus();
  }
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", -1), dims.size());
  if (!axis.ok()) return axis.status();
  // Before opset 13 all axes from `axis` on are one.
  const bool flattened = call.attributes.Int("flatten", 0) != 0;
  const int64_t size = flattened ? Count(absl::MakeConstSpan(dims).subspan(*axis)) : dims[*axis];
  const int64_t inner = flattened ? 1 : Count(absl::MakeConstSpan(dims).subspan(*axis + 1));
  const int64_t outer = Count(absl::MakeConstSpan(dims).subspan(0, *axis));
  const float beta = static_cast<float>(call.attributes.Float("beta", 1));
  float* out = call.outputs[0].as<float>().data();
  for (int64_t line = 0; line < outer * inner && size > 0; ++line) {
    const int64_t first = line / inner * size * inner + line % inner;
    const float* from = in->data() + first;
    float* to = out + first;
    float top = from[0];
    int64_t best = 0;
    for (int64_t i = 1; i < size; ++i) {
      if (from[i * inner] > top) {
        top = from[i * inner];
        best = i;
      }
    }
    if (call.op == OpId::kHardmax) {
      for (int64_t i = 0; i < size; ++i) to[i * inner] = i == best ? 1.0f : 0.0f;
      continue;
    }
    float sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      to[i * inner] = std::exp(beta * (from[i * inner] - top));
      sum += to[i * inner];
    }
    for (int64_t i = 0; i < size; ++i) {
      to[i * inner] =
          call.op == OpId::kLogSoftmax ? beta * (from[i * inner] - top) - std::log(sum) : to[i * inner] / sum;
    }
  }
  return absl::OkStatus();
}

namespace {

// A port that may be left out; empty: it is.
absl::Span<const float> Optional(const FloatCall& call, size_t i) {
  const absl::StatusOr<absl::Span<const float>> values = FloatInput(call, i);
  return values.ok() ? *values : absl::Span<const float>();
}

absl::Status WrongSize(size_t given, int64_t wanted) {
  return absl::InvalidArgumentError(absl::StrCat(given, " parameters where ", wanted, " are needed"));
}

struct RowStatistics {
  double mean, inverse_stddev;
};

// y = (x - mean) / sqrt(variance + epsilon), over `count` elements in a row.
RowStatistics NormalizeRow(const float* from, float* to, int64_t count, double epsilon, bool centered) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < count; ++i) sum += from[i];
  const double mean = centered ? sum / static_cast<double>(count) : 0;
  for (int64_t i = 0; i < count; ++i) squares += (from[i] - mean) * (from[i] - mean);
  const double factor = 1 / std::sqrt(squares / static_cast<double>(count) + epsilon);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>((from[i] - mean) * factor);
  return {mean, factor};
}

// Over the axes from `axis` on; the further results are of each row: its mean (not of RMS normalization) and the
// inverse of its standard deviation.
absl::Status NormalizeRows(FloatCall& call, absl::Span<const float> in, absl::Span<const float> gamma,
                           absl::Span<const float> beta) {
  const Dims& dims = call.inputs[0]->dims;
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", -1), dims.size());
  if (!axis.ok()) return axis.status();
  const int64_t size = Count(absl::MakeConstSpan(dims).subspan(*axis));
  for (const absl::Span<const float> parameters : {gamma, beta}) {
    if (!parameters.empty() && static_cast<int64_t>(parameters.size()) != size)
      return WrongSize(parameters.size(), size);
  }
  const bool centered = call.op == OpId::kLayerNorm;
  const size_t further = std::min<size_t>(call.outputs.size(), centered ? 3 : 2);
  Dims of_rows = dims;
  std::fill(of_rows.begin() + *axis, of_rows.end(), 1);
  for (size_t i = 1; i < further; ++i) {
    if (absl::Status status = call.Make(i, v1::DATA_TYPE_FLOAT32, of_rows); !status.ok()) return status;
  }
  const double epsilon = call.attributes.Float("epsilon", 1e-5);
  float* to = call.outputs[0].as<float>().data();
  for (int64_t row = 0; row < Count(dims) / std::max<int64_t>(size, 1); ++row, to += size) {
    const RowStatistics of_row = NormalizeRow(in.data() + row * size, to, size, epsilon, centered);
    for (int64_t i = 0; i < size && !gamma.empty(); ++i) to[i] *= gamma[i];
    for (int64_t i = 0; i < size && !beta.empty(); ++i) to[i] += beta[i];
    for (size_t i = 1; i < further; ++i) {
      const bool mean = centered && i == 1;
      call.outputs[i].as<float>()[row] = static_cast<float>(mean ? of_row.mean : of_row.inverse_stddev);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunNormalization(FloatCall& call) {
  const absl::StatusOr<absl::Span<const float>> in = FloatInput(call, 0);
  if (!in.ok()) return in.status();
  const bool channels_matter =
      call.op == OpId::kBatchNorm || call.op == OpId::kInstanceNorm || call.op == OpId::kGroupNorm;
  if (channels_matter && call.layout == Layout::kChannelsLast) {
    return absl::UnimplementedError("normalizations of channels with channels last");
  }
  const Dims& dims = call.inputs[0]->dims;
  if (dims.empty() || (channels_matter && dims.size() < 2))
    return absl::InvalidArgumentError("a tensor of too low a rank");
  if (absl::Status status = call.Make(0, v1::DATA_TYPE_FLOAT32, dims); !status.ok()) return status;
  float* out = call.outputs[0].as<float>().data();
  const int64_t total = Count(dims);
  if (total == 0) return absl::OkStatus();
  const double epsilon = call.attributes.Float("epsilon", 1e-5);
  const absl::Span<const float> gamma = Optional(call, 1), beta = Optional(call, 2);

  if (call.op == OpId::kLayerNorm || call.op == OpId::kRmsNorm) {
    return NormalizeRows(call, *in, gamma, beta);
  }
  if (call.op == OpId::kLpNorm) {
    const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", -1), dims.size());
    if (!axis.ok()) return axis.status();
    const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(*axis + 1)), size = dims[*axis];
    const bool absolute = call.attributes.Int("p", 2) == 1;
    for (int64_t line = 0; line < total / size; ++line) {
      const int64_t first = line / inner * size * inner + line % inner;
      double sum = 0;
      for (int64_t i = 0; i < size; ++i) {
        const double value = (*in)[first + i * inner];
        sum += absolute ? std::fabs(value) : value * value;
      }
      const double norm = std::max(absolute ? sum : std::sqrt(sum), 1e-12);
      for (int64_t i = 0; i < size; ++i) {
        out[first + i * inner] = static_cast<float>((*in)[first + i * inner] / norm);
      }
    }
    return absl::OkStatus();
  }
  // In ONNX's operator sets 7 and 8 there may be one parameter for each element of a sample.
  const bool by_element = call.op == OpId::kBatchNorm && call.attributes.Int("spatial", 1) == 0;
  const int64_t channels = by_element ? Count(absl::MakeConstSpan(dims).subspan(1)) : dims[1];
  const int64_t plane = by_element ? 1 : Count(absl::MakeConstSpan(dims).subspan(2));
  const int64_t groups = call.op == OpId::kGroupNorm ? call.attributes.Int("num_groups", 1) : channels;
  if (groups < 1 || channels % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(groups, " groups of ", channels, " channels"));
  }
  // ONNX's operator sets 18 to 20 have one for each group.
  const bool by_group = call.op == OpId::kGroupNorm && static_cast<int64_t>(gamma.size()) == groups;
  const int64_t shared = by_group ? channels / groups : 1;
  for (const absl::Span<const float> parameters : {gamma, beta}) {
    if (!parameters.empty() && static_cast<int64_t>(parameters.size()) != channels / shared) {
      return WrongSize(parameters.size(), channels / shared);
    }
  }
  const absl::Span<const float> mean = Optional(call, 3), variance = Optional(call, 4);
  if (call.op == OpId::kBatchNorm) {
    if (static_cast<int64_t>(mean.size()) != channels || mean.size() != variance.size())
      return WrongSize(mean.size(), channels);
    std::copy(in->begin(), in->end(), out);
  } else {
    const int64_t size = channels / groups * plane;
    for (int64_t row = 0; row < total / size; ++row) {
      NormalizeRow(in->data() + row * size, out + row * size, size, epsilon, true);
    }
  }
  for (int64_t p = 0; p < dims[0] * channels; ++p) {
    const int64_t c = p % channels;
    float scale = gamma.empty() ? 1.0f : gamma[c / shared], shift = beta.empty() ? 0.0f : beta[c / shared];
    if (call.op == OpId::kBatchNorm) {
      scale = static_cast<float>(scale / std::sqrt(static_cast<double>(variance[c]) + epsilon));
      shift -= mean[c] * scale;
    }
    for (int64_t i = 0; i < plane; ++i) out[p * plane + i] = out[p * plane + i] * scale + shift;
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
