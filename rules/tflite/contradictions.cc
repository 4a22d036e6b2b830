#include "rules/tflite/contradictions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/tflite/conditions.h"
#include "rules/tflite/moving_checks.h"
#include "rules/tflite/recurrent_checks.h"

namespace quantgate {
namespace {

void OneOfWords(NodeShapes& node, absl::string_view attribute, absl::string_view allowed) {
  // A number stands for a word that the schema does not have.
  const v1::Attribute* found = node.graph().attribute(node.node(), attribute);
  if (found == nullptr || found->value_case() != v1::Attribute::kI) return;
  node.BadParameter(absl::StrCat(attribute, " ", found->i()), std::string(allowed));
}

void Padding(NodeShapes& node) { OneOfWords(node, "padding", "SAME or VALID"); }

void Bias(NodeShapes& node, int argument, int64_t channels) {
  const Shape bias = node.at(argument);
  if (!bias.is_static() || channels < 0 || CountOrUnknown(bias) == channels) return;
  node.Conflict(argument, absl::StrCat("a bias of shape ", ShapeText(bias.dims)),
                absl::StrCat(channels, " elements, one for each output channel"));
}

void BadFilter(NodeShapes& node, std::string allowed) {
  node.Conflict(1, absl::StrCat("weights of shape ", ShapeText(node.at(1).dims)), std::move(allowed));
}

// Without padding, the dilated filter has to fit into the input once.
void Fits(NodeShapes& node) {
  const Shape input = node.at(0);
  if (node.text("padding") != "VALID" || !input.known || input.rank() != 4) return;
  for (const auto& [dim, dilation] : {std::pair(1, "dilation_h_factor"), std::pair(2, "dilation_w_factor")}) {
    const int64_t size = SizeAt(input, dim), kernel = SizeAt(node.at(1), dim), step = node.integer(dilation, 1);
    if (size < 1 || kernel < 1 || kernel > INT32_MAX || step < 1 || (kernel - 1) * step < size) continue;
    node.Conflict(0, absl::StrCat("shape ", ShapeText(input.dims)),
                  absl::StrCat("at least ", (kernel - 1) * step + 1, " along axis ", dim, ", as the filter"));
    return;
  }
}

void Conv(NodeShapes& node) {
  Padding(node);
  RankIs(node, 0, 4);
  RankIs(node, 1, 4);
  Fits(node);
  for (int dim : {1, 2, 3}) {
    if (SizeAt(node.at(0), dim) != 0) continue;
    node.Conflict(0, absl::StrCat("shape ", ShapeText(node.at(0).dims)), absl::StrCat("at least 1 along axis ", dim));
  }
  const int64_t channels = LastSize(node.at(0));
  const Shape filter = node.at(1);
  const int64_t outputs = SizeAt(filter, 0);
  const int64_t inputs = LastSize(filter);
  if (channels > 0 && inputs >= 0 && (inputs == 0 || channels % inputs != 0)) {
    BadFilter(node, absl::StrCat("a last size that divides the input's ", channels, " channels"));
  } else if (channels > 0 && inputs > 0 && outputs >= 0 && outputs % (channels / inputs) != 0) {
    BadFilter(node, absl::StrCat("output channels that divide into ", channels / inputs, " groups"));
  }
  Bias(node, 2, outputs);
}

void DepthwiseConv(NodeShapes& node) {
  Padding(node);
  RankIs(node, 0, 4);
  RankIs(node, 1, 4);
  Fits(node);
  const int64_t channels = LastSize(node.at(0));
  const Shape filter = node.at(1);
  const int64_t outputs = LastSize(filter);
  if (channels > 0 && outputs >= 0 && outputs % channels != 0) {
    BadFilter(node, absl::StrCat("a last size that is a multiple of the input's ", channels, " channels"));
  }
  if (const int64_t first = SizeAt(filter, 0); first >= 0 && first != 1) {
    BadFilter(node, "a first size of 1");
  }
  Bias(node, 2, outputs);
}

void TransposeConv(NodeShapes& node) {
  Padding(node);
  Vectors(node, 0, 0);
  CountIs(node, 0, 4, "sizes");
  RankIs(node, 1, 4);
  RankIs(node, 2, 4);
  const int64_t channels = LastSize(node.at(2));
  const Shape filter = node.at(1);
  if (const auto stated = node.constant(0); stated && stated->size() == 4) {
    if (const int64_t least = *absl::c_min_element(*stated); least < 1) {
      node.BadParameter(absl::StrCat("an output shape with ", least), "sizes of at least 1");
      return;
    }
    for (int dim : {1, 2}) {
      if (node.text("padding") != "VALID" || SizeAt(filter, dim) <= (*stated)[dim]) continue;
      node.Conflict(0, absl::StrCat("an output shape of ", ShapeText(*stated)),
                    absl::StrCat("at least ", SizeAt(filter, dim), " along axis ", dim, ", as the filter"));
      return;
    }
    const int64_t images = SizeAt(node.at(2), 0);
    if (images >= 0 && images != stated->front()) {
      node.Conflict(0, absl::StrCat("an output shape of ", stated->front(), " images"),
                    absl::StrCat(images, ", as the input"));
    }
    const int64_t outputs = SizeAt(filter, 0);
    if (outputs >= 0 && outputs != stated->back()) {
      node.Conflict(0, absl::StrCat("an output shape with ", stated->back(), " channels"),
                    absl::StrCat(outputs, ", as the weights"));
    }
  }
  if (channels > 0 && LastSize(filter) >= 0 && LastSize(filter) != channels) {
    BadFilter(node, absl::StrCat("a last size of ", channels, ", the input's channels"));
  }
  Bias(node, 3, SizeAt(filter, 0));
}

// The type of the bias comes with the options, and without them is none that the kernel knows beside 16 bits.
void OptionsBesideWords(NodeShapes& node) {
  if (!node.given(0) || node.graph().dtype(node.graph().input(node.node(), 0)) != v1::DATA_TYPE_INT16) return;
  if (node.has("fused_activation_function") || node.has("quantized_bias_type")) return;
  node.BadParameter("no options", "a table of options, beside int16 activations");
}

void FullyConnected(NodeShapes& node) {
  OptionsBesideWords(node);
  if (const absl::string_view activation = node.text("fused_activation_function");
      activation == "TANH" || activation == "SIGN_BIT") {
    node.BadParameter(absl::StrCat("fused_activation_function ", activation), "NONE or one of RELU");
  }
  RankIs(node, 1, 2);
  // Shuffled weights come with a second output, the input's workspace.
  if (const int64_t format = node.integer("weights_format", 0); format < 0 || format > 1) {
    node.BadParameter(absl::StrCat("weights_format ", format), "0 or 1");
  } else if (const int outputs = node.num_outputs(); format == 1 && outputs != 2) {
    node.BadParameter(absl::StrCat("weights_format 1 with ", outputs, outputs == 1 ? " output" : " outputs"), "2");
  }
  const Shape weights = node.at(1);
  const Shape input = node.at(0);
  const int64_t depth = LastSize(weights);
  const int64_t count = CountOrUnknown(input);
  if (depth > 0 && count >= 0 && count % depth != 0) {
    BadFilter(node, absl::StrCat("rows that divide the input's ", count, " elements"));
  } else if (node.integer("keep_num_dims", 0) != 0 && depth >= 0 && LastSize(input) >= 0 && LastSize(input) != depth) {
    BadFilter(node, absl::StrCat("rows of ", LastSize(input), ", the input's last size"));
  }
  Bias(node, 2, SizeAt(weights, 0));
}

void Pool(NodeShapes& node) {
  Padding(node);
  RankIs(node, 0, 4);
}

void BatchMatMul(NodeShapes& node) {
  const Shape left = node.at(0);
  const Shape right = node.at(1);
  if (!left.known || !right.known || left.rank() < 2 || right.rank() < 2) return;
  Broadcast(node, 0, 1, /*but_last=*/2);
  const int64_t inner = left.dims[left.rank() - (node.integer("adj_x", 0) != 0 ? 2 : 1)];
  const int64_t other = right.dims[right.rank() - (node.integer("adj_y", 0) != 0 ? 1 : 2)];
  if (inner < 0 || other < 0 || inner == other) return;
  node.Conflict(1, absl::StrCat("shape ", ShapeText(right.dims)),
                absl::StrCat("an inner size of ", inner, ", as in ", ShapeText(left.dims)));
}

void Pair(NodeShapes& node) { Broadcast(node, 0, 1); }

void NoActivation(NodeShapes& node) {
  const absl::string_view activation = node.text("fused_activation_function");
  if (activation.empty() || activation == "NONE") return;
  node.BadParameter(absl::StrCat("fused_activation_function ", activation), "NONE");
}

void Concatenation(NodeShapes& node) {
  NoActivation(node);
  const Shape first = node.at(0);
  if (!first.known) return;
  const int axis = node.Axis(node.integer("axis", 0), first.rank());
  if (axis < 0) return;
  for (int i = 1; i < node.num_inputs(); ++i) {
    const Shape shape = node.at(i);
    if (!shape.known) continue;
    bool fits = shape.rank() == first.rank();
    for (int d = 0; fits && d < shape.rank(); ++d) {
      fits = d == axis || shape.dims[d] < 0 || first.dims[d] < 0 || shape.dims[d] == first.dims[d];
    }
    if (fits) continue;
    node.Conflict(i, absl::StrCat("shape ", ShapeText(shape.dims)),
                  absl::StrCat("that of the first, ", ShapeText(first.dims), ", but for axis ", axis));
    return;
  }
}

void AxesSecond(NodeShapes& node) { AxesAt(node, 1, 0); }

void AxisAttribute(NodeShapes& node) {
  const Shape shape = node.at(0);
  if (shape.known) node.Axis(node.integer("axis", 0), shape.rank());
}

// Indices of each batch are for that batch's part of the data.
void Batches(NodeShapes& node) {
  const Shape data = node.at(0), indices = node.at(1);
  if (!data.known || !indices.known) return;
  const int64_t axis = node.integer("axis", 0), count = node.integer("batch_dims", 0);
  const int64_t from_start = axis < 0 ? axis + data.rank() : axis;
  if ((count < 0 ? count + indices.rank() : count) <= from_start) return;
  node.BadParameter(absl::StrCat("batch_dims ", count), absl::StrCat(from_start, " at most, the axis"));
}

void Gather(NodeShapes& node) {
  AxisAttribute(node);
  Batches(node);
  const auto indices = node.constant(1);
  if (!indices || indices->empty()) return;
  const auto [least, most] = absl::c_minmax_element(*indices);
  const Shape data = node.at(0);
  const int64_t axis = node.integer("axis", 0);
  const int64_t size = SizeAt(data, axis < 0 ? axis + data.rank() : axis);
  if (*least < 0) {
    node.BadParameter(absl::StrCat("index ", *least), "0 or more");
  } else if (size >= 0 && *most >= size) {
    node.BadParameter(absl::StrCat("index ", *most), BelowSize(size, axis));
  }
}

// Indices of one element, or of a slice, in each row of the second argument.
void GatherNd(NodeShapes& node) {
  const Shape data = node.at(0);
  const Shape indices = node.at(1);
  const int64_t depth = LastSize(indices);
  if (!data.known || depth < 0) return;
  if (depth > data.rank()) {
    node.Conflict(1, absl::StrCat("rows of ", depth, " indices"),
                  absl::StrCat("at most ", data.rank(), " for ", ShapeText(data.dims)));
    return;
  }
  if (!node.given(1)) return;
  const int32_t value = node.graph().input(node.node(), 1);
  if (depth == 0 || !node.graph().is_constant(value) || node.graph().is_graph_input(value)) return;
  const v1::Constant& constant = node.graph().value(value).constant();
  for (int i = 0; i < constant.ints_size(); ++i) {
    const int64_t size = data.dims[i % depth], index = constant.ints(i);
    if (index >= 0 && (size < 0 || index < size)) continue;
    node.BadParameter(absl::StrCat("index ", index), index < 0 ? "0 or more" : BelowSize(size, i % depth));
    return;
  }
  // Of a large constant the smallest and the largest number is all that is known.
  if (!constant.ints().empty() || constant.statistics().count() == 0) return;
  const auto sizes = data.dims.first(static_cast<size_t>(depth));
  const int64_t largest = *absl::c_max_element(sizes);
  if (constant.statistics().min() < 0) {
    node.BadParameter(absl::StrCat("index ", constant.statistics().min()), "0 or more");
  } else if (*absl::c_min_element(sizes) >= 0 && constant.statistics().max() >= static_cast<double>(largest)) {
    node.BadParameter(absl::StrCat("index ", constant.statistics().max()),
                      BelowSize(largest, absl::c_max_element(sizes) - sizes.begin()));
  }
}

// One axis more than the tensor has can be named.
void NewAxis(NodeShapes& node, int64_t axis) {
  const Shape shape = node.at(0);
  if (shape.known) node.Axis(axis, shape.rank() + 1);
}

void Pack(NodeShapes& node) {
  SameShapes(node);
  NewAxis(node, node.integer("axis", 0));
  const int64_t count = node.integer("values_count", 0);
  if (count != node.num_inputs()) {
    node.BadParameter(absl::StrCat("values_count ", count), absl::StrCat(node.num_inputs(), ", its inputs"));
  }
}

// Indices and sizes are numbers of these types. What is not stated is a float.
void CountsIn(NodeShapes& node, absl::string_view attribute) {
  const v1::Attribute* stated = node.graph().attribute(node.node(), attribute);
  if (stated != nullptr && stated->value_case() == v1::Attribute::kI) return;  // none of the schema: op-attributes'
  const v1::DataType type = stated == nullptr ? v1::DATA_TYPE_FLOAT32 : stated->dtype();
  if (type == v1::DATA_TYPE_INT32 || type == v1::DATA_TYPE_INT64) return;
  node.BadParameter(absl::StrCat(attribute, " ", DataTypeName(type)), "int32 or int64");
}

// The result is of the type that is stated so, whatever the tensor says.
void GivesType(NodeShapes& node, absl::string_view attribute) {
  CountsIn(node, attribute);
  const v1::Attribute* stated = node.graph().attribute(node.node(), attribute);
  if (stated == nullptr || node.num_outputs() < 1 || node.graph().output(node.node(), 0) < 0) return;
  const v1::DataType type = stated->dtype();
  const v1::DataType written = node.graph().dtype(node.graph().output(node.node(), 0));
  if ((type != v1::DATA_TYPE_INT32 && type != v1::DATA_TYPE_INT64) || written == v1::DATA_TYPE_UNSPECIFIED) return;
  if (written == type) return;
  node.BadParameter(absl::StrCat(attribute, " ", DataTypeName(type)),
                    absl::StrCat(DataTypeName(written), ", as the output is"));
}

void OneAxis(NodeShapes& node) {
  CountIs(node, 1, 1, "axes");
  AxesSecond(node);
}

void ArgMax(NodeShapes& node) {
  OneAxis(node);
  GivesType(node, "output_type");
}

void ShapeOf(NodeShapes& node) { GivesType(node, "out_type"); }

void ExpandDims(NodeShapes& node) {
  CountIs(node, 1, 1, "axes");
  if (const auto axis = node.constant(1); axis && axis->size() == 1) NewAxis(node, axis->front());
}

void Squeeze(NodeShapes& node) {
  const Shape shape = node.at(0);
  if (!shape.known) return;
  for (int64_t axis : node.integers("squeeze_dims")) {
    if (node.Axis(axis, shape.rank()) < 0) return;
  }
}

void Transpose(NodeShapes& node) {
  Vectors(node, 1, 1);
  const Shape shape = node.at(0);
  const auto order = node.constant(1);
  if (!shape.known || !order) return;
  if (static_cast<int>(order->size()) != shape.rank()) {
    node.Conflict(1, absl::StrCat(order->size(), " axes"), absl::StrCat(shape.rank(), " for ", ShapeText(shape.dims)));
    return;
  }
  uint64_t seen = 0;
  for (int64_t axis : *order) {
    const int found = node.Axis(axis, shape.rank());
    if (found < 0) return;
    if ((seen & uint64_t{1} << found) != 0) {
      node.BadParameter(absl::StrCat("axis ", axis, " again"), "every axis once");
      return;
    }
    seen |= uint64_t{1} << found;
  }
}

void Reshape(NodeShapes& node) {
  const Shape input = node.at(0);
  // An argument that is no list is passed over for the option.
  const Shape argument = node.at(1);
  const bool is_input = node.num_inputs() > 1 && !(argument.known && argument.rank() != 1);
  const auto stated = is_input ? node.constant(1) : node.integers("new_shape");
  if (!stated || stated->empty()) return;
  // A scalar, as old converters write it.
  if (!is_input && stated->size() == 1 && stated->front() == 0) return;
  int64_t known = 1;
  int open = 0;
  for (int64_t size : *stated) {
    if (size < -1) {
      node.BadParameter(absl::StrCat("a size of ", size), "0 or more, or -1 once");
      return;
    }
    if (size == -1 ? ++open > 1 : __builtin_mul_overflow(known, size, &known)) {
      node.BadParameter(ShapeText(*stated), "-1 once at most, and a shape that can be counted");
      return;
    }
  }
  const int64_t count = CountOrUnknown(input);
  if (count < 0 || (open == 0 ? known == count : known != 0 && count % known == 0)) return;
  node.Conflict(is_input ? 1 : -1, absl::StrCat("a shape of ", ShapeText(*stated)),
                absl::StrCat("one of ", count, " elements, as ", ShapeText(input.dims)));
}

void Pad(NodeShapes& node) {
  const Shape input = node.at(0);
  const Shape table = node.at(1);
  if (input.known && SizeAt(table, 0) >= 0 && SizeAt(table, 0) != input.rank()) {
    node.Conflict(1, absl::StrCat("paddings of shape ", ShapeText(table.dims)),
                  absl::StrCat("[", input.rank(), ", 2] for ", ShapeText(input.dims)));
  }
  if (!node.given(1)) return;
  const int32_t paddings = node.graph().input(node.node(), 1);
  if (!node.graph().is_constant(paddings) || node.graph().is_graph_input(paddings)) return;
  const v1::Constant& constant = node.graph().value(paddings).constant();
  double smallest = constant.statistics().min();
  for (int64_t size : constant.ints()) smallest = std::min(smallest, static_cast<double>(size));
  if (smallest < 0) node.BadParameter(absl::StrCat("a padding of ", smallest), "0 or more");
}

void PadWith(NodeShapes& node) {
  CountIs(node, 2, 1, "numbers");
  Pad(node);
}

// What is mirrored is there; a reflection leaves the border out.
void MirrorPad(NodeShapes& node) {
  if (const absl::string_view mode = node.text("mode"); mode != "REFLECT" && mode != "SYMMETRIC") {
    node.BadParameter(node.has("mode") ? "another mode" : "no mode", "REFLECT or SYMMETRIC");
  }
  Pad(node);
  const Shape input = node.at(0);
  if (!input.known || !node.given(1)) return;
  const int32_t paddings = node.graph().input(node.node(), 1);
  if (!node.graph().is_constant(paddings) || node.graph().is_graph_input(paddings)) return;
  const auto& sizes = node.graph().value(paddings).constant().ints();
  if (sizes.size() != 2 * input.rank()) return;
  const int64_t border = node.text("mode") == "SYMMETRIC" ? 0 : 1;
  for (int i = 0; i < sizes.size(); ++i) {
    const int64_t size = input.dims[i / 2];
    if (size < 0 || sizes[i] <= size - border) continue;
    node.BadParameter(absl::StrCat("a padding of ", sizes[i], " along axis ", i / 2),
                      absl::StrCat(size - border, " at most"));
    return;
  }
}

void Resize(NodeShapes& node) {
  RankIs(node, 0, 4);
  Vectors(node, 1, 1);
  CountIs(node, 1, 2, "sizes");
  const auto size = node.constant(1);
  if (!size) return;
  for (int64_t each : *size) {
    if (each > 0) continue;
    node.BadParameter(absl::StrCat("a size of ", each), "at least 1");
    return;
  }
}

// A step of 0, or away from the end, does not get there.
void CountedTo(NodeShapes& node) {
  const auto first = node.constant(0), end = node.constant(1), step = node.constant(2);
  if (!first || !end || !step || first->size() != 1 || end->size() != 1 || step->size() != 1) return;
  const int64_t from = first->front(), to = end->front(), by = step->front();
  if ((from <= to && by > 0) || (from >= to && by < 0)) return;
  node.BadParameter(absl::StrCat("a step of ", by, " from ", from, " to ", to), from == to  ? "any but 0"
                                                                                : from < to ? "above 0"
                                                                                            : "below 0");
}

void StridedSlice(NodeShapes& node) {
  Vectors(node, 1, 3);
  const int64_t count = CountOrUnknown(node.at(1));
  for (int argument : {2, 3}) {
    const int64_t other = CountOrUnknown(node.at(argument));
    if (count < 0 || other < 0 || other == count) continue;
    node.Conflict(argument, absl::StrCat(other, other == 1 ? " number" : " numbers"),
                  absl::StrCat(count, ", as where the slice begins"));
  }
  const auto strides = node.constant(3);
  if (strides && absl::c_linear_search(*strides, 0)) {
    node.BadParameter("a stride of 0", "another one");
  }
}

// A row of numbers goes where each row of indices says.
void ScatterNd(NodeShapes& node) {
  const Shape indices = node.at(0), updates = node.at(1);
  for (int argument = 0; argument < 3; ++argument) {
    if (!node.at(argument).known || node.at(argument).rank() > 0) continue;
    node.Conflict(argument, "a scalar", "at least one axis");
    return;
  }
  if (!indices.known || !updates.known) return;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    const int64_t rows = SizeAt(indices, d), given = SizeAt(updates, d);
    if (rows < 0 || given < 0 || rows == given) continue;
    node.Conflict(1, absl::StrCat("shape ", ShapeText(updates.dims)),
                  absl::StrCat(rows, " along axis ", d, ", as the indices"));
    return;
  }
}

void FourAxes(NodeShapes& node) { RankIs(node, 0, 4); }

const absl::flat_hash_map<absl::string_view, ShapeCheck>& Checks() {
  static const auto* checks = new absl::flat_hash_map<absl::string_view, ShapeCheck>{
      {"CONV_2D", Conv},
      {"DEPTHWISE_CONV_2D", DepthwiseConv},
      {"TRANSPOSE_CONV", TransposeConv},
      {"CONV_3D", Padding},
      {"CONV_3D_TRANSPOSE", Padding},
      {"FULLY_CONNECTED", FullyConnected},
      {"AVERAGE_POOL_2D", Pool},
      {"MAX_POOL_2D", Pool},
      {"L2_POOL_2D", Pool},
      {"BATCH_MATMUL", BatchMatMul},
      {"ADD", Pair},
      {"SUB", Pair},
      {"MUL", Pair},
      {"DIV", Pair},
      {"MAXIMUM", Pair},
      {"MINIMUM", Pair},
      {"SQUARED_DIFFERENCE", Pair},
      {"POW", Pair},
      {"LOGICAL_AND", Pair},
      {"LOGICAL_OR", Pair},
      {"FLOOR_DIV", Pair},
      {"FLOOR_MOD", Pair},
      {"EQUAL", Pair},
      {"NOT_EQUAL", Pair},
      {"LESS", Pair},
      {"LESS_EQUAL", Pair},
      {"GREATER", Pair},
      {"GREATER_EQUAL", Pair},
      {"CONCATENATION", Concatenation},
      {"MEAN", AxesSecond},
      {"SUM", AxesSecond},
      {"REDUCE_MAX", AxesSecond},
      {"REDUCE_MIN", AxesSecond},
      {"REDUCE_PROD", AxesSecond},
      {"REDUCE_ANY", AxesSecond},
      {"REDUCE_ALL", AxesSecond},
      {"ARG_MAX", ArgMax},
      {"ARG_MIN", ArgMax},
      {"SHAPE", ShapeOf},
      {"L2_NORMALIZATION", NoActivation},
      {"CUMSUM", OneAxis},
      {"GATHER", Gather},
      {"GATHER_ND", GatherNd},
      {"PACK", Pack},
      {"EXPAND_DIMS", ExpandDims},
      {"SQUEEZE", Squeeze},
      {"TRANSPOSE", Transpose},
      {"RESHAPE", Reshape},
      {"PAD", Pad},
      {"PADV2", PadWith},
      {"MIRROR_PAD", MirrorPad},
      {"RESIZE_BILINEAR", Resize},
      {"RESIZE_NEAREST_NEIGHBOR", Resize},
      {"STRIDED_SLICE", StridedSlice},
      {"RANGE", CountedTo},
      {"SCATTER_ND", ScatterNd},
      {"LOCAL_RESPONSE_NORMALIZATION", FourAxes},
      {"STABLEHLO_ADD", SameShapes},
      {"STABLEHLO_MULTIPLY", SameShapes},
      {"STABLEHLO_MAXIMUM", SameShapes},
      {"STABLEHLO_MINIMUM", SameShapes},
  };
  return *checks;
}

}  // namespace

ShapeCheck ShapeCheckOf(absl::string_view op_type) {
  const auto found = Checks().find(op_type);
  if (found != Checks().end()) return found->second;
  const ShapeCheck moving = MovingCheckOf(op_type);
  return moving != nullptr ? moving : RecurrentCheckOf(op_type);
}

}  // namespace quantgate
