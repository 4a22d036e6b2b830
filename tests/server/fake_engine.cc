#include "tests/server/fake_engine.h"

#include <atomic>
#include <memory>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace quantgate::fake {
namespace {

std::atomic<int> started{0};
std::atomic<int> cancelled{0};
std::atomic<bool> gate_is_open{false};

constexpr RuleInfo kScaleRange = {"NR001",
                                  "scale-range",
                                  v1::Finding::UNSOUND,
                                  v1::Finding::ERROR,
                                  kAtAnyStage,
                                  "{subject} has scale {observed}; a scale must be {allowed}",
                                  "why",
                                  "fix",
                                  "example"};
constexpr RuleInfo kOwn = {"DT001",
                           "types",
                           v1::Finding::REFUSED,
                           v1::Finding::ERROR,
                           kAtConverted,
                           "{subject} is {observed}; allowed are {allowed}",
                           "why",
                           "fix",
                           "example"};

absl::StatusOr<std::unique_ptr<Module>> LoadGood(const db::TableSource&) {
  auto module = std::make_unique<Module>();
  module->name = "good";
  module->rules = {&kOwn};
  module->resolve = [](const TargetName& name) -> absl::StatusOr<Target> {
    if (name.soc != "S1" && name.soc != "S2") return absl::NotFoundError(absl::StrCat("unknown SoC ", name.soc));
    Target target;
    target.backend = "good";
    target.soc = name.soc;
    target.arch = name.soc == "S1" ? 1 : 2;
    target.sdk = "2.0";
    target.name = absl::StrCat("good/", name.soc, "@2.0");
    return target;
  };
  module->targets = [resolve = module->resolve] {
    return std::vector<Target>{*resolve({"good", "S2", ""}), *resolve({"good", "S1", ""})};
  };
  return module;
}

}  // namespace

Tables::Tables() {
  tables_ = {{"good", "1.0", "doc one", 1, 1, 1}, {"good", "2.0", "doc two", 2, 3, 1}};
  socs_ = {{1, "S1", 1, 1, 0, {"S1X"}}, {2, "S2", 2, 2, 0, {}}};
}

absl::StatusOr<db::ConstraintTable> Tables::LoadTable(const std::string& backend, const std::string& sdk) const {
  db::ConstraintTable table;
  table.backend = backend;
  table.sdk = sdk;
  table.document = "doc two";
  const db::ElementType u8{v1::DATA_TYPE_UINT8, true};
  db::OpConstraints conv{"Conv2d", {}, {}};
  conv.rows.push_back({"INT8", 1, {{"in[0]", {u8}}, {"out[0]", {u8}}}, {}, db::Evidence::kDocumented, ""});
  conv.rows.push_back({"INT8", 2, {{"in[0]", {u8}}}, {73, 0}, db::Evidence::kMeasured, "a measurement"});
  conv.items.push_back({"All", "in[1]", 1, {{"rank", {{"equals", "4"}}}, {"static", {}}}, {}, {}, ""});
  db::OpConstraints relu{"Relu", {}, {}};
  relu.rows.push_back({"INT8", 1, {{"in[0]", {u8}}}, {}, db::Evidence::kDocumented, ""});
  table.ops = {conv, relu};
  return table;
}

void RegisterModules(ModuleRegistry& modules) {
  modules.Register("good", LoadGood);
  modules.Register("broken", [](const db::TableSource&) -> absl::StatusOr<std::unique_ptr<Module>> {
    return absl::DataLossError("its table is damaged");
  });
}

absl::Status Check(const v1::Graph& graph, const CheckOptions& options, ModuleRegistry& modules, v1::Report& report) {
  ++started;
  if (graph.name() == "throw") throw std::runtime_error("a fault of the engine");
  if (graph.name() == "quarter") absl::SleepFor(absl::Milliseconds(250));
  while (graph.name() == "stuck") absl::SleepFor(absl::Seconds(1));
  while (graph.name() == "gate" && !gate_is_open && !options.cancelled()) absl::SleepFor(absl::Milliseconds(1));
  if (graph.name() == "slow") {
    while (!options.cancelled()) absl::SleepFor(absl::Milliseconds(1));
    ++cancelled;
    return absl::CancelledError("the check was cancelled");
  }
  if (static_cast<int>(options.targets.size()) > options.limits.max_targets) {
    return absl::ResourceExhaustedError(absl::StrCat("max_targets=", options.limits.max_targets));
  }
  for (int i = 0; i < graph.nodes_size(); ++i) {
    if (graph.nodes(i).op() < 0 || graph.nodes(i).op() > graph.symbols_size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("graph.nodes[", i, "].op: id ", graph.nodes(i).op(), " is outside of graph.symbols"));
    }
  }
  std::vector<std::string> targets = options.targets;
  if (targets.empty()) targets = {"any"};
  report.set_mode(options.mode);
  report.set_tables_digest(modules.tables().digest());
  for (const std::string& text : targets) {
    v1::Result& result = *report.add_results();
    result.set_target(text);
    if (text != "any") {
      absl::StatusOr<TargetName> name = ParseTargetName(text);
      if (!name.ok()) return name.status();
      absl::StatusOr<const Module*> module = modules.Get(name->backend);
      if (absl::IsNotFound(module.status())) return module.status();
      if (!module.ok()) {
        result.set_verdict(v1::Result::UNKNOWN);
        result.set_verdict_reason(std::string(module.status().message()));
        continue;
      }
      absl::StatusOr<Target> target = (*module)->resolve(*name);
      if (!target.ok()) return target.status();
      result.set_target(target->name);
    }
    result.set_verdict(v1::Result::ACCEPTED);
    for (const v1::Node& node : graph.nodes()) {
      if (node.name() != "bad") continue;
      result.add_findings()->set_code("NR001");
      result.set_verdict(v1::Result::REJECTED);
    }
  }
  return absl::OkStatus();
}

std::vector<const RuleInfo*> Rules() { return {&kOwn, &kScaleRange}; }

int Started() { return started; }
int Cancelled() { return cancelled; }
void OpenGate() { gate_is_open = true; }

}  // namespace quantgate::fake
