#include "rules/backends/table_judge.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/emission.h"
#include "rules/backends/folding.h"
#include "rules/backends/table_target.h"
#include "rules/backends/undecided.h"

namespace quantgate {

Place PlaceOf(const BackendOp& op, PortRef port) {
  Place place;
  place.node = op.node;
  if (port.kind == PortRef::kInput && port.index >= 0 && static_cast<size_t>(port.index) < op.inputs.size()) {
    const BackendTensor& tensor = op.inputs[port.index];
    place.input = tensor.present ? tensor.argument : -1;
    place.value = tensor.value;
  } else if (port.kind == PortRef::kOutput && port.index >= 0 && static_cast<size_t>(port.index) < op.outputs.size()) {
    const BackendTensor& tensor = op.outputs[port.index];
    place.output = tensor.present ? tensor.argument : -1;
    place.value = tensor.value;
  }
  return place;
}

Hardware HardwareOf(const Target& target) {
  // Backends that say nothing of kernels have those of their arch.
  return {target.arch, target.kernels == 0 ? target.arch : target.kernels, target.has_float};
}

FindingDraft TableFinding(const BackendOp& op, const Violation& violation, const Target& target) {
  FindingDraft draft;
  draft.rule = violation.rule;
  draft.place = PlaceOf(op, violation.port);
  draft.observed = violation.observed;
  draft.allowed = violation.allowed;
  const bool measured = violation.evidence == db::Evidence::kMeasured;
  draft.source =
      FromTable(target, measured ? v1::Source::MEASURED : v1::Source::DOCUMENTED, violation.row, violation.document);
  switch (violation.effect) {
    case db::ItemEffect::kNotEnforced:
      draft.effect = v1::Finding::ADVICE;
      draft.severity = v1::Finding::WARNING;
      break;
    case db::ItemEffect::kWrongNumbers:
      draft.effect = v1::Finding::WRONG_NUMBERS;
      draft.severity = v1::Finding::ERROR;
      break;
    case db::ItemEffect::kRefused:
    case db::ItemEffect::kUnprepared:
      break;
  }
  return draft;
}

void JudgeByTable(const CheckContext& context, const Target& target, const TableMatcher& matcher,
                  const TableBackend& backend, const std::vector<bool>& folded, FindingSink& sink,
                  ModuleResult& result) {
  NoteOlderTable(target, sink);
  const absl::Span<const ResolvedOp> ops = context.resolved().ops();
  result.ops.resize(ops.size());
  Emission emission;
  MatchResult match;
  for (size_t i = 0; i < ops.size(); ++i) {
    ModuleResult::OpOutcome& outcome = result.ops[i];
    if (IsFolded(context.graph(), folded, ops[i].node)) {
      outcome.checked = true;
      continue;
    }
    emission.Clear();
    const Lowering lowering = backend.lower(context, ops[i], emission);
    if (lowering.status == Lowering::kUnknown) {
      sink.NotChecked(&kUnclearLowering, ops[i].node, std::string(lowering.reason));
      continue;
    }
    outcome.checked = true;
    if (lowering.status == Lowering::kNoCounterpart) {
      outcome.refused = true;
      Place place;
      place.node = ops[i].node;
      FindingSource source;
      source.kind = v1::Source::DEFINITION;
      sink.Add(kNoBackendOperator, place, std::string(lowering.reason), absl::StrCat("an operator of ", target.backend),
               std::move(source));
      continue;
    }
    if (lowering.status == Lowering::kFolded) continue;
    outcome.checked = NoteUndecided(context, ops[i], sink);
    for (const BackendOp& op : emission.Finish()) {
      outcome.backend_ops.emplace_back(op.name);
      match.violations.clear();
      match.unjudged.clear();
      matcher.Match(op, HardwareOf(target), match);
      const auto fate_of = [&](const Violation& violation) {
        return backend.fate == nullptr ? Fate::kByRule : backend.fate(op, violation);
      };
      // What is not taken in the first place does not get as far as being prepared.
      const bool taken = absl::c_none_of(match.violations, [&](const Violation& violation) {
        const Fate fate = fate_of(violation);
        const bool refuses = fate == Fate::kRefused || (fate == Fate::kByRule && violation.refuses());
        return refuses && violation.effect == db::ItemEffect::kRefused;
      });
      for (const Violation& violation : match.violations) {
        if (!taken && violation.effect == db::ItemEffect::kUnprepared) continue;
        const Fate fate = fate_of(violation);
        FindingDraft draft = TableFinding(op, violation, target);
        if (fate != Fate::kByRule) {
          draft.effect = v1::Finding::REFUSED;
          draft.severity = v1::Finding::ERROR;
        }
        // What is taken and then ends the export is not left to others.
        outcome.refused = outcome.refused || fate == Fate::kRefused || (fate == Fate::kByRule && violation.refuses());
        outcome.ends_export = outcome.ends_export || fate == Fate::kEndsExport;
        sink.Add(std::move(draft));
      }
      for (Unjudged& unjudged : match.unjudged) {
        sink.NotChecked(unjudged.rule, op.node, absl::StrCat(op.name, ": ", unjudged.reason));
      }
      const Fate judged = backend.judge == nullptr ? Fate::kByRule : backend.judge(context, op, match, target, sink);
      outcome.refused = outcome.refused || judged == Fate::kRefused;
      outcome.ends_export = outcome.ends_export || judged == Fate::kEndsExport;
    }
  }
  if (backend.finish != nullptr) backend.finish(context, target, sink, result);
}

std::vector<AcceptedTypes> AcceptedByTable(const CheckContext& context, const Target& target, Matchers& matchers,
                                           LowerNode* lower, const ResolvedOp& op) {
  std::vector<AcceptedTypes> accepted;
  const absl::StatusOr<const TableMatcher*> matcher = matchers.Get(target);
  Emission emission;
  if (!matcher.ok() || lower(context, op, emission).status != Lowering::kEmitted) return accepted;
  for (const BackendOp& emitted : emission.Finish()) {
    for (RowTypes& row : (*matcher)->Rows(emitted, HardwareOf(target))) {
      AcceptedTypes& types = accepted.emplace_back();
      for (RowTypes::Port& port : row.ports) {
        const bool is_output = port.port.kind == PortRef::kOutput;
        const BackendTensor& tensor = (is_output ? emitted.outputs : emitted.inputs)[port.port.index];
        // Tensors between two emitted operators are not the graph's.
        if (tensor.value < 0 || tensor.argument < 0) continue;
        types.ports.push_back({is_output, tensor.argument, tensor.value, std::move(port.types)});
      }
    }
  }
  return accepted;
}

}  // namespace quantgate
