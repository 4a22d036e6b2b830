// What kernels of several LiteRT operators ask of shapes and of constants: each notes what does not hold. What is not
// known holds.
#ifndef QUANTGATE_RULES_TFLITE_CONDITIONS_H_
#define QUANTGATE_RULES_TFLITE_CONDITIONS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "rules/graph/node_shapes.h"

namespace quantgate {

// -1: not known.
int64_t SizeAt(const Shape& shape, int64_t dim);
int64_t CountOrUnknown(const Shape& shape);
int64_t LastSize(const Shape& shape);

std::string BelowSize(int64_t size, int64_t axis);

void RankIs(NodeShapes& node, int argument, int rank);
// Lists of axes, sizes and positions.
void Vectors(NodeShapes& node, int first, int last);
// The argument has so many elements, in whatever shape. `what`: "axes".
void CountIs(NodeShapes& node, int argument, int64_t count, absl::string_view what);
// Every number of a constant; false: one of them is below. `what`: "a size".
bool AtLeast(NodeShapes& node, int argument, int64_t least, absl::string_view what);
// Every number is an axis of the argument at `data`.
void AxesAt(NodeShapes& node, int argument, int data);
// All inputs have the shape of the first.
void SameShapes(NodeShapes& node);
// Sizes from the end on, but for the last ones, are equal or one of them is 1.
void Broadcast(NodeShapes& node, int left, int right, int but_last = 0);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_TFLITE_CONDITIONS_H_
