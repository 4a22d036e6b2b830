// Which resolved operators of a graph are the same: ResolvedOp::like.
#ifndef QUANTGATE_RULES_GRAPH_LIKE_OPS_H_
#define QUANTGATE_RULES_GRAPH_LIKE_OPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "rules/graph/first_like.h"
#include "rules/graph/graph.h"
#include "rules/graph/resolve.h"

namespace quantgate {

class LikeOps {
 public:
  explicit LikeOps(const Graph& graph) : graph_(graph), first_(Kinds{this}) {}
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
  // Of indices into described_.
  struct Kinds {
    const LikeOps* outer;
    uint64_t Guess(int32_t op) const;
    size_t Hash(int32_t op) const;
    bool Same(int32_t a, int32_t b) const;
  };
  absl::Span<const uint64_t> Words(int32_t op) const {
    return absl::MakeConstSpan(words_.data() + described_[op].begin, described_[op].end - described_[op].begin);
  }

  const Graph& graph_;
  std::vector<uint64_t> words_;  // those in use, and room for the next operator
  size_t used_ = 0;
  std::vector<Described> described_;
  quantgate::FirstLike<Kinds> first_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_LIKE_OPS_H_
