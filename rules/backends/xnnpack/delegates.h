// Which nodes ExecuTorch's partitioner puts into one delegate, as far as that is certain. It joins all that it takes,
// unless something that it does not take stands between.
#ifndef QUANTGATE_RULES_BACKENDS_XNNPACK_DELEGATES_H_
#define QUANTGATE_RULES_BACKENDS_XNNPACK_DELEGATES_H_

#include <cstdint>
#include <vector>

#include "rules/engine/context.h"
#include "rules/engine/module.h"

namespace quantgate::xnnpack {

class Delegates {
 public:
  // `judged`: what has come of every operator. Linear.
  Delegates(const CheckContext& context, const ModuleResult& judged);

  // The node is computed there.
  bool takes(int32_t node) const { return takes_[node]; }
  // It is not: it was judged, and is left to others.
  bool leaves(int32_t node) const { return leaves_[node]; }
  // Both are computed in one delegate. Not: they are in two, or that is not known.
  bool together(int32_t a, int32_t b) const { return takes_[a] && takes_[b] && same_level(a, b); }
  // So are they if both are taken.
  bool same_level(int32_t a, int32_t b) const { return level_[a] == level_[b]; }

 private:
  std::vector<bool> takes_;
  std::vector<bool> leaves_;
  // How often a path to the node has come back from what is left to others: of one level are no two that have such a
  // path between them.
  std::vector<int32_t> level_;
};

}  // namespace quantgate::xnnpack

#endif  // QUANTGATE_RULES_BACKENDS_XNNPACK_DELEGATES_H_
