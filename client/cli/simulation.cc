#include "client/cli/simulation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/engine.h"
#include "client/npz/npz.h"
#include "rules/simulator/run/report.h"

namespace quantgate {

void KeepWeights(const SimulationFlags& flags, ImportOptions& options) {
  options.max_weight_bytes = static_cast<int64_t>(flags.max_memory);
  options.max_scanned_bytes = std::max(options.max_scanned_bytes, options.max_weight_bytes);
}

absl::Status Simulate(const SimulationFlags& flags, const v1::Graph& graph, Progress& progress, v1::Report& report) {
  simulator::Request request{flags.target, flags.profile, flags.seed};
  Engine engine;
  if (!flags.target.empty()) {
    absl::StatusOr<Engine> opened = OpenEngine(flags.tables);
    if (!opened.ok()) return opened.status();
    engine = *std::move(opened);
  }
  absl::flat_hash_map<std::string, simulator::Tensor> given;
  if (!flags.input.empty()) {
    auto read = ReadNpz(flags.input, static_cast<int64_t>(flags.max_memory));
    if (!read.ok()) return read.status();
    given = *std::move(read);
    request.given = &given;
  }

  NpzWriter values(static_cast<int64_t>(flags.max_memory));
  absl::Status dumped;
  simulator::SimulateOptions options;
  options.statistics = !flags.only_integers;
  options.max_bytes = static_cast<int64_t>(flags.max_memory);
  options.progress = [&](int done, int total) {
    progress.Step(absl::StrCat("simulating node ", done + 1, " of ", total));
  };
  if (!flags.dump.empty()) {
    options.on_value = [&](const std::string& name, const simulator::Tensor& tensor) {
      if (dumped.ok()) dumped = values.Add(name, tensor);
    };
  }
  const absl::Status status = simulator::SimulateReport(graph, request, engine.modules.get(), options, report);
  progress.Step("");
  if (!status.ok()) return status;
  return flags.dump.empty() || !dumped.ok() ? dumped : values.Close(flags.dump);
}

absl::Status SimulateBeside(const SimulationFlags& flags, const v1::Graph& graph, Progress& progress,
                            v1::Report& report) {
  v1::Report simulated;
  if (absl::Status status = Simulate(flags, graph, progress, simulated); !status.ok()) return status;
  *report.mutable_simulation() = std::move(*simulated.mutable_simulation());
  if (report.results().empty()) return absl::OkStatus();
  v1::Result& result = *report.mutable_results(0);
  const v1::Result& about = simulated.results(0);
  result.mutable_findings()->MergeFrom(about.findings());
  if (about.verdict() == v1::Result::UNKNOWN) {
    v1::NotChecked& missing = *result.add_not_checked();
    missing.set_rule("SM");
    missing.set_reason(about.verdict_reason());
  }
  if (about.verdict() == v1::Result::REJECTED && report.mode() != v1::Report::WARN) {
    result.set_verdict(v1::Result::REJECTED);
    result.clear_verdict_reason();
  } else if (!about.findings().empty() && result.verdict() == v1::Result::ACCEPTED) {
    result.set_verdict(v1::Result::ACCEPTED_WITH_WARNINGS);
  }
  return absl::OkStatus();
}

}  // namespace quantgate
