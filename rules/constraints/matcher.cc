#include "rules/constraints/matcher.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "db/table_text.h"
#include "rules/constraints/defaults.h"
#include "rules/constraints/mismatch.h"
#include "rules/constraints/port.h"
#include "rules/constraints/predicate.h"
#include "rules/constraints/rows.h"
#include "rules/constraints/rules.h"

namespace quantgate {
namespace {

constexpr absl::string_view kAll = "All";

struct CompiledItem {
  std::string name;  // "Conv2d/All/in[1]/item 2"
  PortPattern port;
  db::ArchRange archs;
  db::Evidence evidence = db::Evidence::kDocumented;
  db::ItemEffect effect = db::ItemEffect::kRefused;
  std::string source;
  std::vector<CompiledPredicate> predicates;
};

// The rows of one configuration of one table, and the items that go with them: those of the configuration and those
// for all. Tables are kept apart because "All" means all rows of its own table: the limits of a float table do not bind
// the integer rows of another.
struct Group {
  int table = 0;
  std::string configuration;
  RowSet rows;
  std::vector<int> items;  // indices into CompiledOp::items, in document order
};

struct CompiledOp {
  RowTable rows;
  std::vector<Group> groups;
  std::vector<CompiledItem> items;
  std::vector<PortPattern> mandatory;
  std::vector<PortPattern> declared;
  bool defined = false;  // the definition is known, and with it the parameters
  std::vector<db::Formal> parameters;
  ParamDefaults defaults;
  // Entries for values of the parameter `operation`.
  std::vector<std::pair<int64_t, const CompiledOp*>> operations;

  // The entry for the operator's operation, where there is one.
  const CompiledOp& ForOperationOf(const BackendOp& op) const {
    if (operations.empty()) return *this;
    const BackendParam* param = FindParam(op, "operation");
    if (param == nullptr || param->ints.size() != 1) return *this;
    for (const auto& [operation, entry] : operations) {
      if (operation == param->ints[0]) return *entry;
    }
    return *this;
  }

  int FindOrAddGroup(int table, absl::string_view configuration) {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].table == table && groups[i].configuration == configuration) return static_cast<int>(i);
    }
    groups.push_back({table, std::string(configuration), {}, {}});
    return static_cast<int>(groups.size()) - 1;
  }
};

// "ElementWiseBinary" of "ElementWiseBinary:ADD".
absl::string_view OperatorOf(absl::string_view entry) { return entry.substr(0, entry.find(':')); }

absl::Status AtItem(absl::string_view table, absl::string_view item, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(table, ": ", item, ": ", status.message()));
}

std::string TableName(const db::ConstraintTable& table) { return absl::StrCat(table.backend, "@", table.sdk); }

absl::Status AddDefinition(const db::OpDefinition& definition, CompiledOp& op) {
  for (const std::vector<db::Formal>* side : {&definition.inputs, &definition.outputs}) {
    for (const db::Formal& formal : *side) {
      absl::StatusOr<PortPattern> port = ParsePort(formal.name);
      if (!port.ok()) return AtItem("definition", definition.op, port.status());
      if (formal.mandatory) op.mandatory.push_back(*port);
      op.declared.push_back(*std::move(port));
    }
  }
  op.defined = true;
  op.parameters = definition.parameters;
  for (const db::Formal& formal : definition.parameters) {
    if (!formal.default_value.empty()) op.defaults.Add(formal.name, formal.default_value);
  }
  return absl::OkStatus();
}

absl::StatusOr<CompiledItem> CompileItem(absl::string_view op, const db::Item& item) {
  CompiledItem compiled;
  compiled.name = db::ItemName(op, item);
  absl::StatusOr<PortPattern> port = ParsePort(item.port);
  if (!port.ok()) return absl::InvalidArgumentError(absl::StrCat(compiled.name, ": ", port.status().message()));
  compiled.port = *std::move(port);
  compiled.archs = item.archs;
  compiled.evidence = item.evidence;
  compiled.effect = item.effect;
  compiled.source = item.source;
  if (item.predicates.empty()) return absl::InvalidArgumentError(absl::StrCat(compiled.name, ": has no predicate"));
  for (const db::Predicate& predicate : item.predicates) {
    absl::StatusOr<CompiledPredicate> made = CompiledPredicate::Compile(predicate, compiled.port);
    if (!made.ok()) return absl::InvalidArgumentError(absl::StrCat(compiled.name, ": ", made.status().message()));
    compiled.predicates.push_back(*std::move(made));
  }
  return compiled;
}

