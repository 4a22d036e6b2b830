#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kPackedBits = {
    "DT001",
    "packed-bits",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: weights of {observed} bits; expected {allowed}",
    "The operator packs weights of some widths only; with any other one nobody can say where a weight begins.",
    "Quantize the weights again with an admitted width.",
    "MatMulNBits with bits=3 fires it; bits=4 does not.",
};

void CheckPackedBits(const CheckContext& context, FindingSink& sink) {
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) {
    if (packed.bits == 2 || packed.bits == 4 || packed.bits == 8) continue;
    Place place;
    place.node = packed.node;
    sink.Add(kPackedBits, place, absl::StrCat(packed.bits), "2, 4 or 8");
  }
}

}  // namespace

Rule PackedBits() { return {&kPackedBits, &CheckPackedBits}; }

}  // namespace quantgate
