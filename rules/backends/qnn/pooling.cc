#include "rules/backends/qnn/lowerers.h"

namespace quantgate::qnn {
namespace {

struct Window {
  int rank = 0;
  int spatial = 0;
  int inserted = 0;
  Layout layout = Layout::kSame;
};

Window WindowOf(const NodeView& view) {
  Window window;
  window.rank = view.rank(view.input(0));
  window.spatial = window.rank - 2;
  window.inserted = window.rank == 3 ? 1 : 0;
  window.layout = view.channels_first() ? Layout::kChannelsLast : Layout::kSame;
  return window;
}

// Whether ExecuTorch 1.5.1 leaves what is between the reshapes of a one dimensional pool floats. It gives the tensors
// of averages the encodings around them (_passes/annotate_avg_pool1d.py), but knows functions and AvgPool1d alone by
// their source; and it has no such pass for maxima.
bool IsOfFloatsInside(const NodeView& view, absl::string_view name2d) {
  if (view.graph().origin() != v1::Graph::PT2E) return false;
  const absl::string_view source = view.graph().symbol(view.graph().node(view.node()).source_fn());
  return name2d == "PoolMax2d" || source == "torch.nn.modules.pooling.AdaptiveAvgPool1d";
}

void FillInside(const NodeView& view, const Operand* operand, const Window& window, bool floats, Emission& emission,
                BackendTensor& tensor) {
  FillTensor(view, operand, window.layout, window.rank + window.inserted, emission, tensor);
  if (floats && tensor.type.quantized) tensor = WithType(tensor, v1::DATA_TYPE_FLOAT32);
}

// The pool of that rank; a Reshape on either side of a one dimensional one.
template <typename AddParams>
Lowering EmitPool(const NodeView& view, absl::string_view name2d, absl::string_view name3d, Emission& emission,
                  AddParams add_params) {
  const Window window = WindowOf(view);
  if (window.rank < 0) return Unknown("the input's rank is not known");
  if (window.rank < 3 || window.rank > 5) return NoCounterpart("QNN pools have two or three spatial dimensions");
  const bool floats = window.inserted > 0 && IsOfFloatsInside(view, name2d);
  if (window.inserted > 0) {
    emission.Begin("Reshape", view.node());
    AddInput(view, view.input(0), emission, window.layout);
    FillInside(view, view.input(0), window, floats, emission, emission.AddOutput());
  }
  emission.Begin(window.rank == 5 ? name3d : name2d, view.node());
  FillInside(view, view.input(0), window, floats, emission, emission.AddInput());
  FillInside(view, view.output(0), window, floats, emission, emission.AddOutput());
  add_params(window);
  if (window.inserted > 0) {
    emission.Begin("Reshape", view.node());
    FillInside(view, view.output(0), window, floats, emission, emission.AddInput());
    AddOutput(view, view.output(0), emission, window.layout);
  }
  return Emitted();
}

void AddWindow(const NodeView& view, const Window& window, Emission& emission) {
  const std::optional<IntVector> kernel = view.integers({"kernel_shape", "kernel_size"});
  AddSpatial(view, "filter_size", {"kernel_shape", "kernel_size"}, nullptr, window.spatial, window.inserted, emission);
  // ATen's stride is the kernel's size when none is given, ONNX's is 1.
  const IntVector* fallback =
      view.graph().origin() == v1::Graph::PT2E && kernel && !kernel->empty() ? &*kernel : nullptr;
  AddSpatial(view, "stride", {"strides", "stride"}, fallback, window.spatial, window.inserted, emission);
  AddPadAmount(view, window.spatial, window.inserted, emission);
  emission.AddInt("rounding_mode", view.integer({"ceil_mode"}).value_or(0));
}

// As PyTorch writes a stride that is not given where an argument behind it is. That of pools over one dimension is gone
// when they are taken apart.
bool HasEmptyStride(const NodeView& view) {
  const std::optional<IntVector> stride = view.integers({"stride"});
  return view.graph().origin() == v1::Graph::PT2E && view.rank(view.input(0)) > 3 && stride && stride->empty();
}

constexpr absl::string_view kNoPlaces = "ExecuTorch builds maxima without their places";

// The builder of avg_pool3d does not look (EN227).
bool HasOtherDivisor(const NodeView& view) {
  const std::optional<int64_t> divisor = view.integer({"divisor_override"});
  if (!divisor || view.op_type() == "aten.avg_pool3d.default") return false;
  const std::optional<IntVector> kernel = view.integers({"kernel_size"});
  int64_t window = 0;
  const bool known = kernel && !kernel->empty() && !__builtin_mul_overflow(kernel->front(), kernel->back(), &window);
  return !known || *divisor != window;
}

constexpr absl::string_view kEmptyStride = "ExecuTorch's builder hands the empty stride on, which QNN refuses";

}  // namespace

bool ReadsPlaces(const NodeView& view) {
  return view.graph().origin() == v1::Graph::PT2E && IsRead(view, view.output(1));
}

Lowering LowerMaxPool(const NodeView& view, absl::string_view, Emission& emission) {
  if (HasEmptyStride(view)) return NoCounterpart(kEmptyStride);
  if (ReadsPlaces(view)) return NoCounterpart(kNoPlaces);
  if (const auto dilation = view.integers({"dilations", "dilation"})) {
    for (int64_t value : *dilation) {
      if (value != 1) return NoCounterpart("QNN pools have no dilation");
    }
  }
  return EmitPool(view, "PoolMax2d", "PoolMax3d", emission,
                  [&](const Window& window) { AddWindow(view, window, emission); });
}

Lowering LowerAveragePool(const NodeView& view, absl::string_view, Emission& emission) {
  if (HasEmptyStride(view)) return NoCounterpart(kEmptyStride);
  if (HasOtherDivisor(view)) return NoCounterpart("QNN pools divide by the size of their window");
  return EmitPool(view, "PoolAvg2d", "PoolAvg3d", emission, [&](const Window& window) {
    AddWindow(view, window, emission);
    const bool aten = view.graph().origin() == v1::Graph::PT2E;
    emission.AddInt("count_pad_for_edges", view.integer({"count_include_pad"}).value_or(aten ? 1 : 0));
  });
}

Lowering LowerGlobalPool(const NodeView& view, absl::string_view name, Emission& emission) {
  const bool max = name == "PoolMax2d";
  if (max && ReadsPlaces(view)) return NoCounterpart(kNoPlaces);
  // The sizes of an adaptive pool of PyTorch need not divide; the builder of the average falls back then.
  const bool may_fall_back = view.graph().origin() == v1::Graph::PT2E && !max;
  for (int axis = 2; may_fall_back && axis < view.rank(view.input(0)); ++axis) {
    const int64_t in = view.dim(view.input(0), axis);
    const int64_t out = view.dim(view.output(0), axis);
    if (in > 0 && out > 0 && in % out != 0) return NoCounterpart("QNN's pools have windows of one size");
  }
  return EmitPool(view, name, max ? "PoolMax3d" : "PoolAvg3d", emission, [&](const Window& window) {
    std::vector<int64_t> sizes(window.inserted, 1);
    std::vector<int64_t> strides(window.inserted, 1);
    for (int i = 0; i < window.spatial; ++i) {
      // Output size 1 for global pools. Windows overlap where sizes do not divide.
      const int axis = view.channels_first() ? i + 2 : i + 1;
      const int64_t in = view.dim(view.input(0), axis);
      const int64_t out = view.dim(view.output(0), axis);
      strides.push_back(in > 0 && out > 0 ? in / out : in);
      sizes.push_back(in > 0 && out > 0 ? in - (out - 1) * strides.back() : in);
    }
    emission.AddParam("filter_size").ints.assign(sizes.begin(), sizes.end());
    emission.AddParam("stride").ints.assign(strides.begin(), strides.end());
    AddPadAmount(view, window.spatial, window.inserted, emission);
    emission.AddInt("rounding_mode", 0);
    if (!max) emission.AddInt("count_pad_for_edges", 0);
  });
}

}  // namespace quantgate::qnn