absl::Status AddConstraints(int table, const db::ConstraintTable& source, const db::OpConstraints& constraints,
                            CompiledOp& op) {
  for (const db::DtypeRow& row : constraints.rows) {
    std::string name = db::RowName(constraints.op, row);
    const int group = op.FindOrAddGroup(table, row.configuration);
    absl::Status status = op.rows.Add(row, std::move(name), group, db::NeedsFloats(source, row));
    if (!status.ok()) return status;
  }
  // Every table has a group for "All", so that items for all have a home when no row fits.
  op.FindOrAddGroup(table, kAll);
  for (const db::Item& item : constraints.items) op.FindOrAddGroup(table, item.configuration);
  for (const db::Item& item : constraints.items) {
    absl::StatusOr<CompiledItem> compiled = CompileItem(constraints.op, item);
    if (!compiled.ok()) return compiled.status();
    const int index = static_cast<int>(op.items.size());
    op.items.push_back(*std::move(compiled));
    for (Group& group : op.groups) {
      if (group.table != table) continue;
      if (item.configuration == kAll || item.configuration == group.configuration) group.items.push_back(index);
    }
  }
  return absl::OkStatus();
}

void Freeze(CompiledOp& op) {
  op.rows.Freeze(op.declared);
  const size_t words = (op.rows.rows().size() + 63) / 64;
  for (Group& group : op.groups) group.rows.assign(words, 0);
  for (size_t i = 0; i < op.rows.rows().size(); ++i) {
    op.groups[op.rows.rows()[i].group].rows[i / 64] |= uint64_t{1} << (i % 64);
  }
}

// Configuration that documents file an operator under, by its first input (first output when it has none): the width
// of the activation.
absl::string_view ConfigurationOf(const BackendOp& op) {
  for (const absl::Span<const BackendTensor> side : {op.inputs, op.outputs}) {
    for (const BackendTensor& tensor : side) {
      if (!tensor.present) continue;
      switch (tensor.type.type) {
        case v1::DATA_TYPE_INT8:
        case v1::DATA_TYPE_UINT8:
          return tensor.type.quantized ? "INT8" : "OTHERS";
        case v1::DATA_TYPE_INT16:
        case v1::DATA_TYPE_UINT16:
          return tensor.type.quantized ? "INT16" : "OTHERS";
        case v1::DATA_TYPE_FLOAT16:
        case v1::DATA_TYPE_FLOAT32:
          return "FP16";
        default:
          return "OTHERS";
      }
    }
  }
  return kAll;
}

void Report(const CompiledItem& item, const CompiledPredicate& predicate, PortRef port, Verdict verdict,
            Outcome& outcome, size_t first_violation, size_t first_unjudged, MatchResult& result) {
  const RuleInfo* rule = outcome.rule != nullptr ? outcome.rule : predicate.kind().rule;
  const auto same_place = [&](const RuleInfo* other_rule, PortRef other) {
    return other_rule == rule && other.kind == port.kind && other.index == port.index;
  };
  // Items overlap ("signed and symmetric", again under another encoding); the same thing is said once.
  if (verdict == Verdict::kUnknown) {
    const auto begin = result.unjudged.begin() + first_unjudged;
    if (std::any_of(begin, result.unjudged.end(),
                    [&](const Unjudged& u) { return same_place(u.rule, u.port) && u.reason == outcome.reason; })) {
      return;
    }
    const bool refuses = Refuses(*rule, item.effect);
    result.unjudged.push_back({rule, port, std::move(outcome.reason), outcome.compared, refuses});
    return;
  }
  // Of two ranks that are both too high the one is enough.
  const auto said =
      std::find_if(result.violations.begin() + first_violation, result.violations.end(), [&](const Violation& v) {
        return same_place(v.rule, v.port) && v.observed == outcome.observed &&
               (v.allowed == outcome.allowed || (rule == &kRank && v.effect != item.effect && v.refuses()));
      });
  if (said != result.violations.end()) {
    // What validation refuses is not prepared either.
    if (said->effect == db::ItemEffect::kUnprepared && item.effect == db::ItemEffect::kRefused) {
      said->effect = item.effect;
    }
    return;
  }
  Violation violation;
  violation.rule = rule;
  violation.port = port;
  violation.observed = std::move(outcome.observed);
  violation.allowed = std::move(outcome.allowed);
  violation.row = item.name;
  violation.document = item.source;
  violation.evidence = item.evidence;
  violation.effect = item.effect;
  result.violations.push_back(std::move(violation));
}

