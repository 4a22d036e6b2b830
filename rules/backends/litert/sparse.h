// How LiteRT's kernels read constants of which only some elements are stored.
#ifndef QUANTGATE_RULES_BACKENDS_LITERT_SPARSE_H_
#define QUANTGATE_RULES_BACKENDS_LITERT_SPARSE_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "rules/engine/rule.h"
#include "rules/graph/graph.h"

namespace quantgate::litert {

extern const RuleInfo kSparseAsDense;

// What runs a node: the kernels differ in how they read sparse weights.
enum class Reader { kReferenceKernel, kOptimizedKernel, kDelegate };

struct SparseRead {
  int input;
  bool refused;  // the kernel says so as it runs; otherwise it takes what lies there for all elements, and beyond it
  std::string observed, allowed;
};

// The first sparse constant among the node's inputs that is not read as one. None: there is no such.
absl::optional<SparseRead> MisreadSparse(const Graph& graph, int32_t node, Reader reader);

}  // namespace quantgate::litert

#endif  // QUANTGATE_RULES_BACKENDS_LITERT_SPARSE_H_
