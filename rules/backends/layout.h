// From the layout of ONNX and ATen (channels first) to that of backends with channels last, as QNN and XNNPACK.
#ifndef QUANTGATE_RULES_BACKENDS_LAYOUT_H_
#define QUANTGATE_RULES_BACKENDS_LAYOUT_H_

#include <array>
#include <cstdint>

#include "rules/backends/emission.h"

namespace quantgate {

enum class Layout : uint8_t {
  kSame,
  kChannelsLast,      // N C spatial…  ->  N spatial… C
  kFilter,            // O I spatial…  ->  spatial… I O (also depthwise: O 1 spatial… -> spatial… 1 O)
  kTransposedFilter,  // I O spatial…  ->  spatial… I O
  kSwapLastTwo,       // … a b         ->  … b a
};

// Where each backend dimension comes from.
struct LayoutMap {
  int rank = 0;                                // of the backend's tensor
  std::array<int8_t, kMaxBackendRank> from{};  // origin's axis; -1: a dimension of size 1 that the lowering inserts

  // Backend axis of an origin's axis; -1 when it does not exist.
  int AxisOf(int origin_axis) const;
};

// `backend_rank` above `origin_rank` inserts spatial dimensions of size 1 in front of the others, as QNN's one
// dimensional convolutions and pools become two dimensional ones. Ranks above kMaxBackendRank give rank 0: unknown.
LayoutMap MapLayout(Layout layout, int origin_rank, int backend_rank);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_LAYOUT_H_
