#include "rules/backends/qnn_htp/ops/filter_blocks.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kFilterBlocks = {
    "AX208",
    "filter-blocks",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject} has {observed}; {allowed}.",
    "Where the filter of a Conv2d with block scales (LPBQ) has more places (its height times its width) than a block "
    "has channels, the library divides by zero as it prepares the graph: the process that compiles the model dies of "
    "SIGFPE, without a message.",
    "Choose blocks of at least as many channels as the filter has places, or scale per channel: a filter of 3 by 3 "
    "needs blocks of 9 channels or more.",
    "Fires: a filter of 3 by 3 in blocks of 8 channels. Does not: of 3 by 3 in blocks of 9; of 2 by 3 in blocks of 8; "
    "of 1 by 1 in blocks of 2.",
};

namespace {

constexpr int kOutputChannels = 3;

// How many channels one scale is for; -1: not known, or it is for several places of the filter, too.
int64_t ChannelsOfBlocks(const BackendTensor& weight) {
  if (weight.qparams == nullptr || !weight.qparams->blocked()) return -1;
  int64_t channels = 1;
  for (int64_t along : weight.qparams->block_sizes) {
    if (along <= 0 || (along > 1 && channels > 1)) return -1;
    channels = std::max(channels, along);
  }
  return channels;
}

// -1: not known.
int64_t PlacesOfFilter(const BackendTensor& weight) {
  int64_t places = -1;
  if (weight.dims.size() != 4 || weight.dims[0] <= 0 || weight.dims[1] <= 0) return -1;
  return __builtin_mul_overflow(weight.dims[0], weight.dims[1], &places) ? -1 : places;
}

}  // namespace

void CheckFilterBlocks(const BackendOp& op, const Target&, OpReport& report) {
  const BackendTensor& weight = Input(op, 1);
  if (op.name != "Conv2d" || weight.encoding != Encoding::kBlockExpansion || IsFloat(Input(op, 0))) return;
  if (weight.axis >= 0 && weight.axis != kOutputChannels) return;  // not taken at all
  const int64_t places = PlacesOfFilter(weight);
  const int64_t block = ChannelsOfBlocks(weight);
  if (places == 1) return;
  if (places < 0 || block < 0) {
    report.NotChecked(kFilterBlocks, "Conv2d: the sizes of the filter or of its blocks are not known");
  } else if (places > block) {
    report.Add(kFilterBlocks, In(1), absl::StrCat("a filter of ", places, " places in blocks of ", block),
               "a block needs as many channels as the filter has places, or more", v1::Source::MEASURED,
               kMeasuredByLowering);
  }
}

}  // namespace quantgate::qnn_htp
