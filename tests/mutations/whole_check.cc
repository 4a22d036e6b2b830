#include "tests/mutations/whole_check.h"

#include <ctime>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "client/error.h"
#include "client/import.h"
#include "client/report/text.h"
#include "rules/check.h"
#include "rules/simulator/run/report.h"
#include "tests/rules/less_known.h"

namespace quantgate::mutations {
namespace {

Outcome OutcomeOf(v1::Result::Verdict verdict) {
  if (verdict == v1::Result::REJECTED) return Outcome::kRejected;
  if (verdict == v1::Result::UNKNOWN) return Outcome::kUnknown;
  return Outcome::kAccepted;
}

// Of a simulation: beyond it the answer is RESOURCE_EXHAUSTED, or the end by whoever asked.
constexpr int64_t kMostBytes = 2 << 20;
constexpr std::clock_t kPatience = CLOCKS_PER_SEC / 2;

// What `quantgate simulate` does with the file, at most with so much memory and time. Empty, or what must not happen.
std::string SimulateWhole(const std::string& path, ImportOptions import, const std::string& target,
                          ModuleRegistry& modules) {
  import.max_weight_bytes = kMostBytes;
  const absl::StatusOr<ImportedModel> model = ImportModel(path, import);
  if (!model.ok())
    return ErrorCode(model.status()) == "FI002" ? "" : "import with weights: " + model.status().ToString();
  const std::clock_t start = std::clock();
  simulator::SimulateOptions options;
  options.max_bytes = kMostBytes;
  options.cancelled = [&] { return std::clock() - start > kPatience; };
  v1::Report report;
  const absl::Status status = simulator::SimulateReport(model->graph, {.target = target}, &modules, options, report);
  const bool may_end =
      status.ok() || absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status) || absl::IsCancelled(status);
  return may_end ? "" : "simulate: " + status.ToString();
}

// The same graph, of which less is known: whatever is looked at may be missing. Empty, or what must not happen.
std::string CheckLess(v1::Graph graph, const std::string& target, int64_t number, ModuleRegistry& modules) {
  testing::KnowLess(graph, static_cast<int>(number % testing::kWaysToKnowLess), number / testing::kWaysToKnowLess);
  CheckOptions options;
  options.targets = {target};
  options.corrections = false;
  v1::Report report;
  const absl::Status status = Check(graph, options, modules, report);
  return status.ok() || absl::IsResourceExhausted(status) ? "" : "check with less known: " + status.ToString();
}

}  // namespace

Answer CheckWhole(const std::string& path, const std::string& encodings, const std::string& target, int64_t number,
                  ModuleRegistry& modules) {
  ImportOptions import;
  import.encodings = encodings;
  import.pack_from = 1;  // as `check` does it with large constants
  const absl::StatusOr<ImportedModel> model = ImportModel(path, import);
  if (!model.ok()) {
    const std::string code = ErrorCode(model.status());
    if (code == "FI001" || code == "FI002") return {Outcome::kRefused, ""};
    return {Outcome::kFault, "import: " + model.status().ToString()};
  }
  Outcome outcome = Outcome::kUnknown;
  for (const bool targeted : {false, true}) {
    CheckOptions options;
    if (targeted) options.targets = {target};
    v1::Report report;
    if (const absl::Status status = Check(model->graph, options, modules, report); !status.ok()) {
      // A graph says itself what its ids are; every other importer answers for them.
      const bool may_refuse =
          absl::IsResourceExhausted(status) ||
          (absl::IsInvalidArgument(status) && absl::StartsWith(model->info.format(), "quantgate.v1.Graph"));
      if (may_refuse) return {Outcome::kRefused, ""};
      return {Outcome::kFault, "check: " + status.ToString()};
    }
    if (report.results_size() != 1) return {Outcome::kFault, "check: not one result"};
    *report.mutable_model() = model->info;
    if (RenderText(report, Style{}).empty()) return {Outcome::kFault, "the report is empty"};
    outcome = OutcomeOf(report.results(0).verdict());
  }
  if (std::string fault = CheckLess(model->graph, target, number, modules); !fault.empty()) {
    return {Outcome::kFault, std::move(fault)};
  }
  std::string fault = SimulateWhole(path, import, target, modules);
  if (!fault.empty()) return {Outcome::kFault, std::move(fault)};
  return {outcome, ""};
}

}  // namespace quantgate::mutations
