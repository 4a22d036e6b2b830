// Operators that move elements: of any type, by bytes.
#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/shapes.h"

namespace quantgate::simulator {

absl::Status RunReshape(FloatCall& call) {
  const Tensor* x = call.input(0);
  if (x == nullptr) return absl::InvalidArgumentError("its input is not there");
  const size_t rank = x->dims.size();
  const int64_t count = Count(x->dims);
  Dims dims;
  const Attributes& attributes = call.attributes;
  if (call.op == OpId::kReshape) {
    const absl::Span<const int64_t> shape = attributes.Ints("shape");
    const bool zero_copies = attributes.Int("allowzero", 1) == 0;
    int64_t known = 1;
    int open = -1;
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t size = shape[i];
      if (size == 0 && zero_copies && i < rank) size = x->dims[i];
      if (size == -1 && open < 0) {
        open = static_cast<int>(i);
      } else if (size < 0 || __builtin_mul_overflow(known, size, &known)) {
        return absl::InvalidArgumentError(absl::StrCat("the shape ", DimsText(shape)));
      }
      dims.push_back(size);
    }
    if (open >= 0) dims[open] = known == 0 ? 0 : count / known;
    if (open < 0 ? known != count : known * dims[open] != count) {
      return absl::InvalidArgumentError(
          absl::StrCat("a tensor ", DimsText(x->dims), " cannot have the shape ", DimsText(shape)));
    }
  } else if (call.op == OpId::kFlatten) {
    // From `axis` to `end`; ONNX's form makes a matrix.
    const int64_t axis = attributes.Int("axis", 1);
    const int64_t first = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
    if (first < 0 || first > static_cast<int64_t>(rank)) return absl::InvalidArgumentError(absl::StrCat("axis ", axis));
    if (attributes.Has("end")) {
      const absl::StatusOr<int> end = NormalizedAxis(attributes.Int("end", -1), std::max<size_t>(rank, 1));
      if (!end.ok()) return end.status();
      if (rank == 0) dims = {1};
      for (size_t i = 0; i < rank; ++i) {
        if (static_cast<int64_t>(i) > first && static_cast<int>(i) <= *end) {
          dims.back() *= x->dims[i];
        } else {
          dims.push_back(x->dims[i]);
        }
      }
    } else {
      dims = {Count(absl::MakeConstSpan(x->dims).subspan(0, first)),
              Count(absl::MakeConstSpan(x->dims).subspan(first))};
    }
  } else if (call.op == OpId::kSqueeze) {
    std::vector<bool> dropped(rank, !attributes.Has("axes"));
    for (int64_t axis : attributes.Ints("axes")) {
      const absl::StatusOr<int> position = NormalizedAxis(axis, rank);
      if (!position.ok()) return position.status();
      dropped[*position] = true;
    }
    for (size_t i = 0; i < rank; ++i) {
      if (!dropped[i] || x->dims[i] != 1) dims.push_back(x->dims[i]);
    }
  } else if (call.op == OpId::kUnsqueeze) {
    const absl::Span<const int64_t> axes = attributes.Ints("axes");
    const size_t total = rank + axes.size();
    std::vector<bool> added(total, false);
    for (int64_t axis : axes) {
      const absl::StatusOr<int> position = NormalizedAxis(axis, total);
      if (!position.ok()) return position.status();
      added[*position] = true;
    }
    size_t next = 0;
    for (size_t i = 0; i < total; ++i) dims.push_back(added[i] || next >= rank ? 1 : x->dims[next++]);
  } else {
    dims = x->dims;
  }
  call.outputs[0].type = x->type;
  call.outputs[0].data = x->data;
  call.outputs[0].dims = std::move(dims);
  for (size_t i = 1; i < call.outputs.size(); ++i) {
    // The mask of a dropout that drops nothing. Older operator sets have zeros there, first in the type of the data.
    const v1::DataType type = attributes.Int("mask_like_data", 0) != 0 ? x->type : v1::DATA_TYPE_BOOL;
    if (absl::Status status = call.Make(i, type, x->dims); !status.ok()) return status;
    if (attributes.Int("mask", 1) != 0) std::memset(call.outputs[i].data.data(), 1, call.outputs[i].data.size());
  }
  return absl::OkStatus();
}

