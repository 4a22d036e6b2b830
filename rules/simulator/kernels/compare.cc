// Comparisons of stored integers, as LiteRT rescales them first.
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "rules/graph/data_type.h"
#include "rules/simulator/arithmetic.h"
#include "rules/simulator/kernels/elements.h"
#include "rules/simulator/kernels/kernels.h"
#include "rules/simulator/kernels/operands.h"

namespace quantgate::simulator {
namespace {

using Comparison = std::function<bool(int32_t, int32_t)>;

Comparison ComparisonOf(OpId op) {
  switch (op) {
    case OpId::kEqual:
      return std::equal_to<int32_t>();
    case OpId::kNotEqual:
      return std::not_equal_to<int32_t>();
    case OpId::kLess:
      return std::less<int32_t>();
    case OpId::kLessEqual:
      return std::less_equal<int32_t>();
    case OpId::kGreater:
      return std::greater<int32_t>();
    default:
      return std::greater_equal<int32_t>();
  }
}

// In 256ths of one, whatever the scale: what is closer than that is equal.
absl::StatusOr<std::vector<int32_t>> Rescaled(const QTensor& in) {
  const absl::StatusOr<Multiplier> scale = MakeMultiplier(in.q.scales[0]);
  if (!scale.ok()) return scale.status();
  if (scale->shift > 0) return absl::UnimplementedError(absl::StrCat("comparing at a scale of ", in.q.scales[0]));
  std::vector<int32_t> result;
  for (const int64_t stored : Load<int64_t>(in.tensor)) {
    result.push_back(MultiplyDoubleRounding(Wrap32((stored - in.q.zero_point()) * 256), *scale));
  }
  return result;
}

}  // namespace

absl::Status Compare(const Profile& profile, KernelCall& call) {
  const QTensor& a = *call.inputs[0];
  const QTensor& b = *call.inputs[1];
  if (profile.family != Family::kLiteRt || !IsQuantizedInteger(a) || !IsQuantizedInteger(b) || a.q.scales.size() != 1 ||
      b.q.scales.size() != 1 || a.tensor.type != b.tensor.type) {
    return absl::UnimplementedError("no kernel for this operator");
  }
  const absl::StatusOr<Operands> operands = OperandsOf(a, b);
  if (!operands.ok()) return operands.status();
  const absl::StatusOr<std::vector<int32_t>> left = Rescaled(a), right = Rescaled(b);
  if (!left.ok()) return left.status();
  if (!right.ok()) return right.status();
  const Comparison holds = ComparisonOf(call.op);
  QTensor& out = call.outputs[0];
  out = QTensor();
  out.tensor.type = v1::DATA_TYPE_BOOL;
  if (absl::Status status = Allocate(operands->dims, out.tensor); !status.ok()) return status;
  Store(out.tensor, [&](size_t i) { return holds((*left)[operands->a(i)], (*right)[operands->b(i)]) ? 1 : 0; });
  return absl::OkStatus();
}

}  // namespace quantgate::simulator
