#include "rules/backends/onnxruntime/parameters.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "rules/graph/elements.h"
#include "rules/graph/quantizer.h"

namespace quantgate::onnxruntime {

const RuleInfo kParameterShape = {
    "AX501",
    "kernel-parameter-shape",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is of shape {observed}; the kernel takes {allowed}.",
    "Integer kernels take one scale and zero point for each tensor, those with weights also one for each output "
    "channel of the weight, and check that when the session is made or at the first run. A group of nodes that is "
    "fused into such a kernel is held to the same.",
    "Quantize the tensor per tensor, or the weight along its output channels, with scalars as parameters.",
    "Fires: QLinearConv with two scales for its input. Does not: with one, and a scale for each filter.",
};

const RuleInfo kMissingZeroPoint = {
    "GS501",
    "kernel-zero-point-left-out",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; the kernel needs {allowed}.",
    "The operator's definition lets the zero point be left out, ONNX Runtime does not in this way: it asks "
    "for the type of an input without a name, and the session fails; or the kernel reads what is behind the last "
    "input, and the process ends.",
    "State the zero point, 0 if there is none.",
    "Fires: QLinearSigmoid of four inputs, QLinearAdd whose last input has no name. Does not: QLinearAdd of seven "
    "inputs.",
};

const RuleInfo kOtherAxis = {
    "AX504",
    "kernel-reads-another-axis",
    v1::Finding::WRONG_NUMBERS,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has one scale for each index of {observed}; the kernel takes them for those of {allowed}.",
    "A group of nodes is fused into an integer kernel whatever the axis of its DequantizeLinear is. The kernel counts "
    "scales along the output channels; where both axes are of one size it takes them for those, without an error.",
    "Quantize the weight along its output channels, or per tensor.",
    "Fires: a Conv of 8 to 8 channels whose weight has eight scales along axis 1. Does not: along axis 0.",
};

namespace {

enum class Takes : uint8_t {
  kScalar,    // a scalar
  kOne,       // a scalar, or a list of one
  kChannels,  // kOne, or a list with one for each index of an axis
};

// How a zero point may be left out that the definition lets be left out.
enum class LeftOut : uint8_t {
  kAnyhow,
  kAtTheEnd,  // by a list of inputs that ends before it
  kUnnamed,   // by an input without a name in its place
  kNever,
};

// One scale or zero point.
struct KernelParameter {
  absl::string_view op;
  int argument;
  Takes takes;
  int data = -1;  // argument whose `axis` (from the end where negative) kChannels counts
  int axis = 0;
  LeftOut left_out = LeftOut::kAnyhow;
};

constexpr KernelParameter kParameters[] = {
    {"QLinearConv", 1, Takes::kOne},
    {"QLinearConv", 2, Takes::kOne},
    {"QLinearConv", 4, Takes::kChannels, 3, 0},
    {"QLinearConv", 5, Takes::kChannels, 3, 0},
    {"QLinearConv", 6, Takes::kOne},
    {"QLinearConv", 7, Takes::kOne},
    {"QLinearMatMul", 1, Takes::kOne},
    {"QLinearMatMul", 2, Takes::kOne},
    {"QLinearMatMul", 4, Takes::kChannels, 3, -1},
    {"QLinearMatMul", 5, Takes::kChannels, 3, -1},
    {"QLinearMatMul", 6, Takes::kOne},
    {"QLinearMatMul", 7, Takes::kOne},
    {"MatMulInteger", 2, Takes::kOne},
    {"MatMulInteger", 3, Takes::kChannels, 1, -1},
    {"ConvInteger", 2, Takes::kOne},
    {"ConvInteger", 3, Takes::kOne},
    {"com.microsoft::DynamicQuantizeMatMul", 2, Takes::kChannels, 1, -1},
    {"com.microsoft::DynamicQuantizeMatMul", 3, Takes::kChannels, 1, -1},
    {"com.microsoft::MatMulIntegerToFloat", 2, Takes::kOne},
    {"com.microsoft::MatMulIntegerToFloat", 3, Takes::kChannels, 1, -1},
    {"com.microsoft::MatMulIntegerToFloat", 4, Takes::kOne},
    {"com.microsoft::MatMulIntegerToFloat", 5, Takes::kChannels, 1, -1},
    {"com.microsoft::QGemm", 1, Takes::kOne},
    {"com.microsoft::QGemm", 2, Takes::kOne},
    {"com.microsoft::QGemm", 4, Takes::kChannels, 3, -1},
    {"com.microsoft::QGemm", 5, Takes::kChannels, 3, -1},
    {"com.microsoft::QGemm", 7, Takes::kOne},
    {"com.microsoft::QGemm", 8, Takes::kOne},
    {"com.microsoft::QLinearConv", 1, Takes::kOne},
    {"com.microsoft::QLinearConv", 2, Takes::kOne},
    {"com.microsoft::QLinearConv", 4, Takes::kChannels, 3, 0},
    {"com.microsoft::QLinearConv", 5, Takes::kChannels, 3, 0},
    {"com.microsoft::QLinearConv", 6, Takes::kOne},
    {"com.microsoft::QLinearConv", 7, Takes::kOne},
    {"com.microsoft::QLinearAdd", 1, Takes::kScalar},
    {"com.microsoft::QLinearAdd", 2, Takes::kScalar, -1, 0, LeftOut::kNever},
    {"com.microsoft::QLinearAdd", 4, Takes::kScalar},
    {"com.microsoft::QLinearAdd", 5, Takes::kScalar, -1, 0, LeftOut::kNever},
    {"com.microsoft::QLinearAdd", 6, Takes::kScalar},
    {"com.microsoft::QLinearAdd", 7, Takes::kScalar, -1, 0, LeftOut::kAtTheEnd},
    {"com.microsoft::QLinearMul", 1, Takes::kScalar},
    {"com.microsoft::QLinearMul", 2, Takes::kScalar, -1, 0, LeftOut::kNever},
    {"com.microsoft::QLinearMul", 4, Takes::kScalar},
    {"com.microsoft::QLinearMul", 5, Takes::kScalar, -1, 0, LeftOut::kNever},
    {"com.microsoft::QLinearMul", 6, Takes::kScalar},
    {"com.microsoft::QLinearMul", 7, Takes::kScalar, -1, 0, LeftOut::kAtTheEnd},
    {"com.microsoft::QLinearAveragePool", 1, Takes::kScalar},
    {"com.microsoft::QLinearAveragePool", 2, Takes::kScalar, -1, 0, LeftOut::kNever},
    {"com.microsoft::QLinearAveragePool", 3, Takes::kScalar},
    {"com.microsoft::QLinearAveragePool", 4, Takes::kScalar, -1, 0, LeftOut::kAtTheEnd},
    {"com.microsoft::QLinearGlobalAveragePool", 1, Takes::kOne},
    {"com.microsoft::QLinearGlobalAveragePool", 2, Takes::kOne},
    {"com.microsoft::QLinearGlobalAveragePool", 3, Takes::kOne},
    {"com.microsoft::QLinearGlobalAveragePool", 4, Takes::kOne},
    {"com.microsoft::QLinearLeakyRelu", 1, Takes::kOne},
    {"com.microsoft::QLinearLeakyRelu", 2, Takes::kOne},
    {"com.microsoft::QLinearLeakyRelu", 3, Takes::kOne},
    {"com.microsoft::QLinearLeakyRelu", 4, Takes::kOne, -1, 0, LeftOut::kUnnamed},
    {"com.microsoft::QLinearSigmoid", 1, Takes::kOne},
    {"com.microsoft::QLinearSigmoid", 2, Takes::kOne},
    {"com.microsoft::QLinearSigmoid", 3, Takes::kOne},
    {"com.microsoft::QLinearSigmoid", 4, Takes::kOne, -1, 0, LeftOut::kUnnamed},
    {"com.microsoft::QLinearSoftmax", 1, Takes::kOne},
    {"com.microsoft::QLinearSoftmax", 2, Takes::kOne},
    {"com.microsoft::QLinearWhere", 2, Takes::kOne},
    {"com.microsoft::QLinearWhere", 3, Takes::kOne},
    {"com.microsoft::QLinearWhere", 5, Takes::kOne},
    {"com.microsoft::QLinearWhere", 6, Takes::kOne},
    {"com.microsoft::QLinearWhere", 7, Takes::kOne},
    {"com.microsoft::QLinearWhere", 8, Takes::kOne},
};

constexpr absl::string_view kSoftmax = "com.microsoft::QLinearSoftmax";
constexpr absl::string_view kGemm = "com.microsoft::QGemm";
constexpr absl::string_view kConcat = "com.microsoft::QLinearConcat";

// Size of one of a value's dimensions, -1 when it is not known.
int64_t DimOf(const Graph& graph, int32_t value, int axis) {
  if (value < 0 || !graph.value(value).has_shape()) return -1;
  const int rank = graph.value(value).dims_size();
  if (axis < 0) axis += rank;
  return axis < 0 || axis >= rank ? -1 : graph.value(value).dims(axis);
}

// The axis that per-channel parameters of a transposed operand count.
int AxisOf(const Graph& graph, const KernelCall& call, const KernelParameter& parameter) {
  const bool turned = call.turned || (call.op == kGemm && graph.int_attribute(call.node, "transB", 0) != 0);
  return turned ? -2 : parameter.axis;
}

// Of the shape of the matrices, with one row.
bool IsRowOf(const v1::Value& parameters, const v1::Value& matrices) {
  const int rank = matrices.dims_size();
  if (parameters.dims_size() != rank) return false;
  for (int i = 0; i < rank; ++i) {
    const int64_t wanted = i == rank - 2 ? 1 : matrices.dims(i);
    if (wanted >= 0 && parameters.dims(i) >= 0 && wanted != parameters.dims(i)) return false;
  }
  return true;
}

// False when the shape is known and the kernel does not take it; `allowed` says what it takes.
bool Fits(const Graph& graph, const KernelCall& call, const KernelParameter& parameter, int32_t value,
          std::string& allowed) {
  const v1::Value& tensor = graph.value(value);
  if (!tensor.has_shape()) return true;
  const int rank = tensor.dims_size();
  if (rank == 0) return true;
  if (parameter.takes == Takes::kScalar) {
    allowed = "a scalar";
    return false;
  }
  if (rank == 1 && (tensor.dims(0) == 1 || tensor.dims(0) < 0)) return true;
  allowed = "one";
  if (parameter.takes == Takes::kOne) return false;
  const int32_t data = call.input(parameter.data);
  const int64_t channels = DimOf(graph, data, AxisOf(graph, call, parameter));
  const int data_rank = data < 0 || !graph.value(data).has_shape() ? -1 : graph.value(data).dims_size();
  if (data_rank < 0 || channels < 0) return true;
  // Of matrices: a row in the matrix's rank; of a batch of them nothing else.
  const bool rows = parameter.axis < 0 && call.op != kGemm && !call.turned && data_rank >= 2;
  if (rows && IsRowOf(tensor, graph.value(data))) return true;
  if (rows && data_rank > 2) {
    allowed = "one, or for each matrix one row of parameters, in the matrix's rank";
    return false;
  }
  allowed = absl::StrCat("one, or ", channels, " for the channels of the weight");
  return rank == 1 && tensor.dims(0) == channels;
}

class Checker {
 public:
  Checker(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink)
      : graph_(graph), call_(call), source_(source), sink_(sink) {}

