#include "client/onnx/roles.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/strip.h"

namespace quantgate {
namespace {

struct Roles {
  uint32_t parameters = 0;  // bit i: argument i is a scale or zero point
  int output_zero_point = -1;
};

constexpr uint32_t Bits(std::initializer_list<int> positions) {
  uint32_t bits = 0;
  for (int position : positions) bits |= 1u << position;
  return bits;
}

// Argument order: ONNX Operators.md and onnxruntime ContribOperators.md. Types of com.microsoft share no name with
// another meaning in the default domain, so the domain is left out.
const Roles* FindRoles(absl::string_view op_type) {
  static const auto& table = *new absl::flat_hash_map<absl::string_view, Roles>({
      {"QuantizeLinear", {Bits({1, 2}), 2}},
      {"DequantizeLinear", {Bits({1, 2})}},
      {"DynamicQuantizeLinear", {}},
      {"QLinearConv", {Bits({1, 2, 4, 5, 6, 7}), 7}},
      {"QLinearMatMul", {Bits({1, 2, 4, 5, 6, 7}), 7}},
      {"ConvInteger", {Bits({2, 3})}},
      {"MatMulInteger", {Bits({2, 3})}},
      {"QLinearAdd", {Bits({1, 2, 4, 5, 6, 7}), 7}},
      {"QLinearMul", {Bits({1, 2, 4, 5, 6, 7}), 7}},
      {"QGemm", {Bits({1, 2, 4, 5, 7, 8}), 8}},
      {"QLinearSigmoid", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearLeakyRelu", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearSoftmax", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearAveragePool", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearGlobalAveragePool", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearReduceMean", {Bits({1, 2, 3, 4}), 4}},
      {"QLinearConcat", {Bits({0, 1}), 1}},  // then groups of three, below
      {"QLinearWhere", {Bits({2, 3, 5, 6, 7, 8}), 8}},
      {"DynamicQuantizeMatMul", {Bits({2, 3})}},
      {"MatMulIntegerToFloat", {Bits({2, 3, 4, 5})}},
      {"MatMulNBits", {Bits({2, 3})}},
      {"GatherBlockQuantized", {Bits({2, 3})}},
      {"QAttention", {Bits({3, 4, 6, 7})}},
      {"DynamicQuantizeLSTM", {Bits({8, 9, 10, 11})}},
  });
  absl::ConsumePrefix(&op_type, "com.microsoft::");
  const auto found = table.find(op_type);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace

bool IsQuantizedOperator(absl::string_view op_type) { return FindRoles(op_type) != nullptr; }

bool IsQuantizationParameter(absl::string_view op_type, int input) {
  const Roles* roles = FindRoles(op_type);
  if (roles == nullptr) return false;
  if (input >= 2 && op_type == "com.microsoft::QLinearConcat") return (input - 2) % 3 != 0;
  return input < 32 && ((roles->parameters >> input) & 1);
}

int OutputZeroPoint(absl::string_view op_type) {
  const Roles* roles = FindRoles(op_type);
  return roles == nullptr ? -1 : roles->output_zero_point;
}

}  // namespace quantgate
