#include "rules/simulator/kernels/move.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {
namespace {

using Dims = std::vector<int64_t>;

template <typename Word>
void Copy(const Tensor& in, absl::Span<const int64_t> index, Word fill, Tensor& out) {
  const absl::Span<const Word> from = in.as<Word>();
  const absl::Span<Word> to = out.as<Word>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = index[i] < 0 ? fill : from[index[i]];
}

// The bits of `fill` in an element of the type.
uint64_t BitsOf(v1::DataType type, double fill) {
  uint64_t bits = 0;
  if (type == v1::DATA_TYPE_FLOAT32) {
    const float value = static_cast<float>(fill);
    std::memcpy(&bits, &value, sizeof(value));
  } else if (type == v1::DATA_TYPE_FLOAT64) {
    std::memcpy(&bits, &fill, sizeof(fill));
  } else if (IsInteger(type)) {
    bits = static_cast<uint64_t>(RoundEvenClamped(fill, MinOf(type), MaxOf(type)));
  }
  return bits;
}

bool SameQuantization(const Quantization& a, const Quantization& b) {
  return a.scales == b.scales &&
         (a.scales.size() > 1 ? a.zero_points == b.zero_points : a.zero_point() == b.zero_point());
}

// Whether the parameters of the output do not count.
bool Copies(const Profile& profile, OpId op, const Dims& from, absl::Span<const int64_t> to,
            absl::Span<const int64_t> index) {
  if (absl::c_linear_search(profile.copying, op)) return true;
  if (!absl::c_linear_search(profile.copying_unmoved, op) || absl::MakeConstSpan(from) != to) return false;
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

absl::StatusOr<Dims> Identity(absl::Span<const int64_t> dims) {
  absl::StatusOr<int64_t> count = ElementCount(dims);
  if (!count.ok()) return count.status();
  // The index takes eight bytes for each of them.
  constexpr int64_t kMostMoved = int64_t{1} << 27;
  if (*count > kMostMoved) {
    return absl::ResourceExhaustedError(absl::StrCat("moving ", *count, " elements; at most ", kMostMoved));
  }
  Dims index(static_cast<size_t>(*count));
  std::iota(index.begin(), index.end(), 0);
  return index;
}

// For each element of shape `dims`, the sum over axes of source(axis, position) * stride of `from`; a negative source
// makes the element -1.
template <typename Source>
absl::StatusOr<Dims> Remapped(absl::Span<const int64_t> dims, absl::Span<const int64_t> strides, Source source) {
  absl::StatusOr<Dims> index = Identity(dims);
  if (!index.ok() || index->empty()) return index;  // sizes beside one of 0 are not bounded
  std::vector<Dims> offsets(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    for (int64_t i = 0; i < dims[d]; ++i) {
      const int64_t at = source(d, i);
      offsets[d].push_back(at < 0 ? -1 : at * strides[d]);
    }
  }
  Dims at(dims.size(), 0);
  for (int64_t& element : *index) {
    element = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t offset = offsets[d][at[d]];
      if (offset < 0) {
        element = -1;
        break;
      }
      element += offset;
    }
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) break;
      at[d] = 0;
    }
  }
  return index;
}

absl::Status MoveBy(const Profile& profile, KernelCall& call, const Dims& dims, const absl::StatusOr<Dims>& index) {
  return index.ok() ? Move(profile, call.op, *call.inputs[0], dims, *index, 0, call.outputs[0]) : index.status();
}

