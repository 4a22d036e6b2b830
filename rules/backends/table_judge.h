// Judging a graph by a table alone: every node is lowered to the backend's operators, and each is matched. Backends
// that know more than their table do more than this (qnn_htp).
#ifndef QUANTGATE_RULES_BACKENDS_TABLE_JUDGE_H_
#define QUANTGATE_RULES_BACKENDS_TABLE_JUDGE_H_

#include <cstdint>
#include <vector>

#include "rules/backends/emission.h"
#include "rules/backends/folding.h"
#include "rules/backends/lowering.h"
#include "rules/backends/matchers.h"
#include "rules/constraints/backend_op.h"
#include "rules/constraints/matcher.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/module.h"

namespace quantgate {

// Place of a port in the origin's graph.
Place PlaceOf(const BackendOp& op, PortRef port);

// What the target's rows and conditions are about.
Hardware HardwareOf(const Target& target);

// A violation as a finding, its source named.
FindingDraft TableFinding(const BackendOp& op, const Violation& violation, const Target& target);

// What breaking a statement of the table comes to.
enum class Fate : uint8_t {
  kByRule,      // what the statement's rule and effect say
  kRefused,     // the operator is not taken
  kEndsExport,  // it is taken at first, and the export, or loading the result, ends there
};

using LowerNode = Lowering(const CheckContext& context, const ResolvedOp& op, Emission& emission);

// What a backend has to say beside its table.
struct TableBackend {
  LowerNode* lower;
  // Looks at one emitted operator, and says what comes of it beside what the table says (kByRule: nothing). Null:
  // nothing to add.
  Fate (*judge)(const CheckContext& context, const BackendOp& op, const MatchResult& match, const Target& target,
                FindingSink& sink) = nullptr;
  // Null: everything is by its rule.
  Fate (*fate)(const BackendOp& op, const Violation& violation) = nullptr;
  Generators generators = Generators::kFolded;
  // Looks at all that was judged, and what has come of it. Null: nothing to add.
  void (*finish)(const CheckContext& context, const Target& target, FindingSink& sink, ModuleResult& result) = nullptr;
  bool folds = true;  // false: what is computed from constants alone reaches the backend as well
};

// `folded`: values that never reach the backend.
void JudgeByTable(const CheckContext& context, const Target& target, const TableMatcher& matcher,
                  const TableBackend& backend, const std::vector<bool>& folded, FindingSink& sink,
                  ModuleResult& result);

// Rows of every operator that the node becomes; none where the table does not compile. As Module::accepted_types.
std::vector<AcceptedTypes> AcceptedByTable(const CheckContext& context, const Target& target, Matchers& matchers,
                                           LowerNode* lower, const ResolvedOp& op);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_BACKENDS_TABLE_JUDGE_H_