namespace {

// Copies element by element from where `steps` and `first` (in elements of x) lead.
absl::Status CopyStrided(FloatCall& call, size_t output, const Tensor& x, const Dims& dims, const Dims& steps,
                         int64_t first) {
  if (absl::Status status = call.Make(output, x.type, dims); !status.ok()) return status;
  const size_t width = ElementSize(x.type);
  const int64_t count = Count(dims);
  if (count == 0) return absl::OkStatus();
  const size_t rank = dims.size();
  const int64_t inner = rank == 0 ? 1 : dims[rank - 1];
  const int64_t step = rank == 0 ? 1 : steps[rank - 1];
  Dims index(rank, 0);
  int64_t from = first;
  std::byte* to = call.outputs[output].data.data();
  for (int64_t done = 0; done < count; done += inner) {
    if (step == 1) {
      std::memcpy(to, x.data.data() + from * width, inner * width);
      to += inner * width;
    } else {
      for (int64_t i = 0; i < inner; ++i, to += width)
        std::memcpy(to, x.data.data() + (from + i * step) * width, width);
    }
    for (size_t axis = rank == 0 ? 0 : rank - 1; axis-- > 0;) {
      from += steps[axis];
      if (++index[axis] < dims[axis]) break;
      from -= steps[axis] * dims[axis];
      index[axis] = 0;
    }
  }
  return absl::OkStatus();
}

absl::Status Slice(FloatCall& call, const Tensor& x) {
  const Attributes& attributes = call.attributes;
  const absl::Span<const int64_t> starts = attributes.Ints("starts"), ends = attributes.Ints("ends"),
                                  axes = attributes.Ints("axes"), by = attributes.Ints("steps");
  if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()) ||
      (!by.empty() && by.size() != starts.size())) {
    return absl::InvalidArgumentError("starts, ends, axes and steps are not of one length");
  }
  Dims dims = x.dims, steps = StridesOf(x.dims);
  const Dims strides = steps;
  int64_t first = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const absl::StatusOr<int> axis = NormalizedAxis(axes.empty() ? static_cast<int64_t>(i) : axes[i], x.dims.size());
    if (!axis.ok()) return axis.status();
    const int64_t size = x.dims[*axis], step = by.empty() ? 1 : by[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min()) return absl::InvalidArgumentError("a step of 0");
    const auto place = [&](int64_t position, int64_t low, int64_t high) {
      if (position < 0) position = position < -size ? -size - 1 + size : position + size;
      return std::min(std::max(position, low), high);
    };
    const int64_t begin = step > 0 ? place(starts[i], 0, size) : place(starts[i], 0, size - 1);
    const int64_t end = step > 0 ? place(ends[i], 0, size) : ends[i] < -size ? -1 : place(ends[i], -1, size - 1);
    const int64_t distance = step > 0 ? end - begin : begin - end;
    const int64_t magnitude = step > 0 ? step : -step;
    dims[*axis] = distance <= 0 ? 0 : (distance - 1) / magnitude + 1;
    first += dims[*axis] == 0 ? 0 : begin * strides[*axis];
    steps[*axis] = dims[*axis] <= 1 ? strides[*axis] : strides[*axis] * step;
  }
  return CopyStrided(call, 0, x, dims, steps, first);
}

absl::Status Concat(FloatCall& call, bool stack);