// The stated shape with its 0 (copied, as ONNX has it, unless allowzero) and -1 resolved.
absl::StatusOr<Dims> ReshapedDims(const KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  absl::StatusOr<int64_t> count = ElementCount(from);
  if (!count.ok()) return count.status();
  Dims dims;
  if (call.op == OpId::kFlatten) {
    // One more than there are axes: the second size is 1.
    const int64_t stated = attributes.Int("axis", 1), rank = static_cast<int64_t>(from.size());
    const int64_t axis = stated < 0 ? stated + rank : stated;
    if (axis < 0 || axis > rank) return absl::InvalidArgumentError(absl::StrCat("axis ", stated, " of rank ", rank));
    Dims two = {1, 1};
    for (int64_t d = 0; d < rank; ++d) two[d < axis ? 0 : 1] *= from[d];
    return two;
  }
  if (call.op == OpId::kSqueeze || call.op == OpId::kUnsqueeze) {
    const absl::Span<const int64_t> axes = attributes.Ints("axes");
    const size_t rank = call.op == OpId::kSqueeze ? from.size() : from.size() + axes.size();
    std::vector<bool> chosen(rank, false);
    for (const int64_t stated : axes) {
      absl::StatusOr<int> axis = NormalizedAxis(stated, rank);
      if (!axis.ok()) return axis.status();
      chosen[*axis] = true;
    }
    size_t next = 0;
    for (size_t d = 0; d < rank; ++d) {
      if (call.op == OpId::kUnsqueeze) {
        if (!chosen[d] && next >= from.size()) return absl::InvalidArgumentError("repeated axes");
        dims.push_back(chosen[d] ? 1 : from[next++]);
      } else if (axes.empty() ? from[d] != 1 : !chosen[d]) {
        dims.push_back(from[d]);
      } else if (from[d] != 1) {
        return absl::InvalidArgumentError(absl::StrCat("squeezing an axis of size ", from[d]));
      }
    }
    return dims;
  }
  const absl::Span<const int64_t> shape = attributes.Ints("shape");
  dims.assign(shape.begin(), shape.end());
  int64_t known = 1;
  int open = -1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0 && attributes.Int("allowzero", 0) == 0 && d < from.size()) dims[d] = from[d];
    if (dims[d] == -1 && open < 0) {
      open = static_cast<int>(d);
    } else if (dims[d] < 0 || (dims[d] > 0 && known > (int64_t{1} << 40) / dims[d])) {
      return absl::InvalidArgumentError(absl::StrCat("a shape with size ", dims[d]));
    } else {
      known *= dims[d];
    }
  }
  if (open >= 0) dims[open] = known == 0 ? 0 : *count / known;
  absl::StatusOr<int64_t> now = ElementCount(dims);
  if (!now.ok()) return now.status();
  if (*now != *count) {
    return absl::InvalidArgumentError(
        absl::StrCat("[", absl::StrJoin(from, ", "), "] as [", absl::StrJoin(dims, ", "), "]"));
  }
  return dims;
}

}  // namespace

absl::Status Move(const Profile& profile, OpId op, const QTensor& in, absl::Span<const int64_t> dims,
                  absl::Span<const int64_t> index, double fill, QTensor& out) {
  const bool same = in.tensor.type == out.tensor.type &&
                    (SameQuantization(in.q, out.q) || Copies(profile, op, in.tensor.dims, dims, index));
  if (!same && (!IsQuantizedInteger(in) || !IsQuantizedInteger(out))) {
    return absl::UnimplementedError(
        absl::StrCat("moving ", DataTypeName(in.tensor.type), " into ", DataTypeName(out.tensor.type)));
  }
  if (in.q.scales.size() > 1 && dims != absl::MakeConstSpan(in.tensor.dims)) {
    return absl::UnimplementedError("moving elements that have a scale for each channel");
  }
  QTensor moved{{in.tensor.type, {}, {}}, in.q};
  if (absl::Status status = Allocate(dims, moved.tensor); !status.ok()) return status;
  const uint64_t bits = BitsOf(in.tensor.type, fill);
  switch (ElementSize(in.tensor.type)) {
    case 1:
      Copy<uint8_t>(in.tensor, index, static_cast<uint8_t>(bits), moved.tensor);
      break;
    case 2:
      Copy<uint16_t>(in.tensor, index, static_cast<uint16_t>(bits), moved.tensor);
      break;
    case 4:
      Copy<uint32_t>(in.tensor, index, static_cast<uint32_t>(bits), moved.tensor);
      break;
    case 8:
      Copy<uint64_t>(in.tensor, index, bits, moved.tensor);
      break;
    default:
      return absl::UnimplementedError(absl::StrCat("moving ", DataTypeName(in.tensor.type)));
  }
  if (same) {
    out.tensor = std::move(moved.tensor);
    return absl::OkStatus();
  }
  const QTensor* inputs[] = {&moved};
  KernelCall requantize{.op = OpId::kRequantize, .inputs = inputs, .outputs = absl::MakeSpan(&out, 1)};
  return Requantize(profile, requantize);
}

