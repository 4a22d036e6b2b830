// Ids of the canonical operators. Grouped by what they do; ids are never stored. The catalog has them in this order.
//
// One id per meaning, not per name: rank, groups, transposes and modes are attributes, which a backend's lowering
// reads. An operator that does more than its neighbor (an activation fused in, another layout, another weight order)
// has an id of its own, so that nothing is lowered as if the difference were not there.
#ifndef QUANTGATE_RULES_OPERATORS_OP_ID_H_
#define QUANTGATE_RULES_OPERATORS_OP_ID_H_

#include <cstdint>

namespace quantgate {

enum class OpId : uint16_t {
  kUnknown,  // no operator table has it
  kOpaque,   // known by name only: text, hashing, trees, training, other runtimes; ports say nothing

  // Quantization.
  kQuantize,
  kDequantize,
  kRequantize,       // integers to integers of other parameters (QNN Convert)
  kDynamicQuantize,  // parameters computed from the data, and returned
  kFakeQuantize,     // quantize and dequantize in one, float in and out
  kChooseQParams,

  // Sums of products.
  // Rank and groups decide what a backend makes of it; aten.convolution is transposed when its attribute says so.
  // Weight: (out, in/groups, spatial...) in ONNX and ATen, (spatial..., in/groups, out) in QNN.
  kConv,
  kDepthwiseConv,  // stated as such by its origin (QNN); ONNX and ATen write kConv with groups
  kConvTranspose,  // weight: (in, out/groups, spatial...) in ONNX and ATen
  kConvTransposeDynamicPads,
  kDeformConv,
  kFusedConv,  // with an activation and an addend (ONNX Runtime)
  kConvNhwc,   // channels last (ONNX Runtime)
  kFusedConvNhwc,
  kCausalConv,
  kConvEmbedding,
  kLinear,     // input * weight^T + bias; weight is (out, in)
  kGemm,       // alpha * input * weight + beta * bias; weight is (in, out), attributes may transpose
  kFusedGemm,  // kGemm and an activation
  kGemmFastGelu,
  kMatMul,       // either operand can be a constant: ask the operand, not the port
  kFusedMatMul,  // scaled, transposed in attributes (ONNX Runtime)
  kFusedMatMulActivation,
  kSparseMatMul,
  kMatMulAdd,  // a * b + bias + addend
  kFusedMlp,
  kFusedQkv,
  kEinsum,
  kCorrelation,
  kCdist,
  kPdist,
  kCosineSimilarity,
  kHadamardTransform,
  kInverse,
  kDet,
  kMoE,  // mixture of experts

  // Attention.
  kAttention,  // softmax(query * key^T + mask) * value
  kMultiHeadAttention,
  kMaskedMultiHeadAttention,
  kGroupQueryAttention,
  kSparseAttention,
  kPagedAttention,
  kPackedMultiHeadAttention,
  kProjectedAttention,  // with one weight for query, key and value (com.microsoft Attention)
  kPackedProjectedAttention,
  kSplitProjectedAttention,
  kDecoderAttention,
  kLongformerAttention,
  kLinearAttention,
  kDisentangledAttention,
  kFlexAttention,
  kRotaryEmbedding,
  kGemmaRotaryEmbedding,
  kRelativePositionBias,
  kGatedRelativePositionBias,
  kTensorScatter,

  // Recurrent.
  kLstm,
  kGru,
  kRnn,
  kAttentionLstm,
  kLstmStack,  // ATen: lists of states and of all parameters
  kGruStack,
  kRnnStack,
  kLstmGates,  // QNN: one tensor per gate
  kGruGates,
  kGruUnit,

  // Normalization.
  kBatchNorm,  // QNN has mean and variance folded into weight and bias
  kInstanceNorm,
  kGroupNorm,
  kGroupNormNhwc,
  kSkipGroupNormNhwc,
  kLayerNorm,
  kSkipLayerNorm,
  kRmsNorm,
  kSkipRmsNorm,
  kEmbedLayerNorm,
  kMeanVarianceNorm,
  kLocalResponseNorm,
  kLpNorm,

