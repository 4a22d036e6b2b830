// A forest in which every node points to one other, pointers change, and circles may come and go.
#ifndef QUANTGATE_RULES_GRAPH_SHARING_FOREST_H_
#define QUANTGATE_RULES_GRAPH_SHARING_FOREST_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace quantgate {

// Answers "does following the pointers from here never end?" in amortized logarithmic time however long the way is: a
// link-cut tree (Sleator and Tarjan, "Self-adjusting binary search trees", 1985). A circle is kept as a tree whose root
// has a closing pointer into the tree.
class PointerForest {
 public:
  // pointers[i]: where i points to, -1 for nowhere. Without circles.
  explicit PointerForest(absl::Span<const int32_t> pointers);

  // Points `node` to `to` (another node), in place of where it points now.
  void Repoint(int32_t node, int32_t to);
  bool IsEndless(int32_t node);
  int num_circles() const { return num_circles_; }

 private:
  struct Node {
    int32_t child[2] = {-1, -1};  // splay tree over a path, ordered from the root down
    int32_t parent = -1;          // splay parent, or where the path's top points to
    int32_t closing = -1;         // of a root: where it closes a circle
  };

  bool IsSplayRoot(int32_t x) const;
  void Rotate(int32_t x);
  void Splay(int32_t x);
  void Access(int32_t x);
  int32_t Root(int32_t x);
  void Cut(int32_t x);

  std::vector<Node> nodes_;
  int num_circles_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_SHARING_FOREST_H_
