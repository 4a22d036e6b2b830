// What changes from one constraint table to another, told by whom it concerns: operator, configuration, port, archs.
#ifndef QUANTGATE_DB_DIFF_H_
#define QUANTGATE_DB_DIFF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db/table.h"

namespace quantgate::db {

struct RowChange {
  enum Kind {
    kAdded,     // combinations of types that the old table did not have
    kRemoved,   // none of the row's combinations is left
    kNarrowed,  // a row with alternatives of which some combinations are left
  } kind = kAdded;
  DtypeRow row;              // of the new table when added, else of the old one
  int64_t combinations = 0;  // of the row
  int64_t remaining = 0;     // of these, in the new table too
};

struct ConditionChange {
  std::string port;
  // Predicate texts. Before empty: new. After empty: gone. Both: the same kind and argument names with other values.
  std::string before;
  std::string after;
  ArchRange archs;  // of the newest of the two
};

struct ConfigurationChange {
  std::string configuration;  // "All": for each of them
  std::vector<RowChange> rows;
  std::vector<ConditionChange> conditions;
};

struct OpChange {
  std::string op;
  std::vector<ConfigurationChange> configurations;
};

struct TableDiff {
  std::string before;  // "qnn_htp@2.13.0"
  std::string after;
  std::vector<std::string> ops_added;
  std::vector<std::string> ops_removed;
  std::vector<OpChange> ops;  // those in both that differ
  bool empty() const { return ops_added.empty() && ops_removed.empty() && ops.empty(); }
};

// Rows are compared by what they accept, not by how the document writes them down: a row with alternatives covers each
// of its combinations, a configuration is a heading only, and a port or parameter that one of two rows does not name is
// not compared. "in[0..m]" is the same port as "in[0]". Conditions are compared per configuration, those of "All"
// counting for each; of a configuration that the old table accepts nothing of, every condition is new; what is the same
// change in every configuration of an operator is told once, under "All".
TableDiff DiffTables(const ConstraintTable& before, const ConstraintTable& after);

}  // namespace quantgate::db

#endif  // QUANTGATE_DB_DIFF_H_