  // Element-wise, two operands (broadcast).
  kAdd,
  kSub,
  kMul,
  kDiv,  // attribute `rounding_mode` (ATen)
  kFloorDiv,
  kMod,   // sign of the divisor (ONNX Mod, unless attribute fmod; aten.remainder)
  kFmod,  // sign of the dividend
  kPow,
  kAtan2,
  kSquaredDifference,
  kMaximum,  // of two or more tensors
  kMinimum,
  kSum,   // of tensors, element by element; kReduceSum is along axes
  kMean,  // of tensors, element by element; kReduceMean is along axes
  kComplexMul,
  kComplexMulConj,
  kWhere,
  kMaskedFill,
  kMaskedScatter,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kBitShift,
  kShiftLeft,
  kShiftRight,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kElementWiseBinary,  // QNN; parameter `operation` says which, and the module resolves it

  // Element-wise, one operand.
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCeil,
  kCos,
  kCosh,
  kErf,
  kErfInv,
  kExp,
  kExpm1,
  kFloor,
  kLog,
  kLog10,
  kLog1p,
  kLog2,
  kLogit,
  kNeg,
  kReciprocal,
  kRound,
  kRsqrt,
  kSign,
  kSin,
  kSinh,
  kSqrt,
  kSquare,
  kTan,
  kTrunc,
  kAffine,
  kBitwiseNot,
  kLogicalNot,
  kIsNaN,
  kIsInf,
  kIsAllFinite,
  kCast,
  kCastLike,
  kBitCast,
  kElementWiseUnary,  // QNN; parameter `operation`, as above

  // Activations.
  kRelu,
  kRelu1,
  kRelu6,
  kClamp,            // ONNX Clip, aten.clamp, aten.hardtanh, QNN ReluMinMax
  kThresholdedRelu,  // x above the threshold, else 0
  kThreshold,        // x above the threshold, else another value (aten.threshold)
  kLeakyRelu,
  kPRelu,
  kElu,
  kCelu,
  kSelu,
  kGelu,  // attribute `approximate` may ask for the tanh form
  kFastGelu,
  kQuickGelu,
  kBiasGelu,
  kBiasSplitGelu,
  kSilu,
  kSwish,  // x * sigmoid(alpha * x)
  kGlu,
  kSwiGlu,
  kMish,
  kSigmoid,
  kHardSigmoid,
  kLogSigmoid,
  kHardSwish,
  kTanh,
  kScaledTanh,
  kSoftplus,
  kParametricSoftplus,
  kSoftsign,
  kShrink,
  kElementWiseNeuron,  // QNN; parameter `operation`, as above
  kSoftmax,
  kLogSoftmax,
  kMaskedSoftmax,
  kBiasSoftmax,
  kHardmax,
  kDropout,
  kBiasDropout,
  kBiasAdd,

  // Pooling and reductions.
  kMaxPool,
  kMaxPoolNhwc,
  kMaxPoolMasked,
  kAveragePool,
  kLpPool,
  kGlobalMaxPool,
  kGlobalAveragePool,
  kGlobalLpPool,
  kAdaptiveMaxPool,
  kAdaptiveAveragePool,
  kMaxUnpool,
  kReduceMean,
  kReduceSum,
  kReduceProd,
  kReduceMax,
  kReduceMin,
  kReduceL1,
  kReduceL2,
  kReduceLogSum,
  kReduceLogSumExp,
  kReduceSumSquare,
  kReduceAny,
  kReduceVariance,
  kVectorNorm,  // attribute `ord`
  kMoments,
  kMaxDim,  // values and indices along one axis (aten.max.dim)
  kMinDim,
  kArgMax,
  kArgMin,
  kCumSum,
  kCumProd,
  kDiff,
  kTopK,
  kSort,
  kArgSort,
  kUnique,
  kNegativeLogLikelihoodLoss,
  kSoftmaxCrossEntropyLoss,

