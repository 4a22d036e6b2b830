#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/soundness/described.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kInfo = {
    "AX003",
    "block-size",
    v1::Finding::UNSOUND,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: block_size {observed}; expected {allowed}",
    "Packed operators admit only some block sizes, and a spec's blocks must cut the tensor into equal parts: one size "
    "for each dimension, and each a divisor of it. Other blocks leave elements without a scale, and tools fail on them "
    "when the graph is converted.",
    "Quantize the weights again with an admitted block size.",
    "MatMulNBits with block_size 24 fires it; 32 does not. A spec with blocks of [1, 24] on a weight of [8, 64] fires "
    "it; "
    "[1, 32] does not.",
};

bool PowerOfTwo(int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

void CheckSpec(const CheckContext& context, const Described& described, FindingSink& sink) {
  if (described.operand->spec < 0) return;
  const v1::Spec& spec = context.graph().message().specs(described.operand->spec);
  if (spec.block_size().empty()) return;
  const std::string observed = absl::StrCat("[", absl::StrJoin(spec.block_size(), ", "), "]");
  if (spec.qscheme() == v1::Spec::PER_TENSOR_AFFINE || spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC) {
    sink.Add(kInfo, described.place, absl::StrCat(observed, " under a per-tensor scheme"), "none: there is one scale");
    return;
  }
  const bool positive =
      std::all_of(spec.block_size().begin(), spec.block_size().end(), [](int64_t n) { return n > 0; });
  if (!positive) sink.Add(kInfo, described.place, observed, "sizes of at least 1");
  if (!positive || described.tensor < 0 || !context.graph().value(described.tensor).has_shape()) return;
  const auto& dims = context.graph().value(described.tensor).dims();
  bool divides = spec.block_size_size() == dims.size();
  for (int i = 0; divides && i < dims.size(); ++i) divides = dims[i] < 0 || dims[i] % spec.block_size(i) == 0;
  if (!divides)
    sink.Add(kInfo, described.place, observed, absl::StrCat("divisors of [", absl::StrJoin(dims, ", "), "]"));
}

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (const Described& described : context.Once(DescribedTensors)) CheckSpec(context, described, sink);
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) {
    if (PowerOfTwo(packed.block_size) && packed.block_size >= 16) continue;
    Place place;
    place.node = packed.node;
    sink.Add(kInfo, place, absl::StrCat(packed.block_size), "a power of two of at least 16");
  }
  for (int32_t node : graph.quantizers()) {
    const int64_t size = graph.int_attribute(node, "block_size", 0);
    if (size >= 0) continue;
    Place place;
    place.node = node;
    sink.Add(kInfo, place, absl::StrCat(size), "0 (not blocked) or more");
  }
}

}  // namespace

Rule BlockSize() { return {&kInfo, &Check}; }

}  // namespace quantgate
