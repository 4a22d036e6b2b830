// Shape functions by family of operators. Each returns whether the operator is one of its own.
#ifndef QUANTGATE_RULES_ONNX_FUNCTIONS_H_
#define QUANTGATE_RULES_ONNX_FUNCTIONS_H_

#include "rules/graph/node_shapes.h"

namespace quantgate {

// Notes arguments of another shape than the operator prescribes. What the result is, is for those below.
void CheckArguments(NodeShapes& node);
// Notes attributes that mean nothing, by themselves or beside each other.
void CheckMeaning(NodeShapes& node);
// Notes constant indices that count no element.
void CheckIndices(NodeShapes& node);
// Notes heads and windows of attention that mean nothing.
void CheckAttention(NodeShapes& node);

bool InferElementwise(NodeShapes& node);  // broadcast, or like the input
bool InferConv(NodeShapes& node);         // convolutions and pools
bool InferMatMul(NodeShapes& node);       // and Gemm
bool InferReshaping(NodeShapes& node);    // same elements, other shape
bool InferMoving(NodeShapes& node);       // other elements of the input
bool InferReducing(NodeShapes& node);     // along axes
bool InferRecurrent(NodeShapes& node);    // LSTM, GRU and RNN
bool InferGenerating(NodeShapes& node);   // from sizes alone

// Where the part of a shape of `rank` sizes begins that a Shape node gives (`start`), and where it ends (`end`).
int64_t ShapeStart(const NodeShapes& node, int64_t rank);
int64_t ShapeEnd(const NodeShapes& node, int64_t rank);

// Where a slice begins: `start` as a position in `size` elements (at least one).
int64_t SliceStart(int64_t size, int64_t start, int64_t step);

// Shape of operands that are broadcast; notes a contradiction at the first argument that does not fit. False: unknown
// or contradictory.
bool Broadcast(NodeShapes& node, absl::Span<const int> arguments, Dims& result);
// The same for shapes: whether `more` fits into `result`, which is widened.
bool BroadcastInto(absl::Span<const int64_t> more, Dims& result);
// Whether `from` can be broadcast to exactly `to`.
bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ONNX_FUNCTIONS_H_
