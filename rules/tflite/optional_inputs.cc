#include "rules/tflite/optional_inputs.h"

#include <cstdint>

#include "absl/strings/match.h"

namespace quantgate {
namespace {

struct OptionalInputs {
  absl::string_view op;
  uint64_t inputs;  // bit by position
};

constexpr uint64_t Bits(int first, int last) { return (uint64_t{2} << last) - (uint64_t{1} << first); }
constexpr uint64_t kAll = ~uint64_t{0};

// tflite/kernels/*.cc. CONV_2D and DEPTHWISE_CONV_2D ask for a bias wherever there is a place for one.
constexpr OptionalInputs kOptional[] = {
    // Gates of the input, peepholes, projection and normalization; then the same for the way back, and what else is
    // fed.
    {"BIDIRECTIONAL_SEQUENCE_LSTM",
     Bits(1, 1) | Bits(5, 5) | Bits(9, 12) | Bits(16, 18) | Bits(22, 22) | Bits(26, 29) | Bits(33, 34) | Bits(39, 47)},
    {"BIDIRECTIONAL_SEQUENCE_RNN", Bits(9, 11)},
    {"CONV_3D", Bits(2, 2)},
    {"CONV_3D_TRANSPOSE", Bits(3, 3)},
    {"FULLY_CONNECTED", Bits(2, 2)},
    {"LSTM", Bits(1, 1) | Bits(5, 5) | Bits(9, 12) | Bits(16, 17) | Bits(20, 23)},
    {"SVDF", Bits(3, 3)},
    {"TRANSPOSE_CONV", Bits(3, 3)},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", Bits(1, 1) | Bits(5, 5) | Bits(9, 12) | Bits(16, 17) | Bits(20, 23)},
    // Inputs go to other subgraphs.
    {"CALL", kAll},
    {"CALL_ONCE", kAll},
    {"DELEGATE", kAll},
};

}  // namespace

bool MayBeLeftOut(absl::string_view op_type, int input) {
  for (const OptionalInputs& row : kOptional) {
    if (row.op == op_type) return input < 64 && (row.inputs >> input & 1) != 0;
  }
  return absl::StartsWith(op_type, "CUSTOM::") || absl::StartsWith(op_type, "STABLEHLO_") ||
         absl::StartsWith(op_type, "BUILTIN_");
}

}  // namespace quantgate