absl::Status Reshape(const Profile& profile, KernelCall& call) {
  absl::StatusOr<Dims> dims = call.op == OpId::kIdentity || call.op == OpId::kDropout
                                  ? absl::StatusOr<Dims>(call.inputs[0]->tensor.dims)
                                  : ReshapedDims(call);
  if (!dims.ok()) return dims.status();
  return MoveBy(profile, call, *dims, Identity(*dims));
}

absl::Status Transpose(const Profile& profile, KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  const absl::Span<const int64_t> stated = AttributesOf(call).Ints("perm");
  Dims perm(stated.begin(), stated.end());
  if (perm.empty()) {
    for (size_t d = from.size(); d-- > 0;) perm.push_back(static_cast<int64_t>(d));
  }
  std::vector<bool> seen(from.size(), false);
  if (perm.size() != from.size()) return absl::InvalidArgumentError(absl::StrCat("perm has ", perm.size(), " axes"));
  const Dims strides = StridesOf(from);
  Dims dims, moved;
  for (int64_t& axis : perm) {
    absl::StatusOr<int> normal = NormalizedAxis(axis, from.size());
    if (!normal.ok()) return normal.status();
    if (seen[*normal]) return absl::InvalidArgumentError(absl::StrCat("perm names axis ", axis, " twice"));
    seen[*normal] = true;
    dims.push_back(from[*normal]);
    moved.push_back(strides[*normal]);
  }
  return MoveBy(profile, call, dims, Remapped(dims, moved, [](size_t, int64_t i) { return i; }));
}

absl::Status Slice(const Profile& profile, KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  const absl::Span<const int64_t> starts = attributes.Ints("starts"), ends = attributes.Ints("ends"),
                                  axes = attributes.Ints("axes"), steps = attributes.Ints("steps");
  if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size()) || starts.size() > from.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a slice of ", starts.size(), " starts and ", ends.size(), " ends"));
  }
  Dims dims = from, first(from.size(), 0), step(from.size(), 1);
  for (size_t i = 0; i < starts.size(); ++i) {
    absl::StatusOr<int> axis = NormalizedAxis(axes.empty() ? static_cast<int64_t>(i) : axes[i], from.size());
    if (!axis.ok()) return axis.status();
    const int64_t size = from[*axis], by = steps.empty() ? 1 : steps[i];
    if (by == 0 || by == INT64_MIN) return absl::InvalidArgumentError(absl::StrCat("a step of ", by));
    const auto inside = [&](int64_t at, int64_t low, int64_t high) {
      return std::clamp(at < 0 && at >= -size ? at + size : at < -size ? low : at, low, high);
    };
    const int64_t begin = by > 0 ? inside(starts[i], 0, size) : inside(starts[i], 0, size - 1);
    const int64_t end = by > 0 ? inside(ends[i], 0, size) : inside(ends[i], -1, size - 1);
    const int64_t magnitude = std::abs(by);
    const int64_t span = by > 0 ? end - begin : begin - end;
    dims[*axis] = span <= 0 ? 0 : (span - 1) / magnitude + 1;
    first[*axis] = begin;
    step[*axis] = by;
  }
  return MoveBy(profile, call, dims,
                Remapped(dims, StridesOf(from), [&](size_t d, int64_t i) { return first[d] + i * step[d]; }));
}