  void Check(const KernelParameter& parameter) {
    const int32_t value = call_.input(parameter.argument);
    // Looked at when the session is made, not when it runs.
    if (parameter.op == kSoftmax && value >= 0 && !graph_.is_static(value)) return;
    if (value < 0) {
      if (!call_.fused) CheckLeftOut(parameter);
      return;
    }
    std::string allowed;
    if (Fits(graph_, call_, parameter, value, allowed)) {
      CheckAxis(parameter, value);
      return;
    }
    refused_ = true;
    sink_.Add(kParameterShape, call_.places[parameter.argument],
              absl::StrCat("[", absl::StrJoin(graph_.value(value).dims(), ", "), "]"), std::move(allowed), source_);
  }
  // Scales of a fused group that fit by their number, and are those of another axis.
  void CheckAxis(const KernelParameter& parameter, int32_t scales) {
    const int32_t quantizer = call_.places[parameter.argument].node;
    const int32_t data = call_.input(parameter.data);
    const bool is_scale = call_.places[parameter.argument].input == 1;  // of the DequantizeLinear
    if (!call_.fused || parameter.takes != Takes::kChannels || !is_scale || !IsDequantize(graph_, quantizer)) return;
    if (graph_.rank(scales) != 1 || data < 0 || graph_.rank(data) < 0) return;
    const RealView numbers = graph_.is_constant(scales) ? NumbersOf(graph_.value(scales)) : RealView();
    if (!numbers.empty() && absl::c_all_of(numbers, [&](double scale) { return scale == numbers[0]; })) return;
    const int rank = graph_.rank(data);
    const auto from_start = [rank](int64_t axis) { return axis < 0 ? axis + rank : axis; };
    const int64_t stated = from_start(graph_.int_attribute(quantizer, "axis", 1));
    const int64_t taken = from_start(AxisOf(graph_, call_, parameter));
    if (stated == taken) return;
    sink_.Add(kOtherAxis, call_.places[parameter.argument], absl::StrCat("axis ", stated), absl::StrCat("axis ", taken),
              source_);
  }
  // Scale and zero point of QGemm's weight have one form.
  void CheckAlike(int scale, int zero_point) {
    const int32_t a = call_.input(scale), b = call_.input(zero_point);
    if (a < 0 || b < 0 || graph_.rank(a) < 0 || graph_.rank(b) < 0 || graph_.rank(a) == graph_.rank(b)) return;
    refused_ = true;
    sink_.Add(kParameterShape, call_.places[zero_point],
              absl::StrCat("[", absl::StrJoin(graph_.value(b).dims(), ", "), "]"),
              absl::StrCat("the shape of the scale, [", absl::StrJoin(graph_.value(a).dims(), ", "), "]"), source_);
  }
  bool refused() const { return refused_; }

