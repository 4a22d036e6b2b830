// Backend modules: what a backend knows, behind functions, loaded on the first request that names it.
#ifndef QUANTGATE_RULES_ENGINE_MODULE_H_
#define QUANTGATE_RULES_ENGINE_MODULE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "db/table.h"
#include "db/table_source.h"
#include "quantgate/v1/report.pb.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/engine/toolchain.h"

namespace quantgate {

// "BACKEND[/SOC][@SDK]" taken apart; empty where not given.
struct TargetName {
  std::string backend;
  std::string soc;
  std::string sdk;
};
// INVALID_ARGUMENT with what is wrong and an example.
absl::StatusOr<TargetName> ParseTargetName(absl::string_view text);

// A target after the backend has looked at it.
struct Target {
  std::string name;  // resolved form, "qnn_htp/SM8650@2.25.0"
  std::string backend;
  std::string soc;                                 // empty: a bare arch
  int arch = 0;                                    // 75; 0 when the backend has no archs
  int kernels = 0;                                 // the arch whose kernels it has, mostly its own
  bool has_float = true;                           // false: it is known to compute integers alone
  std::string sdk;                                 // the table's version, "2.25.0"
  std::vector<std::string> tables;                 // consulted tables, "qnn_htp@2.25.0"
  Toolchain toolchain = Toolchain::kQnnConverter;  // on the way there; set by the check, not by the backend
  // Set when the target cannot be judged (no table for this SDK): the result is UNKNOWN with this reason.
  std::string unknown_reason;
};

// What a module says of one graph, beside its findings.
struct ModuleResult {
  // Per ResolvedOp, parallel to ResolvedGraph::ops(): was the op judged, refused, and what is emitted for it.
  struct OpOutcome {
    bool checked = false;
    bool refused = false;
    bool beside = false;       // only a reshape in front of the operator or behind it is refused
    bool ends_export = false;  // the toolchain itself fails on it, whatever it does with refused operators
    bool raises = false;       // the toolchain fails where it looks at it, and looks at no other operator after that
    bool unasked = false;      // the toolchain fails over it before it looks at any operator
    bool reached = true;       // false: the toolchain has failed before it looks at it
    // Names that outlive the check: a table's, or the graph's own.
    absl::InlinedVector<absl::string_view, 1> backend_ops;
  };
  std::vector<OpOutcome> ops;
};

// One combination of element types that the backend takes for a node, by the tensors of the graph: what corrections are
// made from. Ports that it says nothing of, or that the node does not have, are left out.
struct AcceptedTypes {
  struct Port {
    bool is_output = false;
    int32_t argument = -1;  // position in the node's inputs (or outputs)
    int32_t value = -1;     // as in Operand
    std::vector<db::ElementType> types;
  };
  std::vector<Port> ports;
};

struct Module {
  std::string name;
  std::vector<const RuleInfo*> rules;
  // Target-independent rules that this module judges itself because the target is known to differ; their general
  // findings are left out of its results.
  std::vector<const RuleInfo*> replaces;
  // NOT_FOUND with the nearest names when the SoC or arch is unknown; never arch 0.
  std::function<absl::StatusOr<Target>(const TargetName&)> resolve;
  std::function<void(const CheckContext&, const Target&, FindingSink&, ModuleResult&)> check;
  // Alternatives for an operator, best known ones first; what a target demands beyond types is not in them. Null: the
  // backend has no such data.
  std::function<std::vector<AcceptedTypes>(const CheckContext&, const Target&, const ResolvedOp&)> accepted_types;
  // Every target with a SoC name, for the catalog.
  std::function<std::vector<Target>()> targets;
};

using ModuleLoader = std::function<absl::StatusOr<std::unique_ptr<Module>>(const db::TableSource&)>;

// Registered names and their loaders; loads each at most once, on first use. Thread-safe.
class ModuleRegistry {
 public:
  explicit ModuleRegistry(const db::TableSource& tables);
  ~ModuleRegistry();
  void Register(std::string name, ModuleLoader loader);
  // NOT_FOUND: no backend has this name (the message lists the nearest). Any other error: there is no module for it,
  // or the module failed to load; the next call tries again.
  absl::StatusOr<const Module*> Get(absl::string_view name);
  bool IsLoaded(absl::string_view name) const;
  std::vector<std::string> names() const;
  const db::TableSource& tables() const { return tables_; }

 private:
  struct Entry;
  const db::TableSource& tables_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

// Registers every module that is part of this build (rules/backends/backends.cc lists them).
void RegisterBuiltinModules(ModuleRegistry& registry);

}  // namespace quantgate

#endif  // QUANTGATE_RULES_ENGINE_MODULE_H_
