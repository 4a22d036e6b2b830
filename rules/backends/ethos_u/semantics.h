// What makes Vela stop: no operator of the file is compiled then.
#ifndef QUANTGATE_RULES_BACKENDS_ETHOS_U_SEMANTICS_H_
#define QUANTGATE_RULES_BACKENDS_ETHOS_U_SEMANTICS_H_

#include <optional>

#include "rules/backends/ethos_u/call.h"

namespace quantgate::ethos_u {

// Why the file is not read, or the compiler ends over the operator; the first reason. Asked of every operator, those
// that the NPU has not included. Source: Vela 5.2.0, what it takes for valid LiteRT, and asked on both sides of each.
std::optional<Complaint> Stops(const Call& call);

}  // namespace quantgate::ethos_u

#endif  // QUANTGATE_RULES_BACKENDS_ETHOS_U_SEMANTICS_H_
