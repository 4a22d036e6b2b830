#include "rules/backends/qnn_htp/ops/port_ranks.h"

namespace quantgate::qnn_htp {

absl::Span<const PortRanks> AllPortRanks() {
  static constexpr PortRanks kRanks[] = {
      {"BatchToSpace", "4", "4"},
      {"Batchnorm", "011", ""},
      {"Conv2d", "441", "4"},
      {"Conv3d", "551", "5"},
      {"DepthToSpace", "4", "4"},
      {"DepthWiseConv2d", "441", "4"},
      {"DetectionOutput", "332", "2321"},
      {"ExtractGlimpse", "42", "4"},
      {"ExtractPatches", "4", "4"},
      {"FullyConnected", "021", ""},
      {"GroupNorm", "011", ""},
      {"InstanceNorm", "011", ""},
      {"MatMul", "001", ""},
      {"MultiClassNms", "33", "3221"},
      {"NonMaxSuppression", "33", "21"},
      {"NonZero", "0", "2"},
      {"Nv12ToRgb", "2", "4"},
      {"PoolAvg2d", "4", "4"},
      {"PoolAvg3d", "5", "5"},
      {"PoolMax2d", "4", "4"},
      {"ResizeBilinear", "4", "4"},
      {"ResizeNearestNeighbor", "4", "4"},
      {"RoiAlign", "421", "4"},
      {"SpaceToBatch", "4", "4"},
      {"SpaceToDepth", "4", "4"},
      {"TransposeConv2d", "441", "4"},
      {"TransposeConv3d", "551", "5"},
  };
  return kRanks;
}

}  // namespace quantgate::qnn_htp
