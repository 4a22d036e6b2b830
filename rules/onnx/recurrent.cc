// LSTM, GRU and RNN: the sizes of weights, biases and states follow from those of the data and from hidden_size.
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// Times `count`, where the size is known.
int64_t Times(int64_t count, int64_t size) { return size < 0 || size > kMaxSize / count ? kAnySize : count * size; }

// What the operator is told of its sizes; kAnySize: not known.
struct Recurrence {
  int64_t directions = 1;
  int64_t gates = 1;
  int64_t hidden = kAnySize;
  int64_t steps = kAnySize;
  int64_t batch = kAnySize;
  int64_t input = kAnySize;
  bool batch_first = false;
};

Recurrence ReadRecurrence(const NodeShapes& node, absl::string_view op_type) {
  Recurrence found;
  found.directions = node.text("direction") == "bidirectional" ? 2 : 1;
  found.gates = op_type == "LSTM" ? 4 : op_type == "GRU" ? 3 : 1;
  found.batch_first = node.integer("layout", 0) != 0;
  // Without the attribute the weight of the state says it.
  const Shape recurrent = node.at(2);
  found.hidden = node.integer("hidden_size", recurrent.known && recurrent.rank() == 3 ? recurrent.dims[2] : kAnySize);
  if (found.hidden < 1 || found.hidden > kMaxSize) found.hidden = kAnySize;
  const Shape data = node.at(0);
  if (!data.known || data.rank() != 3) return found;
  found.steps = data.dims[found.batch_first ? 1 : 0];
  found.batch = data.dims[found.batch_first ? 0 : 1];
  found.input = data.dims[2];
  return found;
}

// An argument of these sizes, as far as they are known. Returns whether it fits.
bool OfSizes(NodeShapes& node, int argument, std::initializer_list<int64_t> sizes, absl::string_view what) {
  const Shape shape = node.at(argument);
  const absl::Span<const int64_t> wanted(sizes.begin(), sizes.size());
  if (!shape.known) return true;
  bool fits = shape.rank() == static_cast<int>(wanted.size());
  for (size_t i = 0; fits && i < wanted.size(); ++i) {
    fits = wanted[i] < 0 || shape.dims[i] < 0 || wanted[i] == shape.dims[i];
  }
  if (!fits) {
    node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), absl::StrCat(ShapeText(wanted), ", ", what))
        .when_run = argument > 0;
  }
  return fits;
}

}  // namespace

bool InferRecurrent(NodeShapes& node) {
  const absl::string_view op_type = node.graph().op_type(node.node());
  if (op_type != "LSTM" && op_type != "GRU" && op_type != "RNN") return false;
  if (!OfSizes(node, 0, {kAnySize, kAnySize, kAnySize}, "steps, batch and features")) return true;
  const Recurrence sizes = ReadRecurrence(node, op_type);
  const int64_t d = sizes.directions, h = sizes.hidden;
  const int64_t rows = Times(sizes.gates, h);
  OfSizes(node, 1, {d, rows, sizes.input}, "directions, gates times hidden_size, features");
  OfSizes(node, 2, {d, rows, h}, "directions, gates times hidden_size, hidden_size");
  OfSizes(node, 3, {d, Times(2, rows)}, "directions, biases of both weights");
  OfSizes(node, 4, {sizes.batch}, "a length for each of the batch");
  const auto state = [&](int argument) {
    constexpr absl::string_view kWhat = "directions, batch (in the order of layout) and hidden_size";
    if (sizes.batch_first) return OfSizes(node, argument, {sizes.batch, d, h}, kWhat);
    return OfSizes(node, argument, {d, sizes.batch, h}, kWhat);
  };
  state(5);
  if (op_type == "LSTM") {
    state(6);
    OfSizes(node, 7, {d, Times(3, h)}, "directions, peepholes of three gates");
  }
  if (!node.at(0).known) return true;
  if (node.num_outputs() > 0) {
    node.Give(0, sizes.batch_first ? Dims{sizes.batch, sizes.steps, d, h} : Dims{sizes.steps, d, sizes.batch, h});
  }
  for (int output = 1; output < node.num_outputs(); ++output) {
    node.Give(output, sizes.batch_first ? Dims{sizes.batch, d, h} : Dims{d, sizes.batch, h});
  }
  return true;
}

}  // namespace quantgate
