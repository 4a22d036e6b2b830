// numpy's names of element types, as its files and messages have them: "<f4", "|i1".
#ifndef QUANTGATE_RULES_SIMULATOR_NUMPY_TYPE_H_
#define QUANTGATE_RULES_SIMULATOR_NUMPY_TYPE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "quantgate/v1/types.pb.h"

namespace quantgate::simulator {

// Little-endian bool, integers of 8 to 64 bits, float16, float32 and float64; nullopt: another.
std::optional<v1::DataType> FromNumpyType(absl::string_view descr);

// Of the elements as they lie in Tensor.data: integers narrower than 8 bits have a byte each. "": numpy has none.
absl::string_view NumpyType(v1::DataType type);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_NUMPY_TYPE_H_