void EvaluateGroup(const CompiledOp& compiled, const Group& group, const BackendOp& op, Hardware hardware,
                   MatchResult& result) {
  const size_t first_violation = result.violations.size();
  const size_t first_unjudged = result.unjudged.size();
  Outcome outcome;
  for (int index : group.items) {
    const CompiledItem& item = compiled.items[index];
    if (!item.archs.Contains(hardware.kernels)) continue;
    const auto evaluate = [&](PortRef port, const BackendTensor* tensor) {
      const Subject subject{op, compiled.defaults, hardware.arch, port, item.port.name, tensor};
      for (const CompiledPredicate& predicate : item.predicates) {
        const Verdict verdict = predicate.Evaluate(subject, outcome);
        if (verdict == Verdict::kHolds) continue;
        Report(item, predicate, port, verdict, outcome, first_violation, first_unjudged, result);
        outcome = Outcome();
      }
    };
    if (item.port.kind == PortRef::kInput || item.port.kind == PortRef::kOutput) {
      const size_t ports = item.port.kind == PortRef::kInput ? op.inputs.size() : op.outputs.size();
      const int end = static_cast<int>(std::min<size_t>(ports, INT16_MAX));
      for (int i = item.port.first; i < end && (item.port.open() || i <= item.port.last); ++i) {
        if (const BackendTensor* tensor = TensorAt(op, item.port.kind, i)) {
          evaluate({item.port.kind, static_cast<int16_t>(i)}, tensor);
        }
      }
    } else if (item.port.kind == PortRef::kParam) {
      const BackendParam* param = FindParam(op, item.port.name);
      evaluate({PortRef::kParam, static_cast<int16_t>(param == nullptr ? -1 : param - op.params.data())}, nullptr);
    } else {
      evaluate({}, nullptr);
    }
  }
}

int Errors(const MatchResult& result, size_t first) {
  return static_cast<int>(
      std::count_if(result.violations.begin() + first, result.violations.end(), [](const Violation& v) {
        return v.rule->severity == v1::Finding::ERROR && v.effect != db::ItemEffect::kNotEnforced;
      }));
}

// Of several groups one whose items all hold is enough; when none does, the one with the fewest errors is reported.
template <typename Candidate>
void EvaluateBest(const CompiledOp& compiled, const BackendOp& op, Hardware hardware, Candidate candidate,
                  MatchResult& result) {
  const size_t first_violation = result.violations.size();
  const size_t first_unjudged = result.unjudged.size();
  std::vector<Violation> best_violations;
  std::vector<Unjudged> best_unjudged;
  std::pair<int, size_t> best{-1, 0};
  for (const Group& group : compiled.groups) {
    if (!candidate(group)) continue;
    EvaluateGroup(compiled, group, op, hardware, result);
    const std::pair<int, size_t> score{Errors(result, first_violation), result.unjudged.size() - first_unjudged};
    if (best.first < 0 || score < best) {
      best = score;
      best_violations.assign(std::make_move_iterator(result.violations.begin() + first_violation),
                             std::make_move_iterator(result.violations.end()));
      best_unjudged.assign(std::make_move_iterator(result.unjudged.begin() + first_unjudged),
                           std::make_move_iterator(result.unjudged.end()));
    }
    result.violations.resize(first_violation);
    result.unjudged.resize(first_unjudged);
  }
  std::move(best_violations.begin(), best_violations.end(), std::back_inserter(result.violations));
  std::move(best_unjudged.begin(), best_unjudged.end(), std::back_inserter(result.unjudged));
}

void CheckMandatoryPorts(const CompiledOp& compiled, const BackendOp& op, MatchResult& result) {
  for (const PortPattern& port : compiled.mandatory) {
    // Of a variadic port the first is mandatory.
    const int last = port.open() ? port.first : port.last;
    for (int i = port.first; i <= last; ++i) {
      if (TensorAt(op, port.kind, i) != nullptr) continue;
      Violation violation;
      violation.rule = &kMissingPort;
      violation.port = {port.kind, static_cast<int16_t>(i)};
      const std::string name = PortName(violation.port);
      violation.observed = absl::StrCat("no ", name);
      violation.allowed = absl::StrCat(name, " of ", op.name);
      result.violations.push_back(std::move(violation));
    }
  }
}

