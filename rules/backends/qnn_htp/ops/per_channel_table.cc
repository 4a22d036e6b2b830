#include "rules/backends/qnn_htp/ops/per_channel_table.h"

#include "absl/strings/str_cat.h"

namespace quantgate::qnn_htp {

const RuleInfo kPerChannelTable = {
    "AX206",
    "per-channel-embedding",
    v1::Finding::REFUSED,
    v1::Finding::ERROR,
    kAtAnyStage,
    "{subject}: {observed}; {allowed}.",
    "The table is converted to one scale before it is gathered from; that conversion has no 8-bit "
    "kernel, which shows only when the graph is prepared.",
    "Quantize the embedding table per tensor, or give the output 16 bits.",
    "Fires: a per-channel SFIXED_POINT_8 table with UFIXED_POINT_8 output. Does not: UFIXED_POINT_16 "
    "output.",
};

void CheckPerChannelTable(const BackendOp& op, const Target& target, OpReport& report) {
  if (op.name != "Convert" || !IsPerChannel(Input(op, 0)) || !IsFixed8(Output(op, 0))) return;
  report.Add(kPerChannelTable, In(0), absl::StrCat("a per-channel table converted to ", TypeText(Output(op, 0))),
             "a per-channel table converts to 16 bits only");
}

}  // namespace quantgate::qnn_htp
