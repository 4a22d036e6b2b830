#include "rules/backends/ethos_u/semantics.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "rules/backends/ethos_u/checks.h"
#include "rules/graph/data_type.h"

namespace quantgate::ethos_u {
namespace {

constexpr absl::string_view kElementwise[] = {"ABS", "ADD",     "ELU",     "EXP", "GELU",  "LEAKY_RELU",
                                              "MUL", "MAXIMUM", "MINIMUM", "SUB", "RSQRT", "SQUARED_DIFFERENCE"};
constexpr absl::string_view kOneType[] = {"ABS",
                                          "AVERAGE_POOL_2D",
                                          "ELU",
                                          "EXP",
                                          "GATHER",
                                          "GELU",
                                          "HARD_SWISH",
                                          "LEAKY_RELU",
                                          "MAXIMUM",
                                          "MAX_POOL_2D",
                                          "MINIMUM",
                                          "RSQRT",
                                          "UNIDIRECTIONAL_SEQUENCE_LSTM"};
constexpr absl::string_view kSums[] = {"ADD", "MUL", "SUB"};
constexpr absl::string_view kReshapes[] = {"EXPAND_DIMS", "RESHAPE", "SQUEEZE"};

// The activation that LiteRT's schema numbers so is not one that Vela reads.
constexpr int64_t kSignBit = 5;

// Where the data is.
size_t DataOf(const Call& call) {
  if (call.Is("TRANSPOSE_CONV")) return 2;
  return call.Is("SPLIT") || call.Is("SCATTER_ND") ? 1 : 0;
}

v1::DataType TypeOf(const BackendTensor* tensor) {
  return tensor == nullptr ? v1::DATA_TYPE_UNSPECIFIED : tensor->type.type;
}

std::string Name(v1::DataType type) { return std::string(DataTypeName(type)); }

// Sizes with axes of 1 in front, four at least.
std::vector<int64_t> Padded(Dims dims) {
  std::vector<int64_t> padded(dims.size() < 4 ? 4 - dims.size() : 0, 1);
  padded.insert(padded.end(), dims.begin(), dims.end());
  return padded;
}

Found Activation(const Call& call) {
  if (call.option("fused_activation_function", 0) != kSignBit) return std::nullopt;
  return Complaint{"the fused activation SIGN_BIT", "NONE, RELU, RELU_N1_TO_1, RELU6 or TANH"};
}

Found Scales(const Call& call) {
  for (size_t i = 0; i < call.inputs() + call.outputs(); ++i) {
    const bool of_output = i >= call.inputs();
    const BackendTensor* tensor = of_output ? call.output(i - call.inputs()) : call.input(i);
    if (tensor == nullptr || tensor->qparams == nullptr) continue;
    for (const double scale : tensor->qparams->scales) {
      if (std::isfinite(scale)) continue;
      return Complaint{absl::StrCat("a scale of ", scale), "finite scales", of_output ? -1 : static_cast<int>(i)};
    }
  }
  return std::nullopt;
}

Found ScaleRatio(const Call& call) {
  const auto scale = [](const BackendTensor* tensor) -> std::optional<float> {
    if (tensor == nullptr || tensor->qparams == nullptr || tensor->qparams->scales.empty()) return std::nullopt;
    return static_cast<float>(tensor->qparams->scales[0]);
  };
  const std::optional<float> in = scale(call.input(DataOf(call))), out = scale(call.output());
  if (!in || !out || std::isfinite(*in / *out)) return std::nullopt;
  return Complaint{absl::StrCat("scales ", *in, " of the input and ", *out, " of the output"),
                   "a ratio that is a finite float32"};
}

Found Shapes(const Call& call) {
  const std::optional<Dims> a = call.input_dims(0), out = call.output_dims();
  if (!a || !out) return std::nullopt;
  const std::vector<int64_t> one = Padded(*a), result = Padded(*out);
  bool fits = one == result;
  std::string given = ShapeText(*a);
  if (!fits && call.inputs() > 1) {
    const std::optional<Dims> b = call.input_dims(1);
    if (!b) return std::nullopt;
    absl::StrAppend(&given, " and ", ShapeText(*b));
    const std::vector<int64_t> other = Padded(*b);
    fits = other == result;
    if (!fits && one.size() == other.size() && one.size() == result.size()) {
      fits = true;
      for (size_t i = 0; i < one.size(); ++i) {
        fits = fits && (one[i] == other[i] || one[i] == 1 || other[i] == 1) && std::max(one[i], other[i]) == result[i];
      }
    }
  }
  if (fits) return std::nullopt;
  return Complaint{absl::StrCat("inputs of ", given, " and an output of ", ShapeText(*out)),
                   "the shape of one of them, or what both broadcast to"};
}

Found OneType(const Call& call) {
  const v1::DataType in = TypeOf(call.input(0)), out = TypeOf(call.output());
  if (in == out || in == v1::DATA_TYPE_UNSPECIFIED || out == v1::DATA_TYPE_UNSPECIFIED) return std::nullopt;
  if (call.Is("SOFTMAX") && in == v1::DATA_TYPE_INT8 && out == v1::DATA_TYPE_INT16) return std::nullopt;
  return Complaint{absl::StrCat(Name(in), " in and ", Name(out), " out"), "one type"};
}

Found SumTypes(const Call& call) {
  const v1::DataType a = TypeOf(call.input(0)), b = TypeOf(call.input(1)), out = TypeOf(call.output());
  if (a == v1::DATA_TYPE_UNSPECIFIED || out == v1::DATA_TYPE_UNSPECIFIED) return std::nullopt;
  if (a != b) return Complaint{absl::StrCat("inputs of ", Name(a), " and ", Name(b)), "one type"};
  const auto is_signed = [](v1::DataType type) { return IsInteger(type) && IsSigned(type); };
  if (is_signed(a) && !is_signed(out))
    return Complaint{absl::StrCat(Name(a), " in and ", Name(out), " out"), "a signed type"};
  if (IsInteger(a) && !IsSigned(a) && out != a && out != v1::DATA_TYPE_INT32) {
    return Complaint{absl::StrCat(Name(a), " in and ", Name(out), " out"), absl::StrCat(Name(a), " or int32")};
  }
  return std::nullopt;
}

Found Reshaped(const Call& call) {
  const BackendTensor *in = call.input(0), *out = call.output();
  const auto scaled = [](const BackendTensor* tensor) {
    return tensor != nullptr && tensor->qparams != nullptr && !tensor->qparams->scales.empty();
  };
  if (scaled(in) && scaled(out) &&
      static_cast<float>(in->qparams->scales[0]) != static_cast<float>(out->qparams->scales[0])) {
    // Compared as they are stored: nine digits tell any two float32 apart.
    return Complaint{absl::StrFormat("scale %.9g in and %.9g out", in->qparams->scales[0], out->qparams->scales[0]),
                     "one scale"};
  }
  if (call.resizable(in) || call.resizable(out)) return std::nullopt;
  const std::optional<Dims> from = call.dims(in), to = call.dims(out);
  if (!from || !to || Product(*from) == Product(*to)) return std::nullopt;
  return Complaint{absl::StrCat(ShapeText(*from), " in and ", ShapeText(*to), " out"), "as many elements"};
}

Found Groups(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), filter = call.input_dims(1);
  if (!in || !filter || in->empty() || filter->empty()) return std::nullopt;
  const int64_t depth = in->back(), each = filter->back();
  if (each == 0 || depth % each != 0) {
    return Complaint{absl::StrCat("an input depth of ", depth, " and filters of ", each), "a multiple of theirs"};
  }
  const int64_t groups = depth / each;
  if (groups == 0 || filter->front() % groups != 0) {
    return Complaint{absl::StrCat(filter->front(), " filters in ", groups, " groups"), "as many filters in each group"};
  }
  return std::nullopt;
}

Found Depthwise(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  if (!in || !out || in->empty() || out->empty()) return std::nullopt;
  const int64_t times = call.option("depth_multiplier", 0);
  if (in->back() * times == out->back()) return std::nullopt;
  return Complaint{
      absl::StrCat("depth_multiplier ", times, " for ", in->back(), " channels in and ", out->back(), " out"),
      "their quotient"};
}

Found Concatenation(const Call& call) {
  const std::optional<Dims> out = call.output_dims();
  if (!out) return std::nullopt;
  const int64_t rank = static_cast<int64_t>(out->size());
  const int64_t stated = call.option("axis", 0);
  if (stated < -rank || stated > rank)
    return Complaint{absl::StrCat("axis ", stated), absl::StrCat("an axis of ", rank)};
  const int64_t axis = stated < 0 ? stated + rank : stated;
  int64_t sum = 0;
  for (size_t i = 0; i < call.inputs(); ++i) {
    const std::optional<Dims> in = call.input_dims(i);
    if (!in) return std::nullopt;
    const Complaint differs = {absl::StrCat(ShapeText(*in), " beside an output of ", ShapeText(*out)),
                               "the sizes of the output but along the axis", static_cast<int>(i)};
    if (in->size() != out->size()) return differs;
    for (int64_t j = 0; j < rank; ++j) {
      if (j == axis) {
        sum += (*in)[j];
      } else if ((*in)[j] != (*out)[j]) {
        return differs;
      }
    }
  }
  if (axis < rank && (sum == (*out)[axis] || call.resizable(call.output(), static_cast<int>(axis))))
    return std::nullopt;
  return Complaint{absl::StrCat("inputs of ", sum, " along axis ", axis), "as much as the output"};
}

// What says where to cut and how much to pad is read with the file.
Found Pad(const Call& call) {
  if (call.inputs() != 2) return Complaint{absl::StrCat(call.inputs(), " inputs"), "2 inputs"};
  if (Found found = Computed(call, 1); found) return found;
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  const std::optional<IntegerView> amounts = call.integers(1);
  if (!in || !out || !amounts || in->size() != out->size() || call.resizable(call.output())) return std::nullopt;
  for (size_t i = 0; i < in->size(); ++i) {
    if (2 * i + 1 >= amounts->size()) {
      return Complaint{absl::StrCat(amounts->size(), " amounts of padding"), absl::StrCat(2 * in->size()), 1};
    }
    const double padded = static_cast<double>((*in)[i]) + static_cast<double>((*amounts)[2 * i]) +
                          static_cast<double>((*amounts)[2 * i + 1]);
    if (padded == static_cast<double>((*out)[i])) continue;
    return Complaint{absl::StrCat("an output of ", ShapeText(*out)), "the input's shape and its padding"};
  }
  return std::nullopt;
}

Found SoftmaxForm(const Call& call) {
  if (Found found = OneShape(call); found) return found;
  const double beta = call.real_option("beta", 1);
  if (beta < 0) return Complaint{absl::StrCat("beta ", beta), "one that is not negative"};
  return OneType(call);
}

Found Split(const Call& call) {
  if (Found found = Computed(call, 0); found) return found;
  const std::optional<Dims> in = call.input_dims(1);
  const std::optional<IntegerView> axes = call.integers(0);
  if (!in || !axes || axes->empty()) return std::nullopt;
  const int64_t rank = static_cast<int64_t>(in->size()), stated = (*axes)[0];
  // The first axis counted from the end is taken for one too far.
  if (stated <= -rank || stated >= rank) {
    return Complaint{absl::StrCat("axis ", stated), absl::StrCat("from ", 1 - rank, " to ", rank - 1), 0};
  }
  const int64_t size = (*in)[stated < 0 ? stated + rank : stated], parts = call.option("num_splits", 0);
  if (size > 0 && parts >= 0 && (parts == 0 || size % parts == 0)) return std::nullopt;
  return Complaint{absl::StrCat(size, " elements in ", parts, " parts"), "parts of one size"};
}

Found SplitV(const Call& call) {
  if (Found found = Computed(call, 1); found) return found;
  const std::optional<IntegerView> sizes = call.integers(1);
  if (!sizes || absl::c_count(*sizes, -1) <= 1) return std::nullopt;
  return Complaint{"several sizes of -1", "one", 1};
}

Found MatMulForm(const Call& call) {
  const std::optional<Dims> a = call.input_dims(0), b = call.input_dims(1), out = call.output_dims();
  if (!a || !b || !out) return std::nullopt;
  const std::string given = absl::StrCat(ShapeText(*a), " times ", ShapeText(*b), " is ", ShapeText(*out));
  const size_t rank = std::max(a->size(), b->size());
  if (std::min({a->size(), b->size(), out->size()}) < 2 || out->size() != rank) {
    return Complaint{given, "matrices, with as many axes out as in"};
  }
  for (size_t i = 0; i + 2 < rank; ++i) {
    const auto size = [&](Dims dims) { return i + dims.size() < rank ? 1 : dims[i + dims.size() - rank]; };
    const int64_t one = size(*a), other = size(*b);
    if ((one != other && one != 1 && other != 1) || std::max(one, other) != (*out)[i]) {
      return Complaint{given, "leading axes that are one size or 1"};
    }
  }
  return std::nullopt;
}

Found KeptRank(const Call& call) {
  const std::optional<Dims> in = call.input_dims(0), out = call.output_dims();
  if (call.option("keep_num_dims", 0) == 0 || !in || !out || in->size() == out->size()) return std::nullopt;
  return Complaint{absl::StrCat(in->size(), " axes in and ", out->size(), " out, with keep_num_dims"), "as many"};
}

Found Order(const Call& call) {
  const v1::DataType type = TypeOf(call.input(1));
  if (call.input(1) == nullptr) return std::nullopt;
  if (type != v1::DATA_TYPE_INT32 && type != v1::DATA_TYPE_UINT32) {
    return Complaint{absl::StrCat("an order of axes as ", Name(type)), "int32", 1};
  }
  const std::optional<Dims> in = call.input_dims(0), order = call.input_dims(1);
  if (!in || !order || order->empty() || order->back() == static_cast<int64_t>(in->size())) return std::nullopt;
  return Complaint{absl::StrCat("an order of ", order->back(), " axes"), absl::StrCat(in->size()), 1};
}

Found EightBits(const Call& call) {
  const v1::DataType in = TypeOf(call.input(0));
  if (in == v1::DATA_TYPE_INT8 || in == v1::DATA_TYPE_UINT8 || in == v1::DATA_TYPE_UNSPECIFIED) return std::nullopt;
  return Complaint{absl::StrCat("an input of ", Name(in)), "int8 or uint8", 0};
}

Found ArgMaxForm(const Call& call) {
  if (Found found = EightBits(call); found) return found;
  const v1::DataType out = TypeOf(call.output());
  if (out == v1::DATA_TYPE_INT32 || out == v1::DATA_TYPE_INT64 || out == v1::DATA_TYPE_UNSPECIFIED) return std::nullopt;
  return Complaint{absl::StrCat("an output of ", Name(out)), "int32 or int64"};
}

Found Indices(const Call& call) {
  const v1::DataType type = TypeOf(call.input(1));
  if (call.input(1) == nullptr) return std::nullopt;
  if (type == v1::DATA_TYPE_INT16 || type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_INT64) return std::nullopt;
  return Complaint{absl::StrCat("indices of ", Name(type)), "int16, int32 or int64", 1};
}

Found LstmForm(const Call& call) {
  const v1::DataType in = TypeOf(call.input(0));
  if (in != v1::DATA_TYPE_INT8 && in != v1::DATA_TYPE_INT16) {
    return Complaint{absl::StrCat("an input of ", Name(in)), "int8 or int16", 0};
  }
  const std::optional<Dims> data = call.input_dims(0), out = call.output_dims();
  for (const std::optional<Dims>& dims : {data, out}) {
    if (dims && dims->size() != 3) return Complaint{absl::StrCat("a tensor of ", ShapeText(*dims)), "3 axes"};
  }
  // A state of one number is taken for a scalar.
  const size_t batch = call.option("time_major", 0) != 0 ? 1 : 0;
  if (out && (*out)[batch] * out->back() == 1) return Complaint{"one cell and a batch of 1", "more of either"};
  if (call.inputs() != 24) return Complaint{absl::StrCat(call.inputs(), " inputs"), "24 inputs"};
  return std::nullopt;
}

Found SliceForm(const Call& call) {
  if (call.inputs() == 4) return std::nullopt;
  return Complaint{absl::StrCat(call.inputs(), " inputs"), "4 inputs"};
}

// Booleans at the ends of the model are turned into bytes there, by operators that only Ethos-U85 has.
Found Booleans(const Call& call) {
  if (!call.before_u85()) return std::nullopt;
  for (size_t i = 0; i < call.inputs(); ++i) {
    const BackendTensor* tensor = call.input(i);
    if (TypeOf(tensor) == v1::DATA_TYPE_BOOL && tensor->is_graph_input && tensor->rank != 0) {
      return Complaint{"an input of the model of booleans", "numbers", static_cast<int>(i)};
    }
  }
  for (size_t i = 0; i < call.outputs(); ++i) {
    const BackendTensor* tensor = call.output(i);
    if (TypeOf(tensor) == v1::DATA_TYPE_BOOL && tensor->value >= 0 && tensor->rank != 0 &&
        call.graph().is_graph_output(tensor->value)) {
      return Complaint{"an output of the model of booleans", "numbers"};
    }
  }
  return std::nullopt;
}

// Constants are unpacked for whoever has the operator, and these cannot be.
Found PackedConstant(const Call& call) {
  for (size_t i = 0; i < call.inputs(); ++i) {
    const BackendTensor* tensor = call.input(i);
    const v1::DataType type = TypeOf(tensor);
    if (tensor == nullptr || !tensor->is_static || (type != v1::DATA_TYPE_INT4 && type != v1::DATA_TYPE_INT2)) continue;
    return Complaint{absl::StrCat("a constant of ", Name(type)), "bytes and wider numbers", static_cast<int>(i)};
  }
  return std::nullopt;
}

Found EmptyConstant(const Call& call) {
  for (size_t i = 0; i < call.inputs(); ++i) {
    const std::optional<Dims> dims = call.input_dims(i);
    if (!dims || !call.input(i)->is_static || Product(*dims) != 0) continue;
    return Complaint{"a constant without elements", "constants with some", static_cast<int>(i)};
  }
  return std::nullopt;
}

struct FormCheck {
  absl::string_view op;
  Found (*check)(const Call& call);
};

constexpr FormCheck kFormChecks[] = {
    {"ARG_MAX", ArgMaxForm},
    {"BATCH_MATMUL", MatMulForm},
    {"CONCATENATION", Concatenation},
    {"CONV_2D", Groups},
    {"DEPTHWISE_CONV_2D", Depthwise},
    {"FULLY_CONNECTED", KeptRank},
    {"GATHER", Indices},
    {"HARD_SWISH", EightBits},
    {"PAD", Pad},
    {"SOFTMAX", SoftmaxForm},
    {"SPLIT", Split},
    {"SPLIT_V", SplitV},
    {"STRIDED_SLICE", SliceForm},
    {"TRANSPOSE", Order},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", LstmForm},
};

}  // namespace

std::optional<Complaint> Stops(const Call& call) {
  const absl::string_view op = call.name();
  if (Found found = Activation(call); found) return found;
  if (Found found = Scales(call); found) return found;
  if (Found found = ScaleRatio(call); found) return found;
  if (Found found = Booleans(call); found) return found;
  if (Found found = PackedConstant(call); found) return found;
  if (Found found = EmptyConstant(call); found) return found;
  for (const FormCheck& form : kFormChecks) {
    if (form.op != op) continue;
    if (Found found = form.check(call); found) return found;
  }
  if (absl::c_linear_search(kElementwise, op)) {
    if (Found found = Shapes(call); found) return found;
  }
  if (absl::c_linear_search(kOneType, op)) {
    if (Found found = OneType(call); found) return found;
  }
  if (absl::c_linear_search(kSums, op)) return SumTypes(call);
  if (absl::c_linear_search(kReshapes, op)) return Reshaped(call);
  return std::nullopt;
}

}  // namespace quantgate::ethos_u
