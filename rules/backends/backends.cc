#include "rules/backends/backends.h"

#include "rules/backends/ethos_u/module.h"
#include "rules/backends/litert/module.h"
#include "rules/backends/onnxruntime/module.h"
#include "rules/backends/qnn_htp/module.h"
#include "rules/backends/qnn_htp/rule_list.h"
#include "rules/backends/qnn_lpai/module.h"
#include "rules/backends/x86_inductor/module.h"
#include "rules/backends/xnnpack/module.h"
#include "rules/engine/module.h"

namespace quantgate {

void RegisterBuiltinModules(ModuleRegistry& registry) {
  registry.Register("ethos_u", ethos_u::LoadModule);
  registry.Register("litert", litert::LoadModule);
  registry.Register("onnxruntime", onnxruntime::LoadModule);
  registry.Register("qnn_htp", qnn_htp::LoadModule);
  registry.Register("qnn_lpai", qnn_lpai::LoadModule);
  registry.Register("x86_inductor", x86_inductor::LoadModule);
  registry.Register("xnnpack", xnnpack::LoadModule);
}

std::vector<const RuleInfo*> BackendRules() {
  std::vector<const RuleInfo*> rules = qnn_htp::OwnRules();
  for (const RuleInfo* rule : onnxruntime::OwnRules()) rules.push_back(rule);
  for (const RuleInfo* rule : qnn_lpai::OwnRules()) rules.push_back(rule);
  for (const RuleInfo* rule : x86_inductor::OwnRules()) rules.push_back(rule);
  for (const RuleInfo* rule : xnnpack::OwnRules()) rules.push_back(rule);
  for (const RuleInfo* rule : litert::OwnRules()) rules.push_back(rule);
  for (const RuleInfo* rule : ethos_u::OwnRules()) rules.push_back(rule);
  return rules;
}

}  // namespace quantgate