absl::Status Tile(const Profile& profile, KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  if (call.op == OpId::kExpand) {
    const absl::Span<const int64_t> shape = AttributesOf(call).Ints("shape");
    absl::StatusOr<Dims> dims = BroadcastShape(from, shape);
    if (!dims.ok()) return dims.status();
    Dims index = BroadcastIndex(from, *dims);
    return MoveBy(profile, call, *dims, index.empty() ? Identity(*dims) : absl::StatusOr<Dims>(std::move(index)));
  }
  const absl::Span<const int64_t> repeats = AttributesOf(call).Ints("repeats");
  if (repeats.size() != from.size()) return absl::InvalidArgumentError(absl::StrCat(repeats.size(), " repeats"));
  Dims dims = from;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (repeats[d] < 0 || repeats[d] > (int64_t{1} << 31))
      return absl::InvalidArgumentError(absl::StrCat(repeats[d], " repeats"));
    dims[d] *= repeats[d];
  }
  return MoveBy(profile, call, dims, Remapped(dims, StridesOf(from), [&](size_t d, int64_t i) { return i % from[d]; }));
}

// A constant of an operator between Dequantize and Quantize is a real number, which the Quantize rounds: it need not be
// within the range of the input. Elsewhere it is what the input's parameters make of it.
absl::Status QuantizeConstants(const Profile& profile, const QTensor& in, double value, absl::Span<const int64_t> index,
                               QTensor& out) {
  const bool between = profile.family == Family::kDecomposed || profile.family == Family::kOnnxRuntime;
  const bool same = in.tensor.type == out.tensor.type && SameQuantization(in.q, out.q);
  if (!between || same || !IsQuantizedInteger(out) || out.q.scales.size() != 1) return absl::OkStatus();
  QTensor constant{{out.tensor.type, {1}, {}}, out.q};
  if (absl::Status status = QuantizeFloats(profile, {static_cast<float>(value)}, constant); !status.ok()) return status;
  const size_t width = ElementSize(out.tensor.type);
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0) std::memcpy(out.tensor.data.data() + i * width, constant.tensor.data.data(), width);
  }
  return absl::OkStatus();
}

absl::Status Pad(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  const Dims& from = in.tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  const absl::Span<const int64_t> pads = attributes.Ints("pads");
  if (pads.size() != 2 * from.size()) return absl::InvalidArgumentError(absl::StrCat(pads.size(), " pads"));
  const absl::string_view mode = attributes.Text("mode", "constant");
  Dims dims = from;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t before = pads[d], after = pads[d + from.size()];
    if (std::abs(before) > (int64_t{1} << 31) || std::abs(after) > (int64_t{1} << 31) || dims[d] + before + after < 0) {
      return absl::InvalidArgumentError(absl::StrCat("pads of ", before, " and ", after));
    }
    // The edge itself is repeated, or is not.
    const int64_t most = mode == "symmetric" ? from[d] : std::max<int64_t>(from[d] - 1, 0);
    if ((mode == "reflect" || mode == "symmetric") && std::max(before, after) > most) {
      return absl::InvalidArgumentError(absl::StrCat("reflecting ", std::max(before, after), " of ", from[d]));
    }
    dims[d] += before + after;
  }
  absl::StatusOr<Dims> index = Remapped(dims, StridesOf(from), [&](size_t d, int64_t i) -> int64_t {
    int64_t at = i - pads[d];
    const int64_t size = from[d];
    if (at >= 0 && at < size) return at;
    if (size == 0 || mode == "constant") return -1;
    if (mode == "edge") return std::clamp<int64_t>(at, 0, size - 1);
    if (mode == "wrap") return ((at % size) + size) % size;
    const int64_t edge = mode == "symmetric" ? 1 : 0;  // else reflect
    return std::clamp<int64_t>(at < 0 ? -at - edge : 2 * (size - 1) - at + edge, 0, size - 1);
  });
  if (!index.ok()) return index.status();
  // The constant is a real number; where values are quantized it becomes a step of the input.
  const double value = attributes.Float("value", 0);
  double fill = value;
  if (in.q.quantized()) fill = fill / static_cast<double>(in.q.scales[0]) + static_cast<double>(in.q.zero_point());
  // Constants among the elements are never copied as they are.
  const OpId op = mode == "constant" ? OpId::kUnknown : OpId::kPad;
  if (absl::Status status = Move(profile, op, in, dims, *index, fill, call.outputs[0]); !status.ok()) return status;
  return QuantizeConstants(profile, in, value, *index, call.outputs[0]);
}

