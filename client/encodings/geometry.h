// Which dimension of a tensor is which, where an encodings file leaves it to its reader.
#ifndef QUANTGATE_CLIENT_ENCODINGS_GEOMETRY_H_
#define QUANTGATE_CLIENT_ENCODINGS_GEOMETRY_H_

#include <cstdint>
#include <vector>

#include "client/encodings/read.h"
#include "quantgate/v1/graph.pb.h"

namespace quantgate::encodings {

// The readers of each tensor in a graph, which must outlive it.
class Consumers {
 public:
  explicit Consumers(const v1::Graph& graph);

  // Dimension of the tensor's output channels, as its first reader that has such a thing sees it; -1: none has.
  int ChannelAxis(int32_t value) const { return ChannelAxis(value, kMaxHops); }

 private:
  struct Use {
    int32_t node;
    int32_t input;
  };
  // Operators that only turn a weight around before it is read.
  static constexpr int kMaxHops = 4;

  int ChannelAxis(int32_t value, int hops) const;
  int AxisFor(Use use, int rank, int hops) const;

  const v1::Graph& graph_;
  std::vector<std::vector<Use>> uses_;  // by value id
};

// Axes and blocks into the encoding's spec, and its numbers in the order that they then have. `value`: the tensor;
// null: it is not known.
void Lay(const v1::Value* value, int channel_axis, ReadEncoding& encoding);

}  // namespace quantgate::encodings

#endif  // QUANTGATE_CLIENT_ENCODINGS_GEOMETRY_H_
