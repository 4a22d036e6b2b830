// Port names of tables: "in[0]", "out[1]", "in[2..m]" or "in[2..M]" (2 and all that follow), "in[1..4]", or a
// parameter's name.
#ifndef QUANTGATE_RULES_CONSTRAINTS_PORT_H_
#define QUANTGATE_RULES_CONSTRAINTS_PORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"

namespace quantgate {

// Tables do not number ports beyond this.
inline constexpr int kMaxPorts = 256;

struct PortPattern {
  PortRef::Kind kind = PortRef::kOp;
  int first = 0;
  int last = 0;      // inclusive; kMaxPorts for an open end
  std::string name;  // as in the table; the parameter's name for kParam

  bool open() const { return last == kMaxPorts; }
  bool Contains(int index) const { return index >= first && index <= last; }
};

// INVALID_ARGUMENT for a name that looks like a port and is none. Empty: the operator itself (kOp).
absl::StatusOr<PortPattern> ParsePort(absl::string_view name);

// "in[1]", "out[0]"; "" for the operator itself. Parameters have no number of their own: "".
std::string PortName(PortRef port);

// The tensor at a port; null when the operator has fewer ports or leaves this one out.
inline const BackendTensor* TensorAt(const BackendOp& op, PortRef::Kind kind, int index) {
  const absl::Span<const BackendTensor> ports = kind == PortRef::kInput ? op.inputs : op.outputs;
  if (index < 0 || static_cast<size_t>(index) >= ports.size() || !ports[index].present) return nullptr;
  return &ports[index];
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_PORT_H_
