#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/argument_axes.h"
#include "rules/soundness/described.h"
#include "rules/soundness/encodings.h"
#include "rules/soundness/packed_matmul.h"
#include "rules/soundness/rules.h"

namespace quantgate {
namespace {

constexpr RuleInfo kBlockSize = {
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
    "it; [1, 32] does not.",
};

bool PowerOfTwo(int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

// Blocks that come with their numbers, from an encodings file: a scale, or a factor of one, for each.
void CheckEncoding(const CheckContext& context, const Described& described, FindingSink& sink) {
  if (described.operand->spec < 0 || !described.params->blocked()) return;
  const QuantParams& params = *described.params;
  const auto& dims = context.graph().value(described.tensor).dims();
  int64_t blocks = 1;
  bool counted = context.graph().value(described.tensor).has_shape();
  for (size_t i = 0; i < std::min(params.axes.size(), params.block_sizes.size()); ++i) {
    const int64_t size = params.block_sizes[i];  // never below 1 in a graph
    const int32_t axis = params.axes[i];
    if (axis < 0 || axis >= dims.size()) {
      counted = false;
      continue;
    }
    if (dims[axis] >= 0 && dims[axis] % size != 0) {
      return sink.Add(kBlockSize, described.place, absl::StrCat(size, " along axis ", axis),
                      absl::StrCat("a divisor of ", dims[axis]));
    }
    counted = counted && dims[axis] >= 0 && !__builtin_mul_overflow(blocks, dims[axis] / size, &blocks);
  }
  const int64_t factors = static_cast<int64_t>(params.block_scales.size());
  if (counted && factors > 0 && factors != blocks) {
    sink.Add(kBlockSize, described.place,
             absl::StrCat("[", absl::StrJoin(params.block_sizes, ", "), "] with ", factors, " factors"),
             absl::StrCat(blocks, " factors for [", absl::StrJoin(dims, ", "), "]"));
  }
}

// What an encodings file calls a block and no geometry could be made of.
void CheckStated(const Graph& graph, const v1::EncodingsFile& file, FindingSink& sink) {
  for (const v1::Encoding& encoding : file.encodings()) {
    if (!encoding.has_block_size() || encoding.block_size() > 0) continue;
    sink.Add(kBlockSize, PlaceOf(graph, encoding),
             absl::StrCat(encoding.block_size(), AtPlace(encoding.line(), encoding.column())), "at least 1");
  }
}

void CheckSpec(const CheckContext& context, const Described& described, FindingSink& sink) {
  if (described.operand->spec < 0) return;
  const v1::Spec& spec = context.graph().message().specs(described.operand->spec);
  if (spec.block_size().empty()) return;
  const std::string observed = absl::StrCat("[", absl::StrJoin(spec.block_size(), ", "), "]");
  if (spec.qscheme() == v1::Spec::PER_TENSOR_AFFINE || spec.qscheme() == v1::Spec::PER_TENSOR_SYMMETRIC) {
    sink.Add(kBlockSize, described.place, absl::StrCat(observed, " under a per-tensor scheme"),
             "none: there is one scale");
    return;
  }
  const bool positive =
      std::all_of(spec.block_size().begin(), spec.block_size().end(), [](int64_t n) { return n > 0; });
  if (!positive) sink.Add(kBlockSize, described.place, observed, "sizes of at least 1");
  if (!positive || described.tensor < 0 || !context.graph().value(described.tensor).has_shape()) return;
  const auto& dims = context.graph().value(described.tensor).dims();
  bool divides = spec.block_size_size() == dims.size();
  for (int i = 0; divides && i < dims.size(); ++i) divides = dims[i] < 0 || dims[i] % spec.block_size(i) == 0;
  if (!divides)
    sink.Add(kBlockSize, described.place, observed, absl::StrCat("divisors of [", absl::StrJoin(dims, ", "), "]"));
}

// GatherBlockQuantized. Small floats may be without blocks.
void CheckGathered(const Graph& graph, int32_t node, FindingSink& sink) {
  constexpr int64_t kOfItself = 128;
  const int64_t size = graph.int_attribute(node, "block_size", kOfItself);
  if (size == 0 || (PowerOfTwo(size) && size >= 16)) return;
  Place place;
  place.node = node;
  sink.Add(kBlockSize, place, absl::StrCat(size), "a power of two of at least 16");
}

void CheckBlockSize(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  const v1::EncodingsFile* encodings = EncodingsOf(context);
  if (encodings != nullptr) CheckStated(graph, *encodings, sink);
  for (const Described& described : context.Once(DescribedTensors)) {
    CheckSpec(context, described, sink);
    if (encodings != nullptr && described.tensor >= 0) CheckEncoding(context, described, sink);
  }
  for (const PackedMatMul& packed : context.Once(PackedMatMuls)) {
    if (PowerOfTwo(packed.block_size) && packed.block_size >= 16) continue;
    Place place;
    place.node = packed.node;
    sink.Add(kBlockSize, place, absl::StrCat(packed.block_size), "a power of two of at least 16");
  }
  for (int32_t node : graph.integer_nodes()) {
    PackedExperts experts;
    if (graph.op(node) == OpId::kGather) CheckGathered(graph, node, sink);
    if (!FindPackedExperts(graph, node, PackedExperts::kFirstProduct, experts) || experts.block_size == 0) continue;
    if (PowerOfTwo(experts.block_size) && experts.block_size >= 16) continue;
    Place place;
    place.node = node;
    sink.Add(kBlockSize, place, absl::StrCat(experts.block_size), "0 (not blocked), or a power of two of at least 16");
  }
  for (int32_t node : graph.quantizers()) {
    const int64_t size = graph.int_attribute(node, "block_size", 0);
    if (size >= 0) continue;
    Place place;
    place.node = node;
    sink.Add(kBlockSize, place, absl::StrCat(size), "0 (not blocked) or more");
  }
}

}  // namespace

Rule BlockSize() { return {&kBlockSize, &CheckBlockSize}; }

}  // namespace quantgate
