#include "absl/strings/str_cat.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/graph/quantizer.h"
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
    "The operator packs weights in blocks of this many elements; its definition admits only some sizes.",
    "Quantize the weights again with an admitted block size.",
    "MatMulNBits with block_size 24 fires it; 32 does not.",
};

bool PowerOfTwo(int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

void Check(const CheckContext& context, FindingSink& sink) {
  const Graph& graph = context.graph();
  for (int32_t node = 0; node < graph.num_nodes(); ++node) {
    Place place;
    place.node = node;
    if (PackedMatMulOf(graph, node).found()) {
      const int64_t size = PackedMatMulOf(graph, node).block_size;
      if (!PowerOfTwo(size) || size < 16) {
        sink.Add(kInfo, place, absl::StrCat(size), "a power of two of at least 16");
      }
    } else if (IsQuantize(graph, node) || IsDequantize(graph, node)) {
      const int64_t size = graph.int_attribute(node, "block_size", 0);
      if (size < 0) sink.Add(kInfo, place, absl::StrCat(size), "0 (not blocked) or more");
    }
  }
}

}  // namespace

Rule BlockSize() { return {&kInfo, &Check}; }

}  // namespace quantgate
