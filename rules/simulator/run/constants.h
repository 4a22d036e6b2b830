// Tensors of a graph's constants.
#ifndef QUANTGATE_RULES_SIMULATOR_RUN_CONSTANTS_H_
#define QUANTGATE_RULES_SIMULATOR_RUN_CONSTANTS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quantgate/v1/graph.pb.h"
#include "rules/simulator/tensor.h"

namespace quantgate::simulator {

// The elements of a constant whose bytes (or whose listed elements) are there. Real numbers of other widths become
// float32. INVALID_ARGUMENT: they do not fit its shape, or are not there; UNIMPLEMENTED: a type that no kernel has.
absl::StatusOr<Tensor> LoadConstant(const v1::Value& value);

// Little-endian elements of `type` as LoadConstant makes them of a constant's bytes.
absl::StatusOr<Tensor> Unpack(v1::DataType type, absl::Span<const int64_t> dims, absl::string_view bytes);

// The same for what a user gives: INVALID_ARGUMENT too where a finite number is beyond float32.
absl::StatusOr<Tensor> UnpackGiven(v1::DataType type, absl::Span<const int64_t> dims, absl::string_view bytes);

}  // namespace quantgate::simulator

#endif  // QUANTGATE_RULES_SIMULATOR_RUN_CONSTANTS_H_
