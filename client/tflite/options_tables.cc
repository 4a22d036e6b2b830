#include "client/tflite/options_tables.h"

#include <initializer_list>
#include <vector>

namespace quantgate::tflite {
namespace {

constexpr Option Skipped() { return {OptionKind::kSkipped, ""}; }
constexpr Option Bool(const char* name, int missing = 0) { return {OptionKind::kBool, name, missing}; }
constexpr Option Int8(const char* name) { return {OptionKind::kInt8, name}; }
constexpr Option Int32(const char* name, int missing = 0) { return {OptionKind::kInt32, name, missing}; }
constexpr Option Uint32(const char* name) { return {OptionKind::kUint32, name}; }
constexpr Option Int64(const char* name) { return {OptionKind::kInt64, name}; }
constexpr Option Float(const char* name) { return {OptionKind::kFloat, name}; }
constexpr Option Int32s(const char* name) { return {OptionKind::kInt32s, name}; }
constexpr Option Int64s(const char* name) { return {OptionKind::kInt64s, name}; }
constexpr Option Floats(const char* name) { return {OptionKind::kFloats, name}; }
constexpr Option Text(const char* name) { return {OptionKind::kText, name}; }
constexpr Option Type(const char* name, int missing = 0) { return {OptionKind::kType, name, missing}; }
constexpr Option Padding() { return {OptionKind::kPadding, "padding"}; }
constexpr Option Activation() { return {OptionKind::kActivation, "fused_activation_function"}; }
constexpr Option MirrorMode() { return {OptionKind::kMirrorMode, "mode"}; }
constexpr Option Subgraph(const char* name) { return {OptionKind::kSubgraph, name}; }

struct Row {
  const char* name;
  std::initializer_list<Option> options = {};
};

constexpr Row kFirst[] = {
    {"Conv2DOptions",
     {Padding(), Int32("stride_w"), Int32("stride_h"), Activation(), Int32("dilation_w_factor", 1),
      Int32("dilation_h_factor", 1), Type("quantized_bias_type")}},
    {"DepthwiseConv2DOptions",
     {Padding(), Int32("stride_w"), Int32("stride_h"), Int32("depth_multiplier"), Activation(),
      Int32("dilation_w_factor", 1), Int32("dilation_h_factor", 1)}},
    {"ConcatEmbeddingsOptions",
     {Int32("num_channels"), Int32s("num_columns_per_channel"), Int32s("embedding_dim_per_channel")}},
    {"LSHProjectionOptions", {Int8("type")}},
    {"Pool2DOptions",
     {Padding(), Int32("stride_w"), Int32("stride_h"), Int32("filter_width"), Int32("filter_height"), Activation()}},
    {"SVDFOptions", {Int32("rank"), Activation(), Bool("asymmetric_quantize_inputs")}},
    {"RNNOptions", {Activation(), Bool("asymmetric_quantize_inputs")}},
    {"FullyConnectedOptions",
     {Activation(), Int8("weights_format"), Bool("keep_num_dims"), Bool("asymmetric_quantize_inputs"),
      Type("quantized_bias_type")}},
    {"SoftmaxOptions", {Float("beta")}},
    {"ConcatenationOptions", {Int32("axis"), Activation()}},
    {"AddOptions", {Activation(), Bool("pot_scale_int16", 1)}},
    {"L2NormOptions", {Activation()}},
    {"LocalResponseNormalizationOptions", {Int32("radius"), Float("bias"), Float("alpha"), Float("beta")}},
    {"LSTMOptions",
     {Activation(), Float("cell_clip"), Float("proj_clip"), Int8("kernel_type"), Bool("asymmetric_quantize_inputs")}},
    {"ResizeBilinearOptions", {Skipped(), Skipped(), Bool("align_corners"), Bool("half_pixel_centers")}},
    {"CallOptions", {Subgraph("subgraph")}},
    {"ReshapeOptions", {Int32s("new_shape")}},
    {"SkipGramOptions", {Int32("ngram_size"), Int32("max_skip_size"), Bool("include_all_ngrams")}},
    {"SpaceToDepthOptions", {Int32("block_size")}},
    {"EmbeddingLookupSparseOptions", {Int8("combiner")}},
    {"MulOptions", {Activation()}},
    {"PadOptions"},
    {"GatherOptions", {Int32("axis"), Int32("batch_dims")}},
    {"BatchToSpaceNDOptions"},
    {"SpaceToBatchNDOptions"},
    {"TransposeOptions"},
    {"ReducerOptions", {Bool("keep_dims")}},
    {"SubOptions", {Activation(), Bool("pot_scale_int16", 1)}},
    {"DivOptions", {Activation()}},
    {"SqueezeOptions", {Int32s("squeeze_dims")}},
    {"SequenceRNNOptions", {Bool("time_major"), Activation(), Bool("asymmetric_quantize_inputs")}},
    {"StridedSliceOptions",
     {Int32("begin_mask"), Int32("end_mask"), Int32("ellipsis_mask"), Int32("new_axis_mask"), Int32("shrink_axis_mask"),
      Bool("offset")}},
    {"ExpOptions"},
    {"TopKV2Options"},
    {"SplitOptions", {Int32("num_splits")}},
    {"LogSoftmaxOptions"},
    {"CastOptions", {Type("in_data_type"), Type("out_data_type")}},
    {"DequantizeOptions"},
    {"MaximumMinimumOptions"},
    {"ArgMaxOptions", {Type("output_type")}},
    {"LessOptions"},
    {"NegOptions"},
    {"PadV2Options"},
    {"GreaterOptions"},
    {"GreaterEqualOptions"},
    {"LessEqualOptions"},
    {"SelectOptions"},
    {"SliceOptions"},
    {"TransposeConvOptions",
     {Padding(), Int32("stride_w"), Int32("stride_h"), Activation(), Type("quantized_bias_type")}},
    {"SparseToDenseOptions", {Bool("validate_indices")}},
    {"TileOptions"},
    {"ExpandDimsOptions"},
    {"EqualOptions"},
    {"NotEqualOptions"},
    {"ShapeOptions", {Type("out_type")}},
    {"PowOptions"},
    {"ArgMinOptions", {Type("output_type")}},
    {"FakeQuantOptions", {Float("min"), Float("max"), Int32("num_bits"), Bool("narrow_range")}},
    {"PackOptions", {Int32("values_count"), Int32("axis")}},
    {"LogicalOrOptions"},
    {"OneHotOptions", {Int32("axis")}},
    {"LogicalAndOptions"},
    {"LogicalNotOptions"},
    {"UnpackOptions", {Int32("num"), Int32("axis")}},
    {"FloorDivOptions"},
    {"SquareOptions"},
    {"ZerosLikeOptions"},
    {"FillOptions"},
    {"BidirectionalSequenceLSTMOptions",
     {Activation(), Float("cell_clip"), Float("proj_clip"), Bool("merge_outputs"), Bool("time_major", 1),
      Bool("asymmetric_quantize_inputs")}},
    {"BidirectionalSequenceRNNOptions",
     {Bool("time_major"), Activation(), Bool("merge_outputs"), Bool("asymmetric_quantize_inputs")}},
    {"UnidirectionalSequenceLSTMOptions",
     {Activation(), Float("cell_clip"), Float("proj_clip"), Bool("time_major"), Bool("asymmetric_quantize_inputs"),
      Bool("diagonal_recurrent_tensors")}},
    {"FloorModOptions"},
    {"RangeOptions"},
    {"ResizeNearestNeighborOptions", {Bool("align_corners"), Bool("half_pixel_centers")}},
    {"LeakyReluOptions", {Float("alpha")}},
    {"SquaredDifferenceOptions"},
    {"MirrorPadOptions", {MirrorMode()}},
    {"AbsOptions"},
    {"SplitVOptions", {Int32("num_splits")}},
    {"UniqueOptions", {Type("idx_out_type", 2)}},
    {"ReverseV2Options"},
    {"AddNOptions"},
    {"GatherNdOptions"},
    {"CosOptions"},
    {"WhereOptions"},
    {"RankOptions"},
    {"ReverseSequenceOptions", {Int32("seq_dim"), Int32("batch_dim")}},
    {"MatrixDiagOptions"},
    {"QuantizeOptions"},
    {"MatrixSetDiagOptions"},
    {"HardSwishOptions"},
    {"IfOptions", {Subgraph("then_subgraph_index"), Subgraph("else_subgraph_index")}},
    {"WhileOptions", {Subgraph("cond_subgraph_index"), Subgraph("body_subgraph_index")}},
    {"DepthToSpaceOptions", {Int32("block_size")}},
    {"NonMaxSuppressionV4Options"},
    {"NonMaxSuppressionV5Options"},
    {"ScatterNdOptions"},
    {"SelectV2Options"},
    {"DensifyOptions"},
    {"SegmentSumOptions"},
    {"BatchMatMulOptions", {Bool("adj_x"), Bool("adj_y"), Bool("asymmetric_quantize_inputs")}},
    {"CumsumOptions", {Bool("exclusive"), Bool("reverse")}},
    {"CallOnceOptions", {Subgraph("init_subgraph_index")}},
    {"BroadcastToOptions"},
    {"Rfft2dOptions"},
    {"Conv3DOptions",
     {Padding(), Int32("stride_d"), Int32("stride_w"), Int32("stride_h"), Activation(), Int32("dilation_d_factor", 1),
      Int32("dilation_w_factor", 1), Int32("dilation_h_factor", 1)}},
    {"HashtableOptions", {Int32("table_id"), Type("key_dtype"), Type("value_dtype")}},
    {"HashtableFindOptions"},
    {"HashtableImportOptions"},
    {"HashtableSizeOptions"},
    {"VarHandleOptions", {Text("container"), Text("shared_name")}},
    {"ReadVariableOptions"},
    {"AssignVariableOptions"},
    {"RandomOptions", {Int64("seed"), Int64("seed2")}},
    {"BucketizeOptions", {Floats("boundaries")}},
    {"GeluOptions", {Bool("approximate")}},
    {"DynamicUpdateSliceOptions"},
    {"UnsortedSegmentProdOptions"},
    {"UnsortedSegmentMaxOptions"},
    {"UnsortedSegmentMinOptions"},
    {"UnsortedSegmentSumOptions"},
    {"ATan2Options"},
    {"SignOptions"},
    {"BitcastOptions"},
    {"BitwiseXorOptions"},
    {"RightShiftOptions"},
};

constexpr Row kSecond[] = {
    {"StablehloConcatenateOptions", {Int64("dimension")}},
    {"StablehloBroadcastInDimOptions", {Int64s("broadcast_dimensions")}},
    {"StablehloSliceOptions", {Int64s("start_indices"), Int64s("limit_indices"), Int64s("strides")}},
    {"StablehloConvolutionOptions",
     {Int64s("window_strides"), Int64s("padding"), Int64s("lhs_dilation"), Int64s("rhs_dilation"), Skipped(),
      Int64("input_batch_dimension"), Int64("input_feature_dimension"), Int64s("input_spatial_dimensions"),
      Int64("kernel_input_feature_dimension"), Int64("kernel_output_feature_dimension"),
      Int64s("kernel_spatial_dimensions"), Int64("output_batch_dimension"), Int64("output_feature_dimension"),
      Int64s("output_spatial_dimensions"), Int64("feature_group_count"), Int64("batch_group_count")}},
    {"StablehloCustomCallOptions",
     {Text("call_target_name"), Bool("has_side_effect"), Text("backend_config"), Int32("api_version"),
      Int32s("called_computations")}},
    {"StablehloReduceOptions", {Int64s("dimensions"), Subgraph("body_subgraph_index")}},
    {"StablehloScatterOptions",
     {Bool("indices_are_sorted"), Int64s("update_window_dims"), Int64s("inserted_window_dims"),
      Int64s("scatter_dims_to_operand_dims"), Int64("index_vector_dim"), Bool("unique_indices"),
      Subgraph("update_computation_subgraph_index")}},
    {"StablehloCompareOptions", {Uint32("comparison_direction"), Uint32("compare_type")}},
    {"StablehloDynamicSliceOptions", {Int64s("slice_sizes")}},
    {"StablehloPadOptions", {Int64s("edge_padding_low"), Int64s("edge_padding_high"), Int64s("interior_padding")}},
    {"StablehloIotaOptions", {Int64("iota_dimension")}},
    {"StablehloDotGeneralOptions",
     {Int64s("lhs_batching_dimensions"), Int64s("rhs_batching_dimensions"), Int64s("lhs_contracting_dimensions"),
      Int64s("rhs_contracting_dimensions")}},
    {"StablehloReduceWindowOptions",
     {Int64s("window_dimensions"), Int64s("window_strides"), Int64s("base_dilations"), Int64s("window_dilations"),
      Int64s("padding"), Subgraph("body_subgraph_index")}},
    {"StablehloSortOptions", {Int64("dimension"), Bool("is_stable"), Subgraph("comparator_subgraph_index")}},
    {"StablehloWhileOptions", {Subgraph("cond_subgraph_index"), Subgraph("body_subgraph_index")}},
    {"StablehloGatherOptions",
     {Int64s("offset_dims"), Int64s("collapsed_slice_dims"), Int64s("start_index_map"), Int64("index_vector_dim"),
      Int64s("slice_sizes"), Bool("indices_are_sorted")}},
    {"StablehloTransposeOptions", {Int64s("permutation")}},
    {"DilateOptions"},
    {"StablehloRngBitGeneratorOptions", {Int8("algorithm")}},
    {"ReduceWindowOptions", {Int32("reduce_function")}},
    {"StableHLOCompositeOptions",
     {Text("name"), Subgraph("decomposition_subgraph_index"), Skipped(), Int8("composite_attributes_format"),
      Int32("version")}},
    {"StablehloShiftLeftOptions"},
    {"StablehloCaseOptions", {Int32s("branch_subgraph_indices")}},
};

template <size_t kCount>
const std::vector<OptionsTable>& Tables(const Row (&rows)[kCount]) {
  auto& tables = *new std::vector<OptionsTable>;  // never destroyed
  for (const Row& row : rows) tables.push_back({row.name, {row.options.begin(), row.options.size()}});
  return tables;
}

}  // namespace

absl::Span<const OptionsTable> FirstOptionsTables() {
  static const std::vector<OptionsTable>& tables = Tables(kFirst);
  return tables;
}

absl::Span<const OptionsTable> SecondOptionsTables() {
  static const std::vector<OptionsTable>& tables = Tables(kSecond);
  return tables;
}

}  // namespace quantgate::tflite
