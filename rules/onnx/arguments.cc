// Arguments whose shape the operator prescribes, whatever else its result depends on.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rules/onnx/functions.h"

namespace quantgate {
namespace {

// A vector of `size` elements.
void Vector(NodeShapes& node, int argument, int64_t size, absl::string_view what) {
  const Shape shape = node.at(argument);
  if (size == kAnySize || !shape.is_static() || (shape.rank() == 1 && shape.dims[0] == size)) return;
  node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), absl::StrCat("[", size, "], ", what));
}

enum class Form : uint8_t {
  kScalar,
  kList,
  kListOrScalar,
  kOne,        // a scalar, or a list of one
  kOneStated,  // the same; a scalar where it is a constant, from which ONNX computes shapes
  kOneOfAny,   // one element, in however many dimensions
  kRank2,      // exactly
  kFromRank1,  // or more
  kFromRank2,
  kFromRank3,
};

// What some arguments of an operator have to be, whatever they hold.
struct ArgumentForm {
  absl::string_view op;
  int first;
  int last;
  Form form;
};

constexpr ArgumentForm kForms[] = {
    {"AffineGrid", 1, 1, Form::kList},
    {"AveragePool", 0, 0, Form::kFromRank3},
    {"BlackmanWindow", 0, 0, Form::kOneStated},
    {"CenterCropPad", 1, 1, Form::kListOrScalar},  // as Unsqueeze
    {"Clip", 1, 2, Form::kOne},
    {"Col2Im", 1, 2, Form::kList},
    {"ConstantOfShape", 0, 0, Form::kList},
    {"CumSum", 0, 0, Form::kFromRank1},
    {"CumSum", 1, 1, Form::kOne},
    {"DFT", 1, 2, Form::kOneStated},
    {"Det", 0, 0, Form::kFromRank2},
    {"Dropout", 1, 2, Form::kScalar},
    {"Expand", 1, 1, Form::kList},
    {"EyeLike", 0, 0, Form::kRank2},
    {"GroupNormalization", 0, 0, Form::kFromRank2},
    {"HammingWindow", 0, 0, Form::kOneStated},
    {"HannWindow", 0, 0, Form::kOneStated},
    {"Hardmax", 0, 0, Form::kFromRank1},
    {"If", 0, 0, Form::kOneOfAny},
    {"InstanceNormalization", 0, 0, Form::kFromRank3},
    {"LogSoftmax", 0, 0, Form::kFromRank1},
    {"Loop", 0, 1, Form::kOneOfAny},
    {"LpNormalization", 0, 0, Form::kFromRank1},
    {"LpPool", 0, 0, Form::kFromRank3},
    {"MaxPool", 0, 0, Form::kFromRank3},
    {"OneHot", 1, 1, Form::kOne},
    {"Pad", 1, 1, Form::kList},
    {"Pad", 2, 2, Form::kOneOfAny},
    {"Pad", 3, 3, Form::kList},
    {"Range", 0, 2, Form::kOne},
    {"ReduceL1", 1, 1, Form::kList},
    {"ReduceL2", 1, 1, Form::kList},
    {"ReduceLogSum", 1, 1, Form::kList},
    {"ReduceLogSumExp", 1, 1, Form::kList},
    {"ReduceMax", 1, 1, Form::kList},
    {"ReduceMean", 1, 1, Form::kList},
    {"ReduceMin", 1, 1, Form::kList},
    {"ReduceProd", 1, 1, Form::kList},
    {"ReduceSum", 1, 1, Form::kList},
    {"ReduceSumSquare", 1, 1, Form::kList},
    {"Reshape", 1, 1, Form::kList},
    {"ReverseSequence", 0, 0, Form::kFromRank2},
    {"ReverseSequence", 1, 1, Form::kList},
    {"ScatterElements", 0, 0, Form::kFromRank1},
    {"Slice", 1, 4, Form::kList},
    {"Softmax", 0, 0, Form::kFromRank1},
    {"Split", 1, 1, Form::kList},
    {"Squeeze", 1, 1, Form::kList},
    {"Tile", 1, 1, Form::kList},
    {"TopK", 1, 1, Form::kList},
    {"TopK", 1, 1, Form::kOneOfAny},
    {"Trilu", 0, 0, Form::kFromRank2},
    {"Trilu", 1, 1, Form::kOne},
    {"Unsqueeze", 1, 1, Form::kListOrScalar},  // ONNX asks for a list, ONNX Runtime takes both
};

using ByOperator = absl::flat_hash_map<absl::string_view, absl::Span<const ArgumentForm>>;