absl::Status Concat(const Profile& profile, KernelCall& call) {
  QTensor& out = call.outputs[0];
  Dims dims = call.inputs[0]->tensor.dims;
  absl::StatusOr<int> axis = NormalizedAxis(AttributesOf(call).Int("axis", 0), dims.size());
  if (!axis.ok()) return axis.status();
  int64_t along = 0, outer = 1, inner = 1;
  for (const QTensor* input : call.inputs) {
    if (input == nullptr || input->tensor.dims.size() != dims.size()) {
      return absl::InvalidArgumentError("operands of a concatenation whose ranks differ");
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (static_cast<int>(d) != *axis && input->tensor.dims[d] != dims[d]) {
        return absl::InvalidArgumentError(absl::StrCat("sizes ", dims[d], " and ", input->tensor.dims[d],
                                                       " meet in a concatenation along another axis"));
      }
    }
    along += input->tensor.dims[*axis];
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (static_cast<int>(d) < *axis) outer *= dims[d];
    if (static_cast<int>(d) > *axis) inner *= dims[d];
  }
  dims[*axis] = along;
  if (absl::Status status = Allocate(dims, out.tensor); !status.ok()) return status;
  const size_t size = ElementSize(out.tensor.type);
  int64_t before = 0;
  for (const QTensor* input : call.inputs) {
    QTensor part{{out.tensor.type, {}, {}}, out.q};
    const bool same = SameQuantization(input->q, out.q) && input->tensor.type == out.tensor.type;
    const bool litert = profile.family == Family::kLiteRt && !same;
    if (litert && out.tensor.type == v1::DATA_TYPE_INT8) {
      return absl::UnimplementedError("LiteRT refuses a concatenation of int8 whose parameters differ");
    }
    if (litert && out.tensor.type == v1::DATA_TYPE_UINT8 && IsInteger(input->tensor.type) &&
        input->q.scales.size() == 1 && out.q.scales.size() == 1) {
      if (absl::Status status = Allocate(input->tensor.dims, part.tensor); !status.ok()) return status;
      const std::vector<int64_t> values = Load<int64_t>(input->tensor);
      const float inverse = 1.0f / out.q.scales[0], scale = input->q.scales[0] * inverse;
      const float bias = -static_cast<float>(input->q.zero_point()) * scale;
      Store(part.tensor, [&](size_t i) {
        const float rounded = std::round(static_cast<float>(values[i]) * scale + bias);
        return RoundEvenClamped(rounded + static_cast<float>(out.q.zero_point()), 0, 255);
      });
    } else {
      // LiteRT copies int16 whatever the parameters are.
      QTensor from{input->tensor, litert && out.tensor.type == v1::DATA_TYPE_INT16 ? out.q : input->q};
      absl::StatusOr<Dims> index = Identity(input->tensor.dims);
      if (!index.ok()) return index.status();
      if (absl::Status status = Move(profile, call.op, from, input->tensor.dims, *index, 0, part); !status.ok())
        return status;
    }
    const int64_t rows = input->tensor.dims[*axis] * inner;
    for (int64_t o = 0; o < outer && rows > 0; ++o) {
      std::memcpy(out.tensor.data.data() + (o * along * inner + before) * size,
                  part.tensor.data.data() + o * rows * size, static_cast<size_t>(rows) * size);
    }
    before += rows;
  }
  return absl::OkStatus();
}

