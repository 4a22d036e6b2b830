// Which values, nodes and specs of a graph say the same: models repeat a few shapes, parameters and specs many times.
#ifndef QUANTGATE_RULES_GRAPH_ALIKE_H_
#define QUANTGATE_RULES_GRAPH_ALIKE_H_

#include <cstddef>
#include <cstdint>

#include "quantgate/v1/graph.pb.h"
#include "rules/graph/first_like.h"

namespace quantgate {

// Values by element type and shape (symbols of sizes aside), and whether they are tensors.
struct ValueKinds {
  const v1::Graph* message;
  uint64_t Guess(int32_t value) const;
  size_t Hash(int32_t value) const;
  bool Same(int32_t a, int32_t b) const;
};
using LikeValues = FirstLike<ValueKinds>;

// Nodes by operator, argument positions and attributes. A node with an attribute that refers to a tensor or a graph is
// like no other.
struct NodeKinds {
  const v1::Graph* message;
  uint64_t Guess(int32_t node) const;
  size_t Hash(int32_t node) const;
  bool Same(int32_t a, int32_t b) const;
};
using LikeNodes = FirstLike<NodeKinds>;

// Specs by all that they say of the tensor; what they refer to, and which observer is to be made, does not matter. A
// spec with numbers (scales, zero points) is like no other.
struct SpecKinds {
  const v1::Graph* message;
  uint64_t Guess(int32_t spec) const;
  size_t Hash(int32_t spec) const;
  bool Same(int32_t a, int32_t b) const;
};
using LikeSpecs = FirstLike<SpecKinds>;

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_ALIKE_H_
