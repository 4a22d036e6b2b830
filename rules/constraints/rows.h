// Dtype rows of one operator, compiled to bit sets: for every port position and element type, the rows that take it.
// Matching is an AND over the operator's ports, so it yields all fitting rows at once, in time linear in the ports.
#ifndef QUANTGATE_RULES_CONSTRAINTS_ROWS_H_
#define QUANTGATE_RULES_CONSTRAINTS_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "db/table.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"
#include "rules/constraints/port.h"

namespace quantgate {

// Bit i: row i. 256 rows without allocation; the largest operator of the HTP tables has 67.
using RowSet = absl::InlinedVector<uint64_t, 4>;

bool Any(const RowSet& set);
bool Intersects(const RowSet& a, const RowSet& b);

struct CompiledRow {
  std::string name;  // "Conv2d/INT8/row 3"
  int group = 0;     // the (table, configuration) it belongs to; see matcher.cc
  db::ArchRange archs;
  bool of_floats = false;  // of a configuration that needs a float unit
  db::Evidence evidence = db::Evidence::kDocumented;
  std::string source;
  // Input and output ports only. The parameters that some rows list are typed by the operator's definition, and a
  // BackendParam carries values, not an element type.
  std::vector<PortPattern> ports;
  std::vector<std::vector<db::ElementType>> types;  // parallel to `ports`

  // Types taken at a position; null: the row has no such port.
  const std::vector<db::ElementType>* TypesAt(PortRef port) const;
  bool IsFor(Hardware hardware) const { return archs.Contains(hardware.kernels) && (hardware.has_float || !of_floats); }
};

// One position at which an operator and a row differ.
using PortSet = std::vector<PortRef>;

class RowTable {
 public:
  absl::Status Add(const db::DtypeRow& row, std::string name, int group, bool of_floats);
  // After the last Add. Positions of `declared` that no row mentions are left open instead of refused.
  void Freeze(const std::vector<PortPattern>& declared);

  bool empty() const { return rows_.empty(); }
  const std::vector<CompiledRow>& rows() const { return rows_; }

  // The rows that take all types of the operator, whatever their arch; an absent port and one of unknown type fit
  // everywhere. No allocation up to 256 rows.
  RowSet Fit(const BackendOp& op) const;
  // Removes the rows that are not for `hardware`.
  void KeepFor(Hardware hardware, RowSet& rows) const;
  // No row mentions this position, but the operator's definition has it.
  bool Unstated(PortRef port) const;
  // Positions at which the operator differs from the row.
  PortSet Differences(const BackendOp& op, const CompiledRow& row) const;

 private:
  // All positions of one side. Positions from `positions - 1` on share the last slot.
  struct Side {
    int positions = 0;
    std::vector<uint64_t> bits;  // [position][type code][word]
    std::vector<bool> unstated;  // [position]
  };

  void FreezeSide(PortRef::Kind kind, const std::vector<PortPattern>& declared, Side& side);
  void Narrow(const Side& side, absl::Span<const BackendTensor> tensors, RowSet& rows) const;

  std::vector<CompiledRow> rows_;
  size_t words_ = 0;
  bool arch_limited_ = false;
  Side inputs_;
  Side outputs_;
};

// A present port whose element type is not known, so that no row can be said to take it. Numbers that the enum does not
// have (a newer client's) count as unknown.
inline bool TypeUnknown(const BackendTensor& tensor) {
  return tensor.type.type <= v1::DATA_TYPE_UNSPECIFIED || tensor.type.type > v1::DATA_TYPE_STRING;
}

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_ROWS_H_
