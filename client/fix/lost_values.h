// Values that a change of a graph leaves to nobody.
#ifndef QUANTGATE_CLIENT_FIX_LOST_VALUES_H_
#define QUANTGATE_CLIENT_FIX_LOST_VALUES_H_

#include "quantgate/v1/graph.pb.h"

namespace quantgate {

// Takes the values out of `changed` that nothing names there and that something named in `before`, which it was made of
// by adding values and changing nodes: constants whose only reader has others now. What nothing named before stays. Ids
// are counted anew.
void DropLostValues(const v1::Graph& before, v1::Graph& changed);

}  // namespace quantgate

#endif  // QUANTGATE_CLIENT_FIX_LOST_VALUES_H_
