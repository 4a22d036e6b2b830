// Convolutions, transposed and depthwise ones among them, in one to three dimensions.
#include <algorithm>
#include <vector>

#include "rules/graph/data_type.h"
#include "rules/simulator/kernels/conv_bytes.h"
#include "rules/simulator/kernels/conv_geometry.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/exact_float.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/products.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

// Weights as (out, taps, in/group).
Centered PackedWeights(const KernelCall& call, const Geometry& g, const Centered& w) {
  const bool last = call.layout == Layout::kChannelsLast;
  const bool transposed = call.op == OpId::kConvTranspose;
  const bool depthwise = call.op == OpId::kDepthwiseConv;
  const int64_t taps = g.taps(), in = g.in_channels / g.groups, out = g.out_channels / g.groups;
  std::vector<int64_t> index;
  index.reserve(static_cast<size_t>(g.out_channels * taps * in));
  for (int64_t o = 0; o < g.out_channels; ++o) {
    for (int64_t k = 0; k < taps; ++k) {
      for (int64_t i = 0; i < in; ++i) {
        if (depthwise && last) {
          index.push_back(k * g.out_channels + o);
        } else if (last) {
          index.push_back((o * taps + k) * in + i);
        } else if (transposed) {
          index.push_back(((o / out * in + i) * out + o % out) * taps + k);
        } else {
          index.push_back((o * in + i) * taps + k);
        }
      }
    }
  }
  return Gathered(w, index);
}

// One image as (positions, channels).
template <typename T>
std::vector<T> ChannelsLast(const T* from, int64_t channels, int64_t positions) {
  std::vector<T> to(static_cast<size_t>(channels * positions));
  constexpr int64_t kBlock = 32;
  for (int64_t p0 = 0; p0 < positions; p0 += kBlock) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = p0; p < std::min(p0 + kBlock, positions); ++p) to[p * channels + c] = from[c * positions + p];
    }
  }
  return to;
}

// Rows of taps x in/group for `rows` output positions from `first` on, of one group.
template <typename T>
void GatherRows(const Geometry& g, const T* image, int64_t group, int64_t first, int64_t rows, T* to) {
  const int64_t in = g.in_channels / g.groups;
  const auto& [a, b, c] = g.axes;
  for (int64_t r = first; r < first + rows; ++r) {
    const int64_t oc = r % c.output, ob = r / c.output % b.output, oa = r / c.output / b.output;
    for (int64_t ka = 0; ka < a.kernel; ++ka) {
      const int64_t ia = a.source[oa * a.kernel + ka];
      for (int64_t kb = 0; kb < b.kernel; ++kb) {
        const int64_t ib = b.source[ob * b.kernel + kb];
        for (int64_t kc = 0; kc < c.kernel; ++kc, to += in) {
          const int64_t ic = c.source[oc * c.kernel + kc];
          if (ia < 0 || ib < 0 || ic < 0) {
            std::fill_n(to, in, T{0});
          } else {
            std::copy_n(image + ((ia * b.input + ib) * c.input + ic) * g.in_channels + group * in, in, to);
          }
        }
      }
    }
  }
}

// Depthwise: one input and one output channel in each group; weights as (taps, channels).
template <typename T>
void DepthwiseRows(const Geometry& g, const T* image, const T* weights, int64_t row, int64_t* sums) {
  const int64_t channels = g.out_channels;
  const auto& [a, b, c] = g.axes;
  std::fill_n(sums, channels, 0);
  const int64_t oc = row % c.output, ob = row / c.output % b.output, oa = row / c.output / b.output;
  const T* w = weights;
  for (int64_t ka = 0; ka < a.kernel; ++ka) {
    const int64_t ia = a.source[oa * a.kernel + ka];
    for (int64_t kb = 0; kb < b.kernel; ++kb) {
      const int64_t ib = b.source[ob * b.kernel + kb];
      for (int64_t kc = 0; kc < c.kernel; ++kc, w += channels) {
        const int64_t ic = c.source[oc * c.kernel + kc];
        if (ia < 0 || ib < 0 || ic < 0) continue;
        const T* x = image + ((ia * b.input + ib) * c.input + ic) * channels;
        for (int64_t i = 0; i < channels; ++i) sums[i] += static_cast<int64_t>(x[i]) * w[i];
      }
    }
  }
}

