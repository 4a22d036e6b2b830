// Ports whose tensors have one number of dimensions, by the operator's nature.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PORT_RANKS_H_
#define QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PORT_RANKS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace quantgate::qnn_htp {

// Ranks of in[0], in[1], … and of out[0], out[1], …, one digit each; 0: not fixed.
struct PortRanks {
  absl::string_view op;
  absl::string_view inputs;
  absl::string_view outputs;
};

absl::Span<const PortRanks> AllPortRanks();

}  // namespace quantgate::qnn_htp

#endif  // QUANTGATE_RULES_BACKENDS_QNN_HTP_OPS_PORT_RANKS_H_