// torch puts tensors of several types together in one that has room for all. Integers of several types: not here.
absl::Status ConcatPromoted(FloatCall& call, bool stack) {
  const auto is_real = [](const Tensor* input) { return input != nullptr && input->type == v1::DATA_TYPE_FLOAT32; };
  std::vector<Tensor> reals;
  std::vector<const Tensor*> inputs(call.inputs.begin(), call.inputs.end());
  reals.reserve(inputs.size());
  if (!std::any_of(inputs.begin(), inputs.end(), is_real)) {
    return absl::UnimplementedError("integers of several types in one tensor");
  }
  for (const Tensor*& input : inputs) {
    if (input == nullptr || is_real(input)) continue;
    input = &reals.emplace_back(AsFloat(*input));
    if (!is_real(input)) return absl::UnimplementedError("a tensor of a type that has no kernels");
  }
  FloatCall promoted{call.op, call.layout, call.attributes, inputs, call.outputs, call.max_bytes};
  return Concat(promoted, stack);
}

absl::Status Concat(FloatCall& call, bool stack) {
  const Tensor* first = nullptr;
  bool one_type = true;
  for (const Tensor* input : call.inputs) {
    // torch leaves empty tensors of one axis out.
    if (first == nullptr && input != nullptr) first = input;
    one_type = one_type && (input == nullptr || input->type == first->type);
  }
  if (!one_type && call.attributes.Int("promote", 0) != 0) return ConcatPromoted(call, stack);
  if (first == nullptr) return absl::InvalidArgumentError("it has no inputs");
  const size_t rank = first->dims.size() + (stack ? 1 : 0);
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", 0), rank);
  if (!axis.ok()) return axis.status();
  const auto shape = [&](const Tensor& tensor) {
    Dims dims = tensor.dims;
    if (stack) dims.insert(dims.begin() + *axis, 1);
    return dims;
  };
  Dims dims = shape(*first);
  dims[*axis] = 0;
  for (const Tensor* input : call.inputs) {
    if (input == nullptr) continue;
    const Dims own = shape(*input);
    bool fits = own.size() == rank && input->type == first->type;
    for (size_t i = 0; fits && i < rank; ++i) fits = static_cast<int>(i) == *axis || own[i] == dims[i];
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("tensors ", DimsText(first->dims), " of ",
                                                     DataTypeName(first->type), " and ", DimsText(input->dims), " of ",
                                                     DataTypeName(input->type), " do not go together"));
    }
    dims[*axis] += own[*axis];
  }
  if (absl::Status status = call.Make(0, first->type, dims); !status.ok()) return status;
  const int64_t outer = Count(absl::MakeConstSpan(dims).subspan(0, *axis));
  const int64_t inner = Count(absl::MakeConstSpan(dims).subspan(*axis + 1)) * ElementSize(first->type);
  std::byte* to = call.outputs[0].data.data();
  for (int64_t o = 0; o < outer; ++o) {
    for (const Tensor* input : call.inputs) {
      if (input == nullptr) continue;
      const int64_t bytes = shape(*input)[*axis] * inner;
      if (bytes > 0) std::memcpy(to, input->data.data() + o * bytes, bytes);
      to += bytes;
    }
  }
  return absl::OkStatus();
}

absl::Status Split(FloatCall& call, const Tensor& x) {
  const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", 0), x.dims.size());
  if (!axis.ok()) return axis.status();
  const int64_t size = x.dims[*axis];
  absl::Span<const int64_t> given = call.attributes.Ints("sizes");
  Dims sizes(given.begin(), given.end());
  if (call.op == OpId::kUnstack) {
    sizes.assign(call.outputs.size(), 1);  // the axis goes: no part may be longer, or empty
  } else if (sizes.empty() && !call.outputs.empty()) {
    const int64_t parts = static_cast<int64_t>(call.outputs.size()), each = (size + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i) sizes.push_back(std::min(each, std::max<int64_t>(size - i * each, 0)));
  }
  int64_t sum = 0;
  for (int64_t part : sizes) {
    if (part < 0 || part > size) return absl::InvalidArgumentError(absl::StrCat("a part of ", part, " of ", size));
    sum += part;
  }
  if (sum != size || sizes.size() != call.outputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("parts ", DimsText(sizes), " of ", size, " for ", call.outputs.size(), " outputs"));
  }
  const Dims strides = StridesOf(x.dims);
  int64_t from = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Dims dims = x.dims;
    dims[*axis] = sizes[i];
    if (absl::Status status = CopyStrided(call, i, x, dims, strides, from * strides[*axis]); !status.ok())
      return status;
    from += sizes[i];
    if (call.op == OpId::kUnstack) call.outputs[i].dims.erase(call.outputs[i].dims.begin() + *axis);
  }
  return absl::OkStatus();
}