// Rows of one operator stand together. Built once, on first use, and never destroyed.
absl::Span<const ArgumentForm> FormsOf(absl::string_view op_type) {
  static const ByOperator& all = *[] {
    auto* made = new ByOperator;
    const absl::Span<const ArgumentForm> rows = kForms;
    for (size_t first = 0, end = 0; first < rows.size(); first = end) {
      while (end < rows.size() && rows[first].op == rows[end].op) ++end;
      made->emplace(rows[first].op, rows.subspan(first, end - first));
    }
    return made;
  }();
  const auto found = all.find(op_type);
  return found == all.end() ? absl::Span<const ArgumentForm>() : found->second;
}

bool Fits(const Shape& shape, Form form) {
  const int rank = shape.rank();
  const bool single = !shape.is_static() || CountOf(shape.dims) == 1;
  switch (form) {
    case Form::kScalar:
      return rank == 0;
    case Form::kList:
      return rank == 1;
    case Form::kListOrScalar:
      return rank <= 1;
    case Form::kOne:
    case Form::kOneStated:
      return single && (rank <= 1 || !shape.is_static());
    case Form::kOneOfAny:
      return single;
    case Form::kRank2:
      return rank == 2;
    case Form::kFromRank1:
      return rank >= 1;
    case Form::kFromRank2:
      return rank >= 2;
    case Form::kFromRank3:
      return rank >= 3;
  }
  return true;
}

const char* Wanted(Form form) {
  switch (form) {
    case Form::kScalar:
      return "a scalar";
    case Form::kList:
      return "a list, of one dimension";
    case Form::kListOrScalar:
      return "a list, of one dimension, or a scalar";
    case Form::kOne:
    case Form::kOneStated:
    case Form::kOneOfAny:
      return "one element";
    case Form::kRank2:
      return "rank 2";
    case Form::kFromRank1:
      return "rank 1 or more";
    case Form::kFromRank2:
      return "rank 2 or more";
    case Form::kFromRank3:
      return "rank 3 or more";
  }
  return "";
}

bool IsConstant(const NodeShapes& node, int argument) {
  return node.given(argument) && node.graph().is_constant(node.graph().input(node.node(), argument));
}

// Whether ONNX computes shapes without looking at it.
bool ShowsLate(Form form) {
  return form == Form::kList || form == Form::kListOrScalar || form == Form::kOne || form == Form::kOneOfAny;
}

void CheckForms(NodeShapes& node, absl::string_view op_type) {
  for (const ArgumentForm& row : FormsOf(op_type)) {
    for (int argument = row.first; argument <= row.last; ++argument) {
      const Shape shape = node.at(argument);
      const bool stated = row.form == Form::kOneStated && IsConstant(node, argument);
      const Form form = stated ? Form::kScalar : row.form;
      if (!shape.known || Fits(shape, form)) continue;
      node.Conflict(argument, absl::StrCat("shape ", ShapeText(shape.dims)), Wanted(form)).when_run = ShowsLate(form);
      return;
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
  node.BadParameter(absl::StrCat(groups, " groups"), absl::StrCat("a divisor of the ", channels, " channels"))
      .when_run = true;
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

// A determinant is that of a square matrix.
void Square(NodeShapes& node) {
  const Shape data = node.at(0);
  if (!data.known || data.rank() < 2) return;
  const int64_t rows = data.dims[data.rank() - 2];
  const int64_t columns = data.dims.back();
  if (rows == kAnySize || columns == kAnySize || rows == columns) return;
  node.Conflict(0, absl::StrCat("shape ", ShapeText(data.dims)), "as many rows as columns");
}

// Where all three are constants, ONNX computes how long the range is while a model is loaded, and takes no lists of
// one.
void Bounds(NodeShapes& node) {
  if (!IsConstant(node, 0) || !IsConstant(node, 1) || !IsConstant(node, 2)) return;
  for (int argument : {0, 1, 2}) {
    const Shape bound = node.at(argument);
    if (!bound.known || bound.rank() != 1) continue;
    node.Conflict(argument, absl::StrCat("shape ", ShapeText(bound.dims)), "a scalar, beside constants");
    return;
  }
}

}  // namespace

void CheckArguments(NodeShapes& node) {
  const absl::string_view op_type = node.graph().op_type(node.node());
  CheckForms(node, op_type);
  if (op_type == "OneHot") {
    Vector(node, 2, 2, "the values for off and on");
  } else if (op_type == "GroupNormalization") {
    Groups(node);
  } else if (op_type == "GatherND") {
    Indices(node);
  } else if (op_type == "Det") {
    Square(node);
  } else if (op_type == "Range") {
    Bounds(node);
  }
}

}  // namespace quantgate
