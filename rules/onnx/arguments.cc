// Arguments whose shape the operator prescribes, whatever else its result depends on.
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// A scalar, or a list of one.
void OneElement(NodeShapes& node, int argument) {
  const Shape shape = node.at(argument);
  if (!shape.is_static() || (shape.rank() <= 1 && CountOf(shape.dims) == 1)) return;
  node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), "one element");
}

// A vector of `size` elements.
void Vector(NodeShapes& node, int argument, int64_t size, absl::string_view what) {
  const Shape shape = node.at(argument);
  if (size == kAnySize || !shape.is_static() || (shape.rank() == 1 && shape.dims[0] == size)) return;
  node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), absl::StrCat("[", size, "], ", what));
}

// Arguments that are lists of sizes, axes or positions, whatever they hold.
struct Lists {
  absl::string_view op;
  int first;
  int last;
};

constexpr Lists kLists[] = {{"ConstantOfShape", 0, 0}, {"Expand", 1, 1},     {"Pad", 1, 1},
                            {"Reshape", 1, 1},         {"Slice", 1, 4},      {"Split", 1, 1},
                            {"Squeeze", 1, 1},         {"Tile", 1, 1},       {"TopK", 1, 1},
                            {"ReduceL1", 1, 1},        {"ReduceL2", 1, 1},   {"ReduceLogSum", 1, 1},
                            {"ReduceLogSumExp", 1, 1}, {"ReduceMax", 1, 1},  {"ReduceMean", 1, 1},
                            {"ReduceMin", 1, 1},       {"ReduceProd", 1, 1}, {"ReduceSum", 1, 1},
                            {"ReduceSumSquare", 1, 1}};

void CheckLists(NodeShapes& node, absl::string_view op_type) {
  for (const Lists& lists : kLists) {
    if (lists.op != op_type) continue;
    for (int argument = lists.first; argument <= lists.last; ++argument) {
      const Shape shape = node.at(argument);
      if (!shape.known || shape.rank() == 1) continue;
      node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), "a list, of one dimension");
    }
  }
}

void Groups(NodeShapes& node) {
  // Before operator set 21 there was one scale for each group.
  const Shape data = node.at(0);
  if (node.opset() < 21 || !data.known || data.rank() < 2) return;
  const int64_t channels = data.dims[1];
  for (int argument : {1, 2}) Vector(node, argument, channels, "one for each channel");
  const int64_t groups = node.integer("num_groups", 1);
  if (channels == kAnySize || (groups > 0 && channels % groups == 0)) return;
  node.BadParameter(absl::StrCat(groups, " groups"), absl::StrCat("a divisor of the ", channels, " channels"));
}

void Indices(NodeShapes& node) {
  const Shape data = node.at(0);
  const Shape indices = node.at(1);
  if (!data.known || !indices.known || indices.rank() == 0 || indices.dims.back() == kAnySize) return;
  const int64_t most = data.rank() - node.integer("batch_dims", 0);
  if (indices.dims.back() <= most) return;
  node.Conflict(1, absl::StrCat("shape ", ShapeText(indices.dims)),
                absl::StrCat("a last size of at most ", most, ": indices into ", ShapeText(data.dims)));
}

}  // namespace

void CheckArguments(NodeShapes& node) {
  const absl::string_view op_type = node.graph().op_type(node.node());
  CheckLists(node, op_type);
  if (op_type == "Range") {
    for (int argument : {0, 1, 2}) OneElement(node, argument);
  } else if (op_type == "Clip") {
    for (int argument : {1, 2}) OneElement(node, argument);
  } else if (op_type == "OneHot") {
    OneElement(node, 1);
    Vector(node, 2, 2, "the values for off and on");
  } else if (op_type == "CumSum") {
    OneElement(node, 1);
  } else if (op_type == "GroupNormalization") {
    Groups(node);
  } else if (op_type == "GatherND") {
    Indices(node);
  }
}

}  // namespace quantgate