absl::Status Split(const Profile& profile, KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  absl::StatusOr<int> axis = NormalizedAxis(AttributesOf(call).Int("axis", 0), from.size());
  if (!axis.ok()) return axis.status();
  const absl::Span<const int64_t> stated = AttributesOf(call).Ints("sizes");
  Dims sizes(stated.begin(), stated.end());
  const int64_t parts = static_cast<int64_t>(call.outputs.size());
  if (sizes.empty()) {
    const int64_t each = (from[*axis] + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::clamp<int64_t>(from[*axis] - i * each, 0, each));
  }
  int64_t begin = 0;
  if (static_cast<int64_t>(sizes.size()) < parts)
    return absl::InvalidArgumentError(absl::StrCat(sizes.size(), " sizes"));
  for (int64_t part = 0; part < parts; ++part) {
    if (sizes[part] < 0 || sizes[part] > from[*axis] - begin) {
      return absl::InvalidArgumentError(absl::StrCat("a part of size ", sizes[part], " of ", from[*axis]));
    }
    Dims dims = from;
    dims[*axis] = sizes[part];
    absl::StatusOr<Dims> index = Remapped(
        dims, StridesOf(from), [&](size_t d, int64_t i) { return static_cast<int>(d) == *axis ? begin + i : i; });
    if (!index.ok()) return index.status();
    if (absl::Status s = Move(profile, call.op, *call.inputs[0], dims, *index, 0, call.outputs[part]); !s.ok())
      return s;
    begin += sizes[part];
  }
  return absl::OkStatus();
}

// Inputs: data, indices (kGather along `axis`), or indices into rows of a table (kEmbedding: table, indices).
absl::Status Gather(const Profile& profile, KernelCall& call) {
  const QTensor& data = *call.inputs[0];
  const Dims& from = data.tensor.dims;
  if (from.empty()) return absl::InvalidArgumentError("gathering from a scalar");
  absl::StatusOr<int> axis =
      NormalizedAxis(call.op == OpId::kEmbedding ? 0 : AttributesOf(call).Int("axis", 0), from.size());
  if (!axis.ok()) return axis.status();
  absl::StatusOr<std::vector<int64_t>> indices = ToInt64(call.inputs[1]->tensor);
  if (!indices.ok()) return indices.status();
  // LiteRT gathers within batches that both have.
  const Dims& places = call.inputs[1]->tensor.dims;
  const int64_t batch_dims = call.op == OpId::kEmbedding ? 0 : AttributesOf(call).Int("batch_dims", 0);
  if (batch_dims < 0 || batch_dims > *axis || batch_dims > static_cast<int64_t>(places.size()) ||
      !std::equal(places.begin(), places.begin() + batch_dims, from.begin())) {
    return absl::InvalidArgumentError(absl::StrCat(batch_dims, " batch axes of [", absl::StrJoin(from, ", "), "] and [",
                                                   absl::StrJoin(places, ", "), "]"));
  }
  int64_t batches = 1, outer = 1, inner = 1;
  Dims dims(from.begin(), from.begin() + *axis);
  dims.insert(dims.end(), places.begin() + batch_dims, places.end());
  dims.insert(dims.end(), from.begin() + *axis + 1, from.end());
  for (int d = 0; d < *axis; ++d) (d < batch_dims ? batches : outer) *= from[d];
  for (size_t d = *axis + 1; d < from.size(); ++d) inner *= from[d];
  absl::StatusOr<Dims> index = Identity(dims);
  if (!index.ok()) return index.status();
  const size_t each = batches == 0 ? 0 : indices->size() / static_cast<size_t>(batches);
  size_t to = 0;
  for (int64_t o = 0; o < batches * outer; ++o) {
    for (size_t k = 0; k < each; ++k) {
      int64_t at = (*indices)[static_cast<size_t>(o / outer) * each + k];
      if (at < 0) at += from[*axis];
      if (at < 0 || at >= from[*axis])
        return absl::InvalidArgumentError(absl::StrCat("index ", at, " of ", from[*axis]));
      for (int64_t i = 0; i < inner; ++i) (*index)[to++] = (o * from[*axis] + at) * inner + i;
    }
  }
  return Move(profile, call.op, data, dims, *index, 0, call.outputs[0]);
}

