// Predicates of items: what a table says about a port, a parameter or the operator, beyond element types. A kind is one
// function that reads its arguments and returns the evaluator; db/README.md is the vocabulary.
#ifndef QUANTGATE_RULES_CONSTRAINTS_PREDICATE_H_
#define QUANTGATE_RULES_CONSTRAINTS_PREDICATE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table.h"
#include "rules/constraints/arguments.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/defaults.h"
#include "rules/constraints/matcher.h"

namespace quantgate {

enum class Verdict : uint8_t { kHolds, kViolated, kUnknown };

// What one evaluation looks at: one tensor or one parameter of one operator.
struct Subject {
  const BackendOp& op;
  const ParamDefaults& defaults;
  int arch;
  PortRef port;
  absl::string_view name;       // of the parameter, when `port` is one
  const BackendTensor* tensor;  // never null for an input or output: absent ports are not evaluated
};

// Why a predicate does not hold; untouched when it does, so that a conforming operator costs no allocation.
struct Outcome {
  const RuleInfo* rule = nullptr;  // overrides the kind's
  std::string observed;
  std::string allowed;
  std::string reason;  // kUnknown: what is not known
  PortRef compared;    // kUnknown: the port whose numbers ought to be the same
};

using Evaluator = std::function<Verdict(const Subject&, Outcome&)>;
using Condition = std::function<Tri(const Subject&)>;

// What the item of a predicate must be about. kParameter: a parameter, or any port when argument `param` names one.
enum class PredicateScope : uint8_t { kTensor, kParameter, kAny };

struct PredicateKind {
  absl::string_view name;
  PredicateScope scope;
  const RuleInfo* rule;
  Evaluator (*compile)(Arguments&);
  bool conditional = false;  // it is stated under conditions only
};

// All kinds, sorted by name (kinds.cc).
absl::Span<const PredicateKind> AllPredicateKinds();

class CompiledPredicate {
 public:
  // INVALID_ARGUMENT: unknown kind, bad argument or condition, or an item the kind is not about. `about`: the item's
  // port.
  static absl::StatusOr<CompiledPredicate> Compile(const db::Predicate& predicate, const PortPattern& about);

  const PredicateKind& kind() const { return *kind_; }
  Verdict Evaluate(const Subject& subject, Outcome& outcome) const;

 private:
  const PredicateKind* kind_ = nullptr;
  std::string param_;  // the parameter it is about, when that is not the item's port
  std::vector<Condition> conditions_;
  Evaluator evaluator_;
};

// Reads and removes the when_ and unless_ arguments (conditions.cc).
std::vector<Condition> TakeConditions(Arguments& arguments);

// Shorthands for evaluators.
Verdict Violated(Outcome& outcome, std::string observed, std::string allowed);
Verdict Unknown(Outcome& outcome, std::string reason);

// What stands for real zero in a symmetric encoding: 0, or the middle of an unsigned range.
double NeutralPoint(const BackendTensor& tensor);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_CONSTRAINTS_PREDICATE_H_
