#include "rules/backends/onnxruntime/external_argument.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "rules/backends/onnxruntime/values.h"
#include "rules/onnx/infer.h"

namespace quantgate::onnxruntime {

const RuleInfo kExternalArgument = {
    "GS510",
    "external-shape-argument",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} is {observed}; ONNX Runtime loads {allowed}.",
    "Shapes are inferred when the model is loaded, and constants that decide one are read for that, before anything "
    "outside of the model file is. The session ends with \"Cannot parse data from external tensors\". Exporters keep "
    "small tensors in the file; tools that move every tensor out of it do not.",
    "Keep small tensors in the model file: onnx.save(..., save_as_external_data=True, size_threshold=1024).",
    "Fires: Reshape whose shape is external data, and a Slice with such starts. Does not: a Reshape whose shape is in "
    "the model file; a Conv with an external weight; a shape that is an input of the model as well.",
};

namespace {

// What shape inference has to know of the first input before it looks at the arguments.
enum class Needs : uint8_t { kNothing, kRank, kSize };

struct Row {
  absl::string_view op_type;
  uint32_t inputs;  // a bit for each that is read
  Needs needs = Needs::kRank;
  int first_version = 1;
  int axis = 0;  // whose size is needed, where no attribute says which
};

constexpr uint32_t Bits(std::initializer_list<int> inputs) {
  uint32_t bits = 0;
  for (int input : inputs) bits |= uint32_t{1} << input;
  return bits;
}

// As measured with ONNX Runtime 1.31.1; of one operator the later version comes first.
constexpr Row kRows[] = {
    {"Reshape", Bits({1}), Needs::kNothing},
    {"ConstantOfShape", Bits({0}), Needs::kNothing},
    {"OneHot", Bits({1}), Needs::kNothing},
    {"Range", Bits({0, 1, 2}), Needs::kNothing},
    {"HannWindow", Bits({0}), Needs::kNothing},
    {"HammingWindow", Bits({0}), Needs::kNothing},
    {"BlackmanWindow", Bits({0}), Needs::kNothing},
    {"MelWeightMatrix", Bits({0, 1}), Needs::kNothing},
    {"Slice", Bits({1, 2, 3, 4})},
    {"Unsqueeze", Bits({1})},
    {"Squeeze", Bits({1})},
    {"Expand", Bits({1})},
    {"Tile", Bits({1})},
    {"Pad", Bits({1, 3})},
    {"Resize", Bits({2, 3}), Needs::kRank, 11},
    {"Resize", Bits({1}), Needs::kRank, 10},
    {"Upsample", Bits({1})},
    {"CenterCropPad", Bits({1})},
    {"DFT", Bits({1, 2})},
    {"AffineGrid", Bits({1})},
    {"Col2Im", Bits({1, 2})},
    {"SplitToSequence", Bits({1})},
    {"com.microsoft::ExpandDims", Bits({1})},
    {"TopK", Bits({1}), Needs::kSize, 1, -1},
    {"Split", Bits({1}), Needs::kSize, 1, 0},
    {"STFT", Bits({1, 3}), Needs::kSize, 1, 1},
};
constexpr Row kReduction = {"Reduce", Bits({1})};

const Row* RowOf(absl::string_view op_type, int version) {
  for (const Row& row : kRows) {
    if (row.op_type == op_type && version >= row.first_version) return &row;
  }
  return absl::StartsWith(op_type, kReduction.op_type) ? &kReduction : nullptr;
}

bool IsSizeKnown(const Shape& shape, int64_t stated) {
  const int64_t axis = stated < 0 ? stated + shape.rank() : stated;
  return axis >= 0 && axis < shape.rank() && shape.dims[static_cast<size_t>(axis)] >= 0;
}

// Whether the first input is known as far as it has to be, and shape inference gets to the arguments.
bool IsKnown(const CheckContext& context, int32_t node, const Row& row) {
  if (row.needs == Needs::kNothing) return true;
  const Graph& graph = context.graph();
  const int32_t value = InputAt(graph, node, 0);
  const std::vector<Shape>& shapes = context.Once(InferShapes).shapes;
  if (value < 0 || shapes.empty() || !shapes[value].known) return false;
  return row.needs == Needs::kRank || IsSizeKnown(shapes[value], graph.int_attribute(node, "axis", row.axis));
}

}  // namespace

bool CheckExternalArguments(const CheckContext& context, int32_t node, int version, const FindingSource& source,
                            FindingSink& sink) {
  const Graph& graph = context.graph();
  const Row* row = RowOf(graph.op_type(node), version);
  if (row == nullptr || !IsKnown(context, node, *row)) return false;
  constexpr int kMostArguments = 8;  // beyond those of any row
  int external = -1;
  for (int i = 0; i < std::min(graph.num_inputs(node), kMostArguments); ++i) {
    if ((row->inputs >> i & 1) == 0 || graph.input(node, i) < 0) continue;
    const v1::Value* fixed = FixedValue(context, graph.input(node, i));
    // One that is known when the model runs alone ends the inference before the others are read.
    if (fixed == nullptr) return false;
    if (external < 0 && fixed->constant().has_external()) external = i;
  }
  if (external < 0) return false;
  Place place;
  place.node = node;
  place.input = external;
  place.value = graph.input(node, external);
  sink.Add(kExternalArgument, place, "external data", "it from the model file alone", source);
  return true;
}

}  // namespace quantgate::onnxruntime