absl::Status DepthToSpace(const Profile& profile, KernelCall& call) {
  const Dims& from = call.inputs[0]->tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  const int64_t b = attributes.Int("blocksize", 0);
  const bool last = call.layout == Layout::kChannelsLast, to_space = call.op == OpId::kDepthToSpace;
  constexpr int64_t kMostBlock = 1 << 10;  // times itself times any size is still a number
  if (from.size() != 4 || b < 1 || b > kMostBlock) return absl::InvalidArgumentError(absl::StrCat("a block of ", b));
  const int64_t n = from[0], c = last ? from[3] : from[1], h = last ? from[1] : from[2], w = last ? from[2] : from[3];
  if (to_space ? c % (b * b) != 0 : h % b != 0 || w % b != 0) {
    return absl::InvalidArgumentError(absl::StrCat("blocks of ", b, " in [", absl::StrJoin(from, ", "), "]"));
  }
  const int64_t oc = to_space ? c / (b * b) : c * b * b, oh = to_space ? h * b : h / b, ow = to_space ? w * b : w / b;
  const bool depth_first = attributes.Text("mode", "DCR") == "CRD";
  const Dims dims = last ? Dims{n, oh, ow, oc} : Dims{n, oc, oh, ow};
  absl::StatusOr<Dims> index = Identity(dims);
  if (!index.ok()) return index.status();
  const auto at = [&](int64_t i, int64_t y, int64_t x, int64_t k) {
    return last ? ((i * h + y) * w + x) * c + k : ((i * c + k) * h + y) * w + x;
  };
  size_t to = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t p = 0; p < oh * ow * oc; ++p) {
      const int64_t k = last ? p % oc : p / (oh * ow), y = last ? p / oc / ow : p / ow % oh,
                    x = last ? p / oc % ow : p % ow;
      if (to_space) {
        const int64_t block = y % b * b + x % b;
        (*index)[to++] = at(i, y / b, x / b, depth_first ? k * b * b + block : block * oc + k);
      } else {
        const int64_t block = k / c;
        (*index)[to++] = at(i, y * b + block / b, x * b + block % b, k % c);
      }
    }
  }
  return Move(profile, call.op, *call.inputs[0], dims, *index, 0, call.outputs[0]);
}

absl::Status ArgMax(const Profile&, KernelCall& call) {
  const Tensor& in = call.inputs[0]->tensor;
  Tensor& out = call.outputs[0].tensor;
  const Attributes& attributes = AttributesOf(call);
  absl::StatusOr<int> axis = NormalizedAxis(attributes.Int("axis", 0), in.dims.size());
  if (!axis.ok()) return axis.status();
  if (!IsInteger(in.type) || !IsInteger(out.type)) return absl::UnimplementedError("an index of the largest of floats");
  const bool keep = attributes.Int("keepdims", 1) != 0, lastest = attributes.Int("select_last_index", 0) != 0;
  const bool largest = call.op == OpId::kArgMax;
  Dims dims;
  int64_t inner = 1;
  for (size_t d = 0; d < in.dims.size(); ++d) {
    if (static_cast<int>(d) != *axis)
      dims.push_back(in.dims[d]);
    else if (keep)
      dims.push_back(1);
    if (static_cast<int>(d) > *axis) inner *= in.dims[d];
  }
  if (absl::Status status = Allocate(dims, out); !status.ok()) return status;
  const std::vector<int64_t> values = Load<int64_t>(in);
  const int64_t size = in.dims[*axis];
  Store(out, [&](size_t i) {
    const int64_t first = static_cast<int64_t>(i) / inner * size * inner + static_cast<int64_t>(i) % inner;
    int64_t best = 0;
    for (int64_t k = 1; k < size; ++k) {
      const int64_t a = values[first + k * inner], b = values[first + best * inner];
      if (largest ? a > b || (lastest && a == b) : a < b || (lastest && a == b)) best = k;
    }
    return best;
  });
  return absl::OkStatus();
}

