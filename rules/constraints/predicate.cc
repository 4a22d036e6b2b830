#include "rules/constraints/predicate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate {

Verdict Violated(Outcome& outcome, std::string observed, std::string allowed) {
  outcome.observed = std::move(observed);
  outcome.allowed = std::move(allowed);
  return Verdict::kViolated;
}

Verdict Unknown(Outcome& outcome, std::string reason) {
  outcome.reason = std::move(reason);
  return Verdict::kUnknown;
}

absl::StatusOr<CompiledPredicate> CompiledPredicate::Compile(const db::Predicate& predicate, const PortPattern& about) {
  const absl::Span<const PredicateKind> kinds = AllPredicateKinds();
  const auto kind = std::lower_bound(kinds.begin(), kinds.end(), predicate.kind,
                                     [](const PredicateKind& k, absl::string_view name) { return k.name < name; });
  if (kind == kinds.end() || kind->name != predicate.kind) {
    return absl::InvalidArgumentError(absl::StrCat("predicate kind \"", predicate.kind, "\" has no evaluator"));
  }
  const bool is_tensor = about.kind == PortRef::kInput || about.kind == PortRef::kOutput;
  if (kind->scope == PredicateScope::kTensor && !is_tensor) {
    return absl::InvalidArgumentError(absl::StrCat("predicate ", kind->name, " is about an input or output"));
  }
  Arguments arguments(predicate, about);
  CompiledPredicate compiled;
  if (kind->scope == PredicateScope::kParameter) {
    if (arguments.Has("param")) compiled.param_ = arguments.Text("param");
    if (about.kind != PortRef::kParam && compiled.param_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("predicate ", kind->name, " is about a parameter"));
    }
  }
  compiled.kind_ = &*kind;
  compiled.conditions_ = TakeConditions(arguments);
  if (kind->conditional && compiled.conditions_.empty()) arguments.Fail("needs a condition");
  compiled.evaluator_ = kind->compile(arguments);
  if (absl::Status status = arguments.Finish(); !status.ok()) return status;
  return compiled;
}

Verdict CompiledPredicate::Evaluate(const Subject& subject, Outcome& outcome) const {
  bool applies = true;
  for (const Condition& condition : conditions_) {
    const Tri holds = condition(subject);
    if (holds == Tri::kNo) return Verdict::kHolds;
    applies &= holds == Tri::kYes;
  }
  const auto judge = [&] {
    if (param_.empty()) return evaluator_(subject, outcome);
    Subject about_param = subject;
    about_param.name = param_;
    return evaluator_(about_param, outcome);
  };
  const Verdict verdict = judge();
  // Whether it applies is not known: a check that holds is fine either way, another one cannot be judged.
  if (applies || verdict != Verdict::kViolated) return verdict;
  return Unknown(outcome, absl::StrCat("it is not known whether this applies; if it does, ", outcome.observed,
                                       " violates it (allowed: ", outcome.allowed, ")"));
}

double NeutralPoint(const BackendTensor& tensor) {
  switch (tensor.type.type) {
    case v1::DATA_TYPE_UINT2:
    case v1::DATA_TYPE_UINT4:
    case v1::DATA_TYPE_UINT8:
    case v1::DATA_TYPE_UINT16:
    case v1::DATA_TYPE_UINT32:
      return std::ldexp(1.0, tensor.bits - 1);
    default:
      return 0;
  }
}

}  // namespace quantgate