  // Data movement.
  kIdentity,
  kReshape,
  kReshapeLike,
  kFlatten,
  kSqueeze,
  kUnsqueeze,
  kTranspose,
  kConcat,
  kStack,
  kSplit,
  kUnstack,
  kSlice,
  kSelect,  // one index of one axis, which goes away (aten.select)
  kSliceScatter,
  kSelectScatter,
  kAsStrided,
  kDiagonal,
  kExpand,
  kExpandLike,
  kTile,
  kRepeatInterleave,
  kPad,
  kReflectionPad,
  kReplicationPad,
  kCrop,
  kCenterCropPad,
  kFlip,
  kRoll,
  kReverseSequence,
  kTriangle,  // tril, triu
  kUnfold,    // sliding windows along one axis
  kImageToColumns,
  kColumnsToImage,
  kDepthToSpace,
  kSpaceToDepth,
  kBatchToSpace,
  kSpaceToBatch,
  kChannelShuffle,
  kBatchPermutation,
  kBuffer,  // frames kept from earlier runs
  kGather,
  kGatherElements,
  kGatherNd,
  kIndex,  // advanced indexing with tensors (aten.index)
  kEmbedding,
  kEmbeddingBag,
  kScatterElements,  // attribute `reduction` may combine instead of replace
  kScatterNd,
  kScatterReduce,  // always combines
  kIndexPut,
  kIndexCopy,
  kCopy,  // source, broadcast to the shape of another (aten.copy)
  kCompress,
  kOneHot,
  kNonZero,
  kRemovePadding,
  kRestorePadding,
  kCreateSparse,
  kSparseIndices,
  kSparseValues,
  kSparseToDense,

  // Image and detection.
  kResize,
  kResizeNearest,
  kResizeBilinear,
  kResizeBicubic,
  kGridSample,
  kAffineGrid,
  kCropAndResize,
  kImageProjection,
  kExtractGlimpse,
  kExtractPatches,
  kRoiAlign,
  kRoiPool,
  kPyramidRoiAlign,
  kNonMaxSuppression,
  kCombinedNms,
  kMultiClassNms,
  kBoxWithNmsLimit,
  kDetectionOutput,
  kAxisAlignedBboxTransform,
  kBboxTransform,
  kGenerateProposals,
  kCollectRpnProposals,
  kDistributeFpnProposals,
  kHeatMapMaxKeyPoint,
  kColorConvert,

  // Signal.
  kDft,
  kRealFft,
  kInverseRealFft,
  kStft,
  kWindow,
  kMelWeightMatrix,
  kDynamicTimeWarping,

  // Constants, shapes, random numbers.
  kConstant,
  kFill,  // every element the same, stated outside of tensors or in an attribute
  kFillLike,
  kRange,
  kLinspace,
  kEye,
  kRandom,
  kRandomLike,
  kBernoulli,
  kMultinomial,
  kShape,
  kSize,
  kScalar,  // a tensor element as a number (aten.item)
  kAssert,

  // Control flow, sequences, graph structure.
  kIf,
  kLoop,
  kScan,
  kWhile,
  kSequenceMap,
  kGenerate,  // beam search and its kin, with the decoder as a subgraph
  kSequenceConstruct,
  kSequenceEmpty,
  kSequenceInsert,
  kSequenceErase,
  kSequenceAt,
  kSequenceLength,
  kSequenceSplit,
  kSequenceConcat,
  kOptional,
  kOptionalGet,
  kOptionalHas,
  kGetItem,      // one output of a node with several (operator.getitem)
  kPlaceholder,  // input or attribute of a torch.fx graph
  kOutput,       // output node of a torch.fx graph
};

// To another element type, that of a parameter or of another tensor.
inline bool IsCast(OpId id) { return id == OpId::kCast || id == OpId::kCastLike; }

// Makes the same tensor every time, from attributes alone.
inline bool IsFixedGenerator(OpId id) {
  return id == OpId::kConstant || id == OpId::kFill || id == OpId::kRange || id == OpId::kLinspace || id == OpId::kEye;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_OPERATORS_OP_ID_H_