 private:
  void CheckLeftOut(const KernelParameter& parameter) {
    const bool unnamed = static_cast<size_t>(parameter.argument) < call_.inputs.size();
    const LeftOut way = unnamed ? LeftOut::kUnnamed : LeftOut::kAtTheEnd;
    if (parameter.left_out == LeftOut::kAnyhow || parameter.left_out == way) return;
    refused_ = true;
    Place place;
    place.node = call_.node;
    sink_.Add(kMissingZeroPoint, place,
              absl::StrCat("argument ", parameter.argument, unnamed ? " has no name" : " is left out"), "that argument",
              source_);
  }

  const Graph& graph_;
  const KernelCall& call_;
  const FindingSource& source_;
  FindingSink& sink_;
  bool refused_ = false;
};

std::string ShapeText(const v1::Value& value) { return absl::StrCat("[", absl::StrJoin(value.dims(), ", "), "]"); }

// The shape that the scales of a QuantizeLinear or DequantizeLinear need, as its attributes say; one scale goes with
// any. nullopt: not known.
std::optional<std::vector<int64_t>> ScaleShape(const Graph& graph, const KernelCall& call) {
  const int32_t data = call.input(0);
  if (data < 0 || !graph.value(data).has_shape()) return std::nullopt;
  const auto& dims = graph.value(data).dims();
  int64_t axis = graph.int_attribute(call.node, "axis", 1);
  if (axis < 0) axis += dims.size();
  if (axis < 0 || axis >= dims.size()) return std::vector<int64_t>();
  const int64_t block = graph.int_attribute(call.node, "block_size", 0);
  if (block <= 0) return std::vector<int64_t>{dims[static_cast<int>(axis)]};
  std::vector<int64_t> shape(dims.begin(), dims.end());
  if (shape[axis] > 0) shape[axis] = shape[axis] / block + (shape[axis] % block != 0 ? 1 : 0);
  return shape;
}

bool SameShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  return absl::c_equal(a, b, [](int64_t x, int64_t y) { return x == y || x < 0 || y < 0; });
}

// Constant parameters are what the general rules are about; those that are computed have a shape as well.
bool CheckQuantizer(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  const int32_t scale = call.input(1), zero_point = call.input(2);
  if (scale < 0 || !graph.value(scale).has_shape()) return false;
  if (graph.is_constant(scale) && (zero_point < 0 || graph.is_constant(zero_point))) return false;
  const auto& dims = graph.value(scale).dims();
  const bool one = dims.empty() || (dims.size() == 1 && dims[0] == 1);
  if (!one) {
    const std::optional<std::vector<int64_t>> needed = ScaleShape(graph, call);
    if (needed && !SameShape(dims, *needed)) {
      sink.Add(kParameterShape, call.places[1], ShapeText(graph.value(scale)),
               needed->empty() ? std::string("one scale")
                               : absl::StrCat("one scale, or [", absl::StrJoin(*needed, ", "), "]"),
               source);
      return true;
    }
  }
  if (zero_point < 0 || !graph.value(zero_point).has_shape()) return false;
  const auto& points = graph.value(zero_point).dims();
  if (one ? points.empty() || (points.size() == 1 && points[0] == 1) : SameShape(points, dims)) return false;
  sink.Add(kParameterShape, call.places[2], ShapeText(graph.value(zero_point)),
           absl::StrCat("the shape of the scale, ", ShapeText(graph.value(scale))), source);
  return true;
}

}  // namespace

bool CheckParameters(const Graph& graph, const KernelCall& call, const FindingSource& source, FindingSink& sink) {
  if (call.op == "QuantizeLinear" || call.op == "DequantizeLinear" || call.op == "com.microsoft::QuantizeLinear" ||
      call.op == "com.microsoft::DequantizeLinear") {
    return CheckQuantizer(graph, call, source, sink);
  }
  Checker checker(graph, call, source, sink);
  if (call.op == kConcat) {
    // Scale and zero point of the output, then data, scale and zero point of each input.
    const size_t whole = (call.inputs.size() + 3) / 3 * 3 - 1;
    for (size_t i = 0; i < whole; ++i) {
      if (i < 2 || i % 3 != 2) checker.Check({kConcat, static_cast<int>(i), Takes::kOne, -1, 0, LeftOut::kNever});
    }
    return checker.refused();
  }
  for (const KernelParameter& parameter : kParameters) {
    if (parameter.op == call.op) checker.Check(parameter);
  }
  if (call.op == kGemm) checker.CheckAlike(4, 5);
  return checker.refused();
}

}  // namespace quantgate::onnxruntime