// Values and indices of the k largest (or smallest), in order; of equals the first.
absl::Status TopK(const Profile& profile, KernelCall& call) {
  const QTensor& in = *call.inputs[0];
  const Dims& from = in.tensor.dims;
  const Attributes& attributes = AttributesOf(call);
  absl::StatusOr<int> axis = NormalizedAxis(attributes.Int("axis", -1), from.size());
  if (!axis.ok()) return axis.status();
  const int64_t k = attributes.Int("k", 1), size = from[*axis];
  const bool largest = attributes.Int("largest", 1) != 0;
  if (k < 0 || k > size) return absl::InvalidArgumentError(absl::StrCat("the ", k, " largest of ", size));
  if (!IsInteger(in.tensor.type)) return absl::UnimplementedError("the largest of floats");
  Dims dims = from;
  dims[*axis] = k;
  int64_t inner = 1;
  for (size_t d = *axis + 1; d < from.size(); ++d) inner *= from[d];
  absl::StatusOr<Dims> index = Identity(dims);
  if (!index.ok()) return index.status();
  const std::vector<int64_t> values = Load<int64_t>(in.tensor);
  Dims order(static_cast<size_t>(size)), positions(index->size());
  const int64_t rows = k == 0 ? 0 : static_cast<int64_t>(index->size()) / k;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t first = r / inner * size * inner + r % inner;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int64_t x = values[first + a * inner], y = values[first + b * inner];
      return largest ? x > y : x < y;
    });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t to = r / inner * k * inner + i * inner + r % inner;
      (*index)[to] = first + order[i] * inner;
      positions[to] = order[i];
    }
  }
  if (absl::Status status = Move(profile, call.op, in, dims, *index, 0, call.outputs[0]); !status.ok()) return status;
  if (call.outputs.size() > 1) {
    Tensor& out = call.outputs[1].tensor;
    if (absl::Status status = Allocate(dims, out); !status.ok()) return status;
    Store(out, [&](size_t i) { return positions[i]; });
  }
  return absl::OkStatus();
}

// Inputs: condition, then, else.
absl::Status Where(const Profile& profile, KernelCall& call) {
  const Tensor& condition = call.inputs[0]->tensor;
  QTensor& out = call.outputs[0];
  absl::StatusOr<Dims> dims = BroadcastShape(condition.dims, call.inputs[1]->tensor.dims);
  if (dims.ok()) dims = BroadcastShape(*dims, call.inputs[2]->tensor.dims);
  if (!dims.ok()) return dims.status();
  QTensor parts[2];
  for (int part = 0; part < 2; ++part) {
    parts[part].tensor.type = out.tensor.type;
    parts[part].q = out.q;
    Dims index = BroadcastIndex(call.inputs[part + 1]->tensor.dims, *dims);
    if (index.empty()) {
      absl::StatusOr<Dims> same = Identity(*dims);
      if (!same.ok()) return same.status();
      index = *std::move(same);
    }
    if (absl::Status s = Move(profile, call.op, *call.inputs[part + 1], *dims, index, 0, parts[part]); !s.ok())
      return s;
  }
  const absl::StatusOr<std::vector<int64_t>> chosen = ToInt64(condition);
  if (!chosen.ok()) return chosen.status();
  const Dims index = BroadcastIndex(condition.dims, *dims);
  if (absl::Status status = Allocate(*dims, out.tensor); !status.ok()) return status;
  const size_t size = ElementSize(out.tensor.type);
  for (size_t i = 0; i < out.tensor.data.size() / size; ++i) {
    const QTensor& from = (*chosen)[index.empty() ? i : index[i]] != 0 ? parts[0] : parts[1];
    std::memcpy(out.tensor.data.data() + i * size, from.tensor.data.data() + i * size, size);
  }
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
