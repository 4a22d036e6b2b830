#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/data_type.h"
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

// Of com.microsoft::GatherBlockQuantized, in its own data's terms.
class Gathered {
 public:
  Gathered(const Graph& graph, int32_t node, FindingSink& sink)
      : graph_(graph), data_(graph.num_inputs(node) > 0 ? graph.input(node, 0) : -1), sink_(sink) {
    place_.node = node;
  }

  void Check() {
    if (data_ < 0) return;
    const v1::DataType type = graph_.dtype(data_);
    const bool bytes = type == v1::DATA_TYPE_UINT8;
    const int64_t bits = graph_.int_attribute(place_.node, "bits", 4);
    if (bytes && bits != 2 && bits != 4 && bits != 8) {
      Report("bits", bits, "2, 4 or 8 for uint8 data");
    } else if (!bytes && IsInteger(type) && bits != 4) {
      Report("bits", bits, absl::StrCat("4 for ", DataTypeName(type), " data"));
    }
    const int rank = graph_.rank(data_);
    if (rank == 1) sink_.Add(kParameterRange, place_, "data of one dimension", "at least two");
    if (rank < 2) return;
    CheckAxis("gather_axis", 0, rank, bytes ? 0 : -1);
    CheckAxis("quantize_axis", 1, rank, bytes ? rank - 1 : -1);
  }

 private:
  // `only`: the one that packed bytes may have; -1: any.
  void CheckAxis(absl::string_view name, int64_t standard, int64_t rank, int64_t only) {
    const int64_t stated = graph_.int_attribute(place_.node, name, standard);
    if (stated < -rank || stated >= rank) {
      Report(name, stated, absl::StrCat(-rank, " to ", rank - 1));
    } else if (only >= 0 && (stated < 0 ? stated + rank : stated) != only) {
      Report(name, stated, absl::StrCat(only, " for uint8 data"));
    }
  }

  void Report(absl::string_view name, int64_t number, std::string allowed) {
    sink_.Add(kParameterRange, place_, absl::StrCat(name, " ", number), std::move(allowed));
  }

  const Graph& graph_;
  const int32_t data_;
  FindingSink& sink_;
  Place place_;
};

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
  for (int32_t node : context.graph().integer_nodes()) {
    if (context.graph().op(node) == OpId::kGather) Gathered(context.graph(), node, sink).Check();
  }
}

}  // namespace

Rule ParameterRange() { return {&kParameterRange, &CheckParameterRange}; }

}  // namespace quantgate
