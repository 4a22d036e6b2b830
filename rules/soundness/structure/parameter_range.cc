#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/onnx/infer.h"
#include "rules/soundness/rules.h"
#include "rules/tflite/infer.h"

namespace quantgate {
namespace {

constexpr RuleInfo kParameterRange = {
    "GS013",
    "parameter-range",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; expected {allowed}",
    "With a stride of 0, an axis that the tensor does not have or a kernel shape that is not the weight's the operator "
    "has no meaning: runtimes fail when they load the file, or only when the node runs.",
    "Write the parameter that was meant.",
    "Softmax along axis 9 of a tensor of rank 4 fires it; along axis -1 it does not.",
};

// Attributes that admit some words only.
struct Words {
  const char* operators;
  const char* attribute;
  const char* allowed;
};

constexpr Words kWords[] = {
    {"Resize Upsample", "mode", "nearest linear cubic"},
    {"Resize", "nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil"},
    {"Resize", "coordinate_transformation_mode",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_crop_and_resize "
     "tf_half_pixel_for_nn"},
    {"Pad", "mode", "constant reflect edge wrap"},
    {"DepthToSpace", "mode", "DCR CRD"},
    {"Gelu", "approximate", "none tanh"},
    {"LSTM GRU RNN", "direction", "forward reverse bidirectional"},
    {"ScatterElements ScatterND", "reduction", "none add mul max min"},
    {"GridSample", "mode", "linear nearest cubic bilinear bicubic"},
    {"GridSample", "padding_mode", "zeros border reflection"},
    {"RoiAlign", "mode", "avg max"},
    {"BitShift", "direction", "LEFT RIGHT"},
};

bool Has(absl::string_view words, absl::string_view word) {
  const std::vector<absl::string_view> list = absl::StrSplit(words, ' ');
  return std::find(list.begin(), list.end(), word) != list.end();
}

void CheckWords(const Graph& graph, FindingSink& sink) {
  // By Node.op, so that most nodes cost one look-up.
  std::vector<std::vector<const Words*>> rows(graph.message().symbols_size() + 1);
  for (int i = 1; i < static_cast<int>(rows.size()); ++i) {
    for (const Words& words : kWords) {
      if (Has(words.operators, graph.symbol(i))) rows[i].push_back(&words);
    }
  }
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    for (const Words* words : rows[graph.node(node).op()]) {
      const v1::Attribute* attribute = graph.attribute(node, words->attribute);
      if (attribute == nullptr || attribute->value_case() != v1::Attribute::kS) continue;
      if (Has(words->allowed, attribute->s())) continue;
      Place place;
      place.node = node;
      sink.Add(kParameterRange, place, absl::StrCat(words->attribute, " '", attribute->s(), "'"),
               absl::StrCat("one of ", absl::StrJoin(absl::StrSplit(words->allowed, ' '), ", ")));
    }
  }
}

// Parameters of LiteRT operators that count steps or elements.
struct Positive {
  const char* operators;
  const char* attributes;
};

constexpr Positive kPositive[] = {
    {"CONV_2D DEPTHWISE_CONV_2D", "stride_w stride_h dilation_w_factor dilation_h_factor"},
    {"CONV_3D CONV_3D_TRANSPOSE", "stride_d stride_w stride_h dilation_d_factor dilation_w_factor dilation_h_factor"},
    {"TRANSPOSE_CONV", "stride_w stride_h"},
    {"AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D", "stride_w stride_h filter_width filter_height"},
    {"DEPTH_TO_SPACE SPACE_TO_DEPTH", "block_size"},
    {"SPLIT SPLIT_V", "num_splits"},
};

void CheckPositive(const Graph& graph, int32_t node, FindingSink& sink) {
  for (const Positive& row : kPositive) {
    if (!Has(row.operators, graph.op_type(node))) continue;
    for (absl::string_view name : absl::StrSplit(row.attributes, ' ')) {
      // Dilations that are not stated are 1; the others are 0, which is what this is about.
      const int64_t number = graph.int_attribute(node, name, absl::StartsWith(name, "dilation") ? 1 : 0);
      if (number > 0) continue;
      Place place;
      place.node = node;
      sink.Add(kParameterRange, place, absl::StrCat(name, " ", number), "at least 1");
    }
  }
}

void CheckTflite(const Graph& graph, FindingSink& sink) {
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    // Another operator's parameters are op-attributes'.
    if (graph.attribute(node, "builtin_options") == nullptr) CheckPositive(graph, node, sink);
  }
}

void Add(const std::vector<Contradiction>& contradictions, FindingSink& sink) {
  for (const Contradiction& found : contradictions) {
    if (found.kind != Contradiction::kParameter) continue;
    if (found.perhaps) {
      sink.NotChecked(&kParameterRange, found.node, ReasonUnderCondition(found));
      continue;
    }
    Place place;
    place.node = found.node;
    sink.Add(kParameterRange, place, found.observed, found.allowed);
  }
}

void CheckParameterRange(const CheckContext& context, FindingSink& sink) {
  if (context.graph().origin() == v1::Graph::TFLITE) {
    CheckTflite(context.graph(), sink);
    Add(context.Once(InferTfliteShapes).contradictions, sink);
  }
  if (context.graph().origin() != v1::Graph::ONNX) return;
  Add(context.Once(InferShapes).contradictions, sink);
  CheckWords(context.graph(), sink);
}

}  // namespace

Rule ParameterRange() { return {&kParameterRange, &CheckParameterRange}; }

}  // namespace quantgate