// Of an operator in the backend's own terms: it has no tensors beyond those of its definition. In the place of other
// origins' operators a lowering puts no more than there are.
void CheckSurplusPorts(const CompiledOp& compiled, const BackendOp& op, MatchResult& result) {
  if (!op.as_stated || compiled.declared.empty()) return;
  const auto check = [&](PortRef::Kind kind, absl::Span<const BackendTensor> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].present) continue;
      const int index = static_cast<int>(i);
      if (absl::c_any_of(compiled.declared,
                         [&](const PortPattern& p) { return p.kind == kind && p.Contains(index); })) {
        continue;
      }
      Violation violation;
      violation.rule = &kUnsupportedPort;
      violation.port = {kind, static_cast<int16_t>(std::min(index, kMaxPorts))};
      violation.observed = absl::StrCat("a tensor ", PortName(violation.port));
      violation.allowed = absl::StrCat("those of ", op.name);
      result.violations.push_back(std::move(violation));
      return;  // one says it: a damaged node may have a million
    }
  };
  check(PortRef::kInput, op.inputs);
  check(PortRef::kOutput, op.outputs);
}

// Of an operator in the backend's own terms: the parameters that it must have are there, and no others than it can
// have.
void CheckParameters(const CompiledOp& compiled, const BackendOp& op, MatchResult& result) {
  if (!op.as_stated || !compiled.defined) return;
  const auto add = [&](const RuleInfo& rule, std::string observed, std::string allowed) {
    Violation violation;
    violation.rule = &rule;
    violation.port.kind = PortRef::kParam;
    violation.observed = std::move(observed);
    violation.allowed = std::move(allowed);
    result.violations.push_back(std::move(violation));
  };
  for (const db::Formal& formal : compiled.parameters) {
    if (!formal.mandatory || FindParam(op, formal.name) != nullptr) continue;
    add(kMissingPort, absl::StrCat("no ", formal.name), absl::StrCat(formal.name, " of ", op.name));
  }
  for (const BackendParam& param : op.params) {
    if (absl::c_any_of(compiled.parameters, [&](const db::Formal& formal) { return formal.name == param.name; })) {
      continue;
    }
    add(kUnsupportedPort, absl::StrCat("a parameter ", param.name), absl::StrCat("those of ", op.name));
  }
}

// What the rows cannot judge: ports of unknown type, ports that no row mentions.
void CheckOpenPorts(const CompiledOp& compiled, const BackendOp& op, MatchResult& result) {
  const auto check = [&](PortRef::Kind kind, absl::Span<const BackendTensor> tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].present) continue;
      const PortRef port{kind, static_cast<int16_t>(i)};
      if (TypeUnknown(tensors[i])) {
        result.unjudged.push_back(
            {&kDtypeRow, port, absl::StrCat("the element type of ", PortName(port), " is not known")});
      } else if (compiled.rows.Unstated(port)) {
        result.unjudged.push_back({&kDtypeRow, port, absl::StrCat("no dtype row says anything of ", PortName(port))});
      }
    }
  };
  check(PortRef::kInput, op.inputs);
  check(PortRef::kOutput, op.outputs);
}

}  // namespace

struct TableMatcher::Impl {
  absl::node_hash_map<std::string, CompiledOp> ops;
  bool measured = true;
};

TableMatcher::TableMatcher(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableMatcher::~TableMatcher() = default;
TableMatcher::TableMatcher(TableMatcher&&) noexcept = default;
TableMatcher& TableMatcher::operator=(TableMatcher&&) noexcept = default;

absl::StatusOr<TableMatcher> TableMatcher::Compile(absl::Span<const db::ConstraintTable> tables,
                                                   absl::Span<const db::OpDefinition> definitions) {
  auto impl = std::make_unique<Impl>();
  for (size_t i = 0; i < tables.size(); ++i) {
    impl->measured &= tables[i].evidence == db::Evidence::kMeasured;
    for (const db::OpConstraints& constraints : tables[i].ops) {
      const absl::Status status =
          AddConstraints(static_cast<int>(i), tables[i], constraints, impl->ops[constraints.op]);
      if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(TableName(tables[i]), ": ", status.message()));
    }
  }
  for (const db::OpDefinition& definition : definitions) {
    for (auto& [name, op] : impl->ops) {
      if (OperatorOf(name) != definition.op) continue;
      if (absl::Status status = AddDefinition(definition, op); !status.ok()) return status;
    }
  }
  for (const db::ConstraintTable& table : tables) {
    for (const db::OpConstraints& constraints : table.ops) {
      const auto whole = impl->ops.find(OperatorOf(constraints.op));
      if (constraints.operation < 0 || whole == impl->ops.end()) continue;
      whole->second.operations.emplace_back(constraints.operation, &impl->ops.at(constraints.op));
    }
  }
  for (auto& [name, op] : impl->ops) Freeze(op);
  return TableMatcher(std::move(impl));
}

