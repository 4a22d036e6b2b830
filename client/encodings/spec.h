// From what an entry states to a spec.
#ifndef QUANTGATE_CLIENT_ENCODINGS_SPEC_H_
#define QUANTGATE_CLIENT_ENCODINGS_SPEC_H_

#include <cstdint>

#include "client/encodings/read.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::encodings {

// UNSPECIFIED: there is no such type.
v1::DataType IntegerType(int64_t bits, bool is_signed);

// Of real numbers; UNSPECIFIED: there is no such type.
v1::DataType RealType(int64_t bits);

// A tensor that stays real, in `type`; nothing when that is UNSPECIFIED.
void SetReal(v1::DataType type, ReadEncoding& encoding);

// Type and scheme of the spec, by the encoding's geometry; nothing when `type` is UNSPECIFIED: no width of a type.
void SetType(v1::DataType type, bool symmetric, ReadEncoding& encoding);

// Zero points from offsets on the unsigned grid of `grid_bits`.
void SetZeroPoints(int64_t grid_bits, bool is_signed, ReadEncoding& encoding);

}  // namespace quantgate::encodings

#endif  // QUANTGATE_CLIENT_ENCODINGS_SPEC_H_
