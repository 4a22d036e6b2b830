#include "rules/graph/sharing/forest.h"

namespace quantgate {

PointerForest::PointerForest(absl::Span<const int32_t> pointers) : nodes_(pointers.size()) {
  for (size_t i = 0; i < pointers.size(); ++i) nodes_[i].parent = pointers[i];
}

bool PointerForest::IsSplayRoot(int32_t x) const {
  const int32_t parent = nodes_[x].parent;
  return parent < 0 || (nodes_[parent].child[0] != x && nodes_[parent].child[1] != x);
}

void PointerForest::Rotate(int32_t x) {
  const int32_t parent = nodes_[x].parent;
  const int32_t grandparent = nodes_[parent].parent;
  const int side = nodes_[parent].child[1] == x;
  if (!IsSplayRoot(parent)) nodes_[grandparent].child[nodes_[grandparent].child[1] == parent] = x;
  const int32_t moved = nodes_[x].child[!side];
  nodes_[parent].child[side] = moved;
  if (moved >= 0) nodes_[moved].parent = parent;
  nodes_[x].child[!side] = parent;
  nodes_[parent].parent = x;
  nodes_[x].parent = grandparent;
}

void PointerForest::Splay(int32_t x) {
  while (!IsSplayRoot(x)) {
    const int32_t parent = nodes_[x].parent;
    if (!IsSplayRoot(parent)) {
      const int32_t grandparent = nodes_[parent].parent;
      const bool straight = (nodes_[grandparent].child[1] == parent) == (nodes_[parent].child[1] == x);
      Rotate(straight ? parent : x);
    }
    Rotate(x);
  }
}

// Makes the path from the tree's root to x one splay tree with x on top.
void PointerForest::Access(int32_t x) {
  int32_t below = -1;
  for (int32_t at = x; at >= 0; at = nodes_[at].parent) {
    Splay(at);
    nodes_[at].child[1] = below;
    below = at;
  }
  Splay(x);
}

int32_t PointerForest::Root(int32_t x) {
  Access(x);
  while (nodes_[x].child[0] >= 0) x = nodes_[x].child[0];
  Splay(x);  // pays for the descent
  return x;
}

void PointerForest::Cut(int32_t x) {
  Access(x);
  const int32_t above = nodes_[x].child[0];
  if (above < 0) return;
  nodes_[above].parent = -1;
  nodes_[x].child[0] = -1;
}

void PointerForest::Repoint(int32_t node, int32_t to) {
  const int32_t root = Root(node);
  const int32_t closing = nodes_[root].closing;
  if (root == node) {
    num_circles_ -= closing >= 0;
    nodes_[node].closing = -1;
  } else {
    Cut(node);
    // Was the cut on the circle? Then the closing pointer now leads out of its own tree and is one like any other.
    if (closing >= 0 && Root(closing) == node) {
      nodes_[root].closing = -1;
      --num_circles_;
      Access(root);
      nodes_[root].parent = closing;
    }
  }
  if (Root(to) == node) {
    nodes_[node].closing = to;
    ++num_circles_;
    return;
  }
  Access(node);
  nodes_[node].parent = to;
}

bool PointerForest::IsEndless(int32_t node) { return nodes_[Root(node)].closing >= 0; }

}  // namespace quantgate
