// From any origin's operator to the QNN operators that a toolchain emits for it: names, port order, layout, types and
// parameters as QNN has them. Shared by all QNN backends; nothing here knows what a backend accepts.
#ifndef QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "rules/backends/qnn/emission.h"
#include "rules/engine/context.h"

namespace quantgate::qnn {

struct Lowering {
  enum Status : uint8_t {
    kEmitted,        // the emission holds at least one operator
    kFolded,         // no operator: identity, shape arithmetic, constants
    kNoCounterpart,  // QNN cannot say this
    kUnknown,        // it may be emitted, but how cannot be told from here
  } status = kEmitted;
  // Why, for kNoCounterpart and kUnknown; a static string.
  absl::string_view reason;
};

// Appends to `emission` what `op` becomes. Does not see whether values are folded away (folding.h).
Lowering Lower(const CheckContext& context, const ResolvedOp& op, Emission& emission);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_RULES_BACKENDS_QNN_LOWERING_H_
