// Which values, nodes and specs of a graph say the same: models repeat a few shapes, parameters and specs many times.
#ifndef QUANTGATE_RULES_GRAPH_ALIKE_H_
#define QUANTGATE_RULES_GRAPH_ALIKE_H_

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Values by element type and shape (symbols of sizes aside).
class LikeValues {
 public:
  explicit LikeValues(const v1::Graph& message) : first_(0, Hash{&message}, Equal{&message}) {}
  // The first value, of those that it was called with, that is like this one.
  int32_t FirstLike(int32_t value) { return *first_.insert(value).first; }

 private:
  struct Hash {
    const v1::Graph* message;
    size_t operator()(int32_t value) const;
  };
  struct Equal {
    const v1::Graph* message;
    bool operator()(int32_t a, int32_t b) const;
  };
  absl::flat_hash_set<int32_t, Hash, Equal> first_;
};

// Nodes by operator, argument positions and attributes. A node with an attribute that refers to a tensor or a graph is
// like no other.
class LikeNodes {
 public:
  explicit LikeNodes(const v1::Graph& message) : first_(0, Hash{&message}, Equal{&message}) {}
  int32_t FirstLike(int32_t node) { return *first_.insert(node).first; }

 private:
  struct Hash {
    const v1::Graph* message;
    size_t operator()(int32_t node) const;
  };
  struct Equal {
    const v1::Graph* message;
    bool operator()(int32_t a, int32_t b) const;
  };
  absl::flat_hash_set<int32_t, Hash, Equal> first_;
};

// Specs by all that they say of the tensor; what they refer to, and which observer is to be made, does not matter. A
// spec with numbers (scales, zero points) is like no other.
class LikeSpecs {
 public:
  explicit LikeSpecs(const v1::Graph& message) : first_(0, Hash{&message}, Equal{&message}) {}
  int32_t FirstLike(int32_t spec) { return *first_.insert(spec).first; }

 private:
  struct Hash {
    const v1::Graph* message;
    size_t operator()(int32_t spec) const;
  };
  struct Equal {
    const v1::Graph* message;
    bool operator()(int32_t a, int32_t b) const;
  };
  absl::flat_hash_set<int32_t, Hash, Equal> first_;
};

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_ALIKE_H_
