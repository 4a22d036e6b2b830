// Stored integers of a constant under other quantization parameters.
#ifndef QUANTGATE_CLIENT_FIX_REQUANTIZE_H_
#define QUANTGATE_CLIENT_FIX_REQUANTIZE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quantgate/v1/spec.pb.h"

namespace quantgate {

// `bytes`: the elements of a tensor of shape `dims`, row-major, little-endian, of type before.dtype; types below 8 bits
// packed with the first element in the lowest bits. Returns the same of type after.dtype: what each element stands for
// under `before`, divided by the scale of `after`, rounded half to even, saturated to the range of `after`. Elements
// that mean the same in both stay as they are, bit by bit.
//
// INVALID_ARGUMENT: the bytes are not those of the shape, the scales and zero points do not fit it, or a scale of which
// nothing follows (NaN, infinite; 0 in `after`). UNIMPLEMENTED: no integer types, or nested scales.
absl::StatusOr<std::string> Requantize(absl::string_view bytes, absl::Span<const int64_t> dims, const v1::Spec& before,
                                       const v1::Spec& after);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_REQUANTIZE_H_