absl::Status Expand(FloatCall& call, const Tensor& x) {
  const absl::Span<const int64_t> shape = call.attributes.Ints("shape");
  const size_t rank = std::max(shape.size(), x.dims.size());
  Dims dims(rank, 1), steps(rank, 0);
  const Dims strides = StridesOf(x.dims);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t own = i < x.dims.size() ? x.dims[x.dims.size() - 1 - i] : 1;
    int64_t wanted = i < shape.size() ? shape[shape.size() - 1 - i] : 1;
    if (wanted == -1) wanted = own;  // torch: as it is
    if (own != wanted && own != 1 && wanted != 1) {
      return absl::InvalidArgumentError(absl::StrCat("a tensor ", DimsText(x.dims), " expanded to ", DimsText(shape)));
    }
    dims[rank - 1 - i] = own == 1 ? wanted : own;
    if (own != 1) steps[rank - 1 - i] = strides[x.dims.size() - 1 - i];
  }
  return CopyStrided(call, 0, x, dims, steps, 0);
}

absl::Status Tile(FloatCall& call, const Tensor& x) {
  const absl::Span<const int64_t> repeats = call.attributes.Ints("repeats");
  const size_t rank = std::max(repeats.size(), x.dims.size());
  // Each axis twice: how often, and the axis itself.
  Dims dims, doubled, steps;
  const Dims strides = StridesOf(x.dims);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t times = i + repeats.size() < rank ? 1 : repeats[i + repeats.size() - rank];
    const bool own = i + x.dims.size() >= rank;
    const int64_t size = own ? x.dims[i + x.dims.size() - rank] : 1;
    if (times < 0 || times > (int64_t{1} << 32)) return absl::InvalidArgumentError(absl::StrCat(times, " repeats"));
    doubled.insert(doubled.end(), {times, size});
    steps.insert(steps.end(), {0, own ? strides[i + x.dims.size() - rank] : 0});
    dims.push_back(times * size);
  }
  if (absl::Status status = CopyStrided(call, 0, x, doubled, steps, 0); !status.ok()) return status;
  call.outputs[0].dims = dims;
  return absl::OkStatus();
}