const int16_t* Data(const Centered& value, int16_t) { return value.narrow.data(); }
const int32_t* Data(const Centered& value, int32_t) { return value.wide.data(); }
std::vector<int16_t>& Elements(Centered& value, int16_t) { return value.narrow; }
std::vector<int32_t>& Elements(Centered& value, int32_t) { return value.wide; }

// A kernel of size 1 that visits every position: the rows are the image.
bool IsPlain(const Geometry& g) {
  return g.taps() == 1 && g.positions() == g.input_positions() &&
         std::all_of(g.axes.begin(), g.axes.end(), [](const AxisMap& axis) {
           return axis.output == axis.input && (axis.output == 0 || axis.source.back() == axis.input - 1);
         });
}

template <typename T>
void Run(const KernelCall& call, const Geometry& g, const Centered& x, const Centered& packed,
         const Requantization& requantization, Tensor& out) {
  constexpr int64_t kRows = 256;  // gathered at a time
  const bool last = call.layout == Layout::kChannelsLast;
  const int64_t depth = g.depth(), columns = g.out_channels / g.groups, positions = g.positions();
  const bool depthwise = g.groups > 1 && g.in_channels == g.groups && columns == 1;
  const bool plain = g.groups == 1 && IsPlain(g);
  std::vector<T> by_tap;
  if (depthwise) by_tap = ChannelsLast(Data(packed, T{}), g.out_channels, g.taps());
  std::vector<int64_t> sums(depthwise ? static_cast<size_t>(g.out_channels) : 0);
  Centered rows;
  rows.largest = x.largest;
  const int64_t image_size = g.input_positions() * g.in_channels;
  for (int64_t n = 0; n < g.batch; ++n) {
    const T* image = Data(x, T{}) + n * image_size;
    std::vector<T> moved;
    if (!last && g.in_channels > 1) {
      moved = ChannelsLast(image, g.in_channels, g.input_positions());
      image = moved.data();
    }
    Destination to{&out, n * positions * g.out_channels, last ? g.out_channels : 1, last ? 1 : positions};
    if (depthwise) {
      for (int64_t row = 0; row < positions; ++row) {
        DepthwiseRows(g, image, by_tap.data(), row, sums.data());
        Destination at = to;
        at.offset += row * to.row_stride;
        StoreSums(sums.data(), g.out_channels, requantization, 0, at, call.use);
      }
      continue;
    }
    for (int64_t group = 0; group < g.groups; ++group) {
      for (int64_t first = 0; first < positions; first += kRows) {
        const int64_t some = std::min(kRows, positions - first);
        std::vector<T>& buffer = Elements(rows, T{});
        buffer.resize(static_cast<size_t>(some * depth));
        if (plain) {
          std::copy_n(image + first * depth, some * depth, buffer.data());
        } else {
          GatherRows(g, image, group, first, some, buffer.data());
        }
        Destination at = to;
        at.offset += first * to.row_stride + group * columns * to.column_stride;
        MultiplyRows(rows, 0, packed, group * columns * depth, some, columns, depth, requantization, group * columns,
                     at, call.use);
      }
    }
  }
}

// The image `n` of x, (channels, positions), centered, as (positions, channels).
void CenteredImage(const QTensor& x, int64_t channels, int64_t positions, int64_t n, float* to) {
  const int32_t zero_point = static_cast<int32_t>(x.q.zero_point());
  WithInteger(x.tensor.type, [&](auto zero) {
    const decltype(zero)* in = x.tensor.as<decltype(zero)>().data() + n * channels * positions;
    if (channels == 1) {
      for (int64_t p = 0; p < positions; ++p) to[p] = static_cast<float>(static_cast<int32_t>(in[p]) - zero_point);
      return;
    }
    constexpr int64_t kBlock = 16;
    for (int64_t p0 = 0; p0 < positions; p0 += kBlock) {
      const int64_t end = std::min(p0 + kBlock, positions);
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t p = p0; p < end; ++p) {
          to[p * channels + c] = static_cast<float>(static_cast<int32_t>(in[c * positions + p]) - zero_point);
        }
      }
    }
  });
}

