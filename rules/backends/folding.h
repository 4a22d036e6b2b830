// What never reaches a backend: values that the toolchain computes before it emits operators.
#ifndef QUANTGATE_RULES_BACKENDS_FOLDING_H_
#define QUANTGATE_RULES_BACKENDS_FOLDING_H_

#include <vector>

#include "rules/engine/context.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

// What ExecuTorch (PT2E) does with full, zeros_like, arange and their like: a partitioner's own passes make constants
// of them, or they stay for the portable kernels.
enum class Generators { kFolded, kKept };

// ONNX Runtime's optimizer leaves the Dequantize nodes of constants to its execution providers, and with them what is
// computed behind.
enum class Dequantizers { kFolded, kKept };

// A generator that PyTorch says by comparisons of an arange: no constant for ExecuTorch, which emits them.
bool ComparesArange(OpId id);

// Per value: it is a constant, computed from constants alone, or computed from shapes that are known. ExecuTorch (PT2E)
// computes less: there it is a constant, what a generator makes (see above), or what stands between constants and an
// annotation that quantizes it, which convert_pt2e computes (torchao, constant_fold). A QNN graph is computed already:
// nothing is folded. Linear time.
std::vector<bool> FoldedValues(const Graph& graph, Generators generators = Generators::kFolded,
                               Dequantizers dequantizers = Dequantizers::kFolded);

// Whether convert_pt2e computes what is computed from constants here: a constant for whoever reads the result.
bool IsComputedByConvert(const CheckContext& context, const Operand& operand);

// Every output of the node is folded; false for a node without outputs.
bool IsFolded(const Graph& graph, const std::vector<bool>& folded, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_FOLDING_H_
