// Which resolved operators of a graph are the same: ResolvedOp::like.
#ifndef QUANTGATE_RULES_GRAPH_LIKE_OPS_H_
#define QUANTGATE_RULES_GRAPH_LIKE_OPS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

class LikeOps {
 public:
  explicit LikeOps(const Graph& graph) : graph_(graph), first_(0, Hash{this}, Equal{this}) {}
  LikeOps(const LikeOps&) = delete;

  // The number of the first operator that it was called with and that is like this one; -1: it is like no other.
  int32_t FirstLike(int32_t number, const ResolvedOp& op, absl::Span<const Operand> operands);

 private:
  // What is compared, of an operator unlike those before it; words [begin, end).
  struct Described {
    int32_t number;
    size_t begin;
    size_t end;
  };
  struct Hash {
    const LikeOps* outer;
    size_t operator()(const Described& op) const;
  };
  struct Equal {
    const LikeOps* outer;
    bool operator()(const Described& a, const Described& b) const;
  };
  absl::Span<const uint64_t> Words(const Described& op) const {
    return absl::MakeConstSpan(words_.data() + op.begin, op.end - op.begin);
  }

  const Graph& graph_;
  std::vector<uint64_t> words_;  // those in use, and room for the next operator
  size_t used_ = 0;
  absl::flat_hash_set<Described, Hash, Equal> first_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_LIKE_OPS_H_
