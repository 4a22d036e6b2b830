#include "rules/tflite/argument_counts.h"

#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace quantgate {
namespace {

constexpr CountRange Exactly(int count) { return {count, count}; }
constexpr CountRange OrMore(int count) { return {count, std::numeric_limits<int>::max()}; }
constexpr CountRange kNone = Exactly(0), kOne = Exactly(1), kTwo = Exactly(2), kThree = Exactly(3);

// What tflite/kernels/*.cc check as they prepare, in 2.3.0. CONV_2D alone insists on its bias. Options that count
// inputs or outputs (PACK, SPLIT, SPLIT_V, UNPACK) are parameter-range's; the kernels of CONCATENATION, MIRROR_PAD,
// SIGN, STABLEHLO_PAD and VAR_HANDLE pass over what they do not know.
const absl::flat_hash_map<absl::string_view, ArgumentCounts>& Kernels() {
  static const auto* kernels = new absl::flat_hash_map<absl::string_view, ArgumentCounts>{
      {"ABS", {kOne, kOne}},
      {"ADD", {kTwo, kOne}},
      {"ADD_N", {OrMore(2), kOne}},
      {"ARG_MAX", {kTwo, kOne}},
      {"ARG_MIN", {kTwo, kOne}},
      {"ASSIGN_VARIABLE", {kTwo, kNone}},
      {"ATAN2", {kTwo, kOne}},
      {"AVERAGE_POOL_2D", {kOne, kOne}},
      {"BATCH_MATMUL", {kTwo, kOne}},
      {"BATCH_TO_SPACE_ND", {kThree, kOne}},
      {"BIDIRECTIONAL_SEQUENCE_LSTM", {Exactly(48), kTwo}},
      {"BIDIRECTIONAL_SEQUENCE_RNN", {Exactly(12), kTwo}},
      {"BITCAST", {kOne, kOne}},
      {"BITWISE_XOR", {kTwo, kOne}},
      {"BROADCAST_ARGS", {kTwo, kOne}},
      {"BROADCAST_TO", {kTwo, kOne}},
      {"BUCKETIZE", {kOne, kOne}},
      {"CALL_ONCE", {kNone, kNone}},
      {"CAST", {kOne, kOne}},
      {"CEIL", {kOne, kOne}},
      {"COMPLEX_ABS", {kOne, kOne}},
      {"CONCATENATION", {OrMore(1), OrMore(1)}},
      {"CONV_2D", {kThree, kOne}},
      {"CONV_3D", {{2, 3}, kOne}},
      {"CONV_3D_TRANSPOSE", {{3, 4}, kOne}},
      {"COS", {kOne, kOne}},
      {"CUMSUM", {kTwo, kOne}},
      {"DENSIFY", {kOne, kOne}},
      {"DEPTHWISE_CONV_2D", {{2, 3}, kOne}},
      {"DEPTH_TO_SPACE", {kOne, kOne}},
      {"DEQUANTIZE", {kOne, kOne}},
      {"DILATE", {kThree, kOne}},
      {"DIV", {kTwo, kOne}},
      {"DYNAMIC_UPDATE_SLICE", {kThree, kOne}},
      {"ELU", {kOne, kOne}},
      {"EMBEDDING_LOOKUP", {kTwo, kOne}},
      {"EMBEDDING_LOOKUP_SPARSE", {Exactly(5), kOne}},
      {"EQUAL", {kTwo, kOne}},
      {"EXP", {kOne, kOne}},
      {"EXPAND_DIMS", {kTwo, kOne}},
      {"FAKE_QUANT", {kOne, kOne}},
      {"FILL", {kTwo, kOne}},
      {"FLOOR", {kOne, kOne}},
      {"FLOOR_DIV", {kTwo, kOne}},
      {"FLOOR_MOD", {kTwo, kOne}},
      {"FULLY_CONNECTED", {{2, 3}, kOne}},
      {"GATHER", {kTwo, kOne}},
      {"GATHER_ND", {kTwo, kOne}},
      {"GELU", {kOne, kOne}},
      {"GREATER", {kTwo, kOne}},
      {"GREATER_EQUAL", {kTwo, kOne}},
      {"HARD_SWISH", {kOne, kOne}},
      {"HASHTABLE", {kNone, kOne}},
      {"HASHTABLE_FIND", {kThree, kOne}},
      {"HASHTABLE_IMPORT", {kThree, kNone}},
      {"HASHTABLE_LOOKUP", {kThree, kTwo}},
      {"HASHTABLE_SIZE", {kOne, kOne}},
      {"IMAG", {kOne, kOne}},
      {"L2_NORMALIZATION", {kOne, kOne}},
      {"L2_POOL_2D", {kOne, kOne}},
      {"LEAKY_RELU", {kOne, kOne}},
      {"LESS", {kTwo, kOne}},
      {"LESS_EQUAL", {kTwo, kOne}},
      {"LOCAL_RESPONSE_NORMALIZATION", {kOne, kOne}},
      {"LOG", {kOne, kOne}},
      {"LOGICAL_AND", {kTwo, kOne}},
      {"LOGICAL_NOT", {kOne, kOne}},
      {"LOGICAL_OR", {kTwo, kOne}},
      {"LOGISTIC", {kOne, kOne}},
      {"LOG_SOFTMAX", {kOne, kOne}},
      {"LSH_PROJECTION", {{2, 3}, kOne}},
      {"LSTM", {{20, 24, 4}, kOne}},
      {"MATRIX_DIAG", {kOne, kOne}},
      {"MATRIX_SET_DIAG", {kTwo, kOne}},
      {"MAXIMUM", {kTwo, kOne}},
      {"MAX_POOL_2D", {kOne, kOne}},
      {"MEAN", {kTwo, kOne}},
      {"MINIMUM", {kTwo, kOne}},
      {"MIRROR_PAD", {OrMore(2), OrMore(1)}},
      {"MUL", {kTwo, kOne}},
      {"MULTINOMIAL", {kTwo, kOne}},
      {"NEG", {kOne, kOne}},
      {"NON_MAX_SUPPRESSION_V4", {{5, 6}, {2, 3}}},
      {"NON_MAX_SUPPRESSION_V5", {{5, 6}, {2, 3}}},
      {"NOT_EQUAL", {kTwo, kOne}},
      {"ONE_HOT", {Exactly(4), kOne}},
      {"PACK", {OrMore(1), kOne}},
      {"PAD", {{2, 3}, kOne}},
      {"PADV2", {{2, 3}, kOne}},
      {"POW", {kTwo, kOne}},
      {"PRELU", {kTwo, kOne}},
      {"QUANTIZE", {kOne, kOne}},
      {"RANDOM_STANDARD_NORMAL", {kOne, kOne}},
      {"RANDOM_UNIFORM", {kOne, kOne}},
      {"RANGE", {kThree, kOne}},
      {"RANK", {kOne, kOne}},
      {"READ_VARIABLE", {kOne, kOne}},
      {"REAL", {kOne, kOne}},
      {"REDUCE_ALL", {kTwo, kOne}},
      {"REDUCE_ANY", {kTwo, kOne}},
      {"REDUCE_MAX", {kTwo, kOne}},
      {"REDUCE_MIN", {kTwo, kOne}},
      {"REDUCE_PROD", {kTwo, kOne}},
      {"REDUCE_WINDOW", {Exactly(5), kOne}},
      {"RELU", {kOne, kOne}},
      {"RELU6", {kOne, kOne}},
      {"RELU_0_TO_1", {kOne, kOne}},
      {"RELU_N1_TO_1", {kOne, kOne}},
      {"RESHAPE", {{1, 2}, kOne}},
      {"RESIZE_BILINEAR", {kTwo, kOne}},
      {"RESIZE_NEAREST_NEIGHBOR", {kTwo, kOne}},
      {"REVERSE_SEQUENCE", {kTwo, kOne}},
      {"REVERSE_V2", {kTwo, kOne}},
      {"RFFT2D", {kTwo, kOne}},
      {"RIGHT_SHIFT", {kTwo, kOne}},
      {"RNN", {Exactly(5), kOne}},
      {"ROUND", {kOne, kOne}},
      {"RSQRT", {kOne, kOne}},
      {"SCATTER_ND", {kThree, kOne}},
      {"SEGMENT_SUM", {kTwo, kOne}},
      {"SELECT", {kThree, kOne}},
      {"SELECT_V2", {kThree, kOne}},
      {"SHAPE", {kOne, kOne}},
      {"SIGN", {kOne, OrMore(1)}},
      {"SIN", {kOne, kOne}},
      {"SKIP_GRAM", {kOne, kOne}},
      {"SLICE", {kThree, kOne}},
      {"SOFTMAX", {kOne, kOne}},
      {"SPACE_TO_BATCH_ND", {kThree, kOne}},
      {"SPACE_TO_DEPTH", {kOne, kOne}},
      {"SPARSE_TO_DENSE", {Exactly(4), kOne}},
      {"SPLIT", {kTwo, OrMore(1)}},
      {"SPLIT_V", {kThree, OrMore(1)}},
      {"SQRT", {kOne, kOne}},
      {"SQUARE", {kOne, kOne}},
      {"SQUARED_DIFFERENCE", {kTwo, kOne}},
      {"SQUEEZE", {kOne, kOne}},
      {"STABLEHLO_ADD", {kTwo, kOne}},
      {"STABLEHLO_AND", {kTwo, kOne}},
      {"STABLEHLO_GATHER", {kTwo, kOne}},
      {"STABLEHLO_MAXIMUM", {kTwo, kOne}},
      {"STABLEHLO_MINIMUM", {kTwo, kOne}},
      {"STABLEHLO_MULTIPLY", {kTwo, kOne}},
      {"STABLEHLO_PAD", {OrMore(2), OrMore(1)}},
      {"STABLEHLO_REDUCE_WINDOW", {kTwo, kOne}},
      {"STABLEHLO_RNG_BIT_GENERATOR", {kOne, kTwo}},
      {"STABLEHLO_SCATTER", {kThree, kOne}},
      {"STABLEHLO_SHIFT_LEFT", {kTwo, kOne}},
      {"STRIDED_SLICE", {Exactly(4), kOne}},
      {"SUB", {kTwo, kOne}},
      {"SUM", {kTwo, kOne}},
      {"SVDF", {Exactly(5), kOne}},
      {"TANH", {kOne, kOne}},
      {"TILE", {kTwo, kOne}},
      {"TOPK_V2", {kTwo, kTwo}},
      {"TRANSPOSE", {kTwo, kOne}},
      {"TRANSPOSE_CONV", {{3, 4}, kOne}},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", {{20, 24, 4}, kOne}},
      {"UNIDIRECTIONAL_SEQUENCE_RNN", {Exactly(5), kOne}},
      {"UNIQUE", {kOne, kTwo}},
      {"UNPACK", {kOne, OrMore(1)}},
      {"UNSORTED_SEGMENT_MAX", {kThree, kOne}},
      {"UNSORTED_SEGMENT_MIN", {kThree, kOne}},
      {"UNSORTED_SEGMENT_PROD", {kThree, kOne}},
      {"UNSORTED_SEGMENT_SUM", {kThree, kOne}},
      {"VAR_HANDLE", {OrMore(0), OrMore(1)}},
      {"WHERE", {kOne, kOne}},
      {"ZEROS_LIKE", {kOne, kOne}},
  };
  return *kernels;
}

// Those whose parameters say how many.
bool AskTheirOptions(absl::string_view op_type) {
  return op_type == "LSTM" || op_type == "FULLY_CONNECTED" || op_type == "BIDIRECTIONAL_SEQUENCE_LSTM" ||
         op_type == "BIDIRECTIONAL_SEQUENCE_RNN";
}

ArgumentCounts ByOptions(const Graph& graph, int32_t node, ArgumentCounts counts) {
  const absl::string_view op_type = graph.op_type(node);
  if (op_type == "LSTM") {
    constexpr int kBasic = 1;  // an operator of its own, by the same name
    return graph.int_attribute(node, "kernel_type", 0) == kBasic ? ArgumentCounts{Exactly(5), Exactly(4)} : counts;
  }
  if (op_type == "FULLY_CONNECTED") {
    // Shuffled weights have a workspace beside them, which parameter-range asks for.
    if (graph.int_attribute(node, "weights_format", 0) != 0) counts.outputs = OrMore(0);
    return counts;
  }
  // Directions side by side in one tensor.
  if (graph.int_attribute(node, "merge_outputs", 0) != 0) counts.outputs = kOne;
  return counts;
}

}  // namespace

std::optional<ArgumentCounts> ArgumentCountsOf(const Graph& graph, int32_t node) {
  const absl::string_view op_type = graph.op_type(node);
  const auto found = Kernels().find(op_type);
  if (found == Kernels().end()) return std::nullopt;
  ArgumentCounts counts = found->second;
  if (AskTheirOptions(op_type)) {
    if (graph.attribute(node, "builtin_options") != nullptr) return std::nullopt;
    return ByOptions(graph, node, counts);
  }
  // The kernel of both versions goes by the number of inputs: one more is the sigma of soft suppression.
  if (op_type == "NON_MAX_SUPPRESSION_V4" || op_type == "NON_MAX_SUPPRESSION_V5") {
    counts.outputs = Exactly(graph.num_inputs(node) == 6 ? 3 : 2);
  }
  return counts;
}

}  // namespace quantgate
