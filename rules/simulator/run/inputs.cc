#include "rules/simulator/run/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/graph/data_type.h"
#include "rules/graph/quantizer.h"
#include "rules/simulator/float/kernels.h"
#include "rules/simulator/run/plan.h"

namespace quantgate::simulator {
namespace {

bool TakesReals(v1::DataType type) {
  return type == v1::DATA_TYPE_UNSPECIFIED || (IsFloat(type) && !IsSmallFloat(type));
}

// Inputs that somebody has to give: not those with a constant as their default.
std::vector<int32_t> OpenInputs(const Graph& graph) {
  std::vector<int32_t> open;
  for (int32_t id : graph.message().inputs()) {
    if (id >= 1 && id <= graph.num_values() && !graph.is_constant(id - 1)) open.push_back(id - 1);
  }
  return open;
}

absl::Status Wrong(const Graph& graph, int32_t value, absl::string_view what) {
  absl::Status status = absl::InvalidArgumentError(absl::StrCat("input '", graph.value(value).name(), "' ", what));
  status.SetPayload(kInputPayload, absl::Cord(graph.value(value).name()));
  return status;
}

// "; given are 'a', 'b' and 3 more".
std::string NamesOf(const absl::flat_hash_map<std::string, Tensor>& given) {
  constexpr size_t kFew = 5;
  if (given.empty()) return "; there are no tensors";
  std::vector<absl::string_view> names;
  for (const auto& [name, tensor] : given) names.push_back(name);
  absl::c_sort(names);
  const size_t more = names.size() - std::min(names.size(), kFew);
  names.resize(names.size() - more);
  return absl::StrCat("; given are '", absl::StrJoin(names, "', '"), "'",
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

absl::StatusOr<Tensor> Fitted(const Graph& graph, int32_t value, const Tensor& given) {
  const v1::Value& declared = graph.value(value);
  bool fits = !declared.has_shape() || static_cast<size_t>(declared.dims_size()) == given.dims.size();
  for (int i = 0; fits && i < declared.dims_size(); ++i)
    fits = declared.dims(i) < 0 || declared.dims(i) == given.dims[i];
  if (!fits) {
    const std::vector<int64_t> dims(declared.dims().begin(), declared.dims().end());
    return Wrong(graph, value, absl::StrCat("is ", DimsText(given.dims), " where the graph has ", DimsText(dims)));
  }
  if (given.type == v1::DATA_TYPE_FLOAT32) {
    const absl::Span<const float> values = given.as<float>();
    const bool quantized = IsInteger(declared.dtype()) && graph.value_spec(value) >= 0;
    for (size_t i = 0; i < values.size(); ++i) {
      // Masks have infinities, which are on no grid.
      if (std::isnan(values[i]) || (quantized && std::isinf(values[i])))
        return Wrong(graph, value, absl::StrCat("holds ", values[i], " at element ", i));
    }
    if (!TakesReals(declared.dtype()) && !quantized) {
      return Wrong(graph, value,
                   absl::StrCat("is of real numbers where the graph has ", DataTypeName(declared.dtype())));
    }
    return given;
  }
  if (declared.dtype() == v1::DATA_TYPE_UNSPECIFIED || declared.dtype() == given.type) return given;
  if (TakesReals(declared.dtype())) {
    return Wrong(graph, value, absl::StrCat("is of ", DataTypeName(given.type), " where the graph has real numbers"));
  }
  // Integers of another width, when they are small enough.
  const absl::StatusOr<std::vector<int64_t>> integers = ToInt64(given);
  if (!integers.ok()) return Wrong(graph, value, integers.status().message());
  Tensor fitted;
  fitted.type = declared.dtype();
  if (absl::Status status = Allocate(given.dims, fitted); !status.ok()) return Wrong(graph, value, status.message());
  const bool boolean = fitted.type == v1::DATA_TYPE_BOOL;
  const int64_t low = boolean ? 0 : MinOf(fitted.type), high = boolean ? 1 : MaxOf(fitted.type);
  const size_t width = ElementSize(fitted.type);
  for (size_t i = 0; i < integers->size(); ++i) {
    const int64_t integer = (*integers)[i];
    if (integer < low || integer > high) {
      return Wrong(graph, value,
                   absl::StrCat("holds ", integer, " at element ", i, ", beyond ", low, "..", high, " of ",
                                DataTypeName(fitted.type)));
    }
    std::memcpy(fitted.data.data() + i * width, &integer, width);
  }
  return fitted;
}

// splitmix64: the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

struct Range {
  double low = -1, high = 1;
  bool recorded = false;
};

Range RangeOf(const Quantization& q, int64_t quant_min, int64_t quant_max) {
  Range range;
  if (q.scales.size() != 1 || quant_max <= quant_min) return range;
  const double scale = q.scales[0], zero = static_cast<double>(q.zero_point());
  range = {scale * (static_cast<double>(quant_min) - zero), scale * (static_cast<double>(quant_max) - zero), true};
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low >= range.high) range = {};
  // 32-bit parameters record a type, not a range.
  if (range.high - range.low > 1e30) range = {};
  return range;
}

// What the first Quantize behind a tensor says, through operators that leave the range as it is.
Range RecordedRange(const Graph& graph, const ResolvedGraph& resolved, int32_t value, int depth = 0) {
  if (depth > 8 || value < 0) return {};  // a result that has no name
  for (const Use& use : graph.uses(value)) {
    if (IsQuantize(graph, use.node) && use.input == 0) {
      const Operand* operand = resolved.quantizer(use.node);
      if (operand == nullptr) continue;
      return RangeOf(QuantizationOf(resolved.qparams(*operand), -1), operand->quant_min, operand->quant_max);
    }
    const OpId op = graph.op(use.node);
    const bool keeps = op == OpId::kTranspose || op == OpId::kReshape || op == OpId::kIdentity || op == OpId::kPad ||
                       op == OpId::kUnsqueeze || op == OpId::kCast || op == OpId::kSlice;
    if (!keeps || use.input != 0 || graph.num_outputs(use.node) == 0) continue;
    const Range range = RecordedRange(graph, resolved, graph.output(use.node, 0), depth + 1);
    if (range.recorded) return range;
  }
  return {};
}

// How many rows the tables have that are looked up with these indices; 2 where nothing is looked up.
int64_t IndexedRows(const Graph& graph, int32_t value, int depth = 0) {
  int64_t rows = 0;
  if (value < 0) return rows;  // a result that has no name
  for (const Use& use : graph.uses(value)) {
    const OpId op = graph.op(use.node);
    const bool gathers = op == OpId::kGather || op == OpId::kEmbedding;
    if (gathers && graph.num_inputs(use.node) >= 2) {
      for (int i = 0; i < graph.num_inputs(use.node); ++i) {
        const int32_t table = graph.input(use.node, i);
        if (table < 0 || table == value || graph.rank(table) < 2 || !graph.has_known_shape(table)) continue;
        const int64_t axis = std::max<int64_t>(graph.int_attribute(use.node, "axis", 0), 0);
        if (axis >= graph.rank(table)) continue;
        const int64_t size = graph.value(table).dims(static_cast<int>(axis));
        rows = rows == 0 ? size : std::min(rows, size);
      }
      continue;
    }
    const bool keeps = op == OpId::kReshape || op == OpId::kCast || op == OpId::kIdentity || op == OpId::kUnsqueeze;
    if (!keeps || depth > 8 || graph.num_outputs(use.node) == 0) continue;
    const int64_t behind = IndexedRows(graph, graph.output(use.node, 0), depth + 1);
    if (behind > 0) rows = rows == 0 ? behind : std::min(rows, behind);
  }
  return rows;
}

void Fill(Random& random, const Range& range, Tensor& tensor) {
  for (float& out : tensor.as<float>()) {
    const double share = (random.Unit() + random.Unit() + random.Unit() + random.Unit()) / 4;
    out = static_cast<float>(range.low + (range.high - range.low) * share);
  }
}

void FillIntegers(Random& random, int64_t low, int64_t high, Tensor& tensor) {
  const size_t width = ElementSize(tensor.type), count = tensor.data.size() / width;
  const uint64_t choices = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;  // 0: all 2^64
  for (size_t i = 0; i < count; ++i) {
    const uint64_t drawn = random.Next();
    const uint64_t integer = static_cast<uint64_t>(low) + (choices == 0 ? drawn : drawn % choices);
    std::memcpy(tensor.data.data() + i * width, &integer, width);
  }
}

}  // namespace

absl::StatusOr<Inputs> TakeInputs(const Graph& graph, const absl::flat_hash_map<std::string, Tensor>& given) {
  Inputs inputs;
  inputs.origin = "given";
  size_t taken = 0;
  for (int32_t value : OpenInputs(graph)) {
    const auto found = given.find(graph.value(value).name());
    if (found == given.end()) return Wrong(graph, value, absl::StrCat("is not given", NamesOf(given)));
    absl::StatusOr<Tensor> tensor = Fitted(graph, value, found->second);
    if (!tensor.ok()) return tensor.status();
    taken += inputs.tensors.emplace(value, *std::move(tensor)).second;
  }
  if (taken == given.size()) return inputs;
  absl::flat_hash_set<absl::string_view> known;
  for (int32_t value : OpenInputs(graph)) known.insert(graph.value(value).name());
  for (const auto& [name, tensor] : given) {
    if (known.contains(name)) continue;
    absl::Status status =
        absl::InvalidArgumentError(absl::StrCat("'", name, "' is given, and the graph has no such input"));
    status.SetPayload(kInputPayload, absl::Cord(name));
    return status;
  }
  return inputs;
}

absl::StatusOr<Inputs> MakeInputs(const Graph& graph, const ResolvedGraph& resolved, uint64_t seed, int64_t max_bytes) {
  Inputs inputs;
  int64_t left = max_bytes;
  Random random(seed);
  int made_up = 0;
  for (int32_t value : OpenInputs(graph)) {
    const v1::Value& declared = graph.value(value);
    Tensor tensor;
    const bool real = TakesReals(declared.dtype());
    tensor.type = real ? v1::DATA_TYPE_FLOAT32 : declared.dtype();
    if (ElementSize(tensor.type) == 0) continue;  // strings, say
    Dims dims;
    for (int64_t dim : declared.dims()) dims.push_back(dim < 0 ? 1 : dim);
    const absl::StatusOr<int64_t> count = ElementCount(dims);
    if (!count.ok())
      return absl::Status(count.status().code(), Wrong(graph, value, count.status().message()).message());
    const int64_t bytes = *count * static_cast<int64_t>(ElementSize(tensor.type));
    if (bytes > left) {
      return absl::ResourceExhaustedError(absl::StrCat("input '", declared.name(), "' would make ",
                                                       max_bytes - left + bytes, " bytes of inputs, where ", max_bytes,
                                                       " are allowed"));
    }
    left -= bytes;
    if (absl::Status status = Allocate(dims, tensor); !status.ok()) {
      return absl::Status(status.code(), Wrong(graph, value, status.message()).message());
    }
    if (real) {
      const Range range = RecordedRange(graph, resolved, value);
      made_up += range.recorded ? 0 : 1;
      Fill(random, range, tensor);
    } else if (graph.value_spec(value) >= 0) {
      // Stored quantized: every integer that the type has.
      FillIntegers(random, MinOf(tensor.type), MaxOf(tensor.type), tensor);
    } else if (tensor.type == v1::DATA_TYPE_BOOL) {
      FillIntegers(random, 0, 1, tensor);
    } else {
      const int64_t rows = IndexedRows(graph, value);
      if (rows > 0) {
        FillIntegers(random, 0, rows - 1, tensor);
      } else {
        FillIntegers(random, 1, 1, tensor);  // masks: all is there
      }
    }
    inputs.tensors.emplace(value, std::move(tensor));
  }
  inputs.origin = absl::StrCat("seed ", seed, ", from recorded ranges");
  if (made_up > 0)
    absl::StrAppend(&inputs.origin, ", -1..1 for ", made_up, made_up == 1 ? " input" : " inputs", " without one");
  return inputs;
}

}  // namespace quantgate::simulator