// The image `n` of out, (channels, positions), from one that is (positions, channels).
void ChannelsFirst(const Tensor& from, int64_t channels, int64_t positions, int64_t n, Tensor& out) {
  WithInteger(out.type, [&](auto zero) {
    using T = decltype(zero);
    const T* in = from.as<T>().data();
    T* to = out.as<T>().data() + n * channels * positions;
    constexpr int64_t kBlock = 64;
    for (int64_t p0 = 0; p0 < positions; p0 += kBlock) {
      const int64_t end = std::min(p0 + kBlock, positions);
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t p = p0; p < end; ++p) to[c * positions + p] = in[p * channels + c];
      }
    }
  });
}

// The same as Run where FitsFast says so, in float32.
void RunFast(const KernelCall& call, const Geometry& g, int64_t largest, const Centered& packed,
             const Requantization& requantization, Tensor& out) {
  constexpr int64_t kRows = 64;  // gathered at a time
  const bool last = call.layout == Layout::kChannelsLast;
  const int64_t depth = g.depth(), columns = g.out_channels / g.groups, positions = g.positions();
  const bool depthwise = g.groups > 1 && g.in_channels == g.groups && columns == 1;
  const bool plain = g.groups == 1 && IsPlain(g);
  const int64_t group_size = (columns + kPanel - 1) / kPanel * kPanel * depth;
  std::vector<float> weights;
  if (depthwise) {
    const std::vector<int16_t> by_tap = ChannelsLast(packed.narrow.data(), g.out_channels, g.taps());
    weights.assign(by_tap.begin(), by_tap.end());
  } else {
    for (int64_t group = 0; group < g.groups; ++group) {
      const std::vector<float> panels = PackPanels(packed.narrow.data() + group * columns * depth, columns, depth);
      weights.insert(weights.end(), panels.begin(), panels.end());
    }
  }
  std::vector<int32_t> sums(depthwise ? static_cast<size_t>(g.out_channels) : 0);
  std::vector<const float*> taps(static_cast<size_t>(g.taps()));
  std::vector<float> rows(depthwise || plain ? 0 : static_cast<size_t>(kRows * depth));
  const int64_t image_size = g.input_positions() * g.in_channels;
  // Kept between calls: large blocks are given back to the system and zeroed again otherwise.
  static thread_local std::vector<float> image;
  image.resize(static_cast<size_t>(image_size));
  Tensor turned{out.type, {}, {}};
  if (!last) turned.data.resize(out.data.size() / static_cast<size_t>(std::max<int64_t>(g.batch, 1)));
  for (int64_t n = 0; n < g.batch; ++n) {
    CenteredImage(*call.inputs[0], last ? 1 : g.in_channels, last ? image_size : g.input_positions(), n, image.data());
    // Channels last throughout; turned around at the end, where writes then follow each other.
    const Destination to{last ? &out : &turned, last ? n * positions * g.out_channels : 0, g.out_channels, 1};
    if (depthwise) {
      const auto& [a, b, c] = g.axes;
      for (int64_t row = 0; row < positions; ++row) {
        const int64_t oc = row % c.output, ob = row / c.output % b.output, oa = row / c.output / b.output;
        size_t tap = 0;
        for (int64_t ka = 0; ka < a.kernel; ++ka) {
          const int64_t ia = a.source[oa * a.kernel + ka];
          for (int64_t kb = 0; kb < b.kernel; ++kb) {
            const int64_t ib = b.source[ob * b.kernel + kb];
            for (int64_t kc = 0; kc < c.kernel; ++kc) {
              const int64_t ic = c.source[oc * c.kernel + kc];
              const bool outside = ia < 0 || ib < 0 || ic < 0;
              taps[tap++] = outside ? nullptr : image.data() + ((ia * b.input + ib) * c.input + ic) * g.in_channels;
            }
          }
        }
        MultiplyTaps(taps.data(), weights.data(), g.taps(), g.out_channels, sums.data());
        Destination at = to;
        at.offset += row * to.row_stride;
        StoreSums32(sums.data(), g.out_channels, requantization, 0, at, call.use);
      }
      if (!last) ChannelsFirst(turned, g.out_channels, positions, n, out);
      continue;
    }
    for (int64_t group = 0; group < g.groups; ++group) {
      for (int64_t first = 0; first < positions; first += kRows) {
        const int64_t some = std::min(kRows, positions - first);
        if (!plain) GatherRows(g, image.data(), group, first, some, rows.data());
        Destination at = to;
        at.offset += first * to.row_stride + group * columns * to.column_stride;
        MultiplyRowsFast(plain ? image.data() + first * depth : rows.data(), largest, packed.largest,
                         weights.data() + group * group_size, some, columns, depth, requantization, group * columns, at,
                         call.use);
      }
    }
    if (!last) ChannelsFirst(turned, g.out_channels, positions, n, out);
  }
  constexpr size_t kKept = size_t{1} << 24;
  if (image.capacity() > kKept) std::vector<float>().swap(image);
}

