// What becomes of one node: how each backend's lowering answers.
#ifndef QUANTGATE_RULES_BACKENDS_LOWERING_H_
#define QUANTGATE_RULES_BACKENDS_LOWERING_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace quantgate {

struct Lowering {
  enum Status : uint8_t {
    kEmitted,        // the emission holds at least one operator
    kFolded,         // no operator: identity, shape arithmetic, constants
    kNoCounterpart,  // the backend cannot say this
    kUnknown,        // it may be emitted, but how cannot be told from here
  } status = kEmitted;
  // Why, for kNoCounterpart and kUnknown; a static string.
  absl::string_view reason;
};

inline Lowering Emitted() { return {Lowering::kEmitted, {}}; }
inline Lowering Folded() { return {Lowering::kFolded, {}}; }
inline Lowering NoCounterpart(absl::string_view reason) { return {Lowering::kNoCounterpart, reason}; }
inline Lowering Unknown(absl::string_view reason) { return {Lowering::kUnknown, reason}; }

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_LOWERING_H_
