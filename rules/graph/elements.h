// The elements of a constant, in either of the forms in which a message has them: listed in Constant.ints or
// Constant.reals, or as bytes in Constant.data, which take a half to an eighth of that.
#ifndef QUANTGATE_RULES_GRAPH_ELEMENTS_H_
#define QUANTGATE_RULES_GRAPH_ELEMENTS_H_

#include <cstddef>

#include "quantgate/v1/graph.pb.h"
#include "rules/graph/number_view.h"

namespace quantgate {

// Most elements that are read from bytes. Longer constants are weights: senders that compute with them include their
// bytes, and what is judged of those are the statistics.
constexpr size_t kMostPackedElements = size_t{1} << 20;

// Bytes of an element, of the types whose elements are read from Constant.data; 0 for all others.
size_t PackedWidth(v1::DataType dtype);

// Elements of an integer type; empty: not known, or the type is none. What is listed counts before what is packed.
IntegerView IntegersOf(const v1::Constant& constant, v1::DataType dtype);
inline IntegerView IntegersOf(const v1::Value& value) { return IntegersOf(value.constant(), value.dtype()); }

// The same of a type of real numbers.
RealView RealsOf(const v1::Constant& constant, v1::DataType dtype);
inline RealView RealsOf(const v1::Value& value) { return RealsOf(value.constant(), value.dtype()); }

// Of either kind, as real numbers.
RealView NumbersOf(const v1::Value& value);

// Whether the elements are in Constant.data alone, and read from there.
bool IsPacked(const v1::Value& value);

// Lists what is packed; leaves everything else as it is.
void ListElements(v1::Value& value);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_ELEMENTS_H_
