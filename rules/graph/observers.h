// What torch's observers make of a spec, as far as the spec alone tells.
#ifndef QUANTGATE_RULES_GRAPH_OBSERVERS_H_
#define QUANTGATE_RULES_GRAPH_OBSERVERS_H_

#include "quantgate/v1/spec.pb.h"

namespace quantgate {

// Whether negative numbers keep as much room under `spec` as positive ones. Symmetric observers choose the scale for
// both sides, but zero point 0 for all types except uint8 and uint16: in int32 in 0..65535 everything below 0 becomes
// 0.
bool HoldsNegatives(const v1::Spec& spec);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_GRAPH_OBSERVERS_H_
