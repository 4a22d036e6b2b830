#include "rules/backends/cpu_module.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "rules/backends/coverage.h"
#include "rules/backends/table_module.h"
#include "rules/backends/table_target.h"

namespace quantgate {

void NoteRunsInFloat(const BackendOp& op, const Target& target, FindingSink& sink) {
  const auto quantized = [](const BackendTensor& tensor) { return tensor.present && tensor.type.quantized; };
  if (op.outputs.empty() || !quantized(op.outputs[0])) return;
  if (std::none_of(op.inputs.begin(), op.inputs.end(), quantized)) return;
  FindingSource source = FromTable(target, v1::Source::DOCUMENTED, op.name);
  sink.Add(kRunsInFloat, PlaceOf(op, {PortRef::kOutput, 0}), absl::StrCat(op.name, " is computed in float"),
           "a kernel for quantized data", std::move(source));
}

absl::StatusOr<std::unique_ptr<Module>> LoadCpuModule(const CpuBackend& backend, const db::TableSource& tables) {
  TableModule module;
  module.name = std::string(backend.name);
  module.definitions = std::string(backend.definitions);
  module.table = backend.table;
  module.rules = backend.rules;
  module.resolve = [backend](const db::TableSource& source, const TargetName& name) {
    return ResolveVariant(backend.name, backend.variants, source, name);
  };
  for (const Variant& variant : backend.variants.known) module.socs.emplace_back(variant.name);
  if (module.socs.empty()) module.socs.emplace_back();
  return LoadTableModule(std::move(module), tables);
}

}  // namespace quantgate
