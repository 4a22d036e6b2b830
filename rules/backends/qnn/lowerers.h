// The parts of lowering, by theme; lowering.cc has the table that maps canonical operators to them. `name` is the QNN
// operator of the table entry.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_LOWERERS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_LOWERERS_H_

#include "rules/backends/node_view.h"
#include "rules/backends/qnn/lowering.h"
#include "rules/backends/tensor.h"

namespace quantgate::qnn {

using Lowerer = Lowering (*)(const NodeView&, absl::string_view name, Emission&);

// Of a node whose argument at `port` QNN has to know in advance: `reason` where a model computes it while it runs.
Lowering WithoutArgument(const NodeView&, int port, absl::string_view reason);

// lowering.cc
// Lower(), of a view with other operands than the graph states, and not of an origin with QNN's own operators.
Lowering LowerNode(const NodeView&, Emission&);

// elementwise.cc
// Every data port in order, every output; no parameters.
Lowering LowerSame(const NodeView&, absl::string_view name, Emission&);
// PyTorch's type_as; converters of ONNX do not know CastLike.
Lowering LowerCastLike(const NodeView&, absl::string_view name, Emission&);
Lowering LowerHadamardTransform(const NodeView&, absl::string_view name, Emission&);
Lowering LowerDropout(const NodeView&, absl::string_view name, Emission&);
Lowering LowerFolded(const NodeView&, absl::string_view name, Emission&);
Lowering LowerBinary(const NodeView&, absl::string_view name, Emission&);
Lowering LowerReciprocal(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSquare(const NodeView&, absl::string_view name, Emission&);
Lowering LowerClamp(const NodeView&, absl::string_view name, Emission&);
Lowering LowerRelu6(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLeakyRelu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerPrelu(const NodeView&, absl::string_view name, Emission&);
void EmitPrelu(const NodeView&, absl::string_view name, Layout layout, Emission&);
Lowering LowerHardSigmoid(const NodeView&, absl::string_view name, Emission&);
Lowering LowerElu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSeluAsElu(const NodeView&, absl::string_view name, Emission&);
Lowering LowerFloorDivide(const NodeView&, absl::string_view name, Emission&);
Lowering LowerRandomLike(const NodeView&, absl::string_view name, Emission&);
Lowering LowerDifference(const NodeView&, absl::string_view name, Emission&);  // of neighbors
Lowering LowerMaskedFill(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSoftmax(const NodeView&, absl::string_view name, Emission&);

// convolution.cc
Lowering LowerConvolution(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTransposedConvolution(const NodeView&, absl::string_view name, Emission&);

// convolution.cc, too: they share the treatment of weights
Lowering LowerLinear(const NodeView&, absl::string_view name, Emission&);
Lowering LowerMatMul(const NodeView&, absl::string_view name, Emission&);

// pooling.cc
Lowering LowerMaxPool(const NodeView&, absl::string_view name, Emission&);
Lowering LowerAveragePool(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGlobalPool(const NodeView&, absl::string_view name, Emission&);  // also adaptive ones

// reduction.cc
Lowering LowerReduction(const NodeView&, absl::string_view name, Emission&);
Lowering LowerArgument(const NodeView&, absl::string_view name, Emission&);  // arg max, arg min
Lowering LowerAny(const NodeView&, absl::string_view name, Emission&);
Lowering LowerAll(const NodeView&, Emission&);                                         // ATen
Lowering LowerReductionWithIndex(const NodeView&, absl::string_view name, Emission&);  // ATen max.dim, min.dim
Lowering LowerCumulativeSum(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTopK(const NodeView&, absl::string_view name, Emission&);

// movement.cc
Lowering LowerReshape(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTranspose(const NodeView&, absl::string_view name, Emission&);
Lowering LowerConcat(const NodeView&, absl::string_view name, Emission&);  // also Pack
Lowering LowerSplit(const NodeView&, absl::string_view name, Emission&);
Lowering LowerUnbind(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSlice(const NodeView&, absl::string_view name, Emission&);
Lowering LowerPad(const NodeView&, absl::string_view name, Emission&);
Lowering LowerTile(const NodeView&, absl::string_view name, Emission&);
Lowering LowerExpand(const NodeView&, absl::string_view name, Emission&);
Lowering LowerDepthSpace(const NodeView&, absl::string_view name, Emission&);
Lowering LowerChannelShuffle(const NodeView&, absl::string_view name, Emission&);
Lowering LowerCopy(const NodeView&, absl::string_view name, Emission&);
Lowering LowerFold(const NodeView&, absl::string_view name, Emission&);  // ATen col2im, im2col

// indexing.cc
Lowering LowerGather(const NodeView&, absl::string_view name, Emission&);
Lowering LowerEmbedding(const NodeView&, absl::string_view name, Emission&);
Lowering LowerIndexSelect(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGatherElements(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGatherNd(const NodeView&, absl::string_view name, Emission&);
Lowering LowerScatter(const NodeView&, absl::string_view name, Emission&);
Lowering LowerSlotAssignment(const NodeView&, absl::string_view name,
                             Emission&);  // index_put, index_copy, slice_scatter
Lowering LowerOneHot(const NodeView&, absl::string_view name, Emission&);
Lowering LowerNonMaxSuppression(const NodeView&, absl::string_view name, Emission&);

// normalization.cc
Lowering LowerBatchNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerInstanceNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGroupNorm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLayerNorm(const NodeView&, absl::string_view name, Emission&);  // also RMS
Lowering LowerL2Norm(const NodeView&, absl::string_view name, Emission&);
Lowering LowerLocalResponse(const NodeView&, absl::string_view name, Emission&);

// resize.cc
Lowering LowerResize(const NodeView&, absl::string_view name, Emission&);
Lowering LowerGridSample(const NodeView&, absl::string_view name, Emission&);

// recurrent.cc
Lowering LowerLstm(const NodeView&, absl::string_view name, Emission&);

// Shared helpers.
// A constant that the toolchain makes in the likeness of `like`: same type, per tensor, parameters of its own choice.
// The reference holds until the next tensor is added.
BackendTensor& AddMadeConstant(const BackendTensor& like, int rank, Emission&);
// Parameters of a reduction: the axes, all of them where none are given, and whether they stay.
void AddReducedAxes(const NodeView&, Emission&);
// An operator of one input and one output.
void AddUnary(absl::string_view name, const NodeView&, const BackendTensor& from, const BackendTensor& to, Emission&);
// A tensor of the same shape that is not quantized and lies between two emitted operators.
BackendTensor WithType(const BackendTensor&, v1::DataType type);
// Padding as QNN states it, [before, after] per spatial dimension; `spatial` dimensions, `inserted` leading zeros.
// `pads`: in ONNX's order, where they are not those that the attributes state.
void AddPadAmount(const NodeView&, int spatial, int inserted, Emission&, std::optional<IntVector> pads = std::nullopt);
// One integer per spatial dimension from an attribute (a single integer serves all), 1 for inserted dimensions.
void AddSpatial(const NodeView&, absl::string_view param, Names attributes, const IntVector* fallback, int spatial,
                int inserted, Emission&);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_LOWERERS_H_