bool TableMatcher::measured() const { return impl_->measured; }

bool TableMatcher::HasOp(absl::string_view op) const { return impl_->ops.contains(op); }

std::vector<RowTypes> TableMatcher::Rows(const BackendOp& op, Hardware hardware) const {
  std::vector<RowTypes> rows;
  const auto found = impl_->ops.find(op.name);
  if (found == impl_->ops.end()) return rows;
  for (const CompiledRow& row : found->second.ForOperationOf(op).rows.rows()) {
    if (!row.IsFor(hardware)) continue;
    RowTypes& types = rows.emplace_back();
    for (const PortRef::Kind kind : {PortRef::kInput, PortRef::kOutput}) {
      const size_t ports = kind == PortRef::kInput ? op.inputs.size() : op.outputs.size();
      for (size_t i = 0; i < std::min<size_t>(ports, kMaxPorts); ++i) {
        const PortRef port{kind, static_cast<int16_t>(i)};
        if (TensorAt(op, kind, port.index) == nullptr) continue;
        if (const std::vector<db::ElementType>* at = row.TypesAt(port)) types.ports.push_back({port, *at});
      }
    }
  }
  return rows;
}

void TableMatcher::Match(const BackendOp& op, Hardware hardware, MatchResult& result) const {
  const auto found = impl_->ops.find(op.name);
  result.known_op = found != impl_->ops.end();
  if (!result.known_op) {
    Violation violation;
    violation.rule = &kUnknownBackendOp;
    violation.observed = absl::StrCat(op.name, ", which the backend does not have");
    violation.allowed = absl::StrCat("one of its ", impl_->ops.size(), " operators");
    result.violations.push_back(std::move(violation));
    return;
  }
  const CompiledOp& compiled = found->second.ForOperationOf(op);
  CheckMandatoryPorts(compiled, op, result);
  CheckSurplusPorts(compiled, op, result);
  CheckParameters(compiled, op, result);
  if (compiled.rows.empty()) {
    result.unjudged.push_back({&kDtypeRow, {}, "the table has no dtype rows of this operator"});
    EvaluateBest(
        compiled, op, hardware, [](const Group& g) { return g.configuration == kAll; }, result);
    return;
  }

  RowSet fitting = compiled.rows.Fit(op);
  const bool types_fit = Any(fitting);
  RowSet usable = fitting;
  compiled.rows.KeepFor(hardware, usable);
  if (Any(usable)) {
    CheckOpenPorts(compiled, op, result);
    EvaluateBest(
        compiled, op, hardware, [&](const Group& g) { return Intersects(g.rows, usable); }, result);
    return;
  }

  int closest = -1;
  if (types_fit) {
    result.violations.push_back(DescribeGate(compiled.rows, fitting, hardware));
    EvaluateBest(
        compiled, op, hardware, [&](const Group& g) { return Intersects(g.rows, fitting); }, result);
    return;
  }
  result.violations.push_back(DescribeMismatch(op, compiled.rows, hardware, closest));
  // No row says which items apply: those of the activation's width, else those for all of the closest row's table.
  const absl::string_view width = ConfigurationOf(op);
  if (absl::c_any_of(compiled.groups, [&](const Group& g) { return g.configuration == width; })) {
    EvaluateBest(
        compiled, op, hardware, [&](const Group& g) { return g.configuration == width; }, result);
    return;
  }
  const int table = closest < 0 ? 0 : compiled.groups[compiled.rows.rows()[closest].group].table;
  EvaluateBest(
      compiled, op, hardware, [&](const Group& g) { return g.table == table && g.configuration == kAll; }, result);
}

}  // namespace quantgate