absl::Status Pad(FloatCall& call, const Tensor& x) {
  const Attributes& attributes = call.attributes;
  const size_t rank = x.dims.size();
  const absl::Span<const int64_t> pads = attributes.Ints("pads");
  if (pads.size() != 2 * rank)
    return absl::InvalidArgumentError(absl::StrCat(pads.size(), " pads for ", rank, " axes"));
  const absl::string_view mode = attributes.Text("mode", "constant");
  Dims dims(rank);
  for (size_t i = 0; i < rank; ++i) {
    constexpr int64_t kMax = int64_t{1} << 31;
    if (pads[i] < -kMax || pads[i] > kMax || pads[rank + i] < -kMax || pads[rank + i] > kMax) {
      return absl::InvalidArgumentError(absl::StrCat("pads ", DimsText(pads)));
    }
    dims[i] = x.dims[i] + pads[i] + pads[rank + i];
    if (dims[i] < 0) return absl::InvalidArgumentError(absl::StrCat("pads ", DimsText(pads), " of ", DimsText(x.dims)));
    if (mode != "constant" && x.dims[i] == 0) {
      return absl::InvalidArgumentError(absl::StrCat("nothing to pad with in ", DimsText(x.dims)));
    }
    const bool mirrors = mode == "reflect" || mode == "symmetric";
    const int64_t most = mode == "reflect" ? x.dims[i] - 1 : x.dims[i];
    if (mirrors && (pads[i] > most || pads[rank + i] > most)) {
      return absl::InvalidArgumentError(absl::StrCat("pads ", DimsText(pads), " mirrored in ", DimsText(x.dims)));
    }
  }
  if (absl::Status status = call.Make(0, x.type, dims); !status.ok()) return status;
  const size_t width = ElementSize(x.type);
  // Only reals are padded with anything but zero.
  std::byte filler[8] = {};
  const double value = attributes.Float("value", 0);
  if (x.type == v1::DATA_TYPE_FLOAT32) {
    const float real = static_cast<float>(value);
    std::memcpy(filler, &real, sizeof(real));
  } else if (value == value && value > -9e18 && value < 9e18) {
    const int64_t integer = static_cast<int64_t>(value);
    std::memcpy(filler, &integer, sizeof(integer));
  }
  const Dims strides = StridesOf(x.dims);
  Dims index(rank, 0);
  std::byte* to = call.outputs[0].data.data();
  const int64_t count = Count(dims);
  for (int64_t i = 0; i < count; ++i, to += width) {
    int64_t from = 0;
    bool inside = true;
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t at = index[axis] - pads[axis];
      const int64_t size = x.dims[axis];
      if (at < 0 || at >= size) {
        if (mode == "reflect") {
          at = at < 0 ? -at : 2 * (size - 1) - at;
        } else if (mode == "symmetric") {
          at = at < 0 ? -at - 1 : 2 * size - 1 - at;
        } else if (mode == "edge") {
          at = at < 0 ? 0 : size - 1;
        } else if (mode == "wrap") {
          at = ((at % size) + size) % size;
        } else {
          inside = false;
        }
      }
      from += at * strides[axis];
    }
    std::memcpy(to, inside ? x.data.data() + from * width : filler, width);
    for (size_t axis = rank; axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return absl::OkStatus();
}

absl::Status MoveDepth(FloatCall& call, const Tensor& input) {
  const int64_t block = call.attributes.Int("blocksize", 0);
  constexpr int64_t kMostBlock = 1 << 10;  // times itself times any size is still a number
  if (input.dims.size() != 4 || block < 1 || block > kMostBlock) {
    return absl::InvalidArgumentError(absl::StrCat("blocks of ", block));
  }
  const bool last = call.layout == Layout::kChannelsLast;
  // LiteRT's order of channels is (row, column, channel), as ONNX's DCR.
  const bool depth_first = last || call.attributes.Text("mode", "DCR") == "DCR";
  Tensor x = last ? ToChannelsFirst(input) : input;
  const Dims d = x.dims;
  const bool to_space = call.op == OpId::kDepthToSpace;
  if (to_space ? d[1] % (block * block) != 0 : d[2] % block != 0 || d[3] % block != 0) {
    return absl::InvalidArgumentError(absl::StrCat("blocks of ", block, " of ", DimsText(input.dims)));
  }
  Tensor& out = call.outputs[0];
  if (to_space) {
    const int64_t c = d[1] / (block * block);
    if (depth_first) {
      x.dims = {d[0], block, block, c, d[2], d[3]};
      out = Permuted(x, {0, 3, 4, 1, 5, 2});
    } else {
      x.dims = {d[0], c, block, block, d[2], d[3]};
      out = Permuted(x, {0, 1, 4, 2, 5, 3});
    }
    out.dims = {d[0], c, d[2] * block, d[3] * block};
  } else {
    x.dims = {d[0], d[1], d[2] / block, block, d[3] / block, block};
    out = Permuted(x, {0, 3, 5, 1, 2, 4});
    out.dims = {d[0], d[1] * block * block, d[2] / block, d[3] / block};
    if (call.attributes.Text("mode", "DCR") == "CRD" && !last) {
      x.dims = {d[0], d[1], d[2] / block, block, d[3] / block, block};
      const Dims dims = out.dims;
      out = Permuted(x, {0, 1, 3, 5, 2, 4});
      out.dims = dims;
    }
  }
  if (last) out = ToChannelsLast(out);
  return absl::OkStatus();
}

absl::Status Triangle(FloatCall& call, const Tensor& x) {
  if (x.dims.size() < 2) return absl::InvalidArgumentError("a triangle of a vector");
  call.outputs[0] = x;
  const int64_t rows = x.dims[x.dims.size() - 2], columns = x.dims.back();
  const bool upper = call.attributes.Int("upper", 1) != 0;
  const int64_t diagonal = call.attributes.Int("diagonal", 0);
  const size_t width = ElementSize(x.type);
  for (int64_t i = 0; i < Count(x.dims); ++i) {
    const int64_t row = i / columns % rows, column = i % columns;
    if (upper ? column - row < diagonal : column - row > diagonal) {
      std::memset(call.outputs[0].data.data() + i * width, 0, width);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunMovement(FloatCall& call) {
  if (call.op == OpId::kConcat || call.op == OpId::kStack) return Concat(call, call.op == OpId::kStack);
  const Tensor* x = call.input(0);
  if (x == nullptr) return absl::InvalidArgumentError("its input is not there");
  const size_t rank = x->dims.size();
  switch (call.op) {
    case OpId::kTranspose: {
      const absl::Span<const int64_t> given = call.attributes.Ints("perm");
      std::vector<int> permutation;
      std::vector<bool> seen(rank, false);
      bool fits = given.empty() || given.size() == rank;
      for (size_t i = 0; i < rank && fits; ++i) {
        const int64_t axis = given.empty() ? static_cast<int64_t>(rank - 1 - i) : given[i];
        const int64_t position = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
        fits = position >= 0 && position < static_cast<int64_t>(rank) && !seen[position];
        if (!fits) break;
        seen[position] = true;
        permutation.push_back(static_cast<int>(position));
      }
      if (!fits) {
        return absl::InvalidArgumentError(absl::StrCat("the permutation ", DimsText(given), " of ", rank, " axes"));
      }
      call.outputs[0] = Permuted(*x, permutation);
      return absl::OkStatus();
    }
    case OpId::kSplit:
    case OpId::kUnstack:
      return Split(call, *x);
    case OpId::kSlice:
      return Slice(call, *x);
    case OpId::kSelect: {
      const absl::StatusOr<int> axis = NormalizedAxis(call.attributes.Int("axis", 0), rank);
      if (!axis.ok()) return axis.status();
      int64_t index = call.attributes.Int("index", 0);
      if (index < 0) index += x->dims[*axis];
      if (index < 0 || index >= x->dims[*axis]) return absl::InvalidArgumentError(absl::StrCat("index ", index));
      Dims dims = x->dims, steps = StridesOf(x->dims);
      const int64_t first = index * steps[*axis];
      dims.erase(dims.begin() + *axis);
      steps.erase(steps.begin() + *axis);
      return CopyStrided(call, 0, *x, dims, steps, first);
    }
    case OpId::kExpand:
      return Expand(call, *x);
    case OpId::kTile:
      return Tile(call, *x);
    case OpId::kPad:
      return Pad(call, *x);
    case OpId::kFlip: {
      Dims steps = StridesOf(x->dims);
      int64_t first = 0;
      for (int64_t axis : call.attributes.Ints("axes")) {
        const absl::StatusOr<int> position = NormalizedAxis(axis, rank);
        if (!position.ok()) return position.status();
        if (steps[*position] < 0 || x->dims[*position] == 0) continue;
        first += (x->dims[*position] - 1) * steps[*position];
        steps[*position] = -steps[*position];
      }
      return CopyStrided(call, 0, *x, x->dims, steps, first);
    }
    case OpId::kDepthToSpace:
    case OpId::kSpaceToDepth:
      return MoveDepth(call, *x);
    default:  // kTriangle
      return Triangle(call, *x);
  }
}

}  // namespace quantgate::simulator