// XNNPACK leaves a transposed convolution to LiteRT where "same" padding would be negative.
bool LeftByXnnpack(const KernelCall& call, const Geometry& g) {
  const Attributes& attributes = AttributesOf(call);
  const absl::Span<const int64_t> strides = attributes.Ints("strides");
  if (attributes.Text("auto_pad", "NOTSET") != "SAME_UPPER") return false;
  if (strides.size() > 3) return false;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (g.axes[3 - strides.size() + i].kernel < strides[i]) return true;
  }
  return false;
}

}  // namespace

absl::Status Conv(const Profile& profile, KernelCall& call) {
  const QTensor& input = *call.inputs[0];
  const QTensor& weight = *call.inputs[1];
  const QTensor* bias = call.inputs.size() > 2 ? call.inputs[2] : nullptr;
  QTensor& out = call.outputs[0];
  absl::StatusOr<Geometry> g = GeometryOf(call);
  if (!g.ok()) return g.status();
  if (profile.family == Family::kLiteRt && call.op == OpId::kDepthwiseConv && BitWidth(input.tensor.type) == 16 &&
      BitWidth(weight.tensor.type) < 8) {
    return absl::UnimplementedError("LiteRT reads packed weights beside int16 as bytes");
  }
  const bool depthwise = g->groups > 1 && g->groups == g->in_channels;
  ByWidth form = call.op == OpId::kConvTranspose ? profile.conv_transpose
                 : depthwise                     ? profile.depthwise
                                                 : profile.conv;
  if (call.op == OpId::kConvTranspose && profile.xnnpack_delegate && LeftByXnnpack(call, *g)) {
    form = FindProfile("litert/optimized")->conv_transpose;
  }
  absl::StatusOr<Requantization> requantization =
      MakeRequantization(profile, form, call, input, weight, bias, g->out_channels, out);
  if (!requantization.ok()) return requantization.status();
  if (ConvBytesTakes(call, *g, *requantization)) {
    if (absl::Status status = AllocateUnset(g->output_dims, out.tensor); !status.ok()) return status;
    ConvBytes(call, *g, *requantization, out.tensor);
    return absl::OkStatus();
  }
  absl::StatusOr<Centered> w = CenteredElements(weight);
  if (!w.ok()) return w.status();
  if (BitWidth(input.tensor.type) == 8 && w->is_narrow()) {
    Centered bound;  // what the input's type allows
    bound.largest =
        std::max(MaxOf(input.tensor.type) - input.q.zero_point(), input.q.zero_point() - MinOf(input.tensor.type));
    if (FitsFast(bound, *w, g->depth(), *requantization) && ExactDepth(bound.largest, w->largest) >= g->taps()) {
      if (absl::Status status = Allocate(g->output_dims, out.tensor); !status.ok()) return status;
      const Centered packed = PackedWeights(call, *g, *w);
      NoteWorstCase(input, packed, g->out_channels, g->depth(), *requantization, call.use);
      RunFast(call, *g, bound.largest, packed, *requantization, out.tensor);
      return absl::OkStatus();
    }
  }
  absl::StatusOr<Centered> x = CenteredElements(input);
  if (!x.ok()) return x.status();
  if (!x->is_narrow() || !w->is_narrow()) {
    Widen(*x);
    Widen(*w);
  }
  if (absl::Status status = Allocate(g->output_dims, out.tensor); !status.ok()) return status;
  const Centered packed = PackedWeights(call, *g, *w);
  NoteWorstCase(input, packed, g->out_channels, g->depth(), *requantization, call.use);
  if (x->is_narrow()) {
    Run<int16_t>(call, *g, *x, packed, *requantization, out.tensor);
  } else {
    Run<int32_t>(call, *g, *x, packed, *requantization, out.tensor);
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
