#include "rules/backends/qnn_htp/unlisted.h"

#include <initializer_list>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/qnn_htp/op_rule.h"

namespace quantgate::qnn_htp {
namespace {

bool WasAsked(int arch) { return absl::c_linear_search(std::initializer_list<int>{68, 69, 73, 75, 79, 81}, arch); }

bool HasFloatKernels(const Target& target) { return target.kernels != 68 && target.has_float; }

}  // namespace

Unlisted FateOfUnlisted(const BackendOp& op, const Target& target) {
  if (!WasAsked(target.arch)) return Unlisted::kNotAsked;
  const bool anywhere = op.name == "IsNan" || absl::StartsWith(op.name, "Random");
  if (anywhere || HasFloatKernels(target)) return Unlisted::kPrepared;
  if (Is(op, {"Lstm", "Gru"})) return Unlisted::kNotPrepared;
  return op.name == "PoolAvg2d" && target.has_float ? Unlisted::kPrepared : Unlisted::kNotAsked;
}

std::string MissingKernels(const Target& target) {
  return target.has_float ? absl::StrCat("V", target.kernels, " has no such kernel in float")
                          : absl::StrCat(target.soc, " computes integers alone");
}

}  // namespace quantgate::qnn_htp
