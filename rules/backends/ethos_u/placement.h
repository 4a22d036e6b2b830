// What Vela leaves to the CPU though the types are right: sizes, strides, factors, axes and options that the NPU has no
// way to compute. Types, encodings and what has to be constant are in the tables.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_PLACEMENT_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_PLACEMENT_H_

#include <optional>

#include "rules/backends/ethos_u/call.h"

namespace quantgate::ethos_u {

// Why the operator is not placed on the NPU, or ends the compiler though it is; the first reason. Of an operator whose
// sizes are not known nothing is said. Source: Vela 5.2.0, its lists of supported operators for Ethos-U55/U65 and
// Ethos-U85, and asked on both sides of each.
std::optional<Complaint> NotPlaced(const Call& call);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_PLACEMENT_H_
