#include "rules/backends/layout.h"

namespace quantgate {

int LayoutMap::AxisOf(int origin_axis) const {
  for (int k = 0; k < rank; ++k) {
    if (from[k] == origin_axis) return k;
  }
  return -1;
}

LayoutMap MapLayout(Layout layout, int origin_rank, int backend_rank) {
  LayoutMap map;
  if (origin_rank < 0 || backend_rank < origin_rank || backend_rank > kMaxBackendRank) return map;
  auto push = [&](int axis) { map.from[map.rank++] = static_cast<int8_t>(axis); };
  auto push_spatial = [&] {
    for (int i = origin_rank; i < backend_rank; ++i) push(-1);
    for (int i = 2; i < origin_rank; ++i) push(i);
  };
  // Layouts with channels mean nothing below two dimensions.
  if (origin_rank < 2) layout = Layout::kSame;
  switch (layout) {
    case Layout::kSame:
      for (int i = 0; i < origin_rank; ++i) push(i);
      break;
    case Layout::kChannelsLast:
      push(0);
      push_spatial();
      push(1);
      break;
    case Layout::kFilter:
      push_spatial();
      push(1);
      push(0);
      break;
    case Layout::kTransposedFilter:
      push_spatial();
      push(0);
      push(1);
      break;
    case Layout::kSwapLastTwo:
      for (int i = 0; i < origin_rank - 2; ++i) push(i);
      push(origin_rank - 1);
      push(origin_rank - 2);
      break;
  }
  return map;
}

}  // namespace quantgate
