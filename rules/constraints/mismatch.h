// What to say when no dtype row fits.
#ifndef QUANTGATE_RULES_CONSTRAINTS_MISMATCH_H_
#define QUANTGATE_RULES_CONSTRAINTS_MISMATCH_H_

#include "rules/constraints/rows.h"

namespace quantgate {

// DT101: the closest rows for this hardware (fewest differing ports, at most 3) and what differs at each port. The
// violation is placed at a port when all of them differ there alone. DT102 or DT106 when no row at all is for it.
// `closest` is set to the index of the first closest row, -1 when there is none.
Violation DescribeMismatch(const BackendOp& op, const RowTable& rows, Hardware hardware, int& closest);

// DT102, or DT106 where all of them are of floats: `fitting` rows take the types, none of them on this hardware. Not
// empty.
Violation DescribeGate(const RowTable& rows, const RowSet& fitting, Hardware hardware);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_MISMATCH_H_
