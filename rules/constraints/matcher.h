// Matches backend operators against constraint tables. Rows are alternatives (OR), the types of a port within a row
// too; items are conditions (AND). Tri-state: a condition that cannot be judged is "not checked", never "fine".
#ifndef QUANTGATE_RULES_CONSTRAINTS_MATCHER_H_
#define QUANTGATE_RULES_CONSTRAINTS_MATCHER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "db/table.h"
#include "rules/constraints/backend_op.h"
#include "rules/engine/rule.h"

namespace quantgate {

// A place in a backend operator.
struct PortRef {
  enum Kind : uint8_t { kInput, kOutput, kParam, kOp } kind = kOp;
  int16_t index = -1;
};

// The backend does not take the operator, or takes it and cannot prepare the graph.
inline bool Refuses(const RuleInfo& rule, db::ItemEffect effect) {
  return rule.effect == v1::Finding::REFUSED &&
         (effect == db::ItemEffect::kRefused || effect == db::ItemEffect::kUnprepared);
}

struct Violation {
  const RuleInfo* rule = nullptr;  // what kind of thing is violated
  PortRef port;
  std::string observed;
  std::string allowed;
  std::string row;       // "Conv2d/INT8/row 3" or "Conv2d/All/in[1]/item 2"
  std::string document;  // the row's own source, when it has one
  db::Evidence evidence = db::Evidence::kDocumented;
  db::ItemEffect effect = db::ItemEffect::kRefused;  // kRefused: what the rule says

  bool refuses() const { return Refuses(*rule, effect); }
};

struct Unjudged {
  const RuleInfo* rule = nullptr;
  PortRef port;
  std::string reason;
  PortRef compared;      // kOp: no other port's numbers are asked for
  bool refuses = false;  // if it does not hold
};

struct MatchResult {
  bool known_op = false;  // the table has the operator
  std::vector<Violation> violations;
  std::vector<Unjudged> unjudged;
};

// What rows and conditions are about.
struct Hardware {
  // Kernels of its own arch, and floats. Implicit: most backends have nothing else to say.
  Hardware(int arch) : arch(arch), kernels(arch) {}  // NOLINT(google-explicit-constructor)
  Hardware(int arch, int kernels, bool has_float) : arch(arch), kernels(kernels), has_float(has_float) {}

  int arch;               // what `min_arch` and `max_arch` speak of, as in db::Soc
  int kernels;            // what `archs` of rows and items speak of
  bool has_float = true;  // false: the rows of the configurations FP16 and BF16 are not there
};

struct RowTypes {
  struct Port {
    PortRef port;
    std::vector<db::ElementType> types;
  };
  std::vector<Port> ports;
};

// One or more tables of one backend and SDK, compiled. Immutable and thread-safe.
class TableMatcher {
 public:
  // INVALID_ARGUMENT, naming the item, when a predicate has no evaluator or a bad argument.
  static absl::StatusOr<TableMatcher> Compile(absl::Span<const db::ConstraintTable> tables,
                                              absl::Span<const db::OpDefinition> definitions);
  ~TableMatcher();
  TableMatcher(TableMatcher&&) noexcept;
  TableMatcher& operator=(TableMatcher&&) noexcept;

  bool HasOp(absl::string_view op) const;
  // Every table is measured: nothing in them is to be overruled by what is known otherwise.
  bool measured() const;
  // The dtype rows of the operator for `hardware`: of each port that it has, the types a row takes there. Whether its
  // own types are among them does not matter.
  std::vector<RowTypes> Rows(const BackendOp& op, Hardware hardware) const;
  // Of an operator with entries for its operations, the entry of its operation is what counts.
  // Appends to `result`; allocates nothing when the operator conforms.
  void Match(const BackendOp& op, Hardware hardware, MatchResult& result) const;

 private:
  struct Impl;
  explicit TableMatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Predicate kinds that have an evaluator, sorted. `constraints verify` counts items outside of it as not encoded.
absl::Span<const absl::string_view> PredicateKinds();

// Rules that a violation can name.
absl::Span<const RuleInfo* const> ConstraintRules();

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_MATCHER_H_
