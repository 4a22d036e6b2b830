// A small engine for the server's tests: one rule, one backend that works, one that does not load, and graphs whose
// name says how their check behaves.
#ifndef QUANTGATE_TESTS_SERVER_FAKE_ENGINE_H_
#define QUANTGATE_TESTS_SERVER_FAKE_ENGINE_H_

#include <vector>

#include "absl/status/status.h"
#include "db/table_source.h"
#include "rules/check.h"
#include "rules/engine/module.h"

namespace quantgate::fake {

// Tables "good@1.0" and "good@2.0", SoC "S1" (alias "S1X") and "S2".
class Tables : public db::TableSource {
 public:
  Tables();
  const std::string& digest() const override { return digest_; }
  const std::vector<db::TableInfo>& tables() const override { return tables_; }
  absl::StatusOr<db::ConstraintTable> LoadTable(const std::string& backend, const std::string& sdk) const override;
  absl::StatusOr<std::vector<db::OpDefinition>> LoadDefinitions(const std::string&, const std::string&) const override {
    return absl::NotFoundError("no definitions");
  }
  const std::vector<db::Soc>& socs() const override { return socs_; }

 private:
  std::string digest_ = "tables-digest";
  std::vector<db::TableInfo> tables_;
  std::vector<db::Soc> socs_;
};

// "good" and "broken" (fails to load).
void RegisterModules(ModuleRegistry& modules);

// By graph name: "slow" runs until it is cancelled, "stuck" for ever, "gate" until OpenGate(), "quarter" takes 250 ms,
// "throw" throws; a node whose name is "bad" is a finding NR001; a node whose op is out of range is INVALID_ARGUMENT.
// Anything else is accepted.
absl::Status Check(const v1::Graph& graph, const CheckOptions& options, ModuleRegistry& modules, v1::Report& report);

std::vector<const RuleInfo*> Rules();

// Checks that have started and those that have ended by cancellation.
int Started();
int Cancelled();
// Lets the checks go on that wait for it, and later ones.
void OpenGate();

}  // namespace quantgate::fake

#endif  // QUANTGATE_TESTS_SERVER_FAKE_ENGINE_H_
